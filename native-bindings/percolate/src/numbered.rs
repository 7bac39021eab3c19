//! What few documents have, by the numbers that programs give to fields and terms.

use super::few::{Documents, FewDocuments, Slot, Term, Values, matching_exactly};
use super::matching::Index;
use super::names::Names;
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use rapidhash::RapidHashMap;

pub(super) struct Numbered<'a> {
    few: &'a FewDocuments,
    all: Documents,
    live: Documents,
    fields: RapidHashMap<u32, &'a Values>,
    /// With the field of each.
    terms: RapidHashMap<u32, (&'a Term, &'a str)>,
}

impl<'a> Numbered<'a> {
    /// `segment`: that of the documents.
    pub fn new(few: &'a FewDocuments, segment: &SegmentView, names: &Names) -> Self {
        let all = few.all();
        let mut live = few.to_window(&all);
        segment.retain_live(0, &mut live);
        let live = few.of_window(&live);
        let mut numbered = Numbered { few, all, live, fields: RapidHashMap::default(), terms: RapidHashMap::default() };
        for (field, values) in few.fields() {
            let Some((number, terms)) = names.known(field) else { continue };
            numbered.fields.insert(number, values);
            let known = values.terms().filter_map(|(name, term)| Some((*terms.get(name)?, (term, field))));
            numbered.terms.extend(known);
        }
        numbered
    }

    pub fn all(&self) -> Documents {
        self.all
    }

    /// Those that are documents by themselves.
    pub fn live(&self) -> Documents {
        self.live
    }

    pub fn term(&self, term: u32) -> Documents {
        self.terms.get(&term).map_or(0, |(term, _)| term.documents)
    }

    pub fn numbers(&self, field: u32, ranges: &[(i64, i64)]) -> Documents {
        self.fields.get(&field).map_or(0, |values| values.within(ranges))
    }

    /// Each slot has words, and a position.
    pub fn phrase<'p>(&self, slots: impl Iterator<Item = (&'p [u32], u32)>) -> Result<Documents> {
        let place = |(words, position): (&[u32], u32)| {
            let known = words.iter().filter_map(|word| self.terms.get(word));
            let words = known.map(|(term, field)| self.few.places_of(field, term)).collect::<Result<Vec<_>>>()?;
            Ok(Slot { words, position })
        };
        Ok(matching_exactly(&slots.map(place).collect::<Result<Vec<_>>>()?))
    }
}
