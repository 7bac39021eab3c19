//! A range of addresses without memory, into which pieces of a file are mapped.

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct Reservation {
    base: *mut c_void,
    length: usize,
}

// SAFETY: it is an address; what is mapped there is read only, and changed by its owner under a lock.
unsafe impl Send for Reservation {}
// SAFETY: as above.
unsafe impl Sync for Reservation {}

pub(crate) fn page_bytes() -> usize {
    rustix::param::page_size()
}

impl Reservation {
    /// Nothing can be read there yet.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let length = bytes.max(1).next_multiple_of(page_bytes());
        // SAFETY: the system chooses the place, where nothing else is.
        let base = unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
            mmap_anonymous(std::ptr::null_mut(), length, ProtFlags::empty(), flags)
        }?;
        Ok(Reservation { base, length })
    }

    /// `at` and `offset` are multiples of a page. What was mapped there before is not any more.
    pub fn map(&self, at: usize, bytes: usize, file: &File, offset: u64) -> io::Result<()> {
        let length = self.whole_pages(at, bytes)?;
        // SAFETY: `whole_pages` has seen that it lies within the reservation, which belongs to this object alone.
        unsafe {
            let (flags, place) = (MapFlags::SHARED | MapFlags::FIXED, self.base.byte_add(at));
            mmap(place, length, ProtFlags::READ, flags, file, offset)
        }?;
        Ok(())
    }

    /// Nothing can be read there any more.
    pub fn unmap(&self, at: usize, bytes: usize) -> io::Result<()> {
        let length = self.whole_pages(at, bytes)?;
        // SAFETY: as in `map`.
        unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
            mmap_anonymous(self.base.byte_add(at), length, ProtFlags::empty(), flags)
        }?;
        Ok(())
    }

    fn whole_pages(&self, at: usize, bytes: usize) -> io::Result<usize> {
        let length = bytes.next_multiple_of(page_bytes());
        let is_within = at.checked_add(length).is_some_and(|end| end <= self.length);
        if is_within && at.is_multiple_of(page_bytes()) { Ok(length) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    pub fn starts_at_multiple_of(&self, at: usize, bytes: usize) -> bool {
        (self.base as usize + at).is_multiple_of(bytes)
    }

    /// # Safety
    ///
    /// The range is mapped, and neither unmapped nor written to for as long as the slice lives.
    pub unsafe fn slice(&self, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.length);
        // SAFETY: within the reservation; the rest is the caller's promise.
        unsafe { std::slice::from_raw_parts(self.base.byte_add(range.start).cast::<u8>(), range.end - range.start) }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: nobody has a slice of it: slices borrow the object. The system refuses only what is no range of addresses.
        let _ = unsafe { munmap(self.base, self.length) };
    }
}
