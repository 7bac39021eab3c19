//! Geohashes: bits of longitude and latitude in turn, five to a letter.

use super::point::{GeoPoint, Steps};
use super::shape::Frame;
use quarry_base::error::{Error, Result};
use std::f64::consts::PI;

const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
/// Letters that make a difference.
pub const LETTERS_MAX: u32 = 12;
const BITS_PER_LETTER: u32 = 5;
/// Bits of a latitude or longitude that twelve letters have, and one more for both to have as many.
const BITS: u32 = 31;

/// The cell of so many letters around a place: its bits above the number of letters.
#[inline]
pub fn cell(place: Steps, letters: u32) -> i64 {
    let bits = interleave(place.lat as u32 ^ 1 << 31, place.lon as u32 ^ 1 << 31);
    (bits >> (64 - BITS_PER_LETTER * letters) << 4) as i64 | i64::from(letters)
}

/// Bits of the first number at even places, of the second at odd ones.
#[inline]
fn interleave(even: u32, odd: u32) -> u64 {
    spread(even) | spread(odd) << 1
}

#[inline]
fn spread(bits: u32) -> u64 {
    let mut bits = u64::from(bits);
    for (shift, mask) in [
        (16, 0x0000_FFFF_0000_FFFF),
        (8, 0x00FF_00FF_00FF_00FF),
        (4, 0x0F0F_0F0F_0F0F_0F0F),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

/// The number at the even places of the bits.
fn gather(bits: u64) -> u32 {
    let mut bits = bits & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0F0F_0F0F_0F0F_0F0F),
        (4, 0x00FF_00FF_00FF_00FF),
        (8, 0x0000_FFFF_0000_FFFF),
        (16, 0x0000_0000_FFFF_FFFF),
    ] {
        bits = (bits | bits >> shift) & mask;
    }
    bits as u32
}

/// Letters of a cell.
pub fn letters(cell: i64) -> u32 {
    (cell & 15) as u32
}

/// The cells of one letter more that a cell is made of. Everything is a cell without letters: 0.
pub fn parts(cell: i64) -> impl Iterator<Item = i64> {
    let (bits, letters) = (cell as u64 >> 4, cell & 15);
    (0..1 << BITS_PER_LETTER).map(move |letter| (((bits << BITS_PER_LETTER) | letter) << 4) as i64 | (letters + 1))
}

/// The places of a cell.
pub fn frame(cell: i64) -> Frame {
    let bits = BITS_PER_LETTER * letters(cell);
    let from_above = (cell as u64 >> 4).checked_shl(64 - bits).unwrap_or_default();
    // Longitudes have the first bit.
    let ends = |least: u32, bits: u32| {
        let most = least | u32::MAX.checked_shr(bits).unwrap_or_default();
        ((least ^ 1 << 31) as i32, (most ^ 1 << 31) as i32)
    };
    let (south, north) = ends(gather(from_above), bits / 2);
    let (west, east) = ends(gather(from_above >> 1), bits.div_ceil(2));
    Frame { south, north, west, east }
}

/// Errors: `Parse` for what is no geohash. Letters past the twelfth say nothing.
pub fn parse(text: &str) -> Result<i64> {
    Ok(Cell::parse(text)?.number())
}

/// The letters of a cell.
pub fn text(cell: i64) -> String {
    let letters = letters(cell);
    let bits = cell as u64 >> 4;
    let letter = |place: u32| LETTERS[(bits >> (BITS_PER_LETTER * (letters - 1 - place)) & 31) as usize];
    (0..letters).map(|place| char::from(letter(place))).collect()
}

/// The geohash of a place.
pub fn of(place: GeoPoint, letters: u32) -> String {
    text(cell(Steps::of_column(place.to_column()), letters))
}

/// A cell by its row from the south and its column from the west, among as many as that many bits can number.
struct Cell {
    row: u32,
    row_bits: u32,
    column: u32,
    column_bits: u32,
}

impl Cell {
    /// Letters past the twelfth say nothing.
    fn parse(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::parse("empty geohash"));
        }
        let mut cell = Cell { row: 0, row_bits: 0, column: 0, column_bits: 0 };
        for letter in text.chars().take(LETTERS_MAX as usize) {
            let unknown = || Error::parse(format!("unsupported symbol [{letter}] in geohash [{text}]"));
            let value = LETTERS.iter().position(|&known| char::from(known) == letter).ok_or_else(unknown)?;
            for bit in (0..BITS_PER_LETTER).rev() {
                cell.push((value >> bit & 1) as u32);
            }
        }
        Ok(cell)
    }

    /// Columns and rows in turn.
    fn push(&mut self, bit: u32) {
        let (half, bits) = match self.column_bits == self.row_bits {
            true => (&mut self.column, &mut self.column_bits),
            false => (&mut self.row, &mut self.row_bits),
        };
        *half = *half << 1 | bit;
        *bits += 1;
    }

    /// The cell so many rows and columns away; there are none beyond the poles.
    fn moved(&self, up: i64, right: i64) -> Option<Self> {
        let row = u32::try_from(i64::from(self.row) + up).ok().filter(|row| row >> self.row_bits == 0)?;
        let column = (i64::from(self.column) + right).rem_euclid(1 << self.column_bits) as u32;
        Some(Cell { row, column, ..*self })
    }

    fn number(&self) -> i64 {
        let letters = (self.row_bits + self.column_bits) / BITS_PER_LETTER;
        let bits = interleave(self.row << (32 - self.row_bits), self.column << (32 - self.column_bits));
        (bits >> (64 - BITS_PER_LETTER * letters) << 4) as i64 | i64::from(letters)
    }

    fn text(&self) -> String {
        text(self.number())
    }
}

/// The south-west corner of a cell. Letters past the twelfth say nothing.
///
/// Errors: `Parse` for what is no geohash.
pub fn corner(text: &str) -> Result<GeoPoint> {
    let Cell { row, row_bits, column, column_bits } = Cell::parse(text)?;
    let (lat, lon) = (row << (BITS - row_bits), column << (BITS - column_bits));
    const PARTS: f64 = (1u64 << BITS) as f64;
    Ok(GeoPoint { lat: f64::from(lat) / (PARTS / 180.0) - 90.0, lon: f64::from(lon) / (PARTS / 360.0) - 180.0 })
}

/// The cells around a cell, of its size: from the north-west to the south-east.
///
/// Errors: as [`corner`].
pub fn neighbours(text: &str) -> Result<Vec<String>> {
    let cell = Cell::parse(text)?;
    let around = [(1, -1), (1, 0), (1, 1), (0, -1), (0, 1), (-1, -1), (-1, 0), (-1, 1)];
    Ok(around.into_iter().filter_map(|(up, right)| cell.moved(up, right)).map(|cell| cell.text()).collect())
}

const EQUATOR_METRES: f64 = 2.0 * PI * 6_378_137.0;
/// From pole to pole.
const POLAR_METRES: f64 = PI * 6_356_752.314_245;

/// Letters of the largest geohashes whose cells are no longer than that, from corner to corner.
pub fn letters_for(metres: f64) -> u32 {
    // Cells are about as much higher than wide as a way from pole to pole is longer than half of the equator.
    let parts = (EQUATOR_METRES * (1.0 + POLAR_METRES / EQUATOR_METRES) / metres).ceil();
    let bits = parts.log2().ceil().clamp(1.0, 60.0) as u32;
    let (full, left) = (bits / BITS_PER_LETTER, bits % BITS_PER_LETTER);
    (2 * full + u32::from(left > 0) + u32::from(left > 3)).min(LETTERS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Halves intervals, as geohashes are defined.
    fn slow(place: GeoPoint, letters: u32) -> String {
        let (mut lat, mut lon) = ((-90.0, 90.0), (-180.0, 180.0));
        let mut bits = Vec::new();
        for bit in 0..letters * BITS_PER_LETTER {
            let (value, interval) = if bit % 2 == 0 { (place.lon, &mut lon) } else { (place.lat, &mut lat) };
            let middle: f64 = (interval.0 + interval.1) / 2.0;
            let is_above = value >= middle;
            bits.push(usize::from(is_above));
            if is_above { interval.0 = middle } else { interval.1 = middle }
        }
        let letter = |five: &[usize]| char::from(LETTERS[five.iter().fold(0, |sum, bit| sum * 2 + bit)]);
        bits.chunks(5).map(letter).collect()
    }

    fn parent(cell: i64) -> i64 {
        (cell as u64 >> 4 >> BITS_PER_LETTER << 4) as i64 | i64::from(letters(cell) - 1)
    }

    proptest! {
        #[test]
        fn cells_are_those_of_halved_intervals(
            lat in prop_oneof![-90.0f64..=90.0, Just(-90.0), Just(90.0)],
            lon in prop_oneof![-180.0f64..=180.0, Just(-180.0), Just(180.0)],
            letters in 1u32..=12,
        ) {
            let place = GeoPoint::of_column(GeoPoint { lat, lon }.to_column());
            prop_assert_eq!(of(place, letters), slow(place, letters));
        }

        #[test]
        fn frames_hold_the_places_of_their_cells(lat in -90.0f64..=90.0, lon in -180.0f64..=180.0, letters in 1u32..=12) {
            let place = Steps::of_column(GeoPoint { lat, lon }.to_column());
            let cell = cell(place, letters);
            let Frame { south, north, west, east } = frame(cell);
            for (lat, lon, inside) in [
                (place.lat, place.lon, true),
                (south, west, true),
                (north, east, true),
                (south.wrapping_sub(1), west, false),
                (north.wrapping_add(1), west, false),
                (south, west.wrapping_sub(1), false),
                (south, east.wrapping_add(1), false),
            ] {
                prop_assert_eq!(super::cell(Steps { lat, lon }, letters) == cell, inside);
            }
            prop_assert!(parts(parent(cell)).any(|part| part == cell));
            prop_assert_eq!(parse(&text(cell)).unwrap(), cell);
        }

        #[test]
        fn neighbours_touch(lat in -80.0f64..80.0, lon in -180.0f64..180.0, letters in 2u32..=12) {
            let text = of(GeoPoint { lat, lon }, letters);
            let around = neighbours(&text).unwrap();
            prop_assert_eq!(around.len(), 8);
            for cell in around {
                prop_assert!(cell != text && cell.len() == text.len());
                prop_assert!(neighbours(&cell).unwrap().contains(&text));
            }
        }

        #[test]
        fn corners_lie_in_their_cells(lat in -90.0f64..90.0, lon in -180.0f64..180.0, letters in 1u32..=12) {
            let text = of(GeoPoint { lat, lon }, letters);
            let corner = corner(&text).unwrap();
            prop_assert!(corner.lat <= lat && corner.lon <= lon);
            // A little inside, so that rounding does not matter.
            prop_assert_eq!(of(GeoPoint { lat: corner.lat + 1e-7, lon: corner.lon + 1e-7 }, letters), text);
        }
    }

    #[test]
    fn by_hand() {
        assert_eq!(of(GeoPoint { lat: 57.64911, lon: 10.40744 }, 11), "u4pruydqqvj");
        assert_eq!(corner("s").unwrap(), GeoPoint { lat: 0.0, lon: 0.0 });
        assert!(corner("a").is_err() && corner("").is_err());
    }

    #[test]
    fn cells_around_a_cell() {
        let around = ["dqcjt", "dqcjw", "dqcjx", "dqcjm", "dqcjr", "dqcjj", "dqcjn", "dqcjp"];
        assert_eq!(neighbours("dqcjq").unwrap(), around);
        // At the pole, and over the date line.
        assert_eq!(neighbours("zzzz").unwrap(), ["zzzx", "bpbp", "zzzw", "zzzy", "bpbn"]);
        assert_eq!(neighbours("zzzzzzzzzzzz").unwrap().len(), 5);
        assert!(neighbours("").is_err());
    }

    #[test]
    fn letters_for_lengths() {
        let lengths = [(0.0, 12), (1.0, 11), (5000.0, 6), (100_000.0, 4), (1e7, 1), (1e9, 1)];
        for (metres, letters) in lengths {
            assert_eq!(letters_for(metres), letters, "{metres}");
        }
    }
}
