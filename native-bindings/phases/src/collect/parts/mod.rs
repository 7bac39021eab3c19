//! A search of one shard that takes long, on the processors that are idle.
//!
//! The thread that has the search looks at windows of documents; idle threads for long searches help it. Each has everything of its own (the
//! compiled query, the best hits, the aggregations) but for the list of windows that are left ([`windows`]). What they found is merged to what one
//! thread would have found, to the last digit; a search of which that cannot be said has one thread. So has one that fails: what it is told
//! then does not depend on who helped.

mod merge;
#[cfg(test)]
pub mod tests;
pub mod windows;

use super::{Collected, Part, sort_keys};
use crate::ABOVE;
use quarry_aggregations::parts::plan_of_parts;
use quarry_aggregations::plan::Aggregation;
use quarry_base::control::{Control, IsCancelled, cancelled};
use quarry_base::error::Result;
use quarry_base::interrupt::watching;
use quarry_plan::request::SearchPlan;
use quarry_query::breaker::{Left, measured_and_left};
use quarry_query::crew::{Crew, Ending, idle_helpers};
use quarry_query::sort::hit::Hit;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
use std::sync::Arc;
use std::time::{Duration, Instant};
use windows::SharedWindows;

/// Fewer windows are looked at before a helper has begun.
const WINDOWS_MIN: u32 = 16;
/// Windows that a thread takes at a time, at most.
const WINDOWS_AT_A_TIME: u32 = 32;
/// A query that takes longer to be prepared is not prepared by others as well.
const PREPARING_MAX: Duration = Duration::from_millis(2);

/// Carries out a search with those who are idle. `None`: it is one for a single thread, or was not carried out to its end.
pub(super) fn run(alone: &Part<'_>, control: &mut Control<'_>) -> Result<Option<Collected>> {
    let windows = windows_of(alone.view);
    let helpers = if windows < WINDOWS_MIN { 0 } else { idle_helpers() };
    if helpers == 0 || !can_be_divided(alone) {
        return Ok(None);
    }
    let Some(parts) = plan_of_parts(alone.view, alone.aggregations) else { return Ok(None) };
    let at_a_time = (windows / (4 * (helpers as u32 + 1))).clamp(1, WINDOWS_AT_A_TIME);
    let at_a_time = at_a_time.next_multiple_of(parts.windows_in_a_row);
    let shared = Arc::new(Shared::new(alone, parts.aggregations, at_a_time, control));
    run_with(&shared, alone, helpers, control)
}

fn windows_of(view: &ShardView) -> u32 {
    view.segments.iter().map(|segment| segment.window_count()).sum()
}

/// What stops after so many documents stops after other ones where several look; hits of a group are chosen among all of them; a profile tells of
/// one collection.
fn can_be_divided(alone: &Part<'_>) -> bool {
    let plan = alone.plan;
    plan.terminate_after == 0 && plan.collapse.is_none() && !plan.profile
}

fn run_with(
    shared: &Arc<Shared>,
    alone: &Part<'_>,
    helpers: usize,
    control: &mut Control<'_>,
) -> Result<Option<Collected>> {
    let crew = Crew::new({
        let shared = Arc::clone(shared);
        move |is_over| shared.part(is_over)
    });
    let ending = Ending(&crew);
    let part = Part { aggregations: &shared.aggregations, windows: Some(&shared.windows), ..*alone };
    let began = Instant::now();
    let own = part.run(control, || {
        if began.elapsed() <= PREPARING_MAX {
            crew.call(helpers);
        }
    });
    if own.is_err() {
        crew.give_up();
    }
    let found = crew.end(control.is_cancelled());
    drop(ending);
    let found: Vec<_> = found.into_iter().map(|told| told.map(taken_over)).collect();
    if (control.is_cancelled())() {
        return Err(cancelled());
    }
    // Who has one thread is told of the first failure there.
    let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let parts = std::iter::once(own).chain(found).collect::<Result<Vec<_>>>();
    Ok(parts.and_then(|parts| merge::merge(alone, parts)).ok())
}

/// What a helper found; this thread holds it from now on.
fn taken_over((found, left): (Result<Collected>, Option<Left>)) -> Result<Collected> {
    left.into_iter().for_each(Left::take_over);
    found
}

/// What the threads of one search share.
struct Shared {
    view: ShardView,
    plan: SearchPlan,
    aggregations: Vec<Aggregation>,
    after: Option<Hit>,
    deadline: Option<Instant>,
    windows: SharedWindows,
}

impl Shared {
    fn new(alone: &Part<'_>, aggregations: Vec<Aggregation>, at_a_time: u32, control: &Control<'_>) -> Self {
        Shared {
            view: alone.view.clone(),
            plan: alone.plan.clone(),
            aggregations,
            after: alone.after.cloned(),
            deadline: control.deadline(),
            windows: SharedWindows::of(alone.view, at_a_time),
        }
    }

    /// The part of one thread.
    fn part(&self, is_over: IsCancelled<'_>) -> (Result<Collected>, Option<Left>) {
        // What it found stays reserved until it is merged.
        measured_and_left(self.plan.limits.request_breaker_bytes, || self.part_measured(is_over))
    }

    fn part_measured(&self, is_over: IsCancelled<'_>) -> Result<Collected> {
        let env = QueryEnv {
            now_ms: self.plan.now_ms,
            limits: self.plan.limits.clone(),
            is_cancelled: is_over,
            above: ABOVE,
        };
        let keys = sort_keys(&self.view, &env, &self.plan)?;
        let part = Part {
            view: &self.view,
            plan: &self.plan,
            keys: &keys,
            after: self.after.as_ref(),
            aggregations: &self.aggregations,
            windows: Some(&self.windows),
        };
        let mut control = Control::until(is_over, self.deadline);
        watching(is_over, None, || part.run(&mut control, || {}))
    }
}
