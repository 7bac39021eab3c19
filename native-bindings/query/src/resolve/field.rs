//! What a field name means: a field of the mapping, one of the metadata fields, or nothing.

use super::Resolver;
use crate::wildcard_name::{fields_like, matches_name};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::MappedField;
use quarry_mapping::spec::DeclaredType;
use quarry_plan::query::WeightedField;
use quarry_segment::{FieldKind, IGNORED_FIELD, ROUTING_FIELD};

/// A field that a query can be put to.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    Mapped(&'a MappedField),
    Id,
    Index,
    /// `_routing` or `_ignored`: terms under their own name.
    Metadata(&'static str),
    /// `_source` or `_version`: no value of it can be looked for.
    Unsearchable(&'static str),
    Unmapped,
}

impl Target<'_> {
    /// The name of the type in messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Target::Mapped(field) => field.spec.type_name(),
            Target::Id => "_id",
            Target::Index => "_index",
            Target::Metadata(name) | Target::Unsearchable(name) => name,
            Target::Unmapped => "",
        }
    }
}

impl<'a> Resolver<'a> {
    pub(super) fn target(&self, name: &str) -> Target<'a> {
        match name {
            "_id" => Target::Id,
            "_index" => Target::Index,
            ROUTING_FIELD => Target::Metadata(ROUTING_FIELD),
            IGNORED_FIELD => Target::Metadata(IGNORED_FIELD),
            "_source" => Target::Unsearchable("_source"),
            "_version" => Target::Unsearchable("_version"),
            _ => self.view.mapping.readable_field(name).map_or(Target::Unmapped, Target::Mapped),
        }
    }

    /// Fields of the mapping that a name or pattern means, patterns in the mapping's order; weights multiply where several
    /// patterns name one field. A pattern leaves out fields that text cannot be searched in.
    pub(super) fn expand_fields(&self, wanted: &[WeightedField]) -> Vec<(String, f32)> {
        let mut found: Vec<(String, f32)> = Vec::new();
        let mut add = |name: &str, boost: f32| match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, weight)) => *weight *= boost,
            None => found.push((name.to_owned(), boost)),
        };
        for WeightedField { field, boost } in wanted {
            if !field.contains('*') {
                add(self.view.mapping.field_by_name(field).map_or(field, |mapped| &mapped.spec.name), *boost);
                continue;
            }
            for mapped in fields_like(&self.view.mapping, field).filter(|mapped| takes_text(mapped)) {
                add(&mapped.spec.name, *boost);
            }
            let aliased = self.view.mapping.aliases().filter(|(alias, _)| matches_name(field, alias) && field != "*");
            for (_, mapped) in aliased.filter(|(_, mapped)| takes_text(mapped)) {
                add(&mapped.spec.name, *boost);
            }
        }
        found
    }
}

/// What documents are joined by says nothing of what they are about.
fn is_join(field: &MappedField) -> bool {
    matches!(field.spec.declared_type, Some(DeclaredType::Join | DeclaredType::JoinParent))
}

/// Whether a text can be looked for in the field.
fn takes_text(field: &MappedField) -> bool {
    is_searchable(field) && !field.is_geometry() && !is_join(field)
}

/// Whether a term of the field can be looked for at all.
pub(super) fn is_searchable(field: &MappedField) -> bool {
    refused_by_type(field).is_none() && (field.spec.index || (field.kind != FieldKind::Text && field.spec.doc_values))
}

/// Why no value of such a field can be looked for, whatever its parameters are.
fn refused_by_type(field: &MappedField) -> Option<String> {
    if field.kind == FieldKind::Vector {
        let name = &field.spec.name;
        return Some(format!("Field [{name}] of type [dense_vector] doesn't support term queries"));
    }
    match field.spec.declared_type? {
        DeclaredType::Binary => Some("Binary fields do not support searching".to_owned()),
        DeclaredType::Histogram => Some(format!(
            "[histogram] field do not support searching, use dedicated aggregations instead: [{}]",
            field.spec.name
        )),
        DeclaredType::Lookup => {
            Some(format!("Cannot search on field [{}] since it is a lookup field.", field.spec.name))
        }
        DeclaredType::Percolator => {
            Some("Percolator fields are not searchable directly, use a percolate query instead".to_owned())
        }
        DeclaredType::Murmur3 => Some(format!("Murmur3 fields are not searchable: [{}]", field.spec.name)),
        kind @ (DeclaredType::RankFeature | DeclaredType::RankFeatures) => {
            Some(format!("Queries on [{}] fields are not supported", kind.name()))
        }
        _ => None,
    }
}

/// The refusal of a metadata field of which no value can be looked for.
pub(super) fn not_searchable(name: &str) -> Error {
    Error::new(ErrorCode::QueryShard, format!("The {name} field is not searchable"))
}

/// Of which only `rank_feature` reads the numbers.
pub(super) fn is_rank_feature(field: &MappedField) -> bool {
    matches!(field.spec.declared_type, Some(DeclaredType::RankFeature | DeclaredType::RankFeatures))
}

/// Refuses a field that no text can be compared with.
pub(super) fn require_matchable(field: &MappedField) -> Result<()> {
    if !field.is_lookup() {
        return Ok(());
    }
    let (name, kind) = (&field.spec.name, field.spec.type_name());
    let reason = format!("Field [{name}] of type [{kind}] does not support match queries");
    Err(super::failed_to_create(Error::illegal_argument(reason)))
}

pub(super) fn require_searchable(field: &MappedField) -> Result<()> {
    if let Some(reason) = refused_by_type(field) {
        return Err(match field.is_lookup() || is_rank_feature(field) {
            true => super::failed_to_create(Error::illegal_argument(reason)),
            false => Error::new(ErrorCode::QueryShard, reason),
        });
    }
    if is_searchable(field) {
        return Ok(());
    }
    let name = &field.spec.name;
    let why = match field.kind {
        FieldKind::Text => "not indexed",
        _ => "both not indexed, and does not have doc_values enabled",
    };
    Err(super::failed_to_create(Error::illegal_argument(format!("Cannot search on field [{name}] since it is {why}."))))
}
