//! The last step of a `scripted_metric`: one script over what the shards made of their states.

use crate::partial::Partial;
use crate::plan::{Aggregation, Kind};
use quarry_base::error::{Error, Result};
use quarry_script::{Nothing, context};
use serde_json::Value;

/// Place of `states` among the variables of the context.
const STATES: usize = 1;

pub fn reduce(plan: &Aggregation, partial: &mut Partial) -> Result<()> {
    let (Kind::ScriptedMetric(of), Partial::Scripted(scripted)) = (&plan.kind, partial) else { return Ok(()) };
    let read = |state: &String| {
        quarry_base::deep_json::from_str::<Value>(state)
            .map_err(|_| Error::internal("the state of a scripted metric is not JSON"))
    };
    let states = scripted.states.iter().map(read).collect::<Result<Vec<_>>>()?;
    let mut script = of.reduce.instance(context("aggs_reduce")?)?;
    let states = script.import(&Value::Array(states))?;
    script.set(STATES, states);
    let mut json = Vec::new();
    script.run_json(&mut Nothing, &mut json)?;
    scripted.value = Some(String::from_utf8_lossy(&json).into_owned());
    Ok(())
}
