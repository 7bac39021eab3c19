//! The order in which a segment holds its documents: `index.sort.*`, with what the mapping decides.
//!
//! Documents compare by one key of 64 bits for each field: a lower key comes first. Keys of numbers mean the same in every
//! segment; those of terms are made of ranks, which mean something only among the terms that were ranked together.

use smallvec::SmallVec;

/// The keys of a document, one for each field of the sort.
pub type SortKeys = SmallVec<[u64; 2]>;

/// The fields that documents are sorted by; the first that differs decides. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSort {
    fields: Vec<SortField>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortField {
    pub name: String,
    pub descending: bool,
    /// Of several values of a document the greatest counts, else the least.
    pub by_greatest: bool,
    pub missing: MissingValue,
}

/// Where documents without a value stand. Also tells what the field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingValue {
    /// Where this number stands, in sortable form: such documents tie with those that have it.
    Number(i64),
    /// Before all terms, in either direction.
    FirstTerm,
    /// Behind all terms, in either direction.
    LastTerm,
}

const TOP_BIT: u64 = 1 << 63;

impl IndexSort {
    /// `None` without fields: documents stay in the order in which they came.
    pub fn new(fields: Vec<SortField>) -> Option<Self> {
        (!fields.is_empty()).then_some(IndexSort { fields })
    }

    pub fn fields(&self) -> &[SortField] {
        &self.fields
    }
}

impl SortField {
    /// The field holds numbers, else terms.
    pub fn is_number(&self) -> bool {
        matches!(self.missing, MissingValue::Number(_))
    }

    /// The key of a document without a value.
    pub fn missing_key(&self) -> u64 {
        match self.missing {
            MissingValue::Number(number) => self.number_key(number),
            MissingValue::FirstTerm => 0,
            MissingValue::LastTerm => u64::MAX,
        }
    }

    /// The key of a document with these numbers in sortable form, in any order.
    pub fn key_of_numbers(&self, numbers: &[i64]) -> u64 {
        self.deciding(numbers).map_or_else(|| self.missing_key(), |number| self.number_key(number))
    }

    /// The key of a document with terms of these ranks, in any order.
    pub fn key_of_ranks(&self, ranks: &[u32]) -> u64 {
        let key = |rank: u32| u64::from(if self.descending { !rank } else { rank }) + 1;
        self.deciding(ranks).map_or_else(|| self.missing_key(), key)
    }

    fn deciding<T: Ord + Copy>(&self, values: &[T]) -> Option<T> {
        let values = values.iter().copied();
        if self.by_greatest { values.max() } else { values.min() }
    }

    fn number_key(&self, number: i64) -> u64 {
        let ascending = number as u64 ^ TOP_BIT;
        if self.descending { !ascending } else { ascending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(descending: bool, by_greatest: bool, missing: MissingValue) -> SortField {
        SortField { name: "f".to_owned(), descending, by_greatest, missing }
    }

    #[test]
    fn keys_of_numbers_ascend_in_the_order_of_the_field() {
        let numbers = [i64::MIN, -7, 0, 7, i64::MAX];
        let ascending = field(false, false, MissingValue::Number(i64::MAX));
        let descending = field(true, true, MissingValue::Number(i64::MIN));
        assert!(numbers.is_sorted_by_key(|number| ascending.key_of_numbers(&[*number])));
        assert!(numbers.iter().rev().is_sorted_by_key(|number| descending.key_of_numbers(&[*number])));
        assert_eq!(ascending.key_of_numbers(&[]), ascending.key_of_numbers(&[i64::MAX]));
        assert_eq!(descending.key_of_numbers(&[]), descending.key_of_numbers(&[i64::MIN]));
    }

    #[test]
    fn one_of_several_values_decides() {
        let (least, greatest) =
            (field(false, false, MissingValue::LastTerm), field(false, true, MissingValue::LastTerm));
        assert_eq!(least.key_of_ranks(&[5, 2, 9]), least.key_of_ranks(&[2]));
        assert_eq!(greatest.key_of_ranks(&[5, 2, 9]), greatest.key_of_ranks(&[9]));
        assert!(least.key_of_ranks(&[1]) < least.key_of_ranks(&[2]));
        assert!(field(true, false, MissingValue::LastTerm).key_of_ranks(&[2]) < least.key_of_ranks(&[]));
    }

    #[test]
    fn documents_without_terms_are_first_or_last_in_either_direction() {
        for descending in [false, true] {
            let (first, last) =
                (field(descending, false, MissingValue::FirstTerm), field(descending, false, MissingValue::LastTerm));
            for rank in [0, u32::MAX] {
                assert!(first.key_of_ranks(&[]) < first.key_of_ranks(&[rank]));
                assert!(last.key_of_ranks(&[]) > last.key_of_ranks(&[rank]));
            }
        }
    }
}
