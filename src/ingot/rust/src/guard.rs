//! The barrier that every bridge function stands behind.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// What C++ gets to read of a failure.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Failure {}

impl From<Box<dyn Error + Send + Sync>> for Failure {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        Failure(error.to_string())
    }
}

/// Runs `body`; a panic becomes a `Failure`. The bridged types are immutable after construction, so a panic leaves
/// nothing half changed behind.
pub fn guard<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(Failure(format!("panic: {}", text_of(&*panic)))))
}

// Reserved, not used: pages that a body does not touch cost nothing. Over three times what the deepest template that is read
// has been seen to take, a chain of twenty thousand `elif`.
const DEEP_STACK_BYTES: usize = 1 << 27;

/// Runs `body` as `guard` does, on a stack of its own: syntax trees are compiled and freed by recursion, and a caller's
/// stack may be small.
pub fn guard_deep<T: Send>(body: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(DEEP_STACK_BYTES).spawn_scoped(scope, || guard(body));
        let thread = thread.map_err(|error| Failure(format!("no stack of {DEEP_STACK_BYTES} bytes: {error}")))?;
        thread.join().unwrap_or_else(|panic| Err(Failure(format!("panic: {}", text_of(&*panic)))))
    })
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown kind")
}
