//! A sort key over one segment: every document's value as a rank, so that a lower rank always sorts first.
//!
//! Ranks of numbers, scores and documents mean the same in every segment; those of terms are made of the segment's own
//! ordinals. A value of the request that is no term of the segment gets a rank between those of its neighbours.

use super::children::Children;
use super::key::{Distance, KeySource, ResolvedKey, convert};
use super::pick::pick_number;
use super::value::SortValue;
use crate::script::docs::SegmentDocs;
use crate::view::SegmentView;
use quarry_base::error::{Error, Result};
use quarry_codec::sortable;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits};
use quarry_mapping::format::ValueType;
use quarry_plan::request::{Missing, SortMode, SortOrder};
use quarry_postings::FieldPostingsReader;
use quarry_script::Instance;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};
use quarry_segment::column::ordinal::{OrdinalColumn, OrdinalWindow};
use serde_json::Value;
use std::cell::RefCell;

enum Reader<'a> {
    Score,
    /// `shard` is added to the number of the document.
    Doc {
        shard: u64,
    },
    Number {
        column: Option<&'a NumericColumn>,
        decoded: NumericWindow,
        missing: i64,
        from: ValueType,
        to: ValueType,
    },
    Term {
        column: Option<(&'a OrdinalColumn, &'a FieldPostingsReader)>,
        decoded: OrdinalWindow,
        missing: u64,
    },
    Absent,
    /// Numbers of the loaded documents by their place in the window, in sortable form.
    Script {
        bound: RefCell<Box<(SegmentDocs<'a>, Instance)>>,
        numbers: Vec<i64>,
    },
    /// As `Script`; the places are those of the document or of nested ones.
    Distance {
        column: Option<&'a NumericColumn>,
        children: Option<Children<'a>>,
        of: &'a Distance,
        decoded: NumericWindow,
        numbers: Vec<i64>,
    },
    NestedNumber {
        column: Option<&'a NumericColumn>,
        children: Children<'a>,
        missing: i64,
        from: ValueType,
        to: ValueType,
    },
    NestedTerm {
        column: Option<(&'a OrdinalColumn, &'a FieldPostingsReader)>,
        children: Children<'a>,
        missing: u64,
    },
}

pub(super) struct SegmentKey<'a> {
    key: &'a ResolvedKey,
    segment: &'a SegmentView,
    reader: Reader<'a>,
    window: u32,
}

const FIRST: u64 = 0;
const LAST: u64 = u64::MAX;
const TOP_BIT: u64 = 1 << 63;

impl<'a> Reader<'a> {
    /// The same, of nested documents.
    fn of_children(self, children: Children<'a>) -> Self {
        match self {
            Reader::Number { column, missing, from, to, .. } => {
                Reader::NestedNumber { column, children, missing, from, to }
            }
            Reader::Term { column, missing, .. } => Reader::NestedTerm { column, children, missing },
            Reader::Distance { column, of, decoded, numbers, .. } => {
                Reader::Distance { column, children: Some(children), of, decoded, numbers }
            }
            other => other,
        }
    }
}

/// How far away the places of a document are, by the mode; infinitely far without a place.
fn distance(of: &Distance, places: &[i64], mode: SortMode) -> i64 {
    let distance = pick_number(&of.of(places), mode, ValueType::Double);
    distance.unwrap_or_else(|| sortable::from_f64(f64::INFINITY))
}

/// The values of a document, or of its nested ones.
fn places_of(column: Option<&NumericColumn>, children: Option<&Children<'_>>, doc: u32) -> Vec<i64> {
    if let Some(children) = children {
        return numbers_of(column, children, doc);
    }
    let mut places = Vec::new();
    if let Some(column) = column {
        column.get(doc, &mut places);
    }
    places
}

/// The numbers of the nested documents of a root, ascending.
fn numbers_of(column: Option<&NumericColumn>, children: &Children<'_>, root: u32) -> Vec<i64> {
    let mut values = Vec::new();
    if let Some(column) = column {
        children.each(root, |child| {
            let before = values.len();
            column.get(child, &mut values);
            values.len() > before
        });
    }
    values.sort_unstable();
    values
}

fn ordinals_of(column: Option<&OrdinalColumn>, children: &Children<'_>, root: u32) -> Vec<u32> {
    let mut ordinals = Vec::new();
    if let Some(column) = column {
        children.each(root, |child| {
            let before = ordinals.len();
            column.get(child, &mut ordinals);
            ordinals.len() > before
        });
    }
    ordinals.sort_unstable();
    ordinals
}

impl<'a> SegmentKey<'a> {
    pub(super) fn open(key: &'a ResolvedKey, segment: &'a SegmentView) -> Result<Self> {
        let mut opened = SegmentKey { key, segment, reader: Reader::Absent, window: 0 };
        opened.reader = match &key.source {
            KeySource::Score => Reader::Score,
            KeySource::Doc => Reader::Doc { shard: 0 },
            KeySource::ShardDoc => Reader::Doc { shard: u64::from(key.shard_ordinal) << 32 },
            KeySource::Absent => Reader::Absent,
            KeySource::Script => opened.script()?,
            KeySource::Distance(of) => {
                let column = segment.field(&of.field).and_then(|field| field.numeric());
                let (decoded, numbers) = (NumericWindow::default(), vec![0; WINDOW]);
                Reader::Distance { column, children: None, of, decoded, numbers }
            }
            KeySource::Number { field, value_type } => {
                opened.number(segment.field(field).and_then(|field| field.numeric()), *value_type)?
            }
            KeySource::SeqNo => opened.number(Some(segment.reader.seq_nos()), ValueType::Long)?,
            KeySource::Version => opened.number(Some(segment.reader.versions()), ValueType::Long)?,
            KeySource::Term { field, .. } => {
                let reader = segment.field(field);
                let column = reader.and_then(|field| Some((field.ordinals()?, field.postings()?)));
                let missing = match &key.missing {
                    Missing::First => FIRST,
                    Missing::Last => LAST,
                    Missing::Value(value) => {
                        opened.term_rank(column.map(|(_, postings)| postings), &key.term_from(value)?)?
                    }
                };
                Reader::Term { column, decoded: OrdinalWindow::default(), missing }
            }
        };
        if let Some(nested) = &key.nested {
            let children = nested.open(segment)?;
            opened.reader = opened.reader.of_children(children);
        }
        Ok(opened)
    }

    fn script(&self) -> Result<Reader<'a>> {
        let script = self.key.script.as_ref().ok_or_else(|| Error::internal("a sort key lacks its script"))?;
        let bound = (SegmentDocs::new(&script.view, self.segment), script.node.instance()?);
        Ok(Reader::Script { bound: RefCell::new(Box::new(bound)), numbers: vec![0; WINDOW] })
    }

    fn number(&self, column: Option<&'a NumericColumn>, from: ValueType) -> Result<Reader<'a>> {
        let missing = self.key.missing_number()?;
        let to = self.key.compared_as.unwrap_or(from);
        Ok(Reader::Number { column, decoded: NumericWindow::default(), missing, from, to })
    }

    fn directed(&self, ascending: u64) -> u64 {
        if self.key.order == SortOrder::Descending { !ascending } else { ascending }
    }

    fn number_rank(&self, number: i64) -> u64 {
        self.directed(number as u64 ^ TOP_BIT)
    }

    /// Ordinal `n` has rank `2n + 2` before the direction is applied, which leaves room between and at both ends.
    fn ordinal_rank(&self, ordinal: u32) -> u64 {
        self.directed(u64::from(ordinal) * 2 + 2)
    }

    fn term_rank(&self, postings: Option<&FieldPostingsReader>, term: &[u8]) -> Result<u64> {
        let Some(postings) = postings else {
            return Ok(self.directed(1));
        };
        let mut terms = postings.terms_from(term)?;
        Ok(match terms.next()? {
            Some((found, entry)) if found == term => self.ordinal_rank(entry.ordinal),
            Some((_, entry)) => self.directed(u64::from(entry.ordinal) * 2 + 1),
            None => self.directed(u64::from(postings.term_count()) * 2 + 1),
        })
    }

    /// The rank of a value of `search_after`.
    pub(super) fn rank_of_request(&self, value: &Value) -> Result<u64> {
        let missing = if matches!(self.key.missing, Missing::First) { FIRST } else { LAST };
        match &self.reader {
            Reader::Score => Ok(self.score_rank(value.as_f64().unwrap_or(0.0) as f32)),
            Reader::Doc { .. } => Ok(self.directed(self.doc_from(value)?)),
            Reader::Absent => Ok(missing),
            Reader::Number { missing, .. } | Reader::NestedNumber { missing, .. } if value.is_null() => {
                Ok(self.number_rank(*missing))
            }
            Reader::Number { .. } | Reader::NestedNumber { .. } | Reader::Script { .. } | Reader::Distance { .. } => {
                Ok(self.number_rank(self.key.number_from(value)?))
            }
            Reader::Term { .. } | Reader::NestedTerm { .. } if value.is_null() => Ok(missing),
            Reader::Term { column, .. } | Reader::NestedTerm { column, .. } => {
                self.term_rank(column.map(|(_, postings)| postings), &self.key.term_from(value)?)
            }
        }
    }

    /// The rank of what a hit of this shard was sorted by.
    pub(super) fn rank_of_hit(&self, value: &SortValue) -> Result<u64> {
        if let Some(rank) = self.shared_rank(value) {
            return Ok(rank);
        }
        match (&self.reader, value) {
            (Reader::Term { column, .. } | Reader::NestedTerm { column, .. }, SortValue::Term(term)) => {
                self.term_rank(column.map(|(_, postings)| postings), term)
            }
            (
                Reader::Number { to: ValueType::Scaled(factor), .. }
                | Reader::NestedNumber { to: ValueType::Scaled(factor), .. },
                SortValue::Double(number),
            ) => Ok(self.number_rank((number * factor).round() as i64)),
            _ if matches!(self.key.missing, Missing::First) => Ok(FIRST),
            _ => Ok(LAST),
        }
    }

    fn doc_from(&self, value: &Value) -> Result<u64> {
        let text = value.as_str().and_then(|text| text.parse().ok());
        value.as_u64().or(text).ok_or_else(|| {
            let reason = format!("Failed to parse search_after value [{value}] for the number of a document");
            Error::illegal_argument(reason)
        })
    }

    /// The rank of another segment's value, where ranks mean the same in all segments.
    pub(super) fn shared_rank(&self, value: &SortValue) -> Option<u64> {
        let number = match (&self.reader, value) {
            (Reader::Score, SortValue::Float(score)) => return Some(self.score_rank(*score)),
            (Reader::Doc { .. }, SortValue::Long(doc)) => return Some(self.directed(*doc as u64)),
            (Reader::Script { .. } | Reader::Distance { .. }, SortValue::Double(number)) => sortable::from_f64(*number),
            (Reader::Number { to, .. } | Reader::NestedNumber { to, .. }, value) => match (to, value) {
                (_, SortValue::Long(number)) => *number,
                (_, SortValue::Unsigned(number)) => sortable::from_u64(*number),
                (ValueType::Double, SortValue::Double(number)) => sortable::from_f64(*number),
                (_, SortValue::Float(number)) => sortable::from_f32(*number),
                _ => return None,
            },
            _ => return None,
        };
        Some(self.number_rank(number))
    }

    /// No document of the window has a lower rank.
    pub(super) fn least_rank(&self, window: u32) -> u64 {
        if let Reader::Doc { shard } = &self.reader {
            let (first, last) = self.documents_of(window, *shard);
            return self.directed(first).min(self.directed(last));
        }
        let Reader::Number { column, missing, from, to, .. } = &self.reader else {
            return FIRST;
        };
        if !matches!(self.key.mode, SortMode::Min | SortMode::Max) {
            return FIRST;
        }
        let missing = self.number_rank(*missing);
        let Some((low, high)) = column.and_then(|column| column.window_range(window)) else {
            return missing;
        };
        let ends = [low, high].map(|end| self.number_rank(convert(end, *from, *to)));
        let present = ends[0].min(ends[1]);
        let documents = (self.segment.max_doc() - window * WINDOW as u32).min(WINDOW as u32);
        let is_full = column.is_some_and(|column| column.window_doc_count(window) == documents);
        if is_full { present } else { present.min(missing) }
    }

    /// Clears the bits of documents of the window that have a higher rank than `bound`, as far as that is told without a look at
    /// each of them.
    pub(super) fn retain_to(&self, bound: u64, window: u32, bits: &mut WindowBits) {
        let Reader::Number { column: Some(column), missing, from, to, .. } = &self.reader else { return };
        let is_compared_as_stored = from == to && matches!(self.key.mode, SortMode::Min | SortMode::Max);
        if !is_compared_as_stored || (self.number_rank(*missing) <= bound && !column.is_full(window)) {
            return;
        }
        let number = (self.directed(bound) ^ TOP_BIT) as i64;
        let (low, high) = if self.key.order == SortOrder::Descending { (number, i64::MAX) } else { (i64::MIN, number) };
        let mut within = [0; WINDOW_WORDS];
        column.match_range(window, low, high, &mut within);
        bits.iter_mut().zip(within).for_each(|(word, within)| *word &= within);
    }

    /// No document of the window has a higher rank; `None` where that is not known.
    pub(super) fn greatest_rank(&self, window: u32) -> Option<u64> {
        let Reader::Doc { shard } = &self.reader else {
            return None;
        };
        let (first, last) = self.documents_of(window, *shard);
        Some(self.directed(first).max(self.directed(last)))
    }

    /// The first and the last document of a window.
    fn documents_of(&self, window: u32, shard: u64) -> (u64, u64) {
        let first = window * WINDOW as u32;
        let last = (first + WINDOW as u32).min(self.segment.max_doc()).saturating_sub(1);
        let place = |doc: u32| shard + u64::from(self.segment.doc_base + doc);
        (place(first), place(last))
    }

    /// Makes documents of a window ready for [`SegmentKey::rank`]; `scores` may be none at all.
    pub(super) fn load(&mut self, window: u32, docs: &[u16], scores: &[f32]) -> Result<()> {
        self.window = window;
        match &mut self.reader {
            Reader::Script { bound, numbers } => {
                for (place, &doc) in docs.iter().enumerate() {
                    let score = scores.get(place).copied().unwrap_or_default();
                    let number = computed(bound.get_mut(), window * WINDOW as u32 + u32::from(doc), score)?;
                    numbers[usize::from(doc)] = sortable::from_f64(number);
                }
            }
            Reader::Distance { column: Some(column), children: None, of, decoded, numbers } => {
                column.decode_window(window, decoded);
                for &doc in docs {
                    numbers[usize::from(doc)] = distance(of, decoded.values_of(doc), self.key.mode);
                }
            }
            Reader::Distance { column, children, of, numbers, .. } => {
                for &doc in docs {
                    let places = places_of(*column, children.as_ref(), window * WINDOW as u32 + u32::from(doc));
                    numbers[usize::from(doc)] = distance(of, &places, self.key.mode);
                }
            }
            Reader::Number { column: Some(column), decoded, .. } => column.decode_window(window, decoded),
            Reader::Term { column: Some((column, _)), decoded, .. } => column.decode_window(window, decoded),
            _ => {}
        }
        Ok(())
    }

    /// Replaces `ranks` by those of in-window documents of the loaded window, with their scores or none at all.
    pub(super) fn ranks(&self, docs: &[u16], scores: &[f32], ranks: &mut Vec<u64>) {
        ranks.clear();
        if let Reader::Number { column: Some(column), decoded, from, to, .. } = &self.reader
            && from == to
            && decoded.is_single_valued()
            && column.is_full(self.window)
        {
            let flip = self.directed(TOP_BIT);
            let values = &decoded.values[..WINDOW];
            ranks.extend(docs.iter().map(|&doc| values[usize::from(doc) % WINDOW] as u64 ^ flip));
            return;
        }
        let score = |place| scores.get(place).copied().unwrap_or(0.0);
        ranks.extend(docs.iter().enumerate().map(|(place, &doc)| self.rank(doc, score(place))));
    }

    fn score_rank(&self, score: f32) -> u64 {
        self.directed((sortable::from_f32(score) as u64) ^ TOP_BIT)
    }

    /// The rank of an in-window document of the loaded window.
    pub(super) fn rank(&self, doc: u16, score: f32) -> u64 {
        match &self.reader {
            Reader::Score => self.score_rank(score),
            Reader::Doc { shard } => {
                let doc = self.segment.doc_base + self.window * WINDOW as u32 + u32::from(doc);
                self.directed(shard + u64::from(doc))
            }
            Reader::Absent if matches!(self.key.missing, Missing::First) => FIRST,
            Reader::Absent => LAST,
            Reader::Script { numbers, .. } | Reader::Distance { numbers, .. } => {
                self.number_rank(numbers[usize::from(doc)])
            }
            Reader::Number { column, decoded, missing, from, to } => {
                let values = if column.is_some() { decoded.values_of(doc) } else { &[] };
                self.number_rank(
                    pick_number(values, self.key.mode, *from).map_or(*missing, |number| convert(number, *from, *to)),
                )
            }
            Reader::Term { column, decoded, missing } => {
                let ordinals = if column.is_some() { decoded.ordinals_of(doc) } else { &[] };
                pick_ordinal(ordinals, self.key.mode).map_or(*missing, |ordinal| self.ordinal_rank(ordinal))
            }
            Reader::NestedNumber { column, children, missing, from, to } => {
                let values = numbers_of(*column, children, self.window * WINDOW as u32 + u32::from(doc));
                self.number_rank(
                    pick_number(&values, self.key.mode, *from).map_or(*missing, |number| convert(number, *from, *to)),
                )
            }
            Reader::NestedTerm { column, children, missing } => {
                let root = self.window * WINDOW as u32 + u32::from(doc);
                let ordinals = ordinals_of(column.map(|(column, _)| column), children, root);
                pick_ordinal(&ordinals, self.key.mode).map_or(*missing, |ordinal| self.ordinal_rank(ordinal))
            }
        }
    }

    /// The value of a document of the segment, for the response and for the other segments.
    pub(super) fn value(&self, doc: u32, score: f32) -> Result<SortValue> {
        Ok(match &self.reader {
            Reader::Score => SortValue::Float(score),
            Reader::Doc { shard } => SortValue::Long((shard + u64::from(self.segment.doc_base + doc)) as i64),
            Reader::Absent => SortValue::Missing,
            Reader::Script { bound, .. } => SortValue::Double(computed(&mut bound.borrow_mut(), doc, score)?),
            Reader::Distance { column, children, of, .. } => {
                let places = places_of(*column, children.as_ref(), doc);
                self.key.number_value(distance(of, &places, self.key.mode))
            }
            Reader::Number { column, missing, from, to, .. } => {
                let mut values = Vec::new();
                if let Some(column) = column {
                    column.get(doc, &mut values);
                }
                let number = pick_number(&values, self.key.mode, *from).map(|number| convert(number, *from, *to));
                self.key.number_value(number.unwrap_or(*missing))
            }
            Reader::Term { column, .. } => {
                let mut ordinals = Vec::new();
                let Some((column, postings)) = column else {
                    return self.missing_term();
                };
                column.get(doc, &mut ordinals);
                self.term(&ordinals, postings)?
            }
            Reader::NestedNumber { column, children, missing, from, to } => {
                let values = numbers_of(*column, children, doc);
                let number = pick_number(&values, self.key.mode, *from).map(|number| convert(number, *from, *to));
                self.key.number_value(number.unwrap_or(*missing))
            }
            Reader::NestedTerm { column: None, .. } => self.missing_term()?,
            Reader::NestedTerm { column: Some((column, postings)), children, .. } => {
                self.term(&ordinals_of(Some(column), children, doc), postings)?
            }
        })
    }

    fn term(&self, ordinals: &[u32], postings: &FieldPostingsReader) -> Result<SortValue> {
        let Some(ordinal) = pick_ordinal(ordinals, self.key.mode) else {
            return self.missing_term();
        };
        let mut term = Vec::new();
        postings.term(ordinal, &mut term)?;
        Ok(SortValue::Term(term))
    }

    fn missing_term(&self) -> Result<SortValue> {
        match &self.key.missing {
            Missing::Value(value) => Ok(SortValue::Term(self.key.term_from(value)?)),
            Missing::First | Missing::Last => Ok(SortValue::Missing),
        }
    }
}

/// What the script makes of a document of the segment.
fn computed(bound: &mut (SegmentDocs<'_>, Instance), doc: u32, score: f32) -> Result<f64> {
    let (docs, script) = bound;
    docs.at(doc, Some(f64::from(score)));
    script.run_double(docs)
}

fn pick_ordinal(ordinals: &[u32], mode: SortMode) -> Option<u32> {
    match mode {
        SortMode::Max => ordinals.last().copied(),
        _ => ordinals.first().copied(),
    }
}
