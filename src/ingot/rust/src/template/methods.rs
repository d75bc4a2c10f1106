//! Python's methods of str, list and dict that templates call: those that minijinja-contrib lacks or reads differently,
//! then its own.

use minijinja::value::{Kwargs, Tuple, ValueKind, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat;

pub fn call(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    let ours = match (value.as_str(), value.kind()) {
        (Some(text), _) => string_method(state, text, method, args)?,
        (None, ValueKind::Seq) => list_method(value, method, args)?,
        (None, ValueKind::Map) if method == "copy" => from_args::<()>(args).map(|()| Some(value.clone()))?,
        _ => None,
    };
    match ours {
        Some(result) => Ok(result),
        None => pycompat::unknown_method_callback(state, value, method, args),
    }
}

fn string_method(state: &State, text: &str, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let result = match method {
        "split" | "rsplit" => split(text, method == "rsplit", args)?,
        "partition" => {
            let (separator,): (&str,) = from_args(args)?;
            let (head, tail) = text.split_once(non_empty(separator)?).unzip();
            three(head.unwrap_or(text), if tail.is_some() { separator } else { "" }, tail.unwrap_or(""))
        }
        "rpartition" => {
            let (separator,): (&str,) = from_args(args)?;
            let (head, tail) = text.rsplit_once(non_empty(separator)?).unzip();
            three(head.unwrap_or(""), if tail.is_some() { separator } else { "" }, tail.unwrap_or(text))
        }
        "removeprefix" => {
            let (prefix,): (&str,) = from_args(args)?;
            Value::from(text.strip_prefix(prefix).unwrap_or(text))
        }
        "removesuffix" => {
            let (suffix,): (&str,) = from_args(args)?;
            Value::from(text.strip_suffix(suffix).unwrap_or(text))
        }
        "index" | "rindex" => {
            let (part,): (&str,) = from_args(args)?;
            let found = if method == "index" { text.find(part) } else { text.rfind(part) };
            Value::from(text[..found.ok_or_else(|| fault("substring not found"))?].chars().count())
        }
        "format" if has_long_number(text) => return Err(fault("format: a width or precision is too large")),
        "ljust" | "rjust" | "center" | "zfill" => pad(state, text, method, args)?,
        "title" => from_args::<()>(args).map(|()| Value::from(title(text)))?,
        "casefold" => from_args::<()>(args).map(|()| Value::from(text.to_lowercase()))?,
        "swapcase" => {
            from_args::<()>(args).map(|()| Value::from(text.chars().flat_map(swap_case).collect::<String>()))?
        }
        _ => return Ok(None),
    };
    Ok(Some(result))
}

// A width of more than four digits in a field, which would be filled before it is paid for.
fn has_long_number(format: &str) -> bool {
    let fields = format.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    fields.flat_map(|field| field.split(|c: char| !c.is_ascii_digit())).any(|digits| digits.len() > 4)
}

/// The same in a field of Python's old formatting.
pub fn has_long_old_number(format: &str) -> bool {
    let is_flag = |c: char| c.is_ascii_digit() || "+- #.".contains(c);
    let fields = format.split('%').skip(1).map(|rest| &rest[..rest.find(|c| !is_flag(c)).unwrap_or(rest.len())]);
    fields.flat_map(|field| field.split(|c: char| !c.is_ascii_digit())).any(|digits| digits.len() > 4)
}

// str.split(sep=None, maxsplit=-1) and str.rsplit.
fn split(text: &str, from_right: bool, args: &[Value]) -> Result<Value, Error> {
    let (separator, limit, kwargs): (Option<Value>, Option<i64>, Kwargs) = from_args(args)?;
    let separator = separator.or(kwargs.get("sep")?).filter(|value| !value.is_none());
    let limit = limit.or(kwargs.get("maxsplit")?).unwrap_or(-1);
    kwargs.assert_all_used()?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX - 1);
    let pieces: Vec<&str> = match &separator {
        None if from_right => split_words_from_right(text, limit),
        None => split_words(text, limit),
        Some(value) => {
            let separator = non_empty(value.as_str().ok_or_else(|| fault("split: the separator must be a string"))?)?;
            match from_right {
                true => text.rsplitn(limit + 1, separator).collect::<Vec<_>>().into_iter().rev().collect(),
                false => text.splitn(limit + 1, separator).collect(),
            }
        }
    };
    Ok(pieces.into_iter().map(Value::from).collect())
}

fn split_words(text: &str, limit: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match words.len() < limit {
            true => rest.find(char::is_whitespace).unwrap_or(rest.len()),
            false => rest.len(),
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

fn split_words_from_right(text: &str, limit: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let start = match words.len() < limit {
            true => rest.char_indices().rfind(|(_, c)| c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8()),
            false => 0,
        };
        words.push(&rest[start..]);
        rest = rest[..start].trim_end();
    }
    words.reverse();
    words
}

const MAX_WIDTH: usize = 1 << 20;

fn pad(state: &State, text: &str, method: &str, args: &[Value]) -> Result<Value, Error> {
    let (width, fill): (usize, Option<char>) = from_args(args)?;
    if width > MAX_WIDTH {
        return Err(fault("the width is too large"));
    }
    let missing = width.saturating_sub(text.chars().count());
    state.consume_fuel(missing as u64 / 64)?;
    let fill = fill.unwrap_or(if method == "zfill" { '0' } else { ' ' });
    // Of an odd rest, CPython's center puts the larger half left when the width is odd.
    let left = match method {
        "ljust" => 0,
        "center" => missing / 2 + (missing & width & 1),
        _ => missing,
    };
    let run = |count| std::iter::repeat_n(fill, count);
    let sign = if method == "zfill" && text.starts_with(['+', '-']) { 1 } else { 0 };
    let padded = text[..sign].chars().chain(run(left)).chain(text[sign..].chars()).chain(run(missing - left));
    Ok(Value::from(padded.collect::<String>()))
}

fn list_method(list: &Value, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    match method {
        "index" => {
            let (item,): (&Value,) = from_args(args)?;
            let position = list.try_iter()?.position(|candidate| candidate == *item);
            Ok(Some(Value::from(position.ok_or_else(|| fault("the value is not in the list"))?)))
        }
        "copy" => from_args::<()>(args).map(|()| Some(list.clone())),
        _ => Ok(None),
    }
}

// Every run of letters is a word: "it's" becomes "It'S".
fn title(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut in_word = false;
    for c in text.chars() {
        if in_word {
            result.extend(c.to_lowercase());
        } else {
            result.extend(c.to_uppercase());
        }
        in_word = c.is_alphabetic();
    }
    result
}

fn swap_case(c: char) -> Box<dyn Iterator<Item = char>> {
    if c.is_lowercase() { Box::new(c.to_uppercase()) } else { Box::new(c.to_lowercase()) }
}

fn three(head: &str, separator: &str, tail: &str) -> Value {
    Value::from(Tuple::from([head, separator, tail].map(Value::from)))
}

fn non_empty(separator: &str) -> Result<&str, Error> {
    if separator.is_empty() { Err(fault("empty separator")) } else { Ok(separator) }
}

fn fault(reason: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason)
}
