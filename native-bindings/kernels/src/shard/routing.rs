//! Which shard a document belongs to: the API's formula, so that clients that compute it agree.

use super::descriptor::Item;
use crate::error::{Error, Result};
use serde::Deserialize;

/// "The index of this item has no target."
pub const NO_SHARD: u32 = u32::MAX;

/// How documents spread over the shards of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoutingTarget {
    pub shards: u32,
    /// `index.number_of_routing_shards`: a multiple of `shards`.
    pub routing_shards: u32,
    /// `index.routing_partition_size`
    #[serde(default = "one")]
    pub partition_size: u32,
}

fn one() -> u32 {
    1
}

/// Murmur3, 32 bits, seed 0, over the UTF-16LE bytes of the text (Austin Appleby's MurmurHash3_x86_32).
pub fn murmur3(text: &str) -> i32 {
    let mut hash = 0u32;
    let mut length = 0u32;
    let mut units = text.encode_utf16();
    while let Some(low) = units.next() {
        let Some(high) = units.next() else {
            hash ^= scramble(u32::from(low));
            length += 2;
            break;
        };
        hash ^= scramble(u32::from(low) | u32::from(high) << 16);
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        length += 4;
    }
    finish(hash ^ length) as i32
}

fn scramble(block: u32) -> u32 {
    block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

fn finish(mut hash: u32) -> u32 {
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

impl RoutingTarget {
    fn check(&self) -> Result<()> {
        let Self { shards, routing_shards, partition_size } = *self;
        let consistent = shards > 0 && routing_shards >= shards && routing_shards % shards == 0;
        if consistent && partition_size > 0 && i32::try_from(routing_shards).is_ok() {
            return Ok(());
        }
        Err(Error::illegal_argument(format!(
            "[{shards}] shards, [{routing_shards}] routing shards and a partition size of [{partition_size}] do not fit"
        )))
    }

    /// The shard number of a document; without a routing its id decides.
    pub fn shard_of(&self, id: &str, routing: Option<&str>) -> Result<u32> {
        self.check()?;
        let partition = match self.partition_size {
            1 => 0,
            size => i64::from(murmur3(id)).rem_euclid(i64::from(size)),
        };
        // Wraps as the 32-bit sum of the formula does.
        let hash = murmur3(routing.unwrap_or(id)).wrapping_add(partition as i32);
        let slot = i64::from(hash).rem_euclid(i64::from(self.routing_shards)) as u32;
        Ok(slot / (self.routing_shards / self.shards))
    }
}

/// The shard number of every item; `targets` are by position of the index name, `None` gives [`NO_SHARD`].
pub fn shards_of_items(descriptors: &[u32], strings: &[u8], targets: &[Option<RoutingTarget>]) -> Result<Vec<u32>> {
    (0..descriptors.len() / super::descriptor::DESCRIPTOR_WORDS)
        .map(|at| {
            let item = Item::read(descriptors, strings, at)?;
            match targets.get(item.index as usize) {
                Some(Some(target)) => target.shard_of(item.id, item.routing),
                _ => Ok(NO_SHARD),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hashes_are_those_that_the_api_documents() {
        // Values that the reference implementation's own tests assert.
        assert_eq!(murmur3("hell") as u32, 0x5a0c_b7c3);
        assert_eq!(murmur3("hello") as u32, 0xd7c3_1989);
        assert_eq!(murmur3("hello w") as u32, 0x22ab_2984);
        assert_eq!(murmur3("hello wo") as u32, 0xdf0c_a123);
        assert_eq!(murmur3("hello wor") as u32, 0xe774_4d61);
        assert_eq!(murmur3("The quick brown fox jumps over the lazy dog") as u32, 0xe07d_b09c);
        assert_eq!(murmur3("The quick brown fox jumps over the lazy cog") as u32, 0x4e63_d2ad);
    }

    proptest! {
        #[test]
        fn every_shard_is_below_the_number_of_shards(
            id: String, routing: Option<String>, shards in 1u32..20, factor in 1u32..9, partition_size in 1u32..5,
        ) {
            let target = RoutingTarget { shards, routing_shards: shards * factor, partition_size };
            prop_assert!(target.shard_of(&id, routing.as_deref()).unwrap() < shards);
        }
    }

    #[test]
    fn inconsistent_targets_are_refused() {
        for (shards, routing_shards, partition_size) in [(0, 1, 1), (2, 3, 1), (2, 0, 1), (1, 1, 0)] {
            let target = RoutingTarget { shards, routing_shards, partition_size };
            assert!(target.shard_of("a", None).is_err());
        }
    }
}
