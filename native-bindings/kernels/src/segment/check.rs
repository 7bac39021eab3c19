//! Is every file of a shard directory whole, and do they agree with each other?

use crate::error::Result;
use std::path::{Path, PathBuf};

/// Something wrong: in which file, where, what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub file: PathBuf,
    pub place: String,
    pub problem: String,
}

/// Reads everything the newest commit of the directory names. An empty answer means whole; an error means that the directory
/// cannot be read at all. The translog is checked by its owner.
pub fn check(_directory: &Path) -> Result<Vec<Finding>> {
    todo!()
}
