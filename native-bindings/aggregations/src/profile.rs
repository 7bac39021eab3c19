//! `profile` of aggregations: what each one of a request did on one shard, and how long that took.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Nanoseconds and calls, by what was done. A parent's time has that of the aggregations below it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Breakdown {
    pub initialize: (u64, u64),
    pub build_leaf_collector: (u64, u64),
    /// Calls are documents; one that falls in several buckets of the parent counts for each.
    pub collect: (u64, u64),
    pub build_aggregation: (u64, u64),
}

/// One aggregation and those below it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AggregationProfile {
    pub kind: String,
    pub name: String,
    pub breakdown: Breakdown,
    /// Figures of the kind.
    #[serde(with = "quarry_base::wire::json")]
    pub debug: Map<String, Value>,
    #[serde(deserialize_with = "quarry_base::wire::nested")]
    pub children: Vec<AggregationProfile>,
}

impl Breakdown {
    fn render(&self) -> (u64, Value) {
        let never = (0u64, 0u64);
        let parts = [
            ("initialize", self.initialize),
            ("build_leaf_collector", self.build_leaf_collector),
            ("collect", self.collect),
            // Ends of segments are part of what comes next.
            ("post_collection", never),
            ("build_aggregation", self.build_aggregation),
            // It is not a shard's work.
            ("reduce", never),
        ];
        let mut members = Map::new();
        for (name, (nanos, calls)) in parts {
            members.insert(name.to_owned(), nanos.into());
            members.insert(format!("{name}_count"), calls.into());
        }
        (parts.iter().map(|(_, (nanos, _))| nanos).sum(), Value::Object(members))
    }
}

impl AggregationProfile {
    /// As the response's `profile` shows it.
    pub fn render(&self) -> Value {
        let (nanos, breakdown) = self.breakdown.render();
        let mut rendered = json!({
            "type": self.kind, "description": self.name, "time_in_nanos": nanos, "breakdown": breakdown,
        });
        if !self.debug.is_empty() {
            rendered["debug"] = Value::Object(self.debug.clone());
        }
        if !self.children.is_empty() {
            rendered["children"] = self.children.iter().map(AggregationProfile::render).collect();
        }
        rendered
    }
}
