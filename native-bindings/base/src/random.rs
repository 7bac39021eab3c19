//! Random bytes of the operating system: what tells a segment or a shard's history from all others.

use crate::error::{Error, Result};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

const SOURCE: &str = "/dev/urandom";

pub fn random_16() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    let read = std::fs::File::open(SOURCE).and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Error::io("reading", Path::new(SOURCE), error))?;
    Ok(bytes)
}

/// A history's identity as text: 32 hexadecimal digits.
pub fn history_name(history: &[u8; 16]) -> String {
    history.iter().fold(String::with_capacity(32), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

pub fn history_of_name(name: &str) -> Result<[u8; 16]> {
    let bad = || Error::corrupt(format!("the commit point's history [{name}] is not 32 hexadecimal digits"));
    if name.len() != 32 || !name.is_ascii() {
        return Err(bad());
    }
    let mut history = [0; 16];
    for (at, byte) in history.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&name[2 * at..2 * at + 2], 16).map_err(|_| bad())?;
    }
    Ok(history)
}
