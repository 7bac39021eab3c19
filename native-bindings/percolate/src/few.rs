//! What up to 64 documents have, each of them a bit of a word: most requests percolate one, which thousands of queries are put to.

use super::matching::{DocumentSet, Index};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::WindowBits;
use quarry_postings::{DecodedTerm, TermEntry};
use quarry_query::node::PhraseNode;
use quarry_query::scorers::bits;
use quarry_segment::reader::{FieldReader, SegmentReader};
use rapidhash::RapidHashMap;
use std::cell::OnceCell;
use std::sync::Arc;

/// Documents that a table is made for.
pub(super) const DOCUMENTS_MAX: u32 = u64::BITS;
/// Terms and numbers that a table is made of.
const VALUES_MAX: usize = 1 << 16;

/// Bit `i` is document `i`.
pub(super) type Documents = u64;

/// Document and position of a term.
pub(super) type Place = (u32, u32);

/// All terms and numbers of the documents.
pub(super) struct FewDocuments {
    reader: Arc<SegmentReader>,
    fields: RapidHashMap<Box<str>, Values>,
}

/// Those of a field.
#[derive(Default)]
pub(super) struct Values {
    terms: RapidHashMap<Box<[u8]>, Term>,
    /// Ascending.
    numbers: Vec<(i64, Documents)>,
}

pub(super) struct Term {
    pub documents: Documents,
    entry: TermEntry,
    /// Where it stands, ascending. Read when a phrase asks.
    places: OnceCell<Box<[Place]>>,
}

/// A place of a phrase: where each of its words stands.
pub(super) struct Slot<'a> {
    pub words: Vec<&'a [Place]>,
    pub position: u32,
}

impl FewDocuments {
    /// `None`: the documents, or what they have, are too many.
    ///
    /// Errors: `TaskCancelled`.
    pub fn new(reader: &Arc<SegmentReader>) -> Result<Option<Self>> {
        if reader.max_doc() > DOCUMENTS_MAX {
            return Ok(None);
        }
        let mut fields = RapidHashMap::default();
        let mut room = VALUES_MAX;
        for field in reader.fields() {
            interrupt::check()?;
            let Some(values) = Values::of(field, reader.max_doc(), room)? else { return Ok(None) };
            room -= values.terms.len() + values.numbers.len();
            fields.insert(field.name().into(), values);
        }
        Ok(Some(FewDocuments { reader: Arc::clone(reader), fields }))
    }

    pub fn fields(&self) -> impl Iterator<Item = (&str, &Values)> {
        self.fields.iter().map(|(name, values)| (&**name, values))
    }

    /// Where the words of a place of a phrase stand. `None`: the documents have none of them.
    fn places(&self, field: &str, words: &[Vec<u8>]) -> Result<Option<Vec<&[Place]>>> {
        let known =
            self.fields.get(field).into_iter().flat_map(|values| words.iter().map(|word| values.terms.get(&**word)));
        let places = known.flatten().map(|term| self.places_of(field, term)).collect::<Result<Vec<_>>>()?;
        Ok((!places.is_empty()).then_some(places))
    }

    /// Where a term of the field stands.
    pub fn places_of<'a>(&self, field: &str, term: &'a Term) -> Result<&'a [Place]> {
        if let Some(read) = term.places.get() {
            return Ok(read);
        }
        let read = self.read_places(field, &term.entry)?;
        Ok(term.places.get_or_init(|| read))
    }

    fn read_places(&self, field: &str, entry: &TermEntry) -> Result<Box<[Place]>> {
        let mut decoded = DecodedTerm::default();
        if let Some(postings) = self.reader.field(field).and_then(|field| field.postings()) {
            postings.read_term(entry, &mut decoded)?;
        }
        let of_each = decoded.docs.iter().zip(&decoded.freqs);
        let docs = of_each.flat_map(|(&doc, &freq)| std::iter::repeat_n(doc, freq as usize));
        Ok(docs.zip(decoded.positions.iter().copied()).collect())
    }
}

impl Values {
    /// `None`: there are more than `room`.
    fn of(field: &FieldReader, max_doc: u32, room: usize) -> Result<Option<Self>> {
        let mut values = Values::default();
        if let Some(postings) = field.postings() {
            if postings.term_count() as usize > room {
                return Ok(None);
            }
            let mut terms = postings.terms_from(b"")?;
            while let Some((term, entry)) = terms.next()? {
                let mut documents = bits::EMPTY;
                postings.or_documents(&entry, &mut documents)?;
                values.terms.insert(term.into(), Term { documents: documents[0], entry, places: OnceCell::new() });
            }
        }
        if let Some(column) = field.numeric() {
            let mut numbers = Vec::new();
            for doc in 0..max_doc {
                column.get(doc, &mut numbers);
                values.numbers.extend(numbers.drain(..).map(|number| (number, 1 << doc)));
            }
            values.numbers.sort_unstable();
        }
        let is_within = values.terms.len() + values.numbers.len() <= room;
        Ok(is_within.then_some(values))
    }

    pub fn terms(&self) -> impl Iterator<Item = (&[u8], &Term)> {
        self.terms.iter().map(|(name, term)| (&**name, term))
    }

    /// The documents with a number in one of the ranges (ends included).
    pub fn within(&self, ranges: &[(i64, i64)]) -> Documents {
        let within = ranges.iter().flat_map(|&(low, high)| {
            let from = self.numbers.partition_point(|(number, _)| *number < low);
            self.numbers[from..].iter().take_while(move |(number, _)| *number <= high)
        });
        within.fold(0, |all, (_, documents)| all | documents)
    }
}

impl DocumentSet for Documents {
    fn is_empty(&self) -> bool {
        *self == 0
    }

    fn or(&mut self, other: &Self) {
        *self |= other;
    }

    fn and(&mut self, other: &Self) {
        *self &= other;
    }

    fn and_not(&mut self, other: &Self) {
        *self &= !other;
    }
}

impl Index for FewDocuments {
    type Set = Documents;

    fn none(&self) -> Documents {
        0
    }

    fn all(&self) -> Documents {
        let mut all = bits::EMPTY;
        bits::fill(0, self.reader.max_doc(), &mut all);
        all[0]
    }

    fn of_window(&self, bits: &WindowBits) -> Documents {
        bits[0]
    }

    fn to_window(&self, set: &Documents) -> WindowBits {
        let mut bits = bits::EMPTY;
        bits[0] = *set;
        bits
    }

    fn term(&self, field: &str, term: &[u8]) -> Result<Documents> {
        let known = self.fields.get(field).and_then(|values| values.terms.get(term));
        Ok(known.map_or(0, |term| term.documents))
    }

    fn numbers(&self, field: &str, ranges: &[(i64, i64)]) -> Option<Documents> {
        Some(self.fields.get(field).map_or(0, |values| values.within(ranges)))
    }

    fn phrase(&self, phrase: &PhraseNode) -> Result<Option<Documents>> {
        let field = self.reader.field(&phrase.field).and_then(|field| field.postings());
        if field.is_some_and(|postings| !postings.options().positions) {
            return Ok(None);
        }
        let mut slots = Vec::with_capacity(phrase.terms.len());
        for (words, position) in phrase.whole_terms() {
            let Some(words) = self.places(&phrase.field, words)? else { return Ok(Some(0)) };
            slots.push(Slot { words, position: *position });
        }
        let is_exact = phrase.slop == 0 && slots.len() == phrase.terms.len();
        Ok(is_exact.then(|| matching_exactly(&slots)))
    }
}

/// Documents in which some word of each slot stands as far from the others as the positions of the slots say.
pub(super) fn matching_exactly(slots: &[Slot<'_>]) -> Documents {
    let Some((lead, others)) = slots.split_first() else { return 0 };
    let mut matched = 0;
    for &(doc, place) in lead.words.iter().copied().flatten() {
        let is_there = |slot: &Slot<'_>| {
            let wanted = i64::from(place) + i64::from(slot.position) - i64::from(lead.position);
            let wanted = u32::try_from(wanted).ok().map(|wanted| (doc, wanted));
            wanted.is_some_and(|wanted| slot.words.iter().any(|places| places.binary_search(&wanted).is_ok()))
        };
        if matched >> doc & 1 == 0 && others.iter().all(is_there) {
            matched |= 1 << doc;
        }
    }
    matched
}
