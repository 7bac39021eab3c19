//! Fields of type `lookup`: what a hit tells of them.
//!
//! Their values are in other indices, and whoever puts the pages of all shards together asks for them. Until then a hit shows in
//! their place what is to be asked: an [`Unresolved`] object, where every other field of a hit has an array.

use super::docvalues::DocvalueFields;
use super::field_values::SourceField;
use super::{FieldValues, terms_of};
use crate::page_lookups::Unresolved;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::spec::{FieldSpec, LookupSpec};
use quarry_plan::request::FieldAndFormat;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::QueryEnv;
use quarry_query::wildcard_name::matches_name;
use quarry_segment::ROUTING_FIELD;
use serde_json::Value;

/// Those of `fields` that are looked up.
#[derive(Default)]
pub(super) struct LookupFields {
    fields: Vec<LookupField>,
}

struct LookupField {
    name: String,
    spec: LookupSpec,
    input: Input,
}

/// Where the values are that are looked up.
enum Input {
    Id,
    Index,
    Routing,
    Source(Box<SourceField>),
    Computed(DocvalueFields),
    /// Nothing is looked up by what is looked up itself.
    Lookup,
}

/// What the shard knows of a document.
pub(super) struct LookedUp<'a> {
    pub view: &'a ShardView,
    pub segment: &'a SegmentView,
    /// Number in the segment.
    pub doc: u32,
    /// `None`: it has none.
    pub source: Option<&'a Value>,
}

impl LookupFields {
    /// Errors: `QueryShard` where the mapping lacks the field to look up by; what `search.allow_expensive_queries` refuses.
    pub(super) fn resolve(view: &ShardView, env: &QueryEnv, wanted: &[FieldAndFormat]) -> Result<Self> {
        let is_wanted = |spec: &FieldSpec| wanted.iter().any(|wanted| matches_name(&wanted.field, &spec.name));
        let mut fields = Vec::new();
        for spec in view.mapping.fields().iter().map(|mapped| &mapped.spec).filter(|spec| is_wanted(spec)) {
            let Some(lookup) = &spec.lookup else { continue };
            if !env.limits.allow_expensive_queries {
                let reason = format!(
                    "cannot be executed against lookup field [{}] while [search.allow_expensive_queries] is set to [false].",
                    spec.name
                );
                return Err(Error::illegal_argument(reason));
            }
            let input = Input::resolve(view, &lookup.input_field)?;
            fields.push(LookupField { name: spec.name.clone(), spec: (**lookup).clone(), input });
        }
        Ok(LookupFields { fields })
    }

    pub(super) fn needs_source(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.input, Input::Source(_)))
    }

    /// What a document asks for, by field. Those that it has nothing to look up by are left out.
    pub(super) fn read(&self, document: &LookedUp) -> Result<Vec<(String, Vec<u8>)>> {
        let mut found = Vec::new();
        for LookupField { name, spec, input } in &self.fields {
            let values = input.read(document)?;
            if values.is_empty() {
                continue;
            }
            let LookupSpec { target_index, target_field, fetch_fields, .. } = spec.clone();
            let unresolved = Unresolved { target_index, target_field, fetch_fields, values };
            found.push((name.clone(), unresolved.to_json()?));
        }
        Ok(found)
    }
}

impl Input {
    fn resolve(view: &ShardView, name: &str) -> Result<Self> {
        match name {
            "_id" => return Ok(Input::Id),
            "_index" => return Ok(Input::Index),
            ROUTING_FIELD => return Ok(Input::Routing),
            _ => {}
        }
        let Some(mapped) = view.mapping.field_by_name(name) else {
            let reason = format!("No field mapping can be found for the field with name [{name}]");
            return Err(Error::new(ErrorCode::QueryShard, reason));
        };
        if mapped.is_lookup() {
            return Ok(Input::Lookup);
        }
        if view.mapping.is_computed(mapped.id) {
            let field = FieldAndFormat { field: mapped.spec.name.clone(), format: None };
            return DocvalueFields::resolve_computed(view, &[field]).map(Input::Computed);
        }
        Ok(Input::Source(Box::new(SourceField::resolve(mapped, name, None, "")?)))
    }

    fn read(&self, document: &LookedUp) -> Result<Vec<String>> {
        let &LookedUp { view, segment, doc, source } = document;
        let mut values = FieldValues::new();
        match self {
            Input::Id => return Ok(vec![String::from_utf8_lossy(segment.reader.ids().get(doc)).into_owned()]),
            Input::Index => return Ok(vec![view.index.to_string()]),
            Input::Routing => return terms_of(segment, ROUTING_FIELD, doc),
            Input::Lookup => {}
            Input::Computed(fields) => fields.read(segment, doc, &mut values)?,
            Input::Source(field) => {
                if let Some(source) = source {
                    field.read(source, &mut values);
                }
            }
        }
        values.iter().flat_map(|(_, values)| values).map(|value| text_of(value)).collect()
    }
}

/// A value of `fields` as the text that it is looked up by.
fn text_of(json: &[u8]) -> Result<String> {
    let unreadable = |error| Error::internal(format!("a value of a field is not JSON: {error}"));
    match quarry_base::deep_json::from_slice(json).map_err(unreadable)? {
        Value::String(text) => Ok(text),
        _ => Ok(String::from_utf8_lossy(json).into_owned()),
    }
}
