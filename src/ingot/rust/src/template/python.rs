//! What Jinja2 and Python do differently from minijinja's built-ins: printing, some filters, the type tests.

use minijinja::value::{Kwargs, Rest, Tuple, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, Output, State, Value, filters};

use minijinja_contrib::globals;

use super::methods;
use super::tags;
use super::text::{self, Paid};

pub fn adapt(env: &mut Environment) {
    env.add_function("cycler", |items: Rest<Value>| globals::cycler(items.0));
    env.add_function("joiner", globals::joiner);
    env.add_filter("engine format", filters::format);
    env.add_filter("format", format);
    env.add_filter(tags::PERCENT, percent);
    env.add_filter(tags::MARKUP, markup);
    env.add_filter("center", center);
    env.add_filter("wordcount", |text: &str| text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).count());
    env.add_filter("truncate", truncate);
    env.add_test("callable", |value: &Value| value.kind() == ValueKind::Plain);
    env.set_formatter(print);
    env.add_filter("string", string);
    env.add_filter("join", join);
    env.add_filter("default", default);
    env.add_filter("d", default);
    env.add_test("iterable", is_iterable);
    env.add_test("sequence", is_sequence);
    env.add_test("number", |value: &Value| matches!(value.kind(), ValueKind::Number | ValueKind::Bool));
}

fn print(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(string) => Ok(out.write_str(string)?),
        None => Ok(out.write_str(&text::str(state, value)?)?),
    }
}

fn format(state: &mut State, pattern: &str, values: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    if methods::has_long_old_number(pattern) {
        return Err(Error::new(ErrorKind::InvalidOperation, "format: a width or precision is too large"));
    }
    let args: Vec<Value> = std::iter::once(Value::from(pattern)).chain(values.into_values()).collect();
    state.apply_filter("engine format", &args)
}

// format % value: a tuple gives several values, a dict named ones.
fn percent(state: &mut State, format: Value, value: Value) -> Result<Value, Error> {
    let mut args = vec![format];
    match (value.downcast_object_ref::<Tuple>(), value.kind()) {
        (Some(tuple), _) => args.extend(tuple.iter().cloned()),
        (None, ValueKind::Map) => {
            let pairs = value.try_iter()?.map(|key| Ok((key.to_string(), value.get_item(&key)?)));
            args.push(pairs.collect::<Result<Kwargs, Error>>()?.into());
        }
        _ => args.push(value),
    }
    state.apply_filter("format", &args)
}

// What becomes of a string that is added to markup.
fn markup(value: Value) -> Value {
    match value.as_str() {
        Some(text) if !value.is_safe() => {
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            Value::from_safe_string(text.replace('\'', "&#39;").replace('"', "&#34;"))
        }
        _ => value,
    }
}

fn center(state: &mut State, value: Value, width: Option<Value>) -> Result<Value, Error> {
    methods::call(state, &value, "center", &[width.unwrap_or_else(|| Value::from(80))])
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

// truncate(s, length=255, killwords=False, end='...', leeway=5); the last by name alone.
fn truncate(
    text: &str,
    length: Option<usize>,
    killwords: Option<bool>,
    end: Option<String>,
    kwargs: Kwargs,
) -> Result<String, Error> {
    let length = length.or(kwargs.get("length")?).unwrap_or(255);
    let killwords = killwords.or(kwargs.get("killwords")?).unwrap_or(false);
    let end = end.or(kwargs.get("end")?).unwrap_or_else(|| "...".into());
    let leeway = kwargs.get::<Option<usize>>("leeway")?.unwrap_or(5);
    kwargs.assert_all_used()?;
    if length < end.chars().count() {
        return Err(Error::new(ErrorKind::InvalidOperation, "truncate: the end is longer than the length"));
    }
    if text.chars().count() <= length.saturating_add(leeway) {
        return Ok(text.into());
    }
    let head: String = text.chars().take(length.saturating_sub(end.chars().count())).collect();
    let head = if killwords { head.as_str() } else { head.rsplit_once(' ').map_or(head.as_str(), |(words, _)| words) };
    Ok(format!("{head}{end}"))
}

fn string(state: &State, value: Value) -> Result<Value, Error> {
    if value.kind() == ValueKind::String { Ok(value) } else { Ok(Value::from(text::str(state, &value)?)) }
}

// join(value, d='', attribute=None)
fn join(
    state: &State,
    value: &Value,
    separator: Option<Value>,
    attribute: Option<Value>,
    kwargs: Kwargs,
) -> Result<String, Error> {
    let separator = separator.or(kwargs.get("d")?).map_or(Ok(String::new()), |value| text::str(state, &value))?;
    let attribute = attribute.or(kwargs.get("attribute")?).filter(|name| !name.is_none());
    kwargs.assert_all_used()?;
    let mut joined = Paid::new(state);
    for (i, item) in tags::iter(value.clone())?.try_iter()?.enumerate() {
        if i > 0 {
            joined.push(&separator)?;
        }
        match &attribute {
            None => text::write_str(&mut joined, &item)?,
            Some(name) => text::write_str(&mut joined, &attribute_of(&item, name)?)?,
        }
    }
    Ok(joined.out)
}

// A dotted path, or an index.
fn attribute_of(item: &Value, name: &Value) -> Result<Value, Error> {
    let Some(path) = name.as_str() else { return item.get_item(name) };
    path.split('.').try_fold(item.clone(), |value, part| match part.parse::<usize>() {
        Ok(index) => value.get_item_by_index(index),
        Err(_) => value.get_attr(part),
    })
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
