//! The `tojson` filter as transformers defines it: Python's json.dumps with ensure_ascii off.

use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Error, ErrorKind, State, Value};

use super::lazy;
use super::text::{MAX_DEPTH, Paid, float_repr};

/// json.dumps(value, ensure_ascii, indent, separators, sort_keys), each by position or by name.
pub fn tojson(state: &State, value: &Value, positional: Rest<Value>, kwargs: Kwargs) -> Result<String, Error> {
    let argument = |position: usize, name| match positional.get(position) {
        Some(value) => Ok(value.clone()),
        None => kwargs.get::<Option<Value>>(name).map(Option::unwrap_or_default),
    };
    let mut writer = Writer {
        ensure_ascii: argument(0, "ensure_ascii")?.is_true(),
        indent: indent_unit(&argument(1, "indent")?)?,
        sort_keys: argument(3, "sort_keys")?.is_true(),
        item_separator: String::new(),
        key_separator: String::new(),
        depth: 0,
        out: Paid::new(state),
    };
    let separators = argument(2, "separators")?;
    kwargs.assert_all_used()?;
    (writer.item_separator, writer.key_separator) = match separators.kind() {
        ValueKind::None | ValueKind::Undefined if writer.indent.is_some() => (",".into(), ": ".into()),
        ValueKind::None | ValueKind::Undefined => (", ".into(), ": ".into()),
        _ => (separators.get_item_by_index(0)?.to_string(), separators.get_item_by_index(1)?.to_string()),
    };
    writer.value(value)?;
    Ok(writer.out.out)
}

// What one level is indented by; nothing when the text stays on one line.
fn indent_unit(indent: &Value) -> Result<Option<String>, Error> {
    match indent.kind() {
        ValueKind::None | ValueKind::Undefined => Ok(None),
        ValueKind::String if indent.len() > Some(64) => {
            Err(Error::new(ErrorKind::InvalidOperation, "tojson: the indent is too long"))
        }
        ValueKind::String => Ok(Some(indent.to_string())),
        _ => Ok(Some(" ".repeat(i64::try_from(indent.clone())?.clamp(0, 64) as usize))),
    }
}

struct Writer<'a, 'template, 'env> {
    ensure_ascii: bool,
    indent: Option<String>,
    sort_keys: bool,
    item_separator: String,
    key_separator: String,
    depth: usize,
    out: Paid<'a, 'template, 'env>,
}

impl Writer<'_, '_, '_> {
    fn value(&mut self, value: &Value) -> Result<(), Error> {
        match value.kind() {
            ValueKind::String => self.string(value.as_str().unwrap_or_default())?,
            ValueKind::Seq | ValueKind::Iterable if !lazy::is_generator(value) => {
                let items: Vec<Value> = value.try_iter()?.collect();
                self.container("[", "]", &items, |writer, item| writer.value(item))?;
            }
            ValueKind::Map => {
                let mut keys: Vec<Value> = value.try_iter()?.collect();
                if self.sort_keys {
                    keys.sort();
                }
                self.container("{", "}", &keys, |writer, key| {
                    writer.string(&scalar(key).unwrap_or_else(|| Ok(key.to_string()))?)?;
                    writer.out.push(&writer.key_separator)?;
                    writer.value(&value.get_item(key)?)
                })?;
            }
            _ => match scalar(value) {
                Some(text) => self.out.push(&text?)?,
                None => return Err(not_serializable(value)),
            },
        }
        Ok(())
    }

    fn container(
        &mut self,
        open: &str,
        close: &str,
        items: &[Value],
        mut write: impl FnMut(&mut Self, &Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.depth == MAX_DEPTH {
            return Err(Error::new(ErrorKind::InvalidOperation, "tojson: the value is nested too deeply"));
        }
        self.out.push(open)?;
        self.depth += 1;
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push(&self.item_separator)?;
            }
            self.new_line()?;
            write(self, item)?;
        }
        self.depth -= 1;
        if !items.is_empty() {
            self.new_line()?;
        }
        self.out.push(close)
    }

    fn new_line(&mut self) -> Result<(), Error> {
        match &self.indent {
            Some(indent) => self.out.push(&format!("\n{}", indent.repeat(self.depth))),
            None => Ok(()),
        }
    }

    fn string(&mut self, text: &str) -> Result<(), Error> {
        let mut out = String::with_capacity(text.len() + 2);
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\x08' => out.push_str("\\b"),
                '\x0c' => out.push_str("\\f"),
                c if c < ' ' || (self.ensure_ascii && !matches!(c, ' '..='~')) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
        self.out.push(&out)
    }
}

// The text of null, a boolean or a number; nothing for the other kinds.
fn scalar(value: &Value) -> Option<Result<String, Error>> {
    match value.kind() {
        ValueKind::None => Some(Ok("null".into())),
        ValueKind::Bool => Some(Ok(value.is_true().to_string())),
        ValueKind::Number if value.is_integer() => Some(Ok(value.to_string())),
        ValueKind::Number => Some(f64::try_from(value.clone()).map(float)),
        _ => None,
    }
}

fn float(value: f64) -> String {
    match value {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        _ if value.is_nan() => "NaN".into(),
        _ => float_repr(value),
    }
}

fn not_serializable(value: &Value) -> Error {
    Error::new(ErrorKind::BadSerialization, format!("tojson: {} is not JSON serializable", value.kind()))
}
