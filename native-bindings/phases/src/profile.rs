//! `profile`: what a shard tells of the time that a search took there.

use quarry_aggregations::profile::AggregationProfile;
use quarry_query::profile::QueryProfile;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ShardProfile {
    pub index: String,
    pub shard: u32,
    pub queries: Vec<QueryProfile>,
    pub rewrite_nanos: u64,
    pub collector: String,
    pub collect_nanos: u64,
    pub aggregations: Vec<AggregationProfile>,
}

impl ShardProfile {
    fn render(&self) -> Value {
        let queries: Vec<Value> = self.queries.iter().map(QueryProfile::render).collect();
        let aggregations: Vec<Value> = self.aggregations.iter().map(AggregationProfile::render).collect();
        let mut search = json!({
            "query": queries,
            "rewrite_time": self.rewrite_nanos,
            "collector": [{"name": self.collector, "reason": "search_top_hits", "time_in_nanos": self.collect_nanos}],
        });
        let compared: u64 = self.queries.iter().map(QueryProfile::compared).sum();
        if compared > 0 {
            search["vector_operations_count"] = compared.into();
        }
        let id = format!("[{}][{}]", self.index, self.shard);
        json!({"id": id, "searches": [search], "aggregations": aggregations})
    }
}

/// The response's `profile` object.
pub fn render_profiles<'a>(shards: impl Iterator<Item = &'a ShardProfile>) -> Vec<u8> {
    let shards: Vec<Value> = shards.map(ShardProfile::render).collect();
    json!({ "shards": shards }).to_string().into_bytes()
}
