//! What stored queries are indexed by, and found by: hashes of what a document can have.
//!
//! A key stands for a term of a field, for a field that has any value, or for a block of numbers: those that agree in all but
//! their lowest bits. A range is a few blocks, and a number lies in one block of each size. Two things may share a key:
//! then a query is looked at in vain.

use quarry_base::murmur3_128::murmur3_128;

/// The term of queries that any document may match.
pub const ALWAYS: &[u8] = b"*";
/// Blocks that a range is made of, at most; finer ends are rounded away from its middle.
const BLOCKS_MAX: usize = 48;
/// Bits of a number.
const BITS: u32 = 64;

fn hash(kind: u8, field: &str, rest: &[&[u8]]) -> u64 {
    let mut bytes = Vec::with_capacity(field.len() + 12 + rest.iter().map(|part| part.len()).sum::<usize>());
    bytes.push(kind);
    bytes.extend_from_slice(field.as_bytes());
    bytes.push(0);
    rest.iter().for_each(|part| bytes.extend_from_slice(part));
    murmur3_128(&bytes).0
}

/// The document has this term.
pub(super) fn term(field: &str, term: &[u8]) -> u64 {
    hash(b't', field, &[term])
}

/// The document has a value.
pub(super) fn presence(field: &str) -> u64 {
    hash(b'e', field, &[])
}

fn block(field: &str, level: u32, prefix: u64) -> u64 {
    hash(b'n', field, &[&[level as u8], &prefix.to_le_bytes()])
}

/// Order as of unsigned numbers.
fn unsigned(number: i64) -> u64 {
    (number as u64) ^ (1 << 63)
}

/// The document has this number: the blocks that it lies in.
pub(super) fn of_number(field: &str, number: i64, keys: &mut Vec<u64>) {
    let number = unsigned(number);
    keys.extend((0..BITS).map(|level| block(field, level, number >> level)));
}

/// Some number of the document is in the range, ends included: it has one of these keys at least.
pub(super) fn of_range(field: &str, low: i64, high: i64) -> Vec<u64> {
    let (low, high) = (unsigned(low), unsigned(high));
    let coarsened = (0..BITS).find_map(|level| {
        let mask = (1u64 << level) - 1;
        blocks(low & !mask, high | mask)
    });
    match coarsened {
        Some(blocks) => blocks.into_iter().map(|(level, prefix)| block(field, level, prefix)).collect(),
        None => vec![presence(field)],
    }
}

/// The fewest blocks that the range consists of; `None` where they are too many, or it is all numbers.
fn blocks(low: u64, high: u64) -> Option<Vec<(u32, u64)>> {
    let (mut at, end) = (u128::from(low), u128::from(high) + 1);
    let mut blocks = Vec::new();
    while at < end {
        let mut level = at.trailing_zeros().min(BITS);
        while at + (1u128 << level) > end {
            level -= 1;
        }
        if level == BITS || blocks.len() == BLOCKS_MAX {
            return None;
        }
        blocks.push((level, (at >> level) as u64));
        at += 1u128 << level;
    }
    Some(blocks)
}

/// The key as a term of the percolator field.
pub(super) fn to_term(key: u64) -> [u8; 8] {
    key.to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn share(number: i64, range: &[u64]) -> bool {
        let mut keys = vec![presence("n")];
        of_number("n", number, &mut keys);
        keys.iter().any(|key| range.contains(key))
    }

    #[test]
    fn ranges_have_few_keys_and_hold_their_ends() {
        for (low, high) in
            [(0, 0), (-5, 5), (i64::MIN, i64::MAX), (i64::MIN, 7), (7, i64::MAX), (1_577_934_245_000, i64::MAX)]
        {
            let range = of_range("n", low, high);
            assert!(range.len() <= BLOCKS_MAX);
            assert!(share(low, &range) && share(high, &range), "{low}..={high}");
        }
        assert!(!share(6, &of_range("n", 7, 7)));
        assert!(!share(1_000, &of_range("n", 1_577_934_245_000, i64::MAX)));
    }

    proptest! {
        #[test]
        fn numbers_within_are_found(ends: (i64, i64), share_of: u64) {
            let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
            let width = (high as i128 - low as i128 + 1) as u128;
            let number = (low as i128 + ((u128::from(share_of) * width) >> 64) as i128) as i64;
            prop_assert!(share(number, &of_range("n", low, high)));
        }

        #[test]
        fn numbers_far_outside_are_not(low in -1000i64..1000, width in 0i64..1000) {
            let range = of_range("n", low, low + width);
            prop_assert!(!share(low - 1, &range) && !share(low + width + 1, &range));
        }
    }
}
