//! Merging the terms of several shards, whose indices may hold the field in different types.

use super::{different_kinds, merge_bucket};
use crate::partial::{PartialTerms, TermBucket, TermKey};
use crate::plan::Aggregation;
use hashbrown::HashMap;
use quarry_base::error::Result;
use quarry_codec::sortable;
use quarry_mapping::format::{Format, ValueType};

/// `IllegalArgument` when only one of the two holds texts.
pub fn merge(plan: &Aggregation, mine: &mut PartialTerms, mut theirs: PartialTerms) -> Result<()> {
    agree_on_type(plan, mine, &mut theirs)?;
    // A shard that did not return a term may have cut it off: its bound on cut-off counts is the term's error.
    let (mine_error, theirs_error) = (mine.error.unwrap_or(0), theirs.error.unwrap_or(0));
    let before = mine.buckets.len();
    let mut met = vec![false; before];
    let mut merged = Merged::of(std::mem::take(&mut mine.buckets));
    for mut term in theirs.buckets {
        match merged.places.get(&term.key) {
            Some(&place) => {
                if let Some(met) = met.get_mut(place) {
                    *met = true;
                }
                merged.add(plan, term)?;
            }
            None => {
                term.error += mine_error;
                merged.add(plan, term)?;
            }
        }
    }
    for (bucket, met) in merged.buckets.iter_mut().zip(met) {
        if !met {
            bucket.error += theirs_error;
        }
    }
    mine.buckets = merged.buckets;
    mine.other += theirs.other;
    mine.error = mine.error.zip(theirs.error).map(|(mine, theirs)| mine + theirs);
    Ok(())
}

/// Buckets, each key once.
struct Merged {
    buckets: Vec<TermBucket>,
    places: HashMap<TermKey, usize>,
}

impl Merged {
    /// Of buckets with distinct keys.
    fn of(buckets: Vec<TermBucket>) -> Self {
        let places = buckets.iter().enumerate().map(|(place, bucket)| (bucket.key.clone(), place)).collect();
        Merged { buckets, places }
    }

    fn add(&mut self, plan: &Aggregation, term: TermBucket) -> Result<()> {
        if let Some(&place) = self.places.get(&term.key) {
            self.buckets[place].error += term.error;
            return merge_bucket(plan, &mut self.buckets[place].bucket, term.bucket);
        }
        self.places.insert(term.key.clone(), self.buckets.len());
        self.buckets.push(term);
        Ok(())
    }
}

/// What is compared as one type.
#[derive(PartialEq, Eq)]
enum Class {
    Terms,
    Whole,
    Unsigned,
    Fractional,
}

fn class(value_type: ValueType) -> Class {
    match value_type {
        value_type if value_type.has_terms() => Class::Terms,
        ValueType::UnsignedLong => Class::Unsigned,
        value_type if value_type.is_fractional() => Class::Fractional,
        _ => Class::Whole,
    }
}

/// Numbers of different classes meet as doubles.
fn agree_on_type(plan: &Aggregation, mine: &mut PartialTerms, theirs: &mut PartialTerms) -> Result<()> {
    agree_on_tuples(plan, mine, theirs)?;
    let (own, other) = match (&mine.format, &theirs.format) {
        (Some(own), Some(other)) => (class(own.value_type), class(other.value_type)),
        (None, _) => {
            mine.format = theirs.format.clone();
            return Ok(());
        }
        (_, None) => return Ok(()),
    };
    if own == other {
        return Ok(());
    }
    if own == Class::Terms || other == Class::Terms {
        return Err(different_kinds(&plan.name));
    }
    into_doubles(plan, mine)?;
    into_doubles(plan, theirs)?;
    // The pattern of the index that holds doubles.
    if own != Class::Fractional {
        mine.format = theirs.format.clone();
    }
    Ok(())
}

/// As [`agree_on_type`], for each field of tuples.
fn agree_on_tuples(plan: &Aggregation, mine: &mut PartialTerms, theirs: &mut PartialTerms) -> Result<()> {
    if mine.tuple_formats.is_empty() {
        mine.tuple_formats.clone_from(&theirs.tuple_formats);
    }
    for place in 0..mine.tuple_formats.len().min(theirs.tuple_formats.len()) {
        let (own, other) = (class(mine.tuple_formats[place].value_type), class(theirs.tuple_formats[place].value_type));
        if own == other {
            continue;
        }
        if own == Class::Terms || other == Class::Terms {
            return Err(different_kinds(&plan.name));
        }
        parts_into_doubles(plan, mine, place)?;
        parts_into_doubles(plan, theirs, place)?;
    }
    Ok(())
}

fn parts_into_doubles(plan: &Aggregation, terms: &mut PartialTerms, place: usize) -> Result<()> {
    let value_type = terms.tuple_formats[place].value_type;
    if value_type.is_fractional() {
        return Ok(());
    }
    terms.tuple_formats[place] = Format::plain(ValueType::Double);
    let mut merged = Merged::of(Vec::new());
    for mut term in std::mem::take(&mut terms.buckets) {
        if let TermKey::Tuple(parts) = &mut term.key
            && let Some(TermKey::Number(value)) = parts.get_mut(place)
        {
            *value = sortable::from_f64(value_type.number(*value));
        }
        merged.add(plan, term)?;
    }
    terms.buckets = merged.buckets;
    Ok(())
}

/// Whole numbers that are the same as doubles become one bucket.
fn into_doubles(plan: &Aggregation, terms: &mut PartialTerms) -> Result<()> {
    let Some(value_type) = terms.format.as_ref().map(|format| format.value_type) else { return Ok(()) };
    if value_type.is_fractional() {
        return Ok(());
    }
    let mut merged = Merged::of(Vec::new());
    for mut term in std::mem::take(&mut terms.buckets) {
        if let TermKey::Number(value) = term.key {
            term.key = TermKey::Number(sortable::from_f64(value_type.number(value)));
        }
        merged.add(plan, term)?;
    }
    terms.buckets = merged.buckets;
    terms.format = Some(Format::plain(ValueType::Double));
    Ok(())
}
