//! Immutable bytes with a shared owner: a part of a mapped file, or a vector.

use memmap2::Mmap;
use quarry_base::error::{Error, Result};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

#[derive(Clone)]
enum Owner {
    Heap(Arc<Vec<u8>>),
    Mapped(Arc<Mmap>),
}

/// A range of bytes that stays readable for as long as any clone of it lives. Cloning is cheap.
#[derive(Clone)]
pub struct SharedBytes {
    owner: Owner,
    range: Range<usize>,
}

impl SharedBytes {
    /// Errors when `range` is not inside the map.
    #[inline]
    pub fn from_map(map: Arc<Mmap>, range: Range<usize>) -> Result<Self> {
        if map.get(range.clone()).is_none() {
            return Err(Error::corrupt(format!("section {range:?} is outside the file of {} bytes", map.len())));
        }
        Ok(SharedBytes { owner: Owner::Mapped(map), range })
    }

    /// A part of these bytes, with the same owner. Errors when `range` is not inside.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        if self.get(range.clone()).is_none() {
            return Err(Error::corrupt(format!("section {range:?} is outside its {} bytes", self.len())));
        }
        let start = self.range.start;
        Ok(SharedBytes { owner: self.owner.clone(), range: start + range.start..start + range.end })
    }
}

impl Default for SharedBytes {
    /// No bytes.
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        SharedBytes { owner: Owner::Heap(Arc::new(bytes)), range }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.owner {
            Owner::Heap(bytes) => &bytes[self.range.clone()],
            Owner::Mapped(map) => &map[self.range.clone()],
        }
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SharedBytes({:?})", self.range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_share_the_owner_and_stay_inside() {
        let bytes = SharedBytes::from(vec![1, 2, 3, 4]);
        let middle = bytes.slice(1..3).unwrap();
        assert_eq!(&middle[..], &[2, 3]);
        assert_eq!(&middle.slice(1..2).unwrap()[..], &[3]);
        assert!(middle.slice(1..3).is_err());
        #[allow(clippy::reversed_empty_ranges)]
        let backwards = 2..1;
        assert!(bytes.slice(backwards).is_err());
    }
}
