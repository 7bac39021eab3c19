//! A range of bytes together with what keeps them in memory: a mapped file or a vector.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Whatever owns the bytes. A memory map or a vector: the address of the bytes does not change while it lives.
type Owner = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Cheap to clone and to cut; usable from several threads. Readers of sections hold this instead of a borrowed slice, so
/// that they live as long as they are needed.
#[derive(Clone)]
pub struct SharedBytes {
    owner: Owner,
    start: *const u8,
    length: usize,
}

// SAFETY: the pointer leads into the owner, which may be sent and shared, and the bytes are never written through it.
unsafe impl Send for SharedBytes {}
// SAFETY: as above.
unsafe impl Sync for SharedBytes {}

impl SharedBytes {
    pub fn from_vec(bytes: Vec<u8>) -> Self {
        Self::from_owner(Arc::new(bytes))
    }

    /// The owner's `as_ref` must give the same unchanging bytes as long as it lives, as that of a map or a vector does.
    pub(crate) fn from_owner(owner: Owner) -> Self {
        let bytes: &[u8] = (*owner).as_ref();
        let (start, length) = (bytes.as_ptr(), bytes.len());
        SharedBytes { owner, start, length }
    }

    /// The bytes of `range`, or `None` where they would leave these.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let part = self.get(range)?;
        let (start, length) = (part.as_ptr(), part.len());
        Some(SharedBytes { owner: Arc::clone(&self.owner), start, length })
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: start and length describe a part of the bytes that `owner` keeps alive and unchanged.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl Default for SharedBytes {
    fn default() -> Self {
        Self::from_vec(Vec::new())
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SharedBytes({} bytes)", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_outlives_the_whole() {
        let whole = SharedBytes::from_vec(vec![1, 2, 3, 4, 5]);
        let part = whole.slice(1..4).unwrap();
        drop(whole);
        assert_eq!(&*part, &[2, 3, 4]);
        assert_eq!(&*part.slice(1..3).unwrap(), &[3, 4]);
    }

    #[test]
    fn a_slice_cannot_leave_its_bytes() {
        let whole = SharedBytes::from_vec(vec![1, 2, 3]);
        assert!(whole.slice(2..4).is_none());
        assert!(whole.slice(3..3).unwrap().is_empty());
    }
}
