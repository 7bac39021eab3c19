//! Where the add-on's memory comes from: small pieces from mimalloc, large ones from the C library.
//!
//! A search takes and gives back hundreds of small pieces, which mimalloc does in half the time. Buffers that an indexing shard fills grow to
//! megabytes: the C library lets the system move their pages, where mimalloc would copy them to fresh ones, which cost a quarter of a bulk.
//!
//! mimalloc asks for no huge pages (feature `no_thp`): it gives back 64 KiB at a time, and the system makes a huge page of 2 MiB again of what
//! is left of it as soon as it looks there, so that memory grows for hours.

use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Pieces of so many bytes and more are large.
const LARGE_BYTES: usize = 64 << 10;

pub struct BySize;

fn is_large(size: usize) -> bool {
    size >= LARGE_BYTES
}

// SAFETY: both allocators keep the contract. Which of them a piece is from follows from the size of its layout alone, which is the same when it is
// taken and when it is given back.
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is that of the allocator's as well.
        unsafe { if is_large(layout.size()) { System.alloc(layout) } else { MiMalloc.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { if is_large(layout.size()) { System.alloc_zeroed(layout) } else { MiMalloc.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: the piece was taken with this layout, so it is from the same allocator.
        unsafe { if is_large(layout.size()) { System.dealloc(piece, layout) } else { MiMalloc.dealloc(piece, layout) } }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that `size` with this alignment is a layout, and that the piece is of `layout`. A piece that changes its
        // allocator is copied as far as both layouts go.
        unsafe {
            match (is_large(layout.size()), is_large(size)) {
                (true, true) => System.realloc(piece, layout, size),
                (false, false) => MiMalloc.realloc(piece, layout, size),
                _ => {
                    let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                    if !moved.is_null() {
                        std::ptr::copy_nonoverlapping(piece, moved, layout.size().min(size));
                        self.dealloc(piece, layout);
                    }
                    moved
                }
            }
        }
    }
}

/// For so long after a large search: others that end meanwhile need no look of their own.
const PAUSE: Duration = Duration::from_millis(200);

static IS_GIVING_BACK: AtomicBool = AtomicBool::new(false);

/// Has a thread of its own give back to the system, soon, what the C library keeps of pieces that nobody holds: all of a search that took much.
/// mimalloc gives back by itself.
pub fn give_back() {
    if IS_GIVING_BACK.swap(true, Ordering::Relaxed) {
        return;
    }
    let give_back = || {
        std::thread::sleep(PAUSE);
        IS_GIVING_BACK.store(false, Ordering::Relaxed);
        trim();
    };
    if std::thread::Builder::new().name("give-back".to_owned()).spawn(give_back).is_err() {
        IS_GIVING_BACK.store(false, Ordering::Relaxed);
    }
}

fn trim() {
    // SAFETY: it may be called at any time, by any thread.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_bytes_as_they_grow_and_shrink_past_the_bound() {
        let sizes = [1, 100, LARGE_BYTES - 1, LARGE_BYTES, 3 * LARGE_BYTES, LARGE_BYTES, LARGE_BYTES - 1, 7];
        let mut layout = Layout::from_size_align(1, 16).unwrap();
        // SAFETY: each piece is written within its size, and given back with the layout that it has.
        unsafe {
            let mut piece = BySize.alloc_zeroed(layout);
            assert_eq!(*piece, 0);
            for (turn, size) in (1u8..).zip(sizes) {
                piece = BySize.realloc(piece, layout, size);
                layout = Layout::from_size_align(size, 16).unwrap();
                assert_eq!(*piece, turn - 1);
                piece.write_bytes(turn, size);
            }
            BySize.dealloc(piece, layout);
        }
    }
}
