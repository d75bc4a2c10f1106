//! What a variable may hold. The engine prints, compares and frees values by recursion and unpaid, so a value that grows
//! from step to step by holding itself (twice) would take any time and any stack. Whatever is assigned or passed to a macro
//! goes through here; the calls are put in by tags.rs.

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, State, Value};

use super::lazy;
use super::text::MAX_DEPTH;

pub const BOUNDED: &str = "__bounded__";
pub const MEMBER: &str = "__member__";

const MAX_VALUES: usize = 1 << 18; // containers; one that is held twice counts twice

/// Hands `value` on if it is neither too deep nor too large.
pub fn bounded(state: &State, value: Value) -> Result<Value, Error> {
    let mut pending: Vec<(Value, usize)> = Vec::new();
    let mut count = 0;
    visit(&value, 0, &mut pending)?;
    while let Some((item, depth)) = pending.pop() {
        count += 1;
        if count + pending.len() > MAX_VALUES {
            return Err(fault("a variable's value has too many parts"));
        }
        if is_namespace(&item) {
            return Err(fault("a namespace cannot be part of another value"));
        }
        visit(&item, depth, &mut pending)?;
    }
    state.consume_fuel(count as u64 / 8)?;
    Ok(value)
}

/// The same for what a namespace's member is set to, which may not be a namespace: they could hold each other.
pub fn member(state: &State, value: Value) -> Result<Value, Error> {
    if is_namespace(&value) {
        return Err(fault("a namespace cannot be part of another value"));
    }
    bounded(state, value)
}

fn visit(value: &Value, depth: usize, pending: &mut Vec<(Value, usize)>) -> Result<(), Error> {
    let is_container = match value.kind() {
        ValueKind::Seq | ValueKind::Map => true,
        ValueKind::Iterable => value.len().is_some() && !lazy::is_generator(value),
        _ => false,
    };
    if !is_container {
        return Ok(());
    }
    if depth == MAX_DEPTH {
        return Err(fault("a variable's value is nested too deeply"));
    }
    if value.len().is_some_and(|length| length > MAX_VALUES) {
        return Err(fault("a variable's value has too many parts"));
    }
    for item in value.try_iter()? {
        let item = if value.kind() == ValueKind::Map { value.get_item(&item)? } else { item };
        if item.as_object().is_some() {
            pending.push((item, depth + 1));
        }
    }
    Ok(())
}

fn is_namespace(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.type_name().ends_with("::Namespace"))
}

fn fault(reason: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason)
}
