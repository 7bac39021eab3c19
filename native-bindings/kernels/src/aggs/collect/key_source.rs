//! The keys that documents have in one field, as cells that compare and hash quickly: what buckets of several fields are made of.

use super::geo_grid::CellOf;
use super::term_ids::TermIds;
use super::values::{NumberValues, OrdinalValues};
use super::{Batch, Budget, Context, Report};
use crate::aggs::format::ValueType;
use crate::aggs::partial::TermKey;
use crate::aggs::plan::{Cells, CompositeKeys, Source};
use crate::aggs::rounding::Rounding;
use crate::aggs::source::{Accepts, FieldSource, MissingValue};
use crate::error::{Error, Result};
use crate::search::view::SegmentView;
use crate::segment::reader::FieldReader;
use std::cmp::Ordering;
use std::rc::Rc;

const NANOS: i64 = 1_000_000;
/// Not yet looked up in this segment.
const UNKNOWN: u32 = u32::MAX;

/// A key: a number, or the number of a term. `None`: the document has no value.
pub type Cell = Option<i64>;

enum KeyOf {
    /// The value itself.
    Value,
    Interval(f64),
    Period {
        rounding: Box<Rounding>,
        last: (i64, i64),
    },
    Cell(CellOf),
}

pub struct KeySource<'a> {
    pub source: FieldSource,
    key_of: KeyOf,
    numbers: NumberValues<'a>,
    ordinals: OrdinalValues<'a>,
    reader: Option<&'a FieldReader>,
    terms: TermIds,
    /// Term number of each ordinal of the segment.
    segment_ids: Vec<u32>,
    budget: Rc<Budget>,
    /// Keys of the batch's documents, ascending by column value and distinct, cut by `starts`.
    cells: Vec<i64>,
    starts: Vec<usize>,
    /// Each of the batch's documents has one key.
    one_each: bool,
}

impl<'a> KeySource<'a> {
    pub fn new(context: &Context<'a>, source: &Source, keys: CompositeKeys, name: &str) -> Result<Self> {
        let accepts = match keys {
            CompositeKeys::Terms => Accepts::Keys,
            CompositeKeys::Histogram { .. } => Accepts::Numbers,
            CompositeKeys::DateHistogram { .. } => Accepts::Dates,
            CompositeKeys::Geotile { .. } => Accepts::Places,
        };
        let mut source = FieldSource::resolve(context.view, source, name, accepts, context.env.now_ms)?;
        let key_of = match keys {
            CompositeKeys::Terms => KeyOf::Value,
            CompositeKeys::Histogram { interval } => KeyOf::Interval(interval),
            CompositeKeys::DateHistogram { interval, offset_ms } => {
                let rounding = Box::new(Rounding::new(interval, source.zone()?, offset_ms)?);
                KeyOf::Period { rounding, last: (0, 0) }
            }
            CompositeKeys::Geotile { precision, bounds } => {
                source.format.value_type = ValueType::Geotile;
                KeyOf::Cell(CellOf::new(Cells::Geotile, precision, bounds))
            }
        };
        Ok(KeySource {
            numbers: NumberValues::new(source.missing_number()),
            source,
            key_of,
            ordinals: OrdinalValues::new(),
            reader: None,
            terms: TermIds::default(),
            segment_ids: Vec::new(),
            budget: Rc::clone(&context.budget),
            cells: Vec::new(),
            starts: Vec::new(),
            one_each: false,
        })
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) {
        self.reader = self.source.reader(segment);
        self.numbers.start_segment(self.source.numeric(segment));
        let column = self.reader.and_then(FieldReader::ordinals);
        self.ordinals.start_segment(column);
        self.segment_ids.clear();
        self.segment_ids.resize(column.map_or(0, |column| column.ordinal_count() as usize), UNKNOWN);
    }

    /// How numbers were read, for `profile`.
    pub fn report(&self, report: &mut Report) {
        if !self.source.has_terms() {
            self.numbers.counts.report(report);
        }
    }

    /// Reads the keys of a batch's documents.
    pub fn load(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.cells.clear();
        self.starts.clear();
        let are_singles = if self.source.has_terms() { self.load_terms(batch)? } else { self.load_numbers(batch)? };
        self.starts.resize(batch.docs.len() + 1, self.cells.len());
        self.one_each = are_singles && self.cells.len() == batch.docs.len();
        Ok(())
    }

    /// The key of each of the batch's documents, where all have one.
    pub fn one_each(&self) -> Option<&[i64]> {
        self.one_each.then_some(&self.cells)
    }

    /// The keys of the batch's document at this place.
    pub fn keys(&self, place: usize) -> &[i64] {
        &self.cells[self.starts[place]..self.starts[place + 1]]
    }

    /// True: no document has more than one key.
    fn load_numbers(&mut self, batch: &Batch<'_>) -> Result<bool> {
        let (cells, starts, key_of) = (&mut self.cells, &mut self.starts, &mut self.key_of);
        let value_type = self.source.format.value_type;
        let is_single = !matches!(key_of, KeyOf::Cell(_))
            && self.numbers.for_each_single(batch, |place, value| {
                starts.resize(place + 1, cells.len());
                cells.push(key_of.key(value, value_type));
                Ok(())
            })?;
        if is_single {
            return Ok(true);
        }
        self.numbers.for_each(batch, |place, values| {
            // Documents without a value were passed over.
            starts.resize(place + 1, cells.len());
            let first = cells.len();
            if let KeyOf::Cell(cell_of) = key_of {
                cell_of.append(values, cells);
                return Ok(());
            }
            for &value in values {
                let key = key_of.key(value, value_type);
                if cells.len() == first || cells.last() != Some(&key) {
                    cells.push(key);
                }
            }
            Ok(())
        })?;
        Ok(false)
    }

    /// True: no document has more than one key.
    fn load_terms(&mut self, batch: &Batch<'_>) -> Result<bool> {
        let missing = match &self.source.missing {
            Some(MissingValue::Term(term)) => Some(i64::from(self.terms.id(term, &self.budget)?)),
            _ => None,
        };
        let (cells, starts, ids, terms) = (&mut self.cells, &mut self.starts, &mut self.segment_ids, &mut self.terms);
        let (postings, budget) = (self.reader.and_then(FieldReader::postings), &self.budget);
        let mut term = Vec::new();
        let mut cell_of = |ordinal: u32| -> Result<i64> {
            let slot = &mut ids[ordinal as usize];
            if *slot == UNKNOWN
                && let Some(postings) = postings
            {
                postings.term(ordinal, &mut term)?;
                *slot = terms.id(&term, budget)?;
            }
            Ok(i64::from(*slot))
        };
        let is_single = missing.is_none()
            && self.ordinals.for_each_single(batch, |place, ordinal| {
                starts.resize(place + 1, cells.len());
                cells.push(cell_of(ordinal)?);
                Ok(())
            })?;
        if is_single {
            return Ok(true);
        }
        self.ordinals.for_each(batch, |_, ordinals| {
            starts.push(cells.len());
            for &ordinal in ordinals {
                cells.push(cell_of(ordinal)?);
            }
            if ordinals.is_empty() {
                cells.extend(missing);
            }
            Ok(())
        })?;
        Ok(false)
    }

    /// The order of two keys of this field, documents without one where `missing_first` says.
    pub fn compare(&self, a: Cell, b: Cell, missing_first: bool) -> Ordering {
        match (a, b) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) if missing_first => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) if missing_first => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) if a == b => Ordering::Equal,
            (Some(a), Some(b)) if self.source.has_terms() => self.terms.term(a as u32).cmp(self.terms.term(b as u32)),
            (Some(a), Some(b)) => a.cmp(&b),
        }
    }

    /// The cell of a key.
    pub fn cell(&mut self, key: &TermKey) -> Result<i64> {
        match key {
            TermKey::Number(number) => Ok(*number),
            TermKey::Bytes(term) => Ok(i64::from(self.terms.id(term, &self.budget)?)),
            TermKey::Tuple(_) => Err(Error::internal("the key of one field is a tuple")),
        }
    }

    /// The key of a cell.
    pub fn key(&self, cell: i64) -> TermKey {
        if self.source.has_terms() {
            TermKey::Bytes(self.terms.term(cell as u32).to_vec())
        } else {
            TermKey::Number(cell)
        }
    }
}

impl KeyOf {
    #[inline]
    fn key(&mut self, value: i64, value_type: ValueType) -> i64 {
        match self {
            KeyOf::Value | KeyOf::Cell(_) => value_type.key(value),
            KeyOf::Interval(interval) => (value_type.number(value) / *interval).floor() as i64,
            KeyOf::Period { rounding, last } => {
                let instant = if value_type == ValueType::DateNanos { value.div_euclid(NANOS) } else { value };
                if instant < last.0 || instant >= last.1 {
                    let beginning = rounding.round(instant);
                    *last = (beginning, rounding.next(beginning));
                }
                last.0
            }
        }
    }
}
