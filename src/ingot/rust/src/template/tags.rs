//! What is rewritten in a template's source before it is compiled. Found by the engine's own lexer, so that text,
//! comments, strings and raw blocks stay as they are; lines stay where they are too.
//!
//! `{% generation %} … {% endgeneration %}`, transformers' marks around what the assistant wrote, render their body in a
//! scope of its own: what an empty `{% with %}` does. `{% for x in y %}` becomes `{% for x in __iter__((y)) %}`, so that a
//! loop over None fails as in Python. What `{% set %}` assigns goes through `__bounded__` or, for a namespace's member,
//! `__member__`; so do the parameters of a macro and of a call block, and a loop's variables where they can be new values
//! (bounds.rs says why).
//! `'…' % x` becomes `'…'|__percent__((x))`, and `'…'|safe + x` `'…'|safe + x|__markup__`.

use std::ops::Range;

use minijinja::machinery::{Span, Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

use super::bounds::{BOUNDED, MEMBER};

pub const ITER: &str = "__iter__";
pub const PERCENT: &str = "__percent__";
pub const MARKUP: &str = "__markup__";

// Of one tag. The engine folds constants in time that grows faster than the expression.
const MAX_TOKENS: usize = 4096;

type Tokens<'a> = [(Token<'a>, Span)];

pub fn rewrite(source: &str, syntax: &SyntaxConfig) -> Result<String, Error> {
    let tokens: Vec<(Token, Span)> = tokenize(source, false, syntax.clone()).collect::<Result<_, _>>()?;
    let mut edits = Edits::default();
    let mut start = 0;
    for (at, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::BlockStart | Token::VariableStart => start = at,
            Token::BlockEnd | Token::VariableEnd if at > start + 1 => {
                edits.formats(&tokens[start + 1..=at]);
                edits.sums(&tokens[start + 1..=at]);
                if matches!(token, Token::BlockEnd) {
                    edits.tag(&tokens[start + 1..=at]);
                }
            }
            _ if at - start > MAX_TOKENS && !matches!(token, Token::TemplateData(_)) => {
                return Err(Error::new(ErrorKind::SyntaxError, "the tag is too long"));
            }
            _ => (),
        }
    }
    Ok(edits.applied_to(source))
}

/// The function that loops call: refuses None.
pub fn iter(value: Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::None => Err(Error::new(ErrorKind::InvalidOperation, "None is not iterable")),
        _ => Ok(value),
    }
}

// What takes the place of which bytes of the source.
#[derive(Default)]
struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    // The tokens after `{%` up to and with `%}`.
    fn tag(&mut self, tokens: &Tokens) {
        match tokens[0].0 {
            Token::Ident("generation") => self.replace(&tokens[0].1, "with"),
            Token::Ident("endgeneration") => self.replace(&tokens[0].1, "endwith"),
            Token::Ident("for") => self.for_tag(tokens),
            Token::Ident("set") => self.set_tag(tokens),
            Token::Ident("macro") => self.bind(tokens, &parameters(&tokens[1..])), // the name, then the list
            Token::Ident("call") => self.bind(tokens, &parameters(tokens)),        // a list only if it comes at once
            Token::Ident("with") => self.bind(tokens, &assigned(tokens)),
            _ => (),
        }
    }

    fn for_tag(&mut self, tokens: &Tokens) {
        let Some(separator) = find(tokens, |token| matches!(token, Token::Ident("in"))) else { return };
        let rest = &tokens[separator + 1..];
        let Some(end) = find(rest, |token| matches!(token, Token::Ident("if" | "recursive") | Token::BlockEnd)) else {
            return;
        };
        if end > 0 {
            self.call(ITER, &tokens[separator].1, &rest[end - 1].1);
            let is_recursive = rest[end..].iter().any(|(token, _)| matches!(token, Token::Ident("recursive")));
            if is_recursive || makes_values(&rest[..end]) {
                self.bind(tokens, &identifiers(&tokens[1..separator]));
            }
        }
    }

    fn set_tag(&mut self, tokens: &Tokens) {
        let Some(assign) = find(tokens, |token| matches!(token, Token::Assign)) else { return };
        if assign + 2 < tokens.len() {
            let is_member = tokens[..assign].iter().any(|(token, _)| matches!(token, Token::Dot));
            let function = if is_member { MEMBER } else { BOUNDED };
            self.call(function, &tokens[assign].1, &tokens[tokens.len() - 2].1);
        }
    }

    // Wraps what stands after `before` up to the end of `last` into a call.
    fn call(&mut self, function: &str, before: &Span, last: &Span) {
        self.insert(before.end_offset as usize, &format!(" {function}(("));
        self.insert(last.end_offset as usize, "))");
    }

    // Ends the tag early and passes each name through __bounded__ in tags of its own; the last keeps the tag's own end,
    // with its way of trimming what follows.
    fn bind(&mut self, tokens: &Tokens, names: &[&str]) {
        let at = tokens[tokens.len() - 2].1.end_offset as usize;
        for name in names {
            self.insert(at, &format!(" %}}{{% set {name} = {BOUNDED}({name})"));
        }
    }

    // `'…' % operand`, Python's old formatting, which the engine has as a filter alone.
    fn formats(&mut self, tokens: &Tokens) {
        for at in 1..tokens.len() {
            if matches!(tokens[at].0, Token::Mod) && matches!(tokens[at - 1].0, Token::Str(_) | Token::String(_)) {
                if let Some(length) = operand(&tokens[at + 1..]) {
                    self.replace(&tokens[at].1, &format!("|{PERCENT}(("));
                    self.insert(tokens[at + length].1.end_offset as usize, "))");
                }
            }
        }
    }

    // `'…'|safe + x`: Jinja2's markup escapes what it is added to.
    fn sums(&mut self, tokens: &Tokens) {
        let ends_sum = |token: &Token| {
            matches!(token, Token::Comma | Token::Tilde | Token::Assign | Token::VariableEnd | Token::BlockEnd)
                || matches!(token, Token::Ident("if" | "else" | "or" | "and" | "not" | "in" | "is"))
        };
        let mut rest = tokens;
        while let Some(end) = find(rest, ends_sum) {
            let mut terms = Vec::new();
            let mut sum = &rest[..end];
            while let Some(plus) = find(sum, |token| matches!(token, Token::Plus)) {
                terms.push(&sum[..plus]);
                sum = &sum[plus + 1..];
            }
            terms.push(sum);
            if terms.len() > 1 && terms.iter().any(|term| is_safe(term)) {
                for last in terms.iter().filter(|term| !is_safe(term)).filter_map(|term| term.last()) {
                    self.insert(last.1.end_offset as usize, &format!("|{MARKUP}"));
                }
            }
            rest = &rest[end + 1..];
        }
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.0.push((at..at, text.to_owned()));
    }

    fn replace(&mut self, span: &Span, text: &str) {
        self.0.push((span.start_offset as usize..span.end_offset as usize, text.to_owned()));
    }

    fn applied_to(mut self, source: &str) -> String {
        self.0.sort_by_key(|(range, _)| range.start); // stable: insertions at one place keep their order
        let mut result = String::with_capacity(source.len());
        let mut copied = 0;
        for (range, text) in self.0 {
            result.push_str(&source[copied..range.start]);
            result.push_str(&text);
            copied = range.end;
        }
        result + &source[copied..]
    }
}

fn is_safe(term: &Tokens) -> bool {
    matches!(term, [.., (Token::Pipe, _), (Token::Ident("safe"), _)])
}

// Whether the expression can be more than a part of what variables hold, which is bounded already.
fn makes_values(tokens: &Tokens) -> bool {
    let is_range = matches!(tokens[0].0, Token::Ident("range"));
    let mut follows_operand = false;
    let found = tokens.iter().any(|(token, _)| {
        let makes = match token {
            Token::BracketOpen => !follows_operand,
            Token::BraceOpen | Token::ParenOpen | Token::Pipe | Token::Plus | Token::Mul => true,
            _ => false,
        };
        follows_operand = match token {
            Token::Ident(name) => !matches!(*name, "or" | "and" | "not" | "in" | "if" | "else" | "is"),
            _ => matches!(token, Token::Str(_) | Token::String(_) | Token::BracketClose),
        };
        makes
    });
    found && !is_range
}

// How many tokens the operand takes that the tokens begin with: a primary and what is attached to it.
fn operand(tokens: &Tokens) -> Option<usize> {
    let mut length = match tokens.first()?.0 {
        Token::Ident(_) | Token::Str(_) | Token::String(_) | Token::Int(_) | Token::Float(_) => 1,
        _ => bracketed(tokens)?,
    };
    loop {
        length += match tokens.get(length)?.0 {
            Token::Dot | Token::Pipe if matches!(tokens.get(length + 1)?.0, Token::Ident(_)) => 2,
            Token::ParenOpen | Token::BracketOpen => bracketed(&tokens[length..])?,
            _ => return Some(length),
        }
    }
}

// The number of tokens from an opening bracket to its closing one.
fn bracketed(tokens: &Tokens) -> Option<usize> {
    let mut depth = 0usize;
    for (at, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => depth = depth.checked_sub(1)?,
            _ => (),
        }
        if depth == 0 {
            return (at > 0).then_some(at + 1);
        }
    }
    None
}

// The first such token outside all brackets.
fn find(tokens: &Tokens, wanted: impl Fn(&Token) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    tokens.iter().position(|(token, _)| {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => depth = depth.saturating_sub(1),
            _ => (),
        }
        depth == 0 && wanted(token)
    })
}

fn identifiers<'a>(tokens: &Tokens<'a>) -> Vec<&'a str> {
    tokens.iter().filter_map(|(token, _)| if let Token::Ident(name) = token { Some(*name) } else { None }).collect()
}

// The names in `… (a, b=default)`, if the second token opens a list.
fn parameters<'a>(tokens: &Tokens<'a>) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut depth = 0usize;
    for pair in tokens[1..].windows(2) {
        match pair[0].0 {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => depth = depth.saturating_sub(1),
            _ => (),
        }
        match (&pair[0].0, &pair[1].0) {
            (Token::ParenOpen | Token::Comma, Token::Ident(name)) if depth == 1 => names.push(*name),
            _ => (),
        }
        if depth == 0 {
            break;
        }
    }
    names
}

// The names in `with a=1, b=2`.
fn assigned<'a>(tokens: &Tokens<'a>) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut rest = tokens;
    while let Some(assign) = find(rest, |token| matches!(token, Token::Assign)) {
        names.extend(identifiers(&rest[assign.saturating_sub(1)..assign]));
        rest = &rest[assign + 1..];
    }
    names
}
