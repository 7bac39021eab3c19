//! Documents by their ids, read by any thread from the newest view.

use super::Published;
use super::counters::Counted;
use crate::shard::get::{GetOptions, GetResult, get_refreshed};
use std::time::Instant;

impl Published {
    /// As [`crate::shard::Shard::get`]. `None` where the owner is to be asked: the copy is closed, it is a replica's and the newest is asked for,
    /// the id may have been written since the view was made, or the answer is an error, which the owner tells with its name.
    pub fn get(&self, id: &str, options: &GetOptions) -> Option<GetResult> {
        let started = Instant::now();
        let newest = self.newest()?;
        let is_untouched = || newest.touched.as_ref().is_some_and(|touched| !touched.may_have(id.as_bytes()));
        if options.realtime && !is_untouched() {
            return None;
        }
        let result = get_refreshed(&newest.view, id, options).ok()?;
        self.reads.add(Counted::of_get(result.found), started.elapsed());
        Some(result)
    }
}
