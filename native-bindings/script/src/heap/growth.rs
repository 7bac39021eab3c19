//! When a long-lived heap is looked through, and how much of it may stay then.

use crate::heap::Heap;
use crate::limits::{BYTES_BEFORE_COLLECTION, KEPT_BYTES_MAX, LIVE_OBJECTS_MAX, OBJECTS_BEFORE_COLLECTION};
use quarry_base::error::{Error, ErrorCode, Result};

/// What a heap may reach before it is looked through again.
#[derive(Debug)]
pub(crate) struct Growth {
    objects: usize,
    bytes: usize,
}

impl Default for Growth {
    fn default() -> Self {
        Growth { objects: OBJECTS_BEFORE_COLLECTION, bytes: BYTES_BEFORE_COLLECTION }
    }
}

impl Growth {
    pub fn is_large(&self, heap: &Heap) -> bool {
        heap.places() >= self.objects || heap.grown() >= self.bytes
    }

    /// Of a heap that was just looked through. Errors: `CircuitBreaking` when too much of it stays.
    pub fn check(&mut self, heap: &Heap) -> Result<()> {
        let (objects, bytes) = (heap.live(), heap.grown());
        if objects > LIVE_OBJECTS_MAX {
            return Err(too_large(&format!("[{LIVE_OBJECTS_MAX}] objects")));
        }
        if bytes > KEPT_BYTES_MAX {
            return Err(too_large(&format!("[{KEPT_BYTES_MAX}] bytes")));
        }
        self.objects = (objects * 2).max(OBJECTS_BEFORE_COLLECTION);
        // Not twice of what there is: it may be most of what is allowed already.
        self.bytes = bytes + bytes.clamp(BYTES_BEFORE_COLLECTION, 2 * BYTES_BEFORE_COLLECTION);
        Ok(())
    }
}

fn too_large(what: &str) -> Error {
    crate::statistics::count_allocation_limit();
    let reason = format!("[script] Data too large: the script keeps more than {what}");
    Error::new(ErrorCode::CircuitBreaking, reason)
}
