//! The report of fields that documents hold and the mapping does not: TypeScript turns it into a mapping update.

use serde::Serialize;

/// What a dynamic field would hold, in the words of `match_mapping_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DynamicKind {
    String,
    Long,
    Double,
    Boolean,
    Date,
    Object,
}

/// One unmapped field. Parents come before their children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnmappedField {
    /// Full path.
    pub path: String,
    pub kind: DynamicKind,
    /// The `dynamic_date_formats` entry that recognised a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// Unmapped fields in the order they were met, each path once: the first value decides its kind.
#[derive(Debug, Default)]
pub struct DynamicReport {
    fields: Vec<UnmappedField>,
}

impl DynamicReport {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn fields(&self) -> &[UnmappedField] {
        &self.fields
    }

    pub fn clear(&mut self) {
        self.fields.clear();
    }
}
