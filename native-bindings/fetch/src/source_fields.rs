//! `fields`: values from `_source` by field, those of nested objects grouped by object.

use super::field_values::{SourceField, collect_at};
use super::{FieldValues, add_value, write_object};
use quarry_base::error::Result;
use quarry_mapping::{MappedField, Mapping};
use quarry_plan::request::FieldAndFormat;
use quarry_query::view::ShardView;
use quarry_query::wildcard_name::matches_name;
use serde_json::Value;

/// The mapped fields that a request names.
pub(super) struct SourceFields {
    root: Level,
}

/// What is wanted of a document, or of the objects at a nested path.
#[derive(Default)]
struct Level {
    fields: Vec<SourceField>,
    /// Nested objects by their path from this level.
    nested: Vec<(String, Level)>,
}

impl SourceFields {
    pub(super) fn resolve(view: &ShardView, wanted: &[FieldAndFormat]) -> Result<Self> {
        let mut root = Level::default();
        for FieldAndFormat { field, format } in wanted {
            let own = view.mapping.fields().iter().map(|mapped| (mapped.spec.name.as_str(), mapped));
            let matching = own.chain(view.mapping.aliases()).filter(|(name, _)| matches_name(field, name));
            let is_in_source = |mapped: &MappedField| !view.mapping.is_computed(mapped.id) && !mapped.is_lookup();
            for (name, mapped) in matching.filter(|(_, mapped)| is_in_source(mapped)) {
                let around = nested_paths(&view.mapping, &mapped.spec.name);
                let level = root.at(&around);
                let innermost = around.last().copied().unwrap_or("");
                let field = SourceField::resolve(mapped, name, format.as_deref(), innermost)?;
                level.fields.retain(|known| known.name != field.name);
                level.fields.push(field);
            }
        }
        Ok(SourceFields { root })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.root.fields.is_empty() && self.root.nested.is_empty()
    }

    pub(super) fn read(&self, document: &Value, values: &mut FieldValues) {
        self.root.read(document, values);
    }
}

/// The nested objects that a field lies in, the outermost first.
fn nested_paths<'m>(mapping: &'m Mapping, name: &'m str) -> Vec<&'m str> {
    let mut paths = Vec::new();
    let mut path = mapping.nested_around(name);
    while !path.is_empty() {
        paths.push(path);
        path = mapping.nested_around(path.rsplit_once('.').map_or("", |(around, _)| around));
    }
    paths.reverse();
    paths
}

/// The path from the object at `around` on.
pub(super) fn path_within<'p>(path: &'p str, around: &str) -> &'p str {
    path.strip_prefix(around).map_or(path, |rest| rest.trim_start_matches('.'))
}

impl Level {
    /// The level of the innermost of these nested objects.
    fn at(&mut self, paths: &[&str]) -> &mut Level {
        let mut level = self;
        let mut around = "";
        for path in paths {
            let own = path_within(path, around);
            let place = level.nested.iter().position(|(known, _)| known == own);
            let place = place.unwrap_or_else(|| {
                level.nested.push((own.to_owned(), Level::default()));
                level.nested.len() - 1
            });
            level = &mut level.nested[place].1;
            around = path;
        }
        level
    }

    fn read(&self, object: &Value, values: &mut FieldValues) {
        for field in &self.fields {
            field.read(object, values);
        }
        for (path, level) in &self.nested {
            let mut objects = Vec::new();
            collect_at(object, path, &mut objects);
            for inner in objects.into_iter().filter(|value| value.is_object()) {
                let mut of_inner = FieldValues::new();
                level.read(inner, &mut of_inner);
                if !of_inner.is_empty() {
                    let mut json = Vec::new();
                    write_object(&of_inner, &mut json);
                    add_value(values, path, json);
                }
            }
        }
    }
}
