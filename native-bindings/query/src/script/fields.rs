//! `script_fields`: values that scripts compute for each hit.

use super::docs::SegmentDocs;
use crate::view::{SegmentView, ShardView};
use quarry_base::error::Result;
use quarry_plan::request::ScriptField;
use quarry_script::{Instance, context};

pub struct ScriptFields<'a> {
    view: &'a ShardView,
    fields: &'a [ScriptField],
}

impl<'a> ScriptFields<'a> {
    pub fn resolve(view: &'a ShardView, fields: &'a [ScriptField]) -> Result<Self> {
        for field in fields {
            field.script.program(context("field")?)?;
        }
        Ok(ScriptFields { view, fields })
    }

    /// Adds the values of one document; a list has each of its items as a value.
    pub fn read(
        &self,
        segment: &SegmentView,
        doc: u32,
        score: Option<f32>,
        values: &mut Vec<(String, Vec<Vec<u8>>)>,
    ) -> Result<()> {
        for field in self.fields {
            match self.run(field, segment, doc, score) {
                Ok(found) => values.push((field.name.clone(), found)),
                Err(_) if field.ignore_failure => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn run(&self, field: &ScriptField, segment: &SegmentView, doc: u32, score: Option<f32>) -> Result<Vec<Vec<u8>>> {
        let mut instance: Instance = field.script.instance(context("field")?)?;
        let mut docs = SegmentDocs::new(self.view, segment);
        docs.at(doc, Some(score.map_or(f64::NAN, f64::from)));
        let mut json = Vec::new();
        instance.run_json(&mut docs, &mut json)?;
        if json.first() != Some(&b'[') {
            return Ok(vec![json]);
        }
        let items: Vec<Box<serde_json::value::RawValue>> = quarry_base::deep_json::from_slice(&json)
            .map_err(|error| quarry_base::error::Error::internal(format!("a script's list is no JSON: {error}")))?;
        Ok(items.into_iter().map(|item| item.get().as_bytes().to_vec()).collect())
    }
}
