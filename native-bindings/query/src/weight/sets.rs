//! Queries whose matches all score the same: values, ranges, sets of terms, patterns, ids, existence.

use super::{Boost, Builder, Weight};
use crate::node::{Node, TermBound};
use crate::number_bitmap::NumberBitmap;
use crate::scorers::bits;
use crate::scorers::constant::ConstantScorer;
use crate::scorers::number_bitmaps::NumberBitmapSet;
use crate::scorers::places::PlaceSet;
use crate::scorers::ranges::RangeSet;
use crate::scorers::sets::{AllDocs, Bitmap, DocList, DocSet, Existence, NumberSet, OrdinalRange, TermUnion};
use crate::scorers::shapes::ShapeSet;
use crate::term_match::TermMatcher;
use crate::view::SegmentView;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_geo::area::Area;
use quarry_geo::shape::{Figure, Relation};
use quarry_postings::{FieldPostingsReader, TermEntry};
use quarry_scores::bm25::NORM_OF_FIELD_WITHOUT_NORMS;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating;
use quarry_scores::similarity::rating::Rating;
use quarry_scores::totals::{FieldTotals, TermTotals};
use quarry_segment::column::range::RangeMatch;
use std::sync::Arc;

/// Unions of at most this many terms are walked window by window; larger ones once, into a bitmap.
const CURSORS_MAX: usize = 16;

/// What matches, apart from any segment.
enum Set {
    All,
    None,
    Numbers { field: String, ranges: Vec<(i64, i64)> },
    NumberBitmap { field: String, wanted: Arc<NumberBitmap> },
    Ranges { field: String, wanted: RangeMatch },
    Places { field: String, area: Arc<Area>, relation: Relation },
    Shapes { field: String, figure: Arc<Figure>, relation: Relation },
    Terms { field: String, terms: Vec<Vec<u8>> },
    TermRange { field: String, from: Option<TermBound>, to: Option<TermBound> },
    Pattern { field: String, matcher: TermMatcher },
    Exists { fields: Vec<String> },
    Ids { ids: Vec<Vec<u8>> },
}

struct SetWeight {
    set: Set,
    score: f32,
}

/// What matches no document.
pub(super) fn nothing() -> Box<dyn Weight> {
    Box::new(SetWeight { set: Set::None, score: 0.0 })
}

impl Builder<'_> {
    pub(super) fn set(&mut self, node: &Node, boost: Boost) -> Result<Box<dyn Weight>> {
        let set = match node {
            Node::All => Set::All,
            Node::None => Set::None,
            Node::Numbers { field, ranges } => Set::Numbers { field: field.clone(), ranges: ranges.clone() },
            Node::NumberBitmap { field, wanted } => {
                Set::NumberBitmap { field: field.clone(), wanted: Arc::clone(wanted) }
            }
            Node::Ranges { field, wanted } => Set::Ranges { field: field.clone(), wanted: wanted.clone() },
            Node::Places { field, area, relation } => {
                Set::Places { field: field.clone(), area: Arc::clone(area), relation: *relation }
            }
            Node::Shapes { field, figure, relation } => {
                Set::Shapes { field: field.clone(), figure: Arc::clone(figure), relation: *relation }
            }
            Node::Terms { field, terms } => Set::Terms { field: field.clone(), terms: terms.clone() },
            Node::TermRange { field, from, to } => {
                Set::TermRange { field: field.clone(), from: from.clone(), to: to.clone() }
            }
            Node::Pattern { field, matcher } => Set::Pattern { field: field.clone(), matcher: matcher.clone() },
            Node::Exists { fields } => Set::Exists { fields: fields.clone() },
            Node::Ids { ids } => Set::Ids { ids: ids.clone() },
            other => return Err(Error::new(ErrorCode::Internal, format!("not a set of documents: {other:?}"))),
        };
        Ok(Box::new(SetWeight { set, score: boost.unwrap_or(0.0) }))
    }

    /// A boolean is a term of its field: `true` and `false` have document frequencies, and no lengths.
    pub(super) fn boolean_value(&mut self, field: &str, value: i64, boost: Boost) -> Result<Box<dyn Weight>> {
        let score = match boost {
            None => 0.0,
            Some(boost) => {
                // It has no terms: the value itself stands for one in statistics.
                let of = |value: i64| {
                    let own = TermTotals::once(self.documents_with(field, value)?);
                    Ok::<TermTotals, Error>(self.view.statistics.term(field, &value.to_le_bytes(), own))
                };
                let (own, other) = (of(value)?, of(1 - value)?);
                let terms = own.doc_freq + other.doc_freq;
                let doc_count = self.view.field_stats(field).doc_count.max(1);
                let totals = FieldTotals { doc_count, sum_doc_freq: terms, sum_total_term_freq: terms };
                let similarity = self.view.mapping.similarity_of(field);
                let reference = Arc::new(rating::reference(similarity, totals));
                let rating = Rating::new(similarity, reference, totals, &[own], Some(boost))?;
                rating.score(1.0, NORM_OF_FIELD_WITHOUT_NORMS)?
            }
        };
        let set = Set::Numbers { field: field.to_owned(), ranges: vec![(value, value)] };
        Ok(Box::new(SetWeight { set, score }))
    }

    fn documents_with(&self, field: &str, value: i64) -> Result<u64> {
        let mut documents = 0;
        for segment in self.view.segments.iter() {
            let Some(column) = segment.field(field).and_then(|field| field.numeric()) else {
                continue;
            };
            for window in 0..segment.window_count() {
                let mut matched = bits::EMPTY;
                column.match_range(window, value, value, &mut matched);
                documents += u64::from(bits::count(&matched));
            }
        }
        Ok(documents)
    }
}

impl SetWeight {
    fn boxed<'a>(&self, set: impl DocSet + 'a) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        Ok(Some(Box::new(ConstantScorer::new(set, self.score))))
    }

    fn terms<'a>(
        &self,
        segment: &'a SegmentView,
        postings: &'a FieldPostingsReader,
        entries: &[TermEntry],
    ) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        if entries.is_empty() {
            return Ok(None);
        }
        if entries.len() <= CURSORS_MAX {
            let cursors = entries.iter().map(|entry| postings.cursor(entry));
            return self.boxed(TermUnion { cursors: cursors.collect::<Result<Vec<_>>>()? });
        }
        self.boxed(Bitmap::union(postings, entries, segment.max_doc())?)
    }

    /// Terms with ordinals `low..high`: by column where there is one, else by postings.
    fn ordinals<'a>(
        &self,
        segment: &'a SegmentView,
        field: &str,
        (low, high): (u32, u32),
    ) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some((reader, postings)) = postings_of(segment, field) else {
            return Ok(None);
        };
        if low >= high {
            return Ok(None);
        }
        if let Some(column) = reader.ordinals() {
            return self.boxed(OrdinalRange { column, low, high: high - 1, windows: segment.window_count() });
        }
        let mut term = Vec::new();
        let entries = (low..high).map(|ordinal| postings.term(ordinal, &mut term)).collect::<Result<Vec<_>>>()?;
        self.terms(segment, postings, &entries)
    }

    fn pattern<'a>(
        &self,
        segment: &'a SegmentView,
        field: &str,
        matcher: &TermMatcher,
    ) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some((_, postings)) = postings_of(segment, field) else {
            return Ok(None);
        };
        if let TermMatcher::Prefix(prefix) = matcher {
            let low = ordinal_of(postings, prefix)?;
            let high = match after_prefix(prefix) {
                Some(next) => ordinal_of(postings, &next)?,
                None => postings.term_count(),
            };
            return self.ordinals(segment, field, (low, high));
        }
        // Of many terms nothing is kept but their documents.
        let (mut few, mut many): (Vec<TermEntry>, Option<Bitmap>) = (Vec::new(), None);
        matcher.each_term(postings, |_, entry, _| {
            if few.len() < CURSORS_MAX {
                few.push(entry);
            } else {
                many.get_or_insert_with(|| Bitmap::empty(segment.max_doc())).add_term(postings, &entry)?;
            }
            Ok(true)
        })?;
        let Some(mut bitmap) = many else { return self.terms(segment, postings, &few) };
        few.iter().try_for_each(|entry| bitmap.add_term(postings, entry))?;
        self.boxed(bitmap.counted())
    }
}

impl Weight for SetWeight {
    fn matches_all(&self) -> bool {
        matches!(self.set, Set::All)
    }

    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        match &self.set {
            Set::None => Ok(None),
            Set::All => self.boxed(AllDocs { max_doc: segment.max_doc() }),
            Set::Numbers { field, ranges } => match segment.field(field).and_then(|field| field.numeric()) {
                Some(column) => self.boxed(NumberSet::new(column, ranges, segment.max_doc())),
                None => Ok(None),
            },
            Set::NumberBitmap { field, wanted } => match segment.field(field).and_then(|field| field.numeric()) {
                Some(column) => self.boxed(NumberBitmapSet::new(column, wanted, segment.max_doc())),
                None => Ok(None),
            },
            Set::Ranges { field, wanted } => match segment.field(field).and_then(|field| field.ranges()) {
                Some(columns) => self.boxed(RangeSet::new(columns, wanted)),
                None => Ok(None),
            },
            Set::Places { field, area, relation } => match segment.field(field).and_then(|field| field.numeric()) {
                Some(column) => self.boxed(PlaceSet::new(column, area, *relation, segment.max_doc())),
                None => Ok(None),
            },
            Set::Shapes { field, figure, relation } => {
                let reader = segment.field(field);
                match reader.and_then(|reader| ShapeSet::new(reader, figure, *relation, segment.max_doc())) {
                    Some(set) => self.boxed(set),
                    None => Ok(None),
                }
            }
            Set::Terms { field, terms } => {
                let Some((_, postings)) = postings_of(segment, field) else {
                    return Ok(None);
                };
                let mut entries = Vec::with_capacity(terms.len());
                for term in terms {
                    entries.extend(postings.lookup(term)?);
                }
                self.terms(segment, postings, &entries)
            }
            Set::TermRange { field, from, to } => {
                let Some((_, postings)) = postings_of(segment, field) else {
                    return Ok(None);
                };
                self.ordinals(segment, field, ordinal_range(postings, from.as_ref(), to.as_ref())?)
            }
            Set::Pattern { field, matcher } => self.pattern(segment, field, matcher),
            Set::Exists { fields } => {
                let fields: Vec<_> = fields.iter().filter_map(|field| segment.field(field)).collect();
                if fields.is_empty() {
                    return Ok(None);
                }
                self.boxed(Existence { fields, windows: segment.window_count() })
            }
            Set::Ids { ids } => {
                let mut docs: Vec<u32> = ids.iter().filter_map(|id| segment.reader.ids().find(id)).collect();
                docs.sort_unstable();
                docs.dedup();
                if docs.is_empty() { Ok(None) } else { self.boxed(DocList { docs }) }
            }
        }
    }
}

fn postings_of<'a>(
    segment: &'a SegmentView,
    field: &str,
) -> Option<(&'a quarry_segment::reader::FieldReader, &'a FieldPostingsReader)> {
    let field = segment.field(field)?;
    Some((field, field.postings()?))
}

/// The ordinal of the first term `>= bound`.
fn ordinal_of(postings: &FieldPostingsReader, bound: &[u8]) -> Result<u32> {
    let mut terms = postings.terms_from(bound)?;
    Ok(terms.next()?.map_or(postings.term_count(), |(_, entry)| entry.ordinal))
}

fn ordinal_range(
    postings: &FieldPostingsReader,
    from: Option<&TermBound>,
    to: Option<&TermBound>,
) -> Result<(u32, u32)> {
    let low = match from {
        None => 0,
        Some(bound) if bound.inclusive => ordinal_of(postings, &bound.term)?,
        Some(bound) => ordinal_of(postings, &after_term(&bound.term))?,
    };
    let high = match to {
        None => postings.term_count(),
        Some(bound) if bound.inclusive => ordinal_of(postings, &after_term(&bound.term))?,
        Some(bound) => ordinal_of(postings, &bound.term)?,
    };
    Ok((low, high))
}

/// The least byte string above a term.
fn after_term(term: &[u8]) -> Vec<u8> {
    [term, &[0]].concat()
}

/// The least byte string above everything that starts with a prefix; `None` when there is none.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte < u8::MAX)?;
    let mut next = prefix[..=last].to_vec();
    next[last] += 1;
    Some(next)
}
