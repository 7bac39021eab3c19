//! Scripts that run beside the documents: over terms, statistics and intervals.

use crate::script::Env;
use crate::search::interrupt;

/// No document, but a search that may be cancelled.
pub struct NoDocument;

impl Env for NoDocument {
    fn is_cancelled(&self) -> bool {
        interrupt::is_raised()
    }
}
