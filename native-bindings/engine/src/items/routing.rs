//! Which shard a document belongs to: the API's formula, so that clients that compute it agree.

use super::descriptor::Item;
use hashbrown::HashMap;
use quarry_base::error::{Error, Result};
use serde::Deserialize;

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
        Ok(self.shard_of_checked(id, routing))
    }

    fn shard_of_checked(&self, id: &str, routing: Option<&str>) -> u32 {
        if self.shards == 1 {
            return 0;
        }
        let partition = match self.partition_size {
            1 => 0,
            size => i64::from(murmur3(id)).rem_euclid(i64::from(size)),
        };
        // Wraps as the 32-bit sum of the formula does.
        let hash = murmur3(routing.unwrap_or(id)).wrapping_add(partition as i32);
        let slot = i64::from(hash).rem_euclid(i64::from(self.routing_shards)) as u32;
        slot / (self.routing_shards / self.shards)
    }
}

/// Items of a request that go to the same shard, in the order of the request.
#[derive(Debug, PartialEq, Eq)]
pub struct ShardGroup {
    /// Position of their target.
    pub target: u32,
    pub shard: u32,
    pub places: Vec<u32>,
}

/// Which targets the names of a request stand for: by position of the name, the position of its target. `None` where a name
/// has none.
pub type TargetOfName = Option<u32>;

/// The items of each shard. Left out are those whose name has no target, and the `excluded` places (ascending).
pub fn group_items(
    descriptors: &[u32],
    strings: &[u8],
    names: &[TargetOfName],
    targets: &[RoutingTarget],
    excluded: &[u32],
) -> Result<Vec<ShardGroup>> {
    targets.iter().try_for_each(RoutingTarget::check)?;
    let mut groups: Vec<ShardGroup> = Vec::new();
    let mut group_of: HashMap<(u32, u32), usize> = HashMap::new();
    let mut excluded = excluded.iter().peekable();
    let mut last = None;
    for at in 0..descriptors.len() / super::descriptor::DESCRIPTOR_WORDS {
        if excluded.next_if(|&&place| place as usize == at).is_some() {
            continue;
        }
        let item = Item::read(descriptors, strings, at)?;
        let Some(&Some(target)) = names.get(item.index as usize) else { continue };
        let routing = targets.get(target as usize);
        let routing = routing.ok_or_else(|| Error::illegal_argument(format!("there is no target [{target}]")))?;
        let key = (target, routing.shard_of_checked(item.id, item.routing));
        let group = match last {
            Some((known, group)) if known == key => group,
            _ => *group_of.entry(key).or_insert_with(|| {
                groups.push(ShardGroup { target: key.0, shard: key.1, places: Vec::new() });
                groups.len() - 1
            }),
        };
        groups[group].places.push(at as u32);
        last = Some((key, group));
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::descriptor::{Action, Descriptors};
    use crate::items::version::VersionType;
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

    proptest! {
        #[test]
        fn every_item_is_in_the_group_of_its_shard_unless_it_is_left_out(
            given in prop::collection::vec((0u32..4, "[a-z]{0,6}", prop::option::of("[a-c]")), 0..60),
            excluded in prop::collection::btree_set(0u32..60, 0..10),
        ) {
            let targets = [(1, 8), (4, 8)].map(|(shards, routing_shards)| {
                RoutingTarget { shards, routing_shards, partition_size: 1 }
            });
            // Two names of one target, and one of none.
            let names = [Some(1), Some(0), None, Some(1)];
            let mut items = Descriptors::default();
            for (index, id, routing) in &given {
                items.push(&Item { index: *index, id, routing: routing.as_deref(), ..plain_item() });
            }
            let excluded: Vec<u32> = excluded.into_iter().collect();
            let groups = group_items(&items.words, &items.strings, &names, &targets, &excluded).unwrap();
            let mut expected: Vec<ShardGroup> = Vec::new();
            for (place, (index, id, routing)) in given.iter().enumerate() {
                let place = place as u32;
                let Some(target) = names[*index as usize] else { continue };
                if excluded.contains(&place) { continue }
                let shard = targets[target as usize].shard_of(id, routing.as_deref()).unwrap();
                match expected.iter_mut().find(|group| (group.target, group.shard) == (target, shard)) {
                    Some(group) => group.places.push(place),
                    None => expected.push(ShardGroup { target, shard, places: vec![place] }),
                }
            }
            prop_assert_eq!(groups, expected);
        }
    }

    fn plain_item<'a>() -> Item<'a> {
        Item {
            index: 0,
            action: Action::Index,
            id: "",
            auto_id: false,
            repeated: false,
            routing: None,
            require_alias: false,
            version: None,
            version_type: VersionType::Internal,
            expected: None,
            source: (0, 0),
            source_spec: None,
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
