//! The JSON scanner: on demand, single pass, strict about UTF-8, numbers, escapes, duplicate keys and depth.
//!
//! A [`Scanner`] walks a text that is already known to be UTF-8 ([`utf8`]) and hands out slices of it; nothing is copied
//! until a string with escapes is decoded. What a caller does not want it must still [`Scanner::skip`], which checks it
//! as strictly. All functions refuse bad input with a [`Fault`] that knows the byte; none panics.
pub mod fault;
pub mod keys;
pub mod members;
pub mod number;
pub mod prune;
pub mod scanner;
pub mod string;

use quarry_base::json::special;
pub use quarry_base::json::write;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

pub use fault::{Fault, Scan};
pub use keys::KeyFrames;
pub use number::JsonNumber;
pub use prune::Pruner;
pub use scanner::{Scanner, Token};
pub use string::JsonString;

/// The bytes as text, or a fault at the first byte that is not UTF-8.
pub fn utf8(bytes: &[u8]) -> Scan<&str> {
    simdutf8::basic::from_utf8(bytes).or_else(|_| {
        std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            Fault::new(at, format!("Invalid UTF-8 start byte 0x{:x}", bytes[at]))
        })
    })
}

/// Checks that `bytes` are exactly one JSON value: what a request body must be before it is looked into.
pub fn validate(bytes: &[u8]) -> Scan<()> {
    let mut scanner = Scanner::new(utf8(bytes)?);
    scanner.skip(&mut KeyFrames::default(), 0)?;
    scanner.finish()
}
