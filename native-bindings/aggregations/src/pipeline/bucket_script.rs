//! `bucket_script`, which computes a value of each bucket from others, and `bucket_selector`, which keeps some of the buckets.

use super::input::{number, values_at};
use crate::partial::Partial;
use crate::plan::{Aggregation, BucketScript, GapPolicy, ScriptInput};
use quarry_base::error::Result;
use quarry_script::{Instance, Nothing, Value, context};

/// A script with the values of all buckets that it is to see.
struct Inputs<'a> {
    script: Instance,
    /// One column for each input.
    columns: Vec<(&'a str, Vec<Option<f64>>)>,
}

impl<'a> Inputs<'a> {
    fn new(of: &'a BucketScript, name: &str, plan: &Aggregation, partial: &Partial) -> Result<Self> {
        let column =
            |input: &'a ScriptInput| Ok((input.name.as_str(), values_at(&input.path, of.gaps, plan, partial)?));
        let columns = of.inputs.iter().map(column).collect::<Result<_>>()?;
        Ok(Inputs { script: of.script.instance(context(name)?)?, columns })
    }

    /// Puts the values of a bucket into the parameters. `false`: one of them is missing.
    fn load(&mut self, bucket: usize) -> Result<bool> {
        let mut is_whole = true;
        for (name, column) in &self.columns {
            let value = column.get(bucket).copied().flatten();
            is_whole &= value.is_some_and(|value| !value.is_nan());
            self.script.set_parameter(name, value.map_or(Value::Null, Value::Double))?;
        }
        Ok(is_whole)
    }
}

/// A result for each bucket; none where a value is missing that gaps do not replace, or the script returns null.
pub fn computed(of: &BucketScript, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let mut inputs = Inputs::new(of, "bucket_aggregation", plan, partial)?;
    let one = |bucket| {
        if !inputs.load(bucket)? && of.gaps != GapPolicy::InsertZeros {
            return Ok(Partial::Absent);
        }
        let computed = inputs.script.run_nullable_double(&mut Nothing)?;
        Ok(computed.map_or(Partial::Absent, |value| number(value, of.format.as_ref())))
    };
    (0..partial.buckets().len()).map(one).collect()
}

/// Places of the buckets for which the script is true.
pub fn selected(of: &BucketScript, plan: &Aggregation, partial: &Partial) -> Result<Vec<usize>> {
    let mut inputs = Inputs::new(of, "aggregation_selector", plan, partial)?;
    let mut places = Vec::new();
    for bucket in 0..partial.buckets().len() {
        inputs.load(bucket)?;
        if inputs.script.run_bool(&mut Nothing)? {
            places.push(bucket);
        }
    }
    Ok(places)
}
