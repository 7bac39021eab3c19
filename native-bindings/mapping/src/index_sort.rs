//! `index.sort.*` held against the mapping.

use super::Mapping;
use super::spec::FieldType;
use quarry_base::error::{Error, Result};
use quarry_codec::sortable;
use quarry_segment::FieldKind;
use quarry_segment::index_sort::{IndexSort, MissingValue, SortField};
use serde::Deserialize;
use std::sync::Arc;

/// One field of the settings, with every default filled in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SortFieldSpec {
    pub field: String,
    pub descending: bool,
    /// Of several values the greatest decides.
    pub by_greatest: bool,
    /// Documents without a value come first, whatever the direction.
    pub missing_first: bool,
}

/// `None` without fields.
///
/// Errors: `IllegalArgument` for a field that is not there or has no column of numbers or terms; whoever made the index has
/// looked before.
pub fn resolve(specs: &[SortFieldSpec], mapping: &Mapping) -> Result<Option<Arc<IndexSort>>> {
    let fields = specs.iter().map(|spec| resolve_field(spec, mapping)).collect::<Result<Vec<_>>>()?;
    Ok(IndexSort::new(fields).map(Arc::new))
}

fn resolve_field(spec: &SortFieldSpec, mapping: &Mapping) -> Result<SortField> {
    let SortFieldSpec { field: name, descending, by_greatest, missing_first } = spec;
    let unknown = || Error::illegal_argument(format!("unknown index sort field:[{name}]"));
    let field = mapping.field_by_name(name).ok_or_else(unknown)?;
    let missing = match field.kind {
        FieldKind::Number if field.spec.doc_values => {
            MissingValue::Number(stand_in(field.spec.field_type, missing_first == descending))
        }
        FieldKind::Term if field.spec.doc_values && !field.is_shape() => {
            if *missing_first {
                MissingValue::FirstTerm
            } else {
                MissingValue::LastTerm
            }
        }
        _ => return Err(Error::illegal_argument(format!("docvalues not found for index sort field:[{name}]"))),
    };
    Ok(SortField { name: field.spec.name.clone(), descending: *descending, by_greatest: *by_greatest, missing })
}

/// The greatest (or least) number that sorts of the type know, in sortable form.
fn stand_in(field_type: FieldType, is_greatest: bool) -> i64 {
    let infinity = if is_greatest { f64::INFINITY } else { f64::NEG_INFINITY };
    match field_type {
        FieldType::Double => sortable::from_f64(infinity),
        FieldType::Float | FieldType::HalfFloat => sortable::from_f32(infinity as f32),
        _ if is_greatest => i64::MAX,
        _ => i64::MIN,
    }
}
