//! Ingot's bridges: what C++ may call of the Rust crates, one module a crate.
//!
//! Errors cross as text: a `Result` becomes a C++ exception (`rust::Error`). A panic must not unwind into C++, where it
//! would end the process, so every bridge function runs its body inside `guard`.

mod guard;
mod template;
mod tokenizer;
