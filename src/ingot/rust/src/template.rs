//! The `minijinja` crate, set up to render chat templates as transformers does with Jinja2. Faced in C++ by
//! text/chat_template.h.

mod bounds;
mod clock;
mod json;
mod lazy;
mod methods;
mod python;
mod tags;
mod text;

use std::error::Error as _;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, context};

use crate::guard::{Failure, guard_deep};

#[cxx::bridge(namespace = "ingot::bridge")]
mod ffi {
    extern "Rust" {
        type Template;
        fn compile_template(source: &str) -> Result<Box<Template>>;
        // `variables` is the text of a JSON object; `now`, in seconds since 1970, what strftime_now formats. Called from
        // any thread.
        fn render(&self, variables: &str, now: i64) -> Result<String>;
    }
}

/// An environment that holds one template. Immutable once compiled.
pub struct Template(Environment<'static>);

// Neither a file name nor a suffix that would switch escaping on.
const NAME: &str = "chat";

// What a rendering may cost, in instructions and 64-byte pieces of results: some seconds and a gigabyte at most, which
// bounds a template that loops or grows. A chat of ten thousand messages takes a fifth, unless its template looks back from
// each message over all before it: then two thousand fit.
const FUEL: u64 = 1 << 24;

// Published templates stay below 20,000 bytes.
const MAX_SOURCE_BYTES: usize = 1 << 18;

fn compile_template(source: &str) -> Result<Box<Template>, Failure> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Failure(format!("{} bytes, and at most {MAX_SOURCE_BYTES} are read", source.len())));
    }
    guard_deep(|| {
        let mut env = environment()?;
        let source = source.replace("\r\n", "\n").replace('\r', "\n"); // as Jinja2's lexer does
        let source = tags::rewrite(&source, env.syntax()).map_err(describe)?;
        env.add_template_owned(NAME, source).map_err(describe)?;
        Ok(Box::new(Template(env)))
    })
}

impl Template {
    fn render(&self, variables: &str, now: i64) -> Result<String, Failure> {
        guard_deep(|| {
            let variables: Value = serde_json::from_str(variables).map_err(|e| Failure(format!("variables: {e}")))?;
            let strftime_now = Value::from_function(move |format: &str| clock::strftime(now, format));
            let template = self.0.get_template(NAME).map_err(describe)?;
            template.render(context! { strftime_now, ..variables }).map_err(describe)
        })
    }
}

// As transformers.utils.chat_template_utils sets up jinja2's ImmutableSandboxedEnvironment.
fn environment() -> Result<Environment<'static>, Failure> {
    let mut env = Environment::new();
    env.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(describe)?);
    env.set_undefined_behavior(UndefinedBehavior::Lenient);
    env.set_unknown_method_callback(methods::call);
    env.set_fuel(Some(FUEL));
    python::adapt(&mut env);
    lazy::adapt(&mut env);
    env.add_filter("tojson", json::tojson);
    env.add_function("raise_exception", raise_exception);
    env.add_function(tags::ITER, tags::iter);
    env.add_function(bounds::BOUNDED, bounds::bounded);
    env.add_function(bounds::MEMBER, bounds::member);
    Ok(env)
}

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, "raised by the template").with_source(Failure(message)))
}

// The template's own words when it raised them, else line and reason.
fn describe(error: Error) -> Failure {
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(Failure(raised)) = inner.downcast_ref() {
            return Failure(raised.clone());
        }
        source = inner.source();
    }
    let reason = error.detail().map_or(error.kind().to_string(), |detail| format!("{}: {detail}", error.kind()));
    match error.line() {
        Some(line) => Failure(format!("line {line}: {reason}")),
        None => Failure(reason),
    }
}
