//! Numbers for the fields and terms that stored queries name.

use rapidhash::RapidHashMap;

/// What a name takes beside its bytes.
const NAME_BYTES: usize = 48;

/// Numbers of the terms of a field.
type Terms = RapidHashMap<Box<[u8]>, u32>;

/// Each name has the next number when it comes for the first time.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    fields: RapidHashMap<Box<str>, u32>,
    /// By the number of the field.
    terms: Vec<Terms>,
    term_count: u32,
    bytes: usize,
}

impl Names {
    pub fn field(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.fields.get(name) {
            return known;
        }
        let number = self.terms.len() as u32;
        self.fields.insert(name.into(), number);
        self.terms.push(RapidHashMap::default());
        self.bytes += name.len() + NAME_BYTES + size_of::<Terms>();
        number
    }

    /// `field`: its number. Terms are numbered over all fields.
    pub fn term(&mut self, field: u32, term: &[u8]) -> u32 {
        let terms = &mut self.terms[field as usize];
        if let Some(&known) = terms.get(term) {
            return known;
        }
        terms.insert(term.into(), self.term_count);
        self.term_count += 1;
        self.bytes += term.len() + NAME_BYTES;
        self.term_count - 1
    }

    /// The number of a field, with those of its terms.
    pub fn known(&self, field: &str) -> Option<(u32, &Terms)> {
        let number = *self.fields.get(field)?;
        Some((number, &self.terms[number as usize]))
    }

    /// What they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
