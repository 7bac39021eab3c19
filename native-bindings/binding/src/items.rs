//! Bulk bodies to items, items to shards, and answers put together.

use crate::failure::{entry, parse};
use napi::bindgen_prelude::{Uint8Array, Uint32Array};
use napi_derive::napi;
use quarry_base::error::Error;
use quarry_engine::items::join::{ItemAnswers, join_items};
use quarry_engine::items::routing::{RoutingTarget, TargetOfName, group_items, murmur3};
use quarry_engine::items::split::{SplitOptions, mentions_pipelines, split_bulk, validate_items};

#[napi(object)]
pub struct RawSplitBulk {
    pub index_names: Vec<String>,
    pub descriptors: Uint32Array,
    pub strings: Uint8Array,
    pub requires_alias: bool,
}

#[napi(object)]
pub struct RawShardGroup {
    pub target: u32,
    pub shard: u32,
    pub places: Uint32Array,
}

#[napi(js_name = "splitBulk")]
pub fn split_bulk_body(body: &[u8], options: String, id_seed: &[u8]) -> napi::Result<RawSplitBulk> {
    entry(|| {
        let options: SplitOptions = parse("the options of a bulk", options.as_bytes())?;
        let seed = id_seed.try_into().map_err(|_| Error::illegal_argument("the id seed has the wrong length"))?;
        let split = split_bulk(body, &options, seed)?;
        Ok(RawSplitBulk {
            index_names: split.index_names,
            descriptors: split.items.words.into(),
            strings: split.items.strings.into(),
            requires_alias: split.requires_alias,
        })
    })
}

#[napi(js_name = "mentionsPipelines")]
pub fn mentions(body: &[u8]) -> napi::Result<bool> {
    entry(|| Ok(mentions_pipelines(body)))
}

#[napi(js_name = "validateItems")]
pub fn validate(descriptors: &[u32], strings: &[u8]) -> napi::Result<()> {
    entry(|| validate_items(descriptors, strings))
}

#[napi(js_name = "groupItems")]
pub fn group(
    descriptors: &[u32],
    strings: &[u8],
    names: String,
    targets: String,
    excluded: &[u32],
) -> napi::Result<Vec<RawShardGroup>> {
    entry(|| {
        let names: Vec<TargetOfName> = parse("the targets of names", names.as_bytes())?;
        let targets: Vec<RoutingTarget> = parse("routing targets", targets.as_bytes())?;
        let groups = group_items(descriptors, strings, &names, &targets, excluded)?;
        let raw = groups.into_iter();
        Ok(raw
            .map(|group| RawShardGroup { target: group.target, shard: group.shard, places: group.places.into() })
            .collect())
    })
}

#[napi(js_name = "joinItems")]
pub fn join(
    items: Vec<Uint8Array>,
    ends: Vec<Uint32Array>,
    places: Vec<Uint32Array>,
    total: u32,
) -> napi::Result<Uint8Array> {
    entry(|| {
        let parts = items.iter().zip(&ends).zip(&places);
        let parts: Vec<ItemAnswers<'_>> =
            parts.map(|((items, ends), places)| ItemAnswers { items, ends, places }).collect();
        join_items(&parts, total as usize).map(Uint8Array::from)
    })
}

/// An empty routing means none.
#[napi(js_name = "shardOf")]
pub fn shard_of(
    routing: String,
    id: String,
    shards: u32,
    routing_shards: u32,
    partition_size: u32,
) -> napi::Result<u32> {
    entry(|| {
        let target = RoutingTarget { shards, routing_shards, partition_size };
        target.shard_of(&id, Some(routing.as_str()).filter(|routing| !routing.is_empty()))
    })
}

#[napi(js_name = "murmur3")]
pub fn hash(text: String) -> napi::Result<i32> {
    entry(|| Ok(murmur3(&text)))
}
