//! What Jinja2 and Python do differently from minijinja's built-ins: printing of floats, a filter, the type tests.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, Output, State, Value, escape_formatter};

pub fn adapt(env: &mut Environment) {
    env.set_formatter(print);
    env.add_filter("default", default);
    env.add_filter("d", default);
    env.add_test("iterable", is_iterable);
    env.add_test("sequence", is_sequence);
    env.add_test("number", |value: &Value| matches!(value.kind(), ValueKind::Number | ValueKind::Bool));
}

/// repr(float): the shortest digits that read back equal, with an exponent below 1e-4 and from 1e16 on.
pub fn float_repr(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific; // inf, nan
    };
    match exponent.parse::<i32>().expect("LowerExp writes an integer") {
        exponent if !(-4..16).contains(&exponent) => {
            format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        }
        _ => format!("{value:?}"),
    }
}

fn print(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    if value.kind() == ValueKind::Number && !value.is_integer() {
        return Ok(out.write_str(&float_repr(f64::try_from(value.clone())?))?);
    }
    escape_formatter(out, state, value)
}

// default(value, default_value='', boolean=False)
fn default(value: &Value, other: Option<Value>, boolean: Option<bool>, kwargs: Kwargs) -> Result<Value, Error> {
    let other = other.or(kwargs.get("default_value")?).unwrap_or_else(|| Value::from(""));
    let boolean = boolean.or(kwargs.get("boolean")?).unwrap_or(false);
    kwargs.assert_all_used()?;
    Ok(if value.is_undefined() || (boolean && !value.is_true()) { other } else { value.clone() })
}

// An undefined value iterates as an empty list.
fn is_iterable(value: &Value) -> bool {
    is_sequence(value) || value.kind() == ValueKind::Iterable
}

// Whatever has a length and can be indexed: strings and dicts too.
fn is_sequence(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::String | ValueKind::Seq | ValueKind::Map | ValueKind::Undefined)
}
