//! `collapse`: of the documents with one value only the one that sorts first.

use crate::sort::hit::Hit;
use crate::view::{SegmentView, ShardView};
use quarry_base::error::{Error, Result};
use quarry_json::write::write_string;
use quarry_mapping::format::ValueType;
use quarry_mapping::format::plain_number;
use quarry_mapping::spec::{DeclaredType, FieldType};
use quarry_postings::FieldPostingsReader;
use quarry_segment::FieldKind;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};
use quarry_segment::column::ordinal::{OrdinalColumn, OrdinalWindow};
use rapidhash::{RapidHashMap, RapidHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The value that a hit stands for among those with the same one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GroupValue {
    Missing,
    /// As JSON writes it.
    Number(String),
    Text(String),
}

impl GroupValue {
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            GroupValue::Missing => out.extend_from_slice(b"null"),
            GroupValue::Number(number) => out.extend_from_slice(number.as_bytes()),
            GroupValue::Text(text) => write_string(out, text),
        }
    }
}

/// The field that hits are collapsed by.
#[derive(Debug, Clone)]
pub struct GroupField {
    field: String,
    value_type: ValueType,
    is_term: bool,
}

impl GroupField {
    /// Errors: `IllegalArgument` for fields that are not mapped, or have no single values to group by.
    pub fn resolve(view: &ShardView, field: &str) -> Result<Self> {
        let Some(mapped) = view.mapping.field_by_name(field) else {
            return Err(Error::illegal_argument(format!("no mapping found for `{field}` in order to collapse on")));
        };
        let spec = &mapped.spec;
        let fits = match spec.field_type {
            FieldType::Keyword => !matches!(
                spec.declared_type,
                Some(DeclaredType::ConstantKeyword | DeclaredType::Lookup | DeclaredType::Wildcard)
            ),
            FieldType::Boolean => false,
            field_type => mapped.is_number() && !field_type.has_dates(),
        };
        if !fits {
            let kind = spec.type_name();
            let reason = format!("collapse is not supported for the field [{field}] of the type [{kind}]");
            return Err(Error::illegal_argument(reason));
        }
        if !spec.doc_values {
            let reason = format!("cannot collapse on field `{field}` without `doc_values`");
            return Err(Error::illegal_argument(reason));
        }
        let value_type = ValueType::of(spec.field_type, spec.scaling_factor);
        // The field may be an alias.
        Ok(GroupField { field: spec.name.clone(), value_type, is_term: mapped.kind == FieldKind::Term })
    }
}

enum Values<'a> {
    None,
    Number(&'a NumericColumn, NumericWindow),
    Term(&'a OrdinalColumn, &'a FieldPostingsReader, OrdinalWindow),
}

/// A document's value as the segment holds it; `None` without one.
type GroupKey = Option<i64>;

/// The first documents of a segment by rank, one of each group.
pub(super) struct SegmentGroups<'a> {
    of: &'a GroupField,
    values: Values<'a>,
    /// Ranks and document of each group's first, to the group and the score.
    ordered: BTreeMap<(Vec<u64>, u32), (GroupKey, f32)>,
    by_group: RapidHashMap<GroupKey, (Vec<u64>, u32)>,
}

impl<'a> SegmentGroups<'a> {
    pub(super) fn open(of: &'a GroupField, segment: &'a SegmentView) -> Self {
        let reader = segment.field(&of.field);
        let values = match reader {
            Some(reader) if of.is_term => match (reader.ordinals(), reader.postings()) {
                (Some(column), Some(postings)) => Values::Term(column, postings, OrdinalWindow::default()),
                _ => Values::None,
            },
            Some(reader) => {
                reader.numeric().map_or(Values::None, |column| Values::Number(column, NumericWindow::default()))
            }
            None => Values::None,
        };
        SegmentGroups { of, values, ordered: BTreeMap::new(), by_group: RapidHashMap::default() }
    }

    pub(super) fn load(&mut self, window: u32) {
        match &mut self.values {
            Values::None => {}
            Values::Number(column, decoded) => column.decode_window(window, decoded),
            Values::Term(column, _, decoded) => column.decode_window(window, decoded),
        }
    }

    fn key(&self, doc: u16) -> Result<GroupKey> {
        let several = || {
            let reason = format!("failed to collapse on [{}]: a document has more than one value", self.of.field);
            Error::illegal_argument(reason)
        };
        match &self.values {
            Values::None => Ok(None),
            Values::Number(_, decoded) => match decoded.values_of(doc) {
                [] => Ok(None),
                [one] => Ok(Some(*one)),
                _ => Err(several()),
            },
            Values::Term(_, _, decoded) => match decoded.ordinals_of(doc) {
                [] => Ok(None),
                [one] => Ok(Some(i64::from(*one))),
                _ => Err(several()),
            },
        }
    }

    /// The first rank of the worst of `k` groups.
    pub(super) fn worst_first_rank(&self, k: usize) -> Option<u64> {
        if self.ordered.len() < k {
            return None;
        }
        self.ordered.last_key_value().and_then(|((ranks, _), _)| ranks.first().copied())
    }

    /// Takes a document of the loaded window, `doc` being its number in the segment.
    pub(super) fn insert(&mut self, k: usize, ranks: &[u64], in_window: u16, doc: u32, score: f32) -> Result<()> {
        let is_full = self.ordered.len() >= k;
        // Documents come in ascending order: one that ties sorts behind.
        if is_full && self.ordered.last_key_value().is_none_or(|((worst, _), _)| ranks >= worst.as_slice()) {
            return Ok(());
        }
        let key = self.key(in_window)?;
        if let Some(known) = self.by_group.get(&key) {
            if ranks >= known.0.as_slice() {
                return Ok(());
            }
            self.ordered.remove(known);
        } else if is_full && let Some((_, (gone, _))) = self.ordered.pop_last() {
            self.by_group.remove(&gone);
        }
        let place = (ranks.to_vec(), doc);
        self.by_group.insert(key, place.clone());
        self.ordered.insert(place, (key, score));
        Ok(())
    }

    /// Documents in order, with their scores and the values that they stand for.
    pub(super) fn into_entries(self) -> Result<Vec<(u32, f32, GroupValue)>> {
        let mut entries = Vec::with_capacity(self.ordered.len());
        for ((_, doc), (key, score)) in &self.ordered {
            entries.push((*doc, *score, self.value(*key)?));
        }
        Ok(entries)
    }

    fn value(&self, key: GroupKey) -> Result<GroupValue> {
        let Some(key) = key else {
            return Ok(GroupValue::Missing);
        };
        Ok(match &self.values {
            Values::None => GroupValue::Missing,
            Values::Number(..) => GroupValue::Number(plain_number(self.of.value_type, key).to_string()),
            Values::Term(_, postings, _) => {
                let mut term = Vec::new();
                postings.term(key as u32, &mut term)?;
                GroupValue::Text(String::from_utf8_lossy(&term).into_owned())
            }
        })
    }
}

/// Keeps the first hit of each group, at most `k`.
pub fn first_of_groups<T>(hits: Vec<T>, k: usize, hit_of: impl Fn(&T) -> &Hit) -> Vec<T> {
    let mut known: RapidHashSet<GroupValue> = RapidHashSet::default();
    let is_first = |item: &T| known.insert(hit_of(item).group.clone().unwrap_or(GroupValue::Missing));
    let mut hits = hits;
    hits.retain(is_first);
    hits.truncate(k);
    hits
}
