//! `term`, `terms` and `ids`: exact values.

use super::field::{Target, not_searchable, require_searchable};
use super::pattern::{for_field, of_constant};
use super::range::date_bounds;
use super::value::{Number, integer_limits, parse_boolean, read_number, sortable_integer, sortable_real, text_of};
use super::{Resolver, failed_to_create};
use crate::node::{Node, TermBound};
use crate::number_bitmap::NumberBitmap;
use crate::term_match::TermMatcher;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::MappedField;
use quarry_mapping::spec::{DeclaredType, FieldType};
use quarry_mapping::{ip, version};
use quarry_plan::query::{IdsQuery, TermQuery, TermsQuery};
use quarry_segment::FieldKind;
use serde_json::Value;
use std::sync::Arc;

impl Resolver<'_> {
    pub(super) fn term(&self, query: &TermQuery) -> Result<Node> {
        let field = self.target(&query.field);
        let node = match field {
            Target::Mapped(field) => {
                check_exact(field)?;
                match field.spec.field_type {
                    _ if !query.case_insensitive => self.mapped_term(field, &query.value)?,
                    FieldType::Text | FieldType::Keyword | FieldType::Version => {
                        self.folded_term(field, &query.value)?
                    }
                    FieldType::Boolean => self.mapped_term(field, &query.value)?,
                    _ => return Err(has_no_cases(field)),
                }
            }
            Target::Unmapped => Node::None,
            Target::Unsearchable(name) => return Err(not_searchable(name)),
            special => self.special_terms(special, std::slice::from_ref(&query.value)),
        };
        Ok(node.boosted(query.boost))
    }

    pub(super) fn terms(&self, query: &TermsQuery) -> Result<Node> {
        let node = match self.target(&query.field) {
            Target::Mapped(field) => {
                check_exact(field)?;
                match &query.bitmap {
                    Some(bitmap) => number_bitmap(field, bitmap)?,
                    None => self.mapped_terms(field, &query.values)?,
                }
            }
            Target::Unmapped => Node::None,
            Target::Unsearchable(name) => return Err(not_searchable(name)),
            special => self.special_terms(special, &query.values),
        };
        Ok(node.boosted(query.boost))
    }

    pub(super) fn ids(&self, query: &IdsQuery) -> Node {
        if query.values.is_empty() {
            return Node::None;
        }
        Node::Ids { ids: query.values.iter().map(|id| id.clone().into_bytes()).collect() }.boosted(query.boost)
    }

    /// The term that a keyword's index holds for a text.
    pub(super) fn keyword_term(&self, field: &MappedField, text: &str) -> Result<Vec<u8>> {
        match &field.normalizer {
            Some(normalizer) => normalizer.normalize(text),
            None => Ok(text.as_bytes().to_vec()),
        }
    }

    /// A field with doc values alone has no statistics to score by: its matches score the boost.
    fn mapped_term(&self, field: &MappedField, value: &Value) -> Result<Node> {
        let node = self.scored_term(field, value)?;
        let scores_alike = field.spec.declared_type == Some(DeclaredType::Wildcard);
        Ok(if field.spec.index && !scores_alike { node } else { node.constant() })
    }

    fn scored_term(&self, field: &MappedField, value: &Value) -> Result<Node> {
        // Nested documents have the value as well.
        if let Some(constant) = &field.spec.constant {
            return Ok(if text_of(value) == *constant { Node::All } else { Node::None });
        }
        if let Some(ends) = &field.ends {
            return self.ranges_around(field, ends, value);
        }
        let name = &field.spec.name;
        match field.spec.field_type {
            FieldType::Text => Ok(Node::term(name, text_of(value).into_bytes())),
            FieldType::Keyword => Ok(Node::term(name, self.keyword_term(field, &text_of(value))?)),
            FieldType::Version => Ok(Node::term(name, version::encode(&text_of(value)))),
            FieldType::Ip => self.addresses(field, value),
            FieldType::Boolean => {
                let value = parse_boolean(value).map_err(failed_to_create)?;
                Ok(Node::Boolean { field: name.clone(), value })
            }
            _ => self.number_ranges(field, std::slice::from_ref(value)),
        }
    }

    /// The text is lowercased as the terms will be, so that cases do not matter.
    fn folded_term(&self, field: &MappedField, value: &Value) -> Result<Node> {
        let text = match field.spec.field_type {
            FieldType::Keyword => String::from_utf8_lossy(&self.keyword_term(field, &text_of(value))?).into_owned(),
            _ => text_of(value),
        };
        let matcher = for_field(field, TermMatcher::Folded(text.to_lowercase()));
        if let Some(constant) = &field.spec.constant {
            return of_constant(constant, matcher);
        }
        Ok(Node::Pattern { field: field.spec.name.clone(), matcher })
    }

    fn mapped_terms(&self, field: &MappedField, values: &[Value]) -> Result<Node> {
        let name = &field.spec.name;
        if let Some(constant) = &field.spec.constant {
            let is_meant = values.iter().any(|value| text_of(value) == *constant);
            return Ok(if is_meant { Node::All.constant() } else { Node::None });
        }
        if field.spec.field_type == FieldType::Ip || field.ends.is_some() {
            let any = values.iter().map(|value| self.scored_term(field, value)).collect::<Result<Vec<_>>>()?;
            let any = super::compound::bool_node(crate::node::BoolNode { should: any, ..Default::default() });
            return Ok(if any.is_none() { any } else { any.constant() });
        }
        if field.kind == FieldKind::Number {
            return self.number_ranges(field, values);
        }
        let mut terms = Vec::with_capacity(values.len());
        for value in values {
            let text = text_of(value);
            terms.push(match field.spec.field_type {
                FieldType::Keyword => self.keyword_term(field, &text)?,
                FieldType::Version => version::encode(&text),
                _ => text.into_bytes(),
            });
        }
        terms.sort_unstable();
        terms.dedup();
        Ok(if terms.is_empty() { Node::None } else { Node::Terms { field: name.clone(), terms } })
    }

    fn addresses(&self, field: &MappedField, value: &Value) -> Result<Node> {
        let text = text_of(value);
        let name = field.spec.name.clone();
        if text.contains('/') {
            let (first, last) = ip::parse_cidr(&text).map_err(failed_to_create)?;
            let bound = |address: [u8; 16]| Some(TermBound { term: address.to_vec(), inclusive: true });
            return Ok(Node::TermRange { field: name, from: bound(first), to: bound(last) });
        }
        let address = ip::parse(&text).map_err(failed_to_create)?;
        Ok(Node::Terms { field: name, terms: vec![address.to_vec()] })
    }

    /// Ranges of column values that hold the values; a value that the type cannot hold matches nothing.
    fn number_ranges(&self, field: &MappedField, values: &[Value]) -> Result<Node> {
        let mut ranges = Vec::with_capacity(values.len());
        for value in values {
            ranges.extend(self.number_range(field, value).map_err(failed_to_create)?);
        }
        Ok(numbers_node(&field.spec.name, ranges))
    }

    fn number_range(&self, field: &MappedField, value: &Value) -> Result<Option<(i64, i64)>> {
        let field_type = field.spec.field_type;
        match field_type {
            FieldType::Boolean => parse_boolean(value).map(|flag| Some((flag, flag))),
            FieldType::Date | FieldType::DateNanos => date_bounds(field, value, self.env.now_ms).map(Some),
            _ => {
                let number = read_number(field, value)?;
                let point = match (integer_limits(field_type), number) {
                    (Some((low, high)), Number::Whole(whole)) if (low..=high).contains(&whole) => {
                        sortable_integer(field_type, whole)
                    }
                    (Some(_), _) => return Ok(None),
                    (None, number) => sortable_real(field, number.as_f64()),
                };
                Ok(Some((point, point)))
            }
        }
    }

    fn special_terms(&self, target: Target<'_>, values: &[Value]) -> Node {
        let texts = values.iter().map(|value| text_of(value).into_bytes());
        match target {
            Target::Id => Node::Ids { ids: texts.collect() },
            Target::Index => {
                let index = &*self.view.index;
                let is_named = values.iter().any(|value| crate::wildcard_name::matches_name(&text_of(value), index));
                if is_named { Node::All } else { Node::None }
            }
            Target::Metadata(name) => {
                let mut terms: Vec<_> = texts.collect();
                terms.sort_unstable();
                Node::Terms { field: name.to_owned(), terms }
            }
            Target::Mapped(_) | Target::Unsearchable(_) | Target::Unmapped => Node::None,
        }
    }
}

/// Refuses a field that has no exact values to look for.
fn check_exact(field: &MappedField) -> Result<()> {
    require_searchable(field)?;
    if !field.is_geometry() {
        return Ok(());
    }
    Err(failed_to_create(Error::new(
        ErrorCode::QueryShard,
        format!(
            "Geometry fields do not support exact searching, use dedicated geometry queries instead: [{}]",
            field.spec.name
        ),
    )))
}

fn number_bitmap(field: &MappedField, bitmap: &str) -> Result<Node> {
    let name = &field.spec.name;
    let wanted = match field.spec.field_type {
        FieldType::Integer => NumberBitmap::narrow(bitmap),
        FieldType::Long => NumberBitmap::wide(bitmap),
        _ => {
            let kind = field.spec.type_name();
            let reason =
                format!("Field [{name}] of type [{kind}] does not support bitmaps, only [integer] and [long] do");
            Err(Error::illegal_argument(reason))
        }
    };
    let wanted = wanted.map_err(failed_to_create)?;
    Ok(Node::NumberBitmap { field: name.clone(), wanted: Arc::new(wanted) })
}

fn has_no_cases(field: &MappedField) -> Error {
    let (name, kind) = (&field.spec.name, field.spec.type_name());
    let reason = format!("[{name}] field which is of type [{kind}], does not support case insensitive term queries");
    Error::new(ErrorCode::QueryShard, reason)
}

/// Sorts ranges and joins those that overlap.
pub(super) fn numbers_node(field: &str, mut ranges: Vec<(i64, i64)>) -> Node {
    ranges.retain(|(low, high)| low <= high);
    ranges.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match joined.last_mut() {
            Some(last) if low <= last.1 => last.1 = last.1.max(high),
            _ => joined.push((low, high)),
        }
    }
    if joined.is_empty() { Node::None } else { Node::Numbers { field: field.to_owned(), ranges: joined } }
}
