//! One part of a field's values, chosen by hashes that clients and shards of any index agree on.

use quarry_base::murmur3::murmur3;
use quarry_mapping::format::ValueType;

/// Seed of the terms' hashes: what the API's own partitions are made with.
const SEED: u32 = 31;

/// Those values whose hash leaves this rest.
#[derive(Debug)]
pub struct Partition {
    partition: i64,
    partitions: i64,
    value_type: ValueType,
}

impl Partition {
    pub fn new(partition: u32, partitions: u32, value_type: ValueType) -> Self {
        Partition { partition: i64::from(partition), partitions: i64::from(partitions.max(1)), value_type }
    }

    pub fn holds_term(&self, term: &[u8]) -> bool {
        i64::from(murmur3(term, SEED)).rem_euclid(self.partitions) == self.partition
    }

    /// Takes a column value.
    pub fn holds_number(&self, value: i64) -> bool {
        mix64(self.value_type.hashed_bits(value)).rem_euclid(self.partitions) == self.partition
    }
}

/// The ninth of David Stafford's finalizers ("Better Bit Mixing", 2011).
fn mix64(value: i64) -> i64 {
    let mut bits = value as u64;
    bits = (bits ^ bits >> 32).wrapping_mul(0x4cd6_944c_5cc2_0b6d);
    bits = (bits ^ bits >> 29).wrapping_mul(0xfc12_c5b1_9d32_59e9);
    (bits ^ bits >> 32) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_the_api() {
        let part = |value_type| Partition::new(0, 2, value_type);
        assert!(part(ValueType::Text).holds_term(b"bcd") && !part(ValueType::Text).holds_term(b"abc"));
        assert!(part(ValueType::Long).holds_number(5_678) && !part(ValueType::Long).holds_number(1_234));
    }

    #[test]
    fn every_value_is_in_one_part() {
        for value in -500..500 {
            let holding =
                (0..7).filter(|&partition| Partition::new(partition, 7, ValueType::Double).holds_number(value * 977));
            assert_eq!(holding.count(), 1);
        }
    }
}
