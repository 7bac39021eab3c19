//! The keys that documents have in one field, as cells that compare and hash quickly: what buckets of several fields are made of.

use crate::budget::Budget;
use crate::collect::geo::grid::CellOf;
use crate::collect::values::slices::KeyBatch;
use crate::collect::values::term_ids::TermIds;
use crate::collect::values::{NumberValues, OrdinalValues};
use crate::collect::{Batch, Context, Report};
use crate::dates::rounding::Rounding;
use crate::partial::TermKey;
use crate::plan::{CompositeKeys, Source};
use crate::source::{Accepts, FieldSource, MissingValue};
use quarry_base::error::{Error, Result};
use quarry_geo::grid::Grid;
use quarry_mapping::format::ValueType;
use quarry_query::view::SegmentView;
use quarry_segment::reader::FieldReader;
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
    /// Some of them may have to be looked up.
    has_unknown: bool,
    budget: Rc<Budget>,
    /// Of the batch's documents, ascending by column value and distinct.
    keys: KeyBatch,
    /// Where the keys of each document start, and at last where they end; empty where each has one.
    starts: Vec<usize>,
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
                source.format.value_type = ValueType::Cell(Grid::Geotile);
                KeyOf::Cell(CellOf::new(Grid::Geotile, precision, bounds))
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
            has_unknown: false,
            budget: Rc::clone(&context.budget),
            keys: KeyBatch::default(),
            starts: Vec::new(),
        })
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) {
        self.reader = self.source.reader(segment);
        self.numbers.start_segment(self.source.numeric(segment));
        let column = self.reader.and_then(FieldReader::ordinals);
        self.ordinals.start_segment(column);
        self.segment_ids.clear();
        self.segment_ids.resize(column.map_or(0, |column| column.ordinal_count() as usize), UNKNOWN);
        self.has_unknown = true;
    }

    /// How numbers were read, for `profile`.
    pub fn report(&self, report: &mut Report) {
        if !self.source.has_terms() {
            self.numbers.counts.report(report);
        }
    }

    /// Least and greatest cell that documents of the current segment can have, where that is known beforehand.
    pub fn range(&self) -> Option<(i64, i64)> {
        if self.source.has_terms() {
            // Each term of the segment, and the missing one, may get a new number.
            let terms = self.terms.terms().len() + self.segment_ids.len() + 1;
            return Some((0, terms as i64));
        }
        let value_type = self.source.format.value_type;
        let (low, high) = self.numbers.range()?;
        match &self.key_of {
            KeyOf::Cell(_) => None,
            KeyOf::Value => Some((value_type.key(low), value_type.key(high))),
            KeyOf::Interval(interval) => {
                Some((interval_of(low, value_type, *interval), interval_of(high, value_type, *interval)))
            }
            KeyOf::Period { rounding, .. } => {
                Some((rounding.round(instant_of(low, value_type)), rounding.round(instant_of(high, value_type))))
            }
        }
    }

    /// Reads the keys of a batch's documents.
    pub fn load(&mut self, batch: &Batch<'_>) -> Result<()> {
        match (&self.source.missing, self.source.has_terms()) {
            (Some(MissingValue::Term(term)), true) => {
                let missing = self.terms.id(term, &self.budget)?;
                self.load_terms_or(missing, batch)?;
            }
            (_, true) => self.load_terms(batch)?,
            (_, false) => self.load_numbers(batch)?,
        }
        self.starts.clear();
        if let Some(places) = self.keys.places() {
            let mut start = 0;
            for place in 0..batch.docs.len() as u32 {
                self.starts.push(start);
                start += places[start..].iter().take_while(|&&at| at == place).count();
            }
            self.starts.push(start);
        }
        Ok(())
    }

    /// The key of each of the batch's documents, where all have one.
    pub fn one_each(&self) -> Option<&[i64]> {
        self.keys.places().is_none().then(|| self.keys.keys())
    }

    /// The keys of the batch's document at this place.
    pub fn keys(&self, place: usize) -> &[i64] {
        match self.keys.places() {
            None => &self.keys.keys()[place..=place],
            Some(_) => &self.keys.keys()[self.starts[place]..self.starts[place + 1]],
        }
    }

    fn load_numbers(&mut self, batch: &Batch<'_>) -> Result<()> {
        let value_type = self.source.format.value_type;
        match &mut self.key_of {
            KeyOf::Cell(cell_of) => {
                let (keys, mut cells) = (&mut self.keys, Vec::new());
                keys.clear();
                self.numbers.for_each(batch, |place, values| {
                    cells.clear();
                    cell_of.append(values, &mut cells);
                    keys.push(place, &cells);
                    Ok(())
                })
            }
            key_of => {
                self.keys.load(self.numbers.slices(batch), |values, keys| {
                    keys.extend(values.iter().map(|&value| key_of.key(value, value_type)));
                });
                Ok(())
            }
        }
    }

    fn load_terms(&mut self, batch: &Batch<'_>) -> Result<()> {
        let slices = self.ordinals.slices(batch);
        if self.has_unknown {
            // Where there are few terms all are looked up: that they are known need not be asked again.
            self.has_unknown = self.segment_ids.len() > slices.values.len();
            let (ids, terms) = (&mut self.segment_ids, &mut self.terms);
            let all = (0..ids.len() as u32).take(if self.has_unknown { 0 } else { ids.len() });
            for ordinal in all.chain(slices.values.iter().copied()) {
                look_up(ordinal, self.reader, ids, terms, &self.budget)?;
            }
        }
        let ids = &self.segment_ids;
        self.keys.load(slices, |ordinals, keys| {
            keys.extend(ordinals.iter().map(|&ordinal| i64::from(ids[ordinal as usize])));
        });
        Ok(())
    }

    /// Documents without a term have the missing one.
    fn load_terms_or(&mut self, missing: u32, batch: &Batch<'_>) -> Result<()> {
        let (keys, ids, terms) = (&mut self.keys, &mut self.segment_ids, &mut self.terms);
        let (reader, budget) = (self.reader, &self.budget);
        let mut cells = Vec::new();
        keys.clear();
        self.ordinals.for_each(batch, |place, ordinals| {
            cells.clear();
            for &ordinal in ordinals {
                cells.push(i64::from(look_up(ordinal, reader, ids, terms, budget)?));
            }
            if ordinals.is_empty() {
                cells.push(i64::from(missing));
            }
            keys.push(place, &cells);
            Ok(())
        })
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

/// The number of an ordinal's term.
fn look_up(
    ordinal: u32,
    reader: Option<&FieldReader>,
    ids: &mut [u32],
    terms: &mut TermIds,
    budget: &Budget,
) -> Result<u32> {
    let id = &mut ids[ordinal as usize];
    if *id == UNKNOWN
        && let Some(postings) = reader.and_then(FieldReader::postings)
    {
        let mut term = Vec::new();
        postings.term(ordinal, &mut term)?;
        *id = terms.id(&term, budget)?;
    }
    Ok(*id)
}

fn interval_of(value: i64, value_type: ValueType, interval: f64) -> i64 {
    (value_type.number(value) / interval).floor() as i64
}

/// Milliseconds since the epoch.
fn instant_of(value: i64, value_type: ValueType) -> i64 {
    if value_type == ValueType::DateNanos { value.div_euclid(NANOS) } else { value }
}

impl KeyOf {
    #[inline]
    fn key(&mut self, value: i64, value_type: ValueType) -> i64 {
        match self {
            KeyOf::Value | KeyOf::Cell(_) => value_type.key(value),
            KeyOf::Interval(interval) => interval_of(value, value_type, *interval),
            KeyOf::Period { rounding, last } => {
                let instant = instant_of(value, value_type);
                if instant < last.0 || instant >= last.1 {
                    let beginning = rounding.round(instant);
                    *last = (beginning, rounding.next(beginning));
                }
                last.0
            }
        }
    }
}
