//! How much processor time searches of one shape took of late. Two searches have the same shape where their plans differ in values only.
//!
//! What is dear runs on threads of its own, so that what is cheap never waits for it. Nobody knows the price of a search before it was carried
//! out; but those who send one search send others like it.

use memchr::memchr2;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A search that is expected to take longer is dear.
pub const CHEAP: Duration = Duration::from_millis(2);
/// A search that took so long without an end turned out to be dear.
pub const BRIEF: Duration = Duration::from_millis(3);

/// Shapes that are known of one copy. One that falls into the place of another makes that unknown.
const SHAPES: usize = 128;
/// The newest time counts one part in so many.
const PARTS: u64 = 4;

/// The shape of a plan (JSON), for one `kind` of call: names and structure, without texts and numbers.
pub fn shape_of(plan: &[u8], kind: u8) -> u64 {
    let mut shape = Shape(0xcbf2_9ce4_8422_2325);
    shape.add(kind);
    let mut at = 0;
    while let Some(&byte) = plan.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(plan, at + 1);
                match plan.get(end) {
                    Some(b':') => plan[at..end].iter().for_each(|&byte| shape.add(byte)),
                    _ => shape.add(b'"'),
                }
                at = end;
                continue;
            }
            b'0'..=b'9' | b'-' | b'+' | b'.' => {}
            _ => shape.add(byte),
        }
        at += 1;
    }
    shape.0
}

/// FNV-1a.
struct Shape(u64);

impl Shape {
    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

/// Behind the quotation mark that ends the string.
fn end_of_string(json: &[u8], mut at: usize) -> usize {
    while let Some(found) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        if json[at + found] == b'"' {
            return at + found + 1;
        }
        at += found + 2;
    }
    json.len()
}

/// Of one copy of a shard. Only shapes are known of which a search was dear.
#[derive(Debug, Default)]
pub struct Prices(OnceLock<Box<[AtomicU64; SHAPES]>>);

/// The upper half of an entry is that of the shape, the lower half microseconds.
const MICROS: u64 = 0xffff_ffff;

impl Prices {
    /// Whether searches of this shape took more than [`CHEAP`] of late.
    pub fn is_dear(&self, shape: u64) -> bool {
        self.mean(shape).is_some_and(|micros| u128::from(micros) > CHEAP.as_micros())
    }

    /// A search of this shape took so much processor time.
    pub fn note(&self, shape: u64, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(MICROS).min(MICROS);
        let former = self.mean(shape);
        if former.is_none() && took <= CHEAP {
            return;
        }
        let mean = former.map_or(micros, |former| (former * (PARTS - 1) + micros) / PARTS);
        let places = self.0.get_or_init(|| Box::new([const { AtomicU64::new(0) }; SHAPES]));
        // Of two who write at once one is forgotten.
        places[shape as usize % SHAPES].store(shape & !MICROS | mean, Ordering::Relaxed);
    }

    fn mean(&self, shape: u64) -> Option<u64> {
        let entry = self.0.get()?[shape as usize % SHAPES].load(Ordering::Relaxed);
        (entry & !MICROS == shape & !MICROS && entry != 0).then_some(entry & MICROS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_differ_in_values_have_one_shape() {
        let shape = |plan: &str| shape_of(plan.as_bytes(), 0);
        let plan = r#"{"query":{"match":{"field":"t","text":"one \" two"}},"size":10,"boost":1.5}"#;
        assert_eq!(shape(plan), shape(r#"{"query":{"match":{"field":"u","text":"x"}},"size":7,"boost":-2}"#));
        assert_ne!(shape(plan), shape(r#"{"query":{"match":{"field":"t","texts":"one"}},"size":10,"boost":1.5}"#));
        assert_ne!(shape(r#"{"a":["x"]}"#), shape(r#"{"a":["x","y"]}"#));
        assert_ne!(shape(plan), shape_of(plan.as_bytes(), 1));
    }

    #[test]
    fn any_bytes_have_a_shape() {
        for plan in ["", "\"", "\"\\", "\"\\\"", "{\"a", "{\"a\\\":1}"] {
            shape_of(plan.as_bytes(), 0);
        }
    }

    #[test]
    fn what_was_dear_is_expected_to_be_until_it_is_cheap_again() {
        let prices = Prices::default();
        prices.note(7, CHEAP / 2);
        assert!(!prices.is_dear(7));
        prices.note(7, 10 * CHEAP);
        assert!(prices.is_dear(7));
        assert!(!prices.is_dear(7 + (1 << 40)), "of another shape in the same place");
        let turns = (0..100).take_while(|_| {
            prices.note(7, CHEAP / 4);
            prices.is_dear(7)
        });
        assert!((3..20).contains(&turns.count()));
    }
}
