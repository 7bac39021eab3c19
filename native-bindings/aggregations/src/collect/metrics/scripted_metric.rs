//! `scripted_metric`: scripts that keep a state for each bucket, and make something of it in the end.

use crate::collect::tables::entry;
use crate::collect::{Batch, Collector, Context};
use crate::partial::{Partial, PartialScripted};
use crate::plan::ScriptedMetric;
use quarry_base::error::Result;
use quarry_codec::window::WINDOW;
use quarry_query::script::docs::SegmentDocs;
use quarry_query::view::{SegmentView, ShardView};
use quarry_script::{Instance, Nothing, Program, ScriptSpec, Value, context};
use std::sync::Arc;

/// Place of `state` among the variables of the contexts.
const STATE: usize = 1;

struct Stage<'a> {
    program: Arc<Program>,
    params: &'a serde_json::Value,
}

impl<'a> Stage<'a> {
    fn new(script: &'a ScriptSpec, of: &str) -> Result<Self> {
        Ok(Stage { program: script.program(context(of)?)?, params: &script.params })
    }
}

pub struct ScriptedMetricCollector<'a> {
    view: &'a ShardView,
    init: Option<Stage<'a>>,
    map: Stage<'a>,
    combine: Stage<'a>,
    /// All states live in the objects of one instance, which changes its program.
    instance: Instance,
    /// Where the instance holds the state of each bucket.
    states: Vec<Option<usize>>,
    docs: Option<SegmentDocs<'a>>,
}

impl<'a> ScriptedMetricCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a ScriptedMetric) -> Result<Self> {
        let map = Stage::new(&plan.map, "aggs_map")?;
        Ok(ScriptedMetricCollector {
            view: context.view,
            init: plan.init.as_ref().map(|init| Stage::new(init, "aggs_init")).transpose()?,
            instance: Instance::new(Arc::clone(&map.program), map.params)?,
            map,
            combine: Stage::new(&plan.combine, "aggs_combine")?,
            states: Vec::new(),
            docs: None,
        })
    }

    /// Gives buckets that have no state yet a new one.
    fn begin(&mut self, batch: &Batch<'_>) -> Result<()> {
        let mut has_begun = false;
        for place in 0..batch.docs.len() {
            let state = entry(&mut self.states, batch.owners.of(place));
            if state.is_some() {
                continue;
            }
            let empty = self.instance.import(&serde_json::json!({}))?;
            *state = Some(self.instance.hold(empty));
            if let Some(init) = &self.init {
                if !std::mem::replace(&mut has_begun, true) {
                    self.instance.switch(&init.program, init.params)?;
                }
                self.instance.set(STATE, empty);
                self.instance.run(&mut Nothing)?;
            }
        }
        if has_begun {
            self.instance.switch(&self.map.program, self.map.params)?;
        }
        Ok(())
    }
}

impl<'a> Collector<'a> for ScriptedMetricCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.docs = Some(SegmentDocs::new(self.view, segment));
        // Numbers of fields are those of the segment's documents.
        self.instance.switch(&self.map.program, self.map.params)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.begin(&batch)?;
        let Some(docs) = &mut self.docs else { return Ok(()) };
        for (place, &doc) in batch.docs.iter().enumerate() {
            let Some(state) = *entry(&mut self.states, batch.owners.of(place)) else { continue };
            let score = batch.scores.map(|scores| f64::from(scores[place]));
            docs.at(batch.window * WINDOW as u32 + u32::from(doc), score);
            self.instance.set(STATE, self.instance.held(state));
            self.instance.run(docs)?;
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.instance.switch(&self.combine.program, self.combine.params)?;
        self.states.resize(owner_count, None);
        let mut partials = Vec::with_capacity(owner_count);
        for state in std::mem::take(&mut self.states) {
            let mut json = Vec::new();
            match state {
                Some(state) => {
                    self.instance.set(STATE, self.instance.held(state));
                    self.instance.run_json(&mut Nothing, &mut json)?;
                }
                None => json.extend_from_slice(b"null"),
            }
            let states = vec![String::from_utf8_lossy(&json).into_owned()];
            partials.push(Partial::Scripted(PartialScripted { states, value: None }));
        }
        self.instance.set(STATE, Value::Null);
        Ok(partials)
    }
}
