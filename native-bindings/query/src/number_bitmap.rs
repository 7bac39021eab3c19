//! Numbers as a roaring bitmap, as requests and stored documents bring them: base64 of the portable format.

use croaring::{Bitmap, Bitmap64, Portable};
use quarry_base::error::{Error, Result};
use quarry_script::library::base64::{Alphabet, decode_strictly};

/// Whole numbers; it takes the memory that its text takes, however many they are.
#[derive(Debug)]
pub enum NumberBitmap {
    /// Of `integer` fields. A number below zero stands behind the greatest one, as in Java's bitmaps.
    Narrow(Bitmap),
    /// Of `long` fields; the same holds of numbers below zero.
    Wide(Bitmap64),
}

impl NumberBitmap {
    /// The numbers of an `integer` field.
    ///
    /// Errors: `IllegalArgument` for what is no such bitmap.
    #[inline]
    pub fn narrow(text: &str) -> Result<Self> {
        let read = Bitmap::try_deserialize::<Portable>(&bytes(text)?);
        // What was sent may be a bitmap by its lengths alone.
        let valid = read.filter(|bitmap| bitmap.internal_validate().is_ok());
        valid.map(NumberBitmap::Narrow).ok_or_else(invalid)
    }

    /// The numbers of a `long` field.
    ///
    /// Errors: as [`NumberBitmap::narrow`].
    #[inline]
    pub fn wide(text: &str) -> Result<Self> {
        let read = Bitmap64::try_deserialize::<Portable>(&bytes(text)?);
        let valid = read.filter(|bitmap| bitmap.internal_validate().is_ok());
        valid.map(NumberBitmap::Wide).ok_or_else(invalid)
    }

    #[inline]
    pub fn holds(&self, number: i64) -> bool {
        match self {
            // Values of such a field have 32 bits.
            NumberBitmap::Narrow(bitmap) => bitmap.contains(number as u32),
            NumberBitmap::Wide(bitmap) => bitmap.contains(number as u64),
        }
    }

    /// Whether it may hold a number of `low..=high`.
    #[inline]
    pub fn reaches(&self, low: i64, high: i64) -> bool {
        // Numbers below zero stand behind the others: a range across zero is two.
        if low < 0 && high >= 0 {
            return self.reaches(low, -1) || self.reaches(0, high);
        }
        match self {
            NumberBitmap::Narrow(bitmap) => bitmap.intersect_with_range(low as u32..=high as u32),
            NumberBitmap::Wide(bitmap) => bitmap.intersect_with_range(low as u64..=high as u64),
        }
    }

    #[inline]
    pub fn count(&self) -> u64 {
        match self {
            NumberBitmap::Narrow(bitmap) => bitmap.cardinality(),
            NumberBitmap::Wide(bitmap) => bitmap.cardinality(),
        }
    }
}

fn bytes(text: &str) -> Result<Vec<u8>> {
    decode_strictly(text, Alphabet::Basic).ok_or_else(|| {
        Error::illegal_argument(
            "Invalid value for bitmap type: Expected a single-element array with a base64 encoded serialized bitmap.",
        )
    })
}

fn invalid() -> Error {
    Error::illegal_argument("Failed to deserialize the bitmap.")
}
