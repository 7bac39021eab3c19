//! The report of fields that documents hold and the mapping does not: TypeScript turns it into a mapping update.

use super::compiled::Mapping;
use super::document::Scalar;
use rapidhash::RapidHashSet;
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
    /// The first vector of a field whose mapping does not say how long vectors are.
    Vector,
    /// The first value of a `constant_keyword` whose mapping does not say one.
    Constant,
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
    /// Of a vector, and of a double that came as an array of nothing but fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dims: Option<u32>,
    /// Of a constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Unmapped fields in the order they were met, each path once: the first value decides its kind.
#[derive(Debug, Default)]
pub struct DynamicReport {
    fields: Vec<UnmappedField>,
    paths: RapidHashSet<Box<str>>,
    path_bytes: usize,
}

/// Fields that one report takes: more than any mapping may have, so that a limit is always reached there first.
pub const REPORTED_FIELDS_MAX: usize = 100_000;
/// Bytes of all paths of one report: each part of a dotted name is a field whose path has all parts before it. Parents come first, so that a
/// limit of depth is reached within it.
const REPORTED_PATH_BYTES_MAX: usize = 8 << 20;

impl DynamicReport {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn fields(&self) -> &[UnmappedField] {
        &self.fields
    }

    /// `[{"path": "a.b", "kind": "date", "format": ".."}, ..]`
    pub fn to_json(&self) -> Vec<u8> {
        // Strings and unit variants only: nothing here can fail to serialize.
        serde_json::to_vec(&self.fields).unwrap_or_default()
    }

    pub fn clear(&mut self) {
        self.fields.clear();
        self.paths.clear();
        self.path_bytes = 0;
    }

    pub(super) fn add(&mut self, path: &str, kind: DynamicKind) {
        self.add_field(path, || (kind, None));
    }

    /// The field is mapped, but lacks its number of dimensions.
    pub(super) fn add_vector(&mut self, path: &str, dims: u32) {
        let known = self.fields.len();
        self.add(path, DynamicKind::Vector);
        self.fields[known..].iter_mut().for_each(|field| field.dims = Some(dims));
    }

    /// The field is mapped, but lacks its value.
    pub(super) fn add_constant(&mut self, path: &str, value: &str) {
        let known = self.fields.len();
        self.add(path, DynamicKind::Constant);
        self.fields[known..].iter_mut().for_each(|field| field.value = Some(value.to_owned()));
    }

    /// The field that followed the `known` ones, if it is the one at the path, came as an array. `dims`: of so many fractions and nothing
    /// else.
    pub(super) fn set_dims(&mut self, known: usize, path: &str, dims: Option<u32>) {
        if let Some(field) = self.fields.get_mut(known).filter(|field| field.path == path) {
            field.dims = dims;
        }
    }

    /// Decides what the first value of a field makes of it.
    pub(super) fn add_scalar(&mut self, path: &str, value: &Scalar<'_>, mapping: &Mapping) {
        self.add_field(path, || detect(value, mapping));
    }

    fn add_field(&mut self, path: &str, kind: impl FnOnce() -> (DynamicKind, Option<String>)) {
        let is_full = self.fields.len() >= REPORTED_FIELDS_MAX || self.path_bytes >= REPORTED_PATH_BYTES_MAX;
        if is_full || self.paths.contains(path) {
            return;
        }
        let (kind, format) = kind();
        self.paths.insert(path.into());
        self.path_bytes += path.len();
        self.fields.push(UnmappedField { path: path.to_owned(), kind, format, dims: None, value: None });
    }
}

fn detect(value: &Scalar<'_>, mapping: &Mapping) -> (DynamicKind, Option<String>) {
    match value {
        Scalar::Boolean(_) => (DynamicKind::Boolean, None),
        Scalar::Number(number) if number.is_integer => (DynamicKind::Long, None),
        Scalar::Number(_) => (DynamicKind::Double, None),
        Scalar::String(text) => detect_in_text(text, mapping),
        // The parser reports no nulls.
        Scalar::Null => (DynamicKind::String, None),
    }
}

fn detect_in_text(text: &str, mapping: &Mapping) -> (DynamicKind, Option<String>) {
    let spec = mapping.spec();
    let is_long = text.parse::<i64>().is_ok();
    let is_double = is_long || text.trim().parse::<f64>().is_ok();
    match spec.numeric_detection {
        true if is_long => return (DynamicKind::Long, None),
        true if is_double => return (DynamicKind::Double, None),
        _ => {}
    }
    // Pure numbers would too often be taken for dates by formats such as `epoch_millis` or `yyyy`.
    if spec.date_detection && !is_double {
        let format = mapping.dynamic_date_formats().iter().find(|format| format.parse(text).is_ok());
        if let Some(format) = format {
            return (DynamicKind::Date, Some(format.pattern().to_owned()));
        }
    }
    (DynamicKind::String, None)
}
