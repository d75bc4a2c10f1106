//! Python's str() and repr() of a template's values, paid for as they grow: a small value can hold itself many times
//! over, so that its text is far larger than it is.

use minijinja::value::{Tuple, ValueKind};
use minijinja::{Error, ErrorKind, State, Value};

// Deeper values are refused rather than allowed to exhaust the stack. Python refuses too, near 1000.
pub const MAX_DEPTH: usize = 500;

/// str(value), as `{{ value }}` prints it.
pub fn str(state: &State, value: &Value) -> Result<String, Error> {
    let mut text = Paid::new(state);
    write_str(&mut text, value)?;
    Ok(text.out)
}

/// Appends str(value).
pub fn write_str(text: &mut Paid, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::String | ValueKind::Undefined => text.push(value.as_str().unwrap_or_default()),
        _ => write_repr(text, value, 0),
    }
}

/// repr(float): the shortest digits that read back equal, with an exponent below 1e-4 and from 1e16 on.
pub fn float_repr(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific.to_lowercase(); // inf, nan
    };
    match exponent.parse::<i32>().expect("LowerExp writes an integer") {
        exponent if !(-4..16).contains(&exponent) => {
            format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        }
        _ => format!("{value:?}"),
    }
}

fn write_repr(text: &mut Paid, value: &Value, depth: usize) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined => text.push("Undefined"),
        ValueKind::String => text.push(&string_repr(value.as_str().unwrap_or_default())),
        ValueKind::Number if !value.is_integer() => text.push(&float_repr(f64::try_from(value.clone())?)),
        ValueKind::Seq | ValueKind::Iterable | ValueKind::Map if depth == MAX_DEPTH => {
            Err(Error::new(ErrorKind::InvalidOperation, "the value is nested too deeply to be printed"))
        }
        ValueKind::Seq | ValueKind::Iterable if value.len().is_some() => {
            let is_tuple = value.downcast_object_ref::<Tuple>().is_some();
            text.push(if is_tuple { "(" } else { "[" })?;
            let mut count = 0;
            for item in value.try_iter()? {
                text.push(if count == 0 { "" } else { ", " })?;
                write_repr(text, &item, depth + 1)?;
                count += 1;
            }
            text.push(match (is_tuple, count) {
                (true, 1) => ",)",
                (true, _) => ")",
                (false, _) => "]",
            })
        }
        ValueKind::Map => {
            text.push("{")?;
            for (i, key) in value.try_iter()?.enumerate() {
                text.push(if i == 0 { "" } else { ", " })?;
                write_repr(text, &key, depth + 1)?;
                text.push(": ")?;
                write_repr(text, &value.get_item(&key)?, depth + 1)?;
            }
            text.push("}")
        }
        _ => text.push(&value.to_string()),
    }
}

fn string_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if is_printable(c) => out.push(c),
            c if c as u32 <= 0xFF => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if c as u32 <= 0xFFFF => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push_str(&format!("\\U{:08x}", c as u32)),
        }
    }
    out.push(quote);
    out
}

// str.isprintable: what Rust's own escaping leaves alone (the same categories of Unicode) once the character is not the
// first, where it would escape combining marks too.
fn is_printable(c: char) -> bool {
    matches!(c, '"' | '\'') || !format!("a{c}").escape_debug().skip(1).collect::<String>().starts_with('\\')
}

/// A growing text whose bytes are charged against the fuel.
pub struct Paid<'a, 'template, 'env> {
    state: &'a State<'template, 'env>,
    pub out: String,
    unpaid: usize,
}

impl<'a, 'template, 'env> Paid<'a, 'template, 'env> {
    pub fn new(state: &'a State<'template, 'env>) -> Self {
        Paid { state, out: String::new(), unpaid: 0 }
    }

    pub fn push(&mut self, text: &str) -> Result<(), Error> {
        const BYTES_PER_FUEL: usize = 64; // as the engine has it
        const VISIT: usize = 24; // what finding the piece costs, in bytes
        self.unpaid += text.len() + VISIT;
        self.state.consume_fuel((self.unpaid / BYTES_PER_FUEL) as u64)?;
        self.unpaid %= BYTES_PER_FUEL;
        self.out.push_str(text);
        Ok(())
    }
}
