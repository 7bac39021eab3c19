//! Errors and panics of the kernels as JavaScript errors.

use crate::stack::on_kernel_stack;
use napi::{Error, Status};
use quarry_base::deep_json::FromJson;
use quarry_base::erased::erased;
use quarry_base::error::{Error as KernelError, ErrorCode};
use quarry_blocks::reading::{Patience, reading};
use quarry_engine::error_json;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of an error whose JSON is known.
pub fn error_of_json(json: String) -> Error {
    Error::new(Status::GenericFailure, json)
}

pub fn error_of(error: &KernelError) -> Error {
    error_of_json(error_json(error))
}

fn panic_error(payload: &(dyn Any + Send)) -> KernelError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    KernelError::new(ErrorCode::Internal, format!("panic in a native kernel: {text}"))
}

/// Runs work of the kernels, on their stack, that must not let a panic out. State that a panic left behind is the caller's to give up.
pub fn catching<T>(work: impl FnOnce() -> Result<T, KernelError>) -> Result<T, KernelError> {
    erased(work, caught)
}

fn caught(work: &mut dyn FnMut() -> Result<(), KernelError>) -> Result<(), KernelError> {
    // Who is asked here must not wait for what lies elsewhere, unless a thread was made for that.
    let work = || reading(&Patience::Never, work);
    let caught = on_kernel_stack(|| catch_unwind(AssertUnwindSafe(work)));
    caught.unwrap_or_else(|payload| Err(panic_error(&*payload)))
}

/// The same for an entry that answers at once.
pub fn entry<T>(work: impl FnOnce() -> Result<T, KernelError>) -> napi::Result<T> {
    catching(work).map_err(|error| error_of(&error))
}

/// JSON that our own TypeScript wrote: when it does not fit, the two sides disagree.
pub fn parse<T: serde::de::DeserializeOwned>(what: &str, json: &[u8]) -> Result<T, KernelError> {
    quarry_base::deep_json::from_slice(json).map_err(|error| unreadable(what, &error))
}

/// As [`parse`], for what is so large that its own crate reads it.
pub fn read<T: FromJson>(what: &str, json: &[u8]) -> Result<T, KernelError> {
    T::from_json(json).map_err(|error| unreadable(what, &error))
}

fn unreadable(what: &str, error: &serde_json::Error) -> KernelError {
    KernelError::new(ErrorCode::Internal, format!("{what} cannot be read: {error}"))
}
