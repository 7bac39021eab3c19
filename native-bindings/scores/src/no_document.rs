//! Scripts that run beside the documents: over terms, statistics and intervals.

use quarry_base::interrupt;
use quarry_script::Env;

/// No document, but a search that may be cancelled.
pub struct NoDocument;

impl Env for NoDocument {
    fn is_cancelled(&self) -> bool {
        interrupt::is_raised()
    }
}
