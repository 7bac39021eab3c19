//! Numbers of four bytes that lie little-endian in shared bytes, as slices.

use super::shared_bytes::SharedBytes;
use quarry_base::error::{Error, Result};
use std::ops::Deref;
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for f32 {}
}

/// A number of four bytes of which every pattern of bits is one.
pub trait Plain: sealed::Sealed + Copy + Default {
    fn of_bytes(bytes: [u8; 4]) -> Self;
    fn to_bytes(self) -> [u8; 4];
}

impl Plain for u32 {
    fn of_bytes(bytes: [u8; 4]) -> Self {
        u32::from_le_bytes(bytes)
    }
    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }
}

impl Plain for f32 {
    fn of_bytes(bytes: [u8; 4]) -> Self {
        f32::from_le_bytes(bytes)
    }
    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }
}

/// Cloning is cheap.
#[derive(Debug, Clone)]
pub struct SharedNumbers<T> {
    held: Held<T>,
}

#[derive(Debug, Clone)]
enum Held<T> {
    /// Where the machine can read them as they lie.
    Bytes(SharedBytes),
    Copied(Arc<[T]>),
}

impl<T: Plain> SharedNumbers<T> {
    /// Errors: the bytes are no whole numbers.
    #[inline]
    pub fn new(bytes: SharedBytes) -> Result<Self> {
        if !bytes.len().is_multiple_of(4) {
            return Err(Error::corrupt(format!("{} bytes are no numbers of four bytes each", bytes.len())));
        }
        if cfg!(target_endian = "big") || !bytes.is_aligned(align_of::<T>()) {
            let chunks = bytes.as_chunks::<4>().0;
            return Ok(SharedNumbers { held: Held::Copied(chunks.iter().map(|&chunk| T::of_bytes(chunk)).collect()) });
        }
        Ok(SharedNumbers { held: Held::Bytes(bytes) })
    }
}

impl<T: Plain> Deref for SharedNumbers<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.held {
            // `new` has seen that they are numbers.
            Held::Bytes(bytes) => as_numbers(bytes).unwrap_or_default(),
            Held::Copied(numbers) => numbers,
        }
    }
}

impl<T: Plain> SharedNumbers<T> {
    /// As many as there are; nothing is read for it.
    #[inline]
    pub fn count(&self) -> usize {
        match &self.held {
            Held::Bytes(bytes) => bytes.len() / 4,
            Held::Copied(numbers) => numbers.len(),
        }
    }
}

/// `None` where they do not lie as the machine reads them.
#[inline]
fn as_numbers<T: Plain>(bytes: &[u8]) -> Option<&[T]> {
    if cfg!(target_endian = "big") {
        return None;
    }
    // SAFETY: only `u32` and `f32` implement the sealed trait: every four bytes are a value of these.
    let (before, numbers, behind) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && behind.is_empty()).then_some(numbers)
}

/// Numbers that become bytes together.
const PIECE: usize = 16_384;

/// Gives the bytes of numbers to `take`, piece by piece.
pub fn for_each_piece<T: Plain>(numbers: &[T], mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut bytes = Vec::with_capacity(numbers.len().min(PIECE) * 4);
    for piece in numbers.chunks(PIECE) {
        bytes.clear();
        piece.iter().for_each(|number| bytes.extend_from_slice(&number.to_bytes()));
        take(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_wherever_they_lie() {
        let numbers: Vec<f32> = (0..40_000).map(|number| number as f32 / 3.0).collect();
        let mut bytes = Vec::new();
        let collect = |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            Ok(())
        };
        for_each_piece(&numbers, collect).unwrap();
        for shift in 0..4 {
            let mut shifted = vec![0; shift];
            shifted.extend_from_slice(&bytes);
            let length = shifted.len();
            let shared = SharedBytes::from(shifted).slice(shift..length).unwrap();
            assert_eq!(&SharedNumbers::<f32>::new(shared).unwrap()[..], numbers);
        }
        assert!(SharedNumbers::<u32>::new(vec![0; 7].into()).is_err());
        assert!(SharedNumbers::<u32>::new(Vec::new().into()).unwrap().is_empty());
    }
}
