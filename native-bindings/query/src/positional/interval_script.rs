//! Scripts that say of intervals whether they count.

use super::interval_lists::Interval;
use crate::node::ScriptNode;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_script::{Instance, Nothing};
use std::sync::{Mutex, PoisonError};

/// Place of `interval` among the variables of the context.
const INTERVAL: usize = 1;
/// Intervals that are asked about between two looks at the cancellation.
const INTERVALS_PER_LOOK: usize = 1 << 8;

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
    ///
    /// Errors: the script failed; `TaskCancelled`.
    pub fn retain(&self, intervals: &mut Vec<Interval>) -> Result<()> {
        if intervals.is_empty() {
            return Ok(());
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let mut instance = known.map_or_else(|| self.script.instance(), Ok)?;
        let mut kept = Vec::with_capacity(intervals.len());
        for (place, interval) in intervals.iter().enumerate() {
            if place % INTERVALS_PER_LOOK == 0 {
                interrupt::check()?;
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_base::error::ErrorCode;
    use quarry_base::interrupt::watching;
    use quarry_script::{ScriptSpec, context};
    use std::cell::Cell;
    use std::sync::Arc;

    fn script(source: &str) -> IntervalScript {
        let program = ScriptSpec::inline(source).program(context("interval").unwrap()).unwrap();
        IntervalScript::new(ScriptNode { program, params: Arc::default(), scope: "".into() })
    }

    /// With a search that is cancelled after so many looks.
    fn retained(source: &str, intervals: usize, looks_allowed: usize) -> Result<usize> {
        let mut intervals = vec![Interval { start: 1, end: 2, gaps: 0 }; intervals];
        let looks = Cell::new(0);
        let is_cancelled = || looks.replace(looks.get() + 1) >= looks_allowed;
        watching(&is_cancelled, None, || script(source).retain(&mut intervals)).map(|()| intervals.len())
    }

    #[test]
    fn a_search_that_is_cancelled_ends_the_script() {
        let cancelled = |ended: Result<usize>| assert_eq!(ended.unwrap_err().code, ErrorCode::TaskCancelled);
        assert_eq!(retained("true", INTERVALS_PER_LOOK, 1).unwrap(), INTERVALS_PER_LOOK);
        cancelled(retained("true", INTERVALS_PER_LOOK + 1, 1));
        cancelled(retained("int i = 0; while (i < 1) { i = 0 } return true", 1, 1));
    }
}
