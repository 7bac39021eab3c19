//! The records of the buffer's documents as they came: compressed when the segment is written, on whatever thread does that.
//!
//! They lie in pieces that never move: one block that grows would be copied again and again. Each piece is twice as large as the
//! one before, up to [`PIECE_BYTES_MAX`]. Touching memory for the first time is a tenth of what indexing costs: large pieces are
//! mapped with huge pages, and the largest wait for the next buffer of the process.

use memmap2::{Advice, MmapMut};
use quarry_base::error::{Error, ErrorCode, Result};
use std::sync::{Mutex, PoisonError};

/// A buffer of few documents takes no more than this.
const PIECE_BYTES_MIN: usize = 64 << 10;
const PIECE_BYTES_MAX: usize = 16 << 20;
/// Smaller pieces are not worth a mapping of their own.
const MAPPED_BYTES_MIN: usize = 4 << 20;
/// Largest pieces that wait to be used again: 64 MiB.
const WAITING_MAX: usize = 4;
/// Bits of an end that say where in its piece it is; those above number the piece.
const OFFSET_BITS: u32 = 40;

/// Largest pieces of buffers that are gone.
static WAITING: Mutex<Vec<MmapMut>> = Mutex::new(Vec::new());

/// Gives back the memory that waits for the next buffer.
pub fn release_waiting() {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// One record per document, in order.
#[derive(Debug, Default)]
pub struct Records {
    pieces: Vec<Piece>,
    /// The piece that records go to.
    current: usize,
    /// Bytes of it that are taken.
    taken: usize,
    /// Where each ends, with the number of its piece. It starts where the one before it ends, or with the piece.
    ends: Vec<u64>,
    bytes: usize,
}

#[derive(Debug)]
enum Piece {
    Heap(Box<[u8]>),
    Mapped(MmapMut),
}

impl Piece {
    fn new(length: usize) -> Self {
        let mapped = if length < MAPPED_BYTES_MIN { None } else { Self::waiting(length).or_else(|| Self::map(length)) };
        mapped.map_or_else(|| Piece::Heap(vec![0; length].into_boxed_slice()), Piece::Mapped)
    }

    fn waiting(length: usize) -> Option<MmapMut> {
        if length == PIECE_BYTES_MAX { WAITING.lock().unwrap_or_else(PoisonError::into_inner).pop() } else { None }
    }

    fn map(length: usize) -> Option<MmapMut> {
        let memory = MmapMut::map_anon(length).ok()?;
        // Without huge pages it is slower, not wrong.
        let _ = memory.advise(Advice::HugePage);
        Some(memory)
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Piece::Heap(bytes) => bytes,
            Piece::Mapped(bytes) => bytes,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Piece::Heap(bytes) => bytes,
            Piece::Mapped(bytes) => bytes,
        }
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Mapped(memory) if memory.len() == PIECE_BYTES_MAX && waiting.len() < WAITING_MAX => {
                    waiting.push(memory);
                }
                Piece::Mapped(_) | Piece::Heap(_) => {}
            }
        }
    }
}

impl Records {
    pub(super) fn add(&mut self, record: &[u8]) {
        self.make_room(record.len());
        let end = self.taken + record.len();
        if let Some(room) =
            self.pieces.get_mut(self.current).and_then(|piece| piece.bytes_mut().get_mut(self.taken..end))
        {
            room.copy_from_slice(record);
        }
        self.taken = end;
        self.ends.push((self.current as u64) << OFFSET_BITS | end as u64);
        self.bytes += record.len();
    }

    /// Goes on to the next piece that has room for `length` bytes, or makes one.
    fn make_room(&mut self, length: usize) {
        if self.pieces.get(self.current).is_some_and(|piece| piece.bytes().len() - self.taken >= length) {
            return;
        }
        let next = if self.ends.is_empty() { 0 } else { self.current + 1 };
        let wanted = (PIECE_BYTES_MIN << next.min(16)).min(PIECE_BYTES_MAX).max(length);
        match self.pieces.get_mut(next) {
            None => self.pieces.push(Piece::new(wanted)),
            Some(piece) if piece.bytes().len() < length => *piece = Piece::new(wanted),
            Some(_) => {}
        }
        (self.current, self.taken) = (next, 0);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len()).filter_map(|at| self.at(at))
    }

    pub fn get(&self, ordinal: u32) -> Result<&[u8]> {
        self.at(ordinal as usize).ok_or_else(|| {
            let count = self.ends.len();
            Error::new(ErrorCode::Internal, format!("there is no buffered document {ordinal} of {count}"))
        })
    }

    fn at(&self, at: usize) -> Option<&[u8]> {
        let (piece, end) = place(*self.ends.get(at)?);
        let before = at.checked_sub(1).and_then(|before| self.ends.get(before)).map(|&end| place(end));
        let start = before.filter(|before| before.0 == piece).map_or(0, |before| before.1);
        self.pieces.get(piece)?.bytes().get(start..end)
    }

    /// Keeps the memory for the next records.
    pub(super) fn clear(&mut self) {
        (self.current, self.taken, self.bytes) = (0, 0, 0);
        self.ends.clear();
    }

    /// Bytes of the records, without room for more.
    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes + self.ends.len() * size_of::<u64>()
    }
}

/// Number of the piece, and where in it.
fn place(end: u64) -> (usize, usize) {
    ((end >> OFFSET_BITS) as usize, (end & ((1 << OFFSET_BITS) - 1)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lengths around the sizes of pieces, and empty records.
    fn lengths() -> impl Strategy<Value = Vec<usize>> {
        let length = prop_oneof![
            4 => 0usize..2_000,
            2 => 0usize..PIECE_BYTES_MIN * 3,
            1 => Just(0),
            1 => MAPPED_BYTES_MIN - 2..MAPPED_BYTES_MIN + 2,
        ];
        prop::collection::vec(length, 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn it_gives_back_what_it_took_also_when_it_is_used_again(rounds in prop::collection::vec(lengths(), 1..4)) {
            let mut records = Records::default();
            for (round, lengths) in rounds.iter().enumerate() {
                records.clear();
                let model: Vec<Vec<u8>> =
                    lengths.iter().enumerate().map(|(at, &length)| vec![(round * 7 + at) as u8; length]).collect();
                model.iter().for_each(|record| records.add(record));
                prop_assert!(records.iter().eq(model.iter().map(Vec::as_slice)));
                for (ordinal, record) in model.iter().enumerate() {
                    prop_assert_eq!(records.get(ordinal as u32).unwrap(), record.as_slice());
                }
                prop_assert!(records.get(model.len() as u32).is_err());
                prop_assert_eq!(records.memory_bytes(), model.iter().map(|record| record.len() + 8).sum::<usize>());
            }
        }
    }
}
