//! What a hit was sorted by, comparable across segments, shards and indices.

use super::key::ResolvedKey;
use quarry_base::error::{Error, Result};
use quarry_plan::request::{Missing, SortKey, SortOrder};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// One value of a hit's `sort`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SortValue {
    /// A document without the field, for terms and fields that are not mapped.
    Missing,
    Long(i64),
    Unsigned(u64),
    Double(f64),
    Float(f32),
    Term(Vec<u8>),
}

impl SortValue {
    fn as_f64(&self) -> Option<f64> {
        match self {
            SortValue::Long(value) => Some(*value as f64),
            SortValue::Double(value) => Some(*value),
            SortValue::Float(value) => Some(f64::from(*value)),
            SortValue::Missing | SortValue::Unsigned(_) | SortValue::Term(_) => None,
        }
    }

    /// Ascending order of two values that are there. `IllegalArgument` when indices hold kinds that cannot be compared.
    fn compare_present(&self, other: &Self) -> Result<Ordering> {
        match (self, other) {
            (SortValue::Long(left), SortValue::Long(right)) => Ok(left.cmp(right)),
            (SortValue::Unsigned(left), SortValue::Unsigned(right)) => Ok(left.cmp(right)),
            (SortValue::Term(left), SortValue::Term(right)) => Ok(left.cmp(right)),
            (SortValue::Unsigned(_), _) | (_, SortValue::Unsigned(_)) => Err(Error::illegal_argument(
                "Can't do sort across indices, as a field has [unsigned_long] type in one index, and different type in \
                 another index!",
            )),
            (left, right) => match (left.as_f64(), right.as_f64()) {
                (Some(left), Some(right)) => Ok(left.total_cmp(&right)),
                _ => Err(Error::illegal_argument(
                    "Can't do sort across indices, as a field has values of different kinds in them",
                )),
            },
        }
    }
}

/// How two values of one key are ordered: what the response's order needs of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyOrder {
    pub is_descending: bool,
    pub is_missing_first: bool,
}

impl KeyOrder {
    #[inline]
    pub fn new(order: SortOrder, missing: &Missing) -> Self {
        KeyOrder { is_descending: order == SortOrder::Descending, is_missing_first: matches!(missing, Missing::First) }
    }

    /// What the request says of a key, whatever an index maps its field to.
    #[inline]
    pub fn of(key: &SortKey) -> Self {
        match key {
            SortKey::Score { order } | SortKey::Doc { order } | SortKey::ShardDoc { order } => {
                KeyOrder::new(*order, &Missing::Last)
            }
            SortKey::Script(sort) => KeyOrder::new(sort.order, &Missing::Last),
            SortKey::GeoDistance(sort) => KeyOrder::new(sort.order, &Missing::Last),
            SortKey::Field(sort) => KeyOrder::new(sort.order, &sort.missing),
        }
    }

    pub fn compare(self, left: &SortValue, right: &SortValue) -> Result<Ordering> {
        let missing_first = if self.is_missing_first { Ordering::Less } else { Ordering::Greater };
        Ok(match (left, right) {
            (SortValue::Missing, SortValue::Missing) => Ordering::Equal,
            (SortValue::Missing, _) => missing_first,
            (_, SortValue::Missing) => missing_first.reverse(),
            (left, right) => {
                let ascending = left.compare_present(right)?;
                if self.is_descending { ascending.reverse() } else { ascending }
            }
        })
    }
}

/// Compares hits key by key.
#[inline]
pub fn compare_values(orders: &[KeyOrder], left: &[SortValue], right: &[SortValue]) -> Result<Ordering> {
    for ((order, left), right) in orders.iter().zip(left).zip(right) {
        let ordering = order.compare(left, right)?;
        if ordering != Ordering::Equal {
            return Ok(ordering);
        }
    }
    Ok(Ordering::Equal)
}

/// The orders of all keys.
#[inline]
pub fn orders_of(keys: &[ResolvedKey]) -> Vec<KeyOrder> {
    keys.iter().map(ResolvedKey::key_order).collect()
}
