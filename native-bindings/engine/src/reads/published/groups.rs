//! Searches by the groups that they name in `stats`. Few searches name any, so that a lock does.

use hashbrown::HashSet;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Named groups of one copy; searches of any further one are counted under [`OTHER_GROUPS`].
pub const GROUPS_MAX: usize = 1_000;
pub const OTHER_GROUPS: &str = "_other";

#[derive(Debug, Default, Clone, Copy)]
struct Figures {
    queries: u64,
    query_time: Duration,
    fetches: u64,
    fetch_time: Duration,
}

/// Which phase of a search is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Query,
    Fetch,
}

/// Of one copy of a shard since it was opened.
#[derive(Debug, Default)]
pub struct GroupCounters(Mutex<BTreeMap<String, Figures>>);

impl GroupCounters {
    /// One phase of a search that names these groups; a name that comes twice counts once.
    pub fn add(&self, names: &[String], phase: Phase, time: Duration) {
        let mut seen = HashSet::with_capacity(names.len());
        let distinct: Vec<&str> = names.iter().map(String::as_str).filter(|name| seen.insert(*name)).collect();
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for name in distinct {
            let is_counted = groups.contains_key(name) || groups.len() < GROUPS_MAX;
            let name = if is_counted { name } else { OTHER_GROUPS };
            let figures = groups.entry(name.to_owned()).or_default();
            match phase {
                Phase::Query => {
                    figures.queries += 1;
                    figures.query_time += time;
                }
                Phase::Fetch => {
                    figures.fetches += 1;
                    figures.fetch_time += time;
                }
            }
        }
    }

    /// By name, times in milliseconds.
    pub fn to_json(&self) -> Value {
        let groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let figures = groups.iter().map(|(name, figures)| {
            let figures = json!({
                "queryTotal": figures.queries,
                "queryTimeMs": figures.query_time.as_millis() as u64,
                "fetchTotal": figures.fetches,
                "fetchTimeMs": figures.fetch_time.as_millis() as u64,
            });
            (name.clone(), figures)
        });
        Value::Object(figures.collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_beyond_the_limit_are_counted_together() {
        let counters = GroupCounters::default();
        for number in 0..GROUPS_MAX + 2 {
            counters.add(&[format!("group {number}")], Phase::Query, Duration::from_millis(1));
        }
        let counted = counters.to_json();
        assert_eq!(counted.as_object().map(Map::len), Some(GROUPS_MAX + 1));
        assert_eq!(counted[OTHER_GROUPS]["queryTotal"], 2);
        assert_eq!(counted[OTHER_GROUPS]["queryTimeMs"], 2);
    }

    #[test]
    fn a_name_that_comes_twice_counts_once() {
        let counters = GroupCounters::default();
        counters.add(&["a".into(), "a".into(), "b".into()], Phase::Fetch, Duration::ZERO);
        assert_eq!(counters.to_json()["a"]["fetchTotal"], 1);
        assert_eq!(counters.to_json()["b"]["queryTotal"], 0);
    }
}
