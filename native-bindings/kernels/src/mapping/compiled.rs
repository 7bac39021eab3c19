//! The mapping of one shard, compiled from its [`MappingSpec`].

use super::date::DateFormat;
use super::spec::{FieldId, FieldSpec, MappingSpec};
use crate::analysis::{Analyzer, Registry};
use crate::error::Result;
use crate::segment::FieldKind;
use std::sync::Arc;

/// One leaf field with everything its specification names resolved.
#[derive(Debug, Clone)]
pub struct MappedField {
    pub id: FieldId,
    pub kind: FieldKind,
    pub spec: FieldSpec,
    /// Date types only.
    pub date_format: Option<DateFormat>,
    /// Keyword with a normalizer only.
    pub normalizer: Option<Arc<Analyzer>>,
    /// Text only.
    pub analyzer: Option<Arc<Analyzer>>,
    pub search_analyzer: Option<Arc<Analyzer>>,
    pub search_quote_analyzer: Option<Arc<Analyzer>>,
}

/// A compiled mapping. Immutable; an update makes a new one in which every known field keeps its id.
#[derive(Debug, Clone)]
pub struct Mapping {}

impl Mapping {
    /// Errors are `IllegalArgument` and name the field: an analyzer that the registry lacks, a format that cannot be read.
    pub fn new(_spec: MappingSpec, _registry: &Registry) -> Result<Self> {
        todo!()
    }

    /// The next version: fields known here keep their [`FieldId`], new ones follow.
    pub fn update(&self, _spec: MappingSpec, _registry: &Registry) -> Result<Self> {
        todo!()
    }

    pub fn version(&self) -> u64 {
        todo!()
    }

    pub fn spec(&self) -> &MappingSpec {
        todo!()
    }

    /// All fields; the position is the id.
    pub fn fields(&self) -> &[MappedField] {
        todo!()
    }

    pub fn field(&self, _id: FieldId) -> &MappedField {
        todo!()
    }

    /// By full path, multi-fields included (`title.raw`).
    pub fn field_by_name(&self, _name: &str) -> Option<&MappedField> {
        todo!()
    }

    /// Whether the path is an object (declared, or implied by a field below it).
    pub fn is_object(&self, _path: &str) -> bool {
        todo!()
    }
}
