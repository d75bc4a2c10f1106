//! `strftime_now`: a local time through the C library, as Python's datetime.strftime does it.

use std::ffi::CString;
use std::mem::MaybeUninit;

use minijinja::{Error, ErrorKind};

pub fn strftime(now: libc::time_t, format: &str) -> Result<String, Error> {
    let mut local = MaybeUninit::<libc::tm>::uninit();
    // SAFETY: both pointers are valid; a null return is the only case in which `local` stays unwritten.
    let local = match unsafe { libc::localtime_r(&now, local.as_mut_ptr()) } {
        p if p.is_null() => return Err(fault("no local time")),
        _ => unsafe { local.assume_init() },
    };
    // A result of no bytes and one that does not fit look alike to strftime: a guard byte makes every result non-empty.
    let pattern = CString::new(format!("{format}.")).map_err(|_| fault("strftime_now: NUL in the format"))?;
    let mut text = vec![0u8; 1024];
    // SAFETY: strftime writes at most text.len() bytes, its terminating NUL included.
    let length = unsafe { libc::strftime(text.as_mut_ptr().cast(), text.len(), pattern.as_ptr(), &local) };
    if length == 0 {
        return Err(fault("strftime_now: the result is too long"));
    }
    text.truncate(length - 1);
    String::from_utf8(text).map_err(|_| fault("strftime_now: the result is not UTF-8"))
}

fn fault(reason: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason)
}
