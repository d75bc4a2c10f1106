//! `{% generation %} … {% endgeneration %}`: transformers' marks around what the assistant wrote. They render their body
//! in a scope of its own, which is what an empty `{% with %}` does.

use minijinja::Error;
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// Renames the tags. Found by the engine's own lexer, so that text, comments, strings and raw blocks stay as they are;
/// lines stay where they are too.
pub fn scope_blocks(source: &str, syntax: &SyntaxConfig) -> Result<String, Error> {
    if !source.contains("generation") {
        return Ok(source.to_owned());
    }
    let mut result = String::with_capacity(source.len());
    let mut copied = 0;
    let mut opens_block = false;
    for token in tokenize(source, false, syntax.clone()) {
        let (token, span) = token?;
        let renamed = match token {
            Token::Ident("generation") if opens_block => Some("with"),
            Token::Ident("endgeneration") if opens_block => Some("endwith"),
            _ => None,
        };
        if let Some(tag) = renamed {
            result.push_str(&source[copied..span.start_offset as usize]);
            result.push_str(tag);
            copied = span.end_offset as usize;
        }
        opens_block = matches!(token, Token::BlockStart);
    }
    result.push_str(&source[copied..]);
    Ok(result)
}
