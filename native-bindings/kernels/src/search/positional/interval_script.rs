//! Scripts that say of intervals whether they count.

use super::interval_lists::Interval;
use crate::error::Result;
use crate::script::{Instance, Nothing};
use crate::search::node::ScriptNode;
use std::sync::{Mutex, PoisonError};

/// Place of `interval` among the variables of the context.
const INTERVAL: usize = 1;

#[derive(Debug)]
pub struct IntervalScript {
    script: ScriptNode,
    /// Those that no document is being asked with: a query is carried out by as many threads at once as there are here.
    idle: Mutex<Vec<Instance>>,
}

/// Each is one filter of one query.
impl PartialEq for IntervalScript {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl IntervalScript {
    pub fn new(script: ScriptNode) -> Self {
        IntervalScript { script, idle: Mutex::default() }
    }

    /// Leaves the intervals for which the script is true.
    pub fn retain(&self, intervals: &mut Vec<Interval>) -> Result<()> {
        if intervals.is_empty() {
            return Ok(());
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let mut instance = known.map_or_else(|| self.script.instance(), Ok)?;
        let mut kept = Vec::with_capacity(intervals.len());
        for interval in &*intervals {
            let clamped = |number: i64| number.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            let (start, end) = (clamped(interval.start), clamped(interval.end));
            let seen = instance.import_interval(start, end, clamped(interval.gaps))?;
            instance.set(INTERVAL, seen);
            if instance.run_bool(&mut Nothing)? {
                kept.push(*interval);
            }
        }
        instance.forget();
        *intervals = kept;
        idle().push(instance);
        Ok(())
    }
}
