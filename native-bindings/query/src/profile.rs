//! `profile`: how long the parts of a query took.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Nanoseconds and calls, by what was done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Breakdown {
    pub create_weight: (u64, u64),
    pub build_scorer: (u64, u64),
    pub next_doc: (u64, u64),
    pub matches: (u64, u64),
    pub score: (u64, u64),
    pub compute_max_score: (u64, u64),
}

/// One query and the queries inside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QueryProfile {
    pub kind: String,
    pub description: String,
    pub breakdown: Breakdown,
    #[serde(deserialize_with = "quarry_base::wire::nested")]
    pub children: Vec<QueryProfile>,
    /// Vectors that were compared, in the query itself.
    pub compared: u64,
}

impl Breakdown {
    fn render(&self) -> (u64, Value) {
        let never = (0u64, 0u64);
        let parts = [
            ("create_weight", self.create_weight),
            ("build_scorer", self.build_scorer),
            ("next_doc", self.next_doc),
            ("match", self.matches),
            ("score", self.score),
            ("compute_max_score", self.compute_max_score),
            ("advance", never),
            ("shallow_advance", never),
            ("set_min_competitive_score", never),
        ];
        let mut members = serde_json::Map::new();
        for (name, (nanos, calls)) in parts {
            members.insert(name.to_owned(), nanos.into());
            members.insert(format!("{name}_count"), calls.into());
        }
        (parts.iter().map(|(_, (nanos, _))| nanos).sum(), Value::Object(members))
    }
}

impl QueryProfile {
    /// Vectors that were compared in the query and in those inside it.
    pub fn compared(&self) -> u64 {
        self.compared + self.children.iter().map(QueryProfile::compared).sum::<u64>()
    }

    pub fn render(&self) -> Value {
        let (nanos, breakdown) = self.breakdown.render();
        let mut rendered = json!({
            "type": self.kind, "description": self.description, "time_in_nanos": nanos, "breakdown": breakdown,
        });
        if !self.children.is_empty() {
            rendered["children"] = self.children.iter().map(QueryProfile::render).collect();
        }
        rendered
    }
}
