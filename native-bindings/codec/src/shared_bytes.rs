//! Immutable bytes with a shared owner: a part of a mapped file, a vector, or a part of a file that lies elsewhere.

use memmap2::Mmap;
use quarry_base::error::{Error, Result};
use quarry_blocks::file::RemoteFile;
use std::fmt;
use std::ops::{Deref, Index, Range, RangeFrom, RangeFull, RangeTo};
use std::ptr::NonNull;
use std::sync::Arc;

#[derive(Clone)]
enum Place {
    /// In memory: who reads it, as happens for each number of a column, need not ask the owner where.
    Here { first: First, _owner: Arc<dyn Send + Sync> },
    /// Each access has what it asks for fetched first: the less it asks for the better.
    Elsewhere(Arc<RemoteFile>),
}

/// The first of the bytes, in memory that neither moves nor changes while somebody has the owner.
#[derive(Clone, Copy)]
struct First(NonNull<u8>);

// SAFETY: nobody writes to that memory; its owner, which is kept beside it, may go to other threads and be used by several.
unsafe impl Send for First {}
// SAFETY: see above.
unsafe impl Sync for First {}

/// A range of bytes that stays readable for as long as any clone of it lives. Cloning is cheap.
///
/// Of a file that lies elsewhere, what is asked for can be read until the work of the thread ends that asked
/// ([`quarry_blocks::reading`]). To ask for all of it is to fetch all of it: so whoever can says which range it wants.
#[derive(Clone)]
pub struct SharedBytes {
    place: Place,
    /// Of the file, or of what the owner has.
    range: Range<usize>,
}

/// How a part of bytes is named: by a place, or a range.
pub trait Part: sealed::Sealed {
    type Found: ?Sized;
    /// The range within `length` bytes; may lie outside.
    fn range(&self, length: usize) -> Range<usize>;
    fn found(bytes: &[u8]) -> &Self::Found;
}

mod sealed {
    use super::{Range, RangeFrom, RangeFull, RangeTo};
    pub trait Sealed {}
    impl Sealed for Range<usize> {}
    impl Sealed for RangeFrom<usize> {}
    impl Sealed for RangeTo<usize> {}
    impl Sealed for RangeFull {}
    impl Sealed for usize {}
}

macro_rules! range_part {
    ($kind:ty, $this:ident, $length:ident, $range:expr) => {
        impl Part for $kind {
            type Found = [u8];
            #[inline]
            fn range(&self, $length: usize) -> Range<usize> {
                let $this = self;
                $range
            }
            #[inline]
            fn found(bytes: &[u8]) -> &[u8] {
                bytes
            }
        }
    };
}

range_part!(Range<usize>, this, _length, this.clone());
range_part!(RangeFrom<usize>, this, length, this.start..length);
range_part!(RangeTo<usize>, this, _length, 0..this.end);
range_part!(RangeFull, _this, length, 0..length);

impl Part for usize {
    type Found = u8;
    #[inline]
    fn range(&self, _length: usize) -> Range<usize> {
        *self..self.saturating_add(1)
    }
    #[inline]
    fn found(bytes: &[u8]) -> &u8 {
        &bytes[0]
    }
}

/// So many bytes behind what somebody reads may be read as well, to read fast.
pub const READ_BEYOND: usize = 256;

impl SharedBytes {
    /// Errors when `range` is not inside the map.
    #[inline]
    pub fn from_map(map: Arc<Mmap>, range: Range<usize>) -> Result<Self> {
        let Some(bytes) = map.get(range.clone()) else {
            return Err(Error::corrupt(format!("section {range:?} is outside the file of {} bytes", map.len())));
        };
        let first = First(NonNull::from(bytes).cast());
        Ok(SharedBytes { place: Place::Here { first, _owner: map }, range })
    }

    /// All of a file that lies elsewhere.
    pub fn remote(file: Arc<RemoteFile>) -> Self {
        let range = 0..file.length();
        SharedBytes { place: Place::Elsewhere(file), range }
    }

    /// Whether reading it may mean fetching it.
    #[inline]
    pub fn is_remote(&self) -> bool {
        matches!(self.place, Place::Elsewhere(_))
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// A part of these bytes, with the same owner. Errors when `range` is not inside.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        if range.start > range.end || range.end > self.len() {
            return Err(Error::corrupt(format!("section {range:?} is outside its {} bytes", self.len())));
        }
        let place = match &self.place {
            Place::Here { _owner, .. } => {
                Place::Here { first: First(NonNull::from(self.at(range.clone())).cast()), _owner: Arc::clone(_owner) }
            }
            Place::Elsewhere(file) => Place::Elsewhere(Arc::clone(file)),
        };
        let start = self.range.start;
        Ok(SharedBytes { place, range: start + range.start..start + range.end })
    }

    /// `None` where the part is not inside.
    #[inline]
    pub fn get<P: Part>(&self, part: P) -> Option<&P::Found> {
        let range = part.range(self.len());
        (range.start <= range.end && range.end <= self.len()).then(|| P::found(self.at(range)))
    }

    /// The first bytes; `None` where there are fewer.
    #[inline]
    pub fn first_chunk<const N: usize>(&self) -> Option<&[u8; N]> {
        self.get(0..N)?.first_chunk()
    }

    /// From `start` on, to the end or further than `end`, up to which it is read. `None` where `start` is not inside.
    #[inline]
    pub fn tail(&self, start: usize, end: impl FnOnce() -> usize) -> Option<&[u8]> {
        if start > self.len() {
            return None;
        }
        let end =
            if self.is_remote() { end().saturating_add(READ_BEYOND).clamp(start, self.len()) } else { self.len() };
        Some(self.at(start..end))
    }

    /// Has ranges fetched at once that lie elsewhere and will be read; those that are not inside are left out. What cannot be fetched is told
    /// to whoever reads it.
    pub fn fetch_ahead(&self, ranges: &[Range<usize>]) {
        let Place::Elsewhere(file) = &self.place else { return };
        let inside = ranges.iter().filter(|range| range.start <= range.end && range.end <= self.len());
        let in_file = inside.map(|range| self.range.start + range.start..self.range.start + range.end);
        file.fetch_ahead(&in_file.collect::<Vec<_>>());
    }

    /// Whether the bytes lie at an address that is a multiple.
    #[inline]
    pub fn is_aligned(&self, bytes: usize) -> bool {
        match &self.place {
            Place::Elsewhere(file) => file.is_aligned(self.range.start, bytes),
            Place::Here { first, .. } => (first.0.as_ptr() as usize).is_multiple_of(bytes),
        }
    }

    /// Panics where `range` is not inside.
    #[inline]
    fn at(&self, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} of {} bytes", self.len());
        match &self.place {
            // SAFETY: from `first` on there are as many bytes as the range of all has, within which this one is; the owner is kept.
            Place::Here { first, .. } => unsafe {
                std::slice::from_raw_parts(first.0.as_ptr().add(range.start), range.len())
            },
            Place::Elsewhere(file) => elsewhere(file, self.range.start + range.start..self.range.start + range.end),
        }
    }
}

/// Apart, so that reading what is in memory stays a few instructions wherever it is done.
#[cold]
#[inline(never)]
fn elsewhere(file: &Arc<RemoteFile>, range: Range<usize>) -> &[u8] {
    file.bytes(range)
}

impl<P: Part> Index<P> for SharedBytes {
    type Output = P::Found;

    #[inline]
    fn index(&self, part: P) -> &P::Found {
        P::found(self.at(part.range(self.len())))
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
        let length = bytes.len();
        let (owner, range) = (Arc::new(bytes), 0..length);
        let first = First(NonNull::from(owner.as_slice()).cast());
        SharedBytes { place: Place::Here { first, _owner: owner }, range }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.at(0..self.len())
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
        assert!(bytes.slice(backwards.clone()).is_err() && bytes.get(backwards).is_none());
        assert_eq!((middle[1], middle.get(2), middle.get(1..), middle.get(..3)), (3, None, Some(&[3][..]), None));
        assert_eq!((middle.first_chunk(), middle.first_chunk::<3>()), (Some(&[2, 3]), None));
    }
}
