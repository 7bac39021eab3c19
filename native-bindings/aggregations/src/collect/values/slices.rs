//! Values of a batch's documents behind one another: what loops without a branch for each document work on.

use quarry_codec::window::{WINDOW, WindowBits, for_each_run};

/// Values that are compared at once where the end of a run is looked for.
const LEADING_PART: usize = 64;

/// Values with the documents that have them, by document.
#[derive(Debug, Clone, Copy)]
pub struct Slices<'v, T> {
    /// For each value the place of its document in the batch, ascending. `None`: value `i` is the only one of document `i`, and
    /// every document has one.
    pub places: Option<&'v [u32]>,
    pub values: &'v [T],
    /// A document may have more than one value, which then ascend.
    pub has_several: bool,
}

impl<T> Slices<'_, T> {
    pub fn empty() -> Self {
        Slices { places: Some(&[]), values: &[], has_several: false }
    }
}

/// A window of a column of either kind, as it was decoded.
#[derive(Clone, Copy)]
pub struct Decoded<'w, T> {
    pub present: &'w WindowBits,
    /// By document, at least [`WINDOW`] of them, where `starts` is empty; else cut by `starts`.
    pub values: &'w [T],
    pub starts: &'w [u32],
    /// Every document of the window has a value.
    pub is_full: bool,
}

/// Memory for values that do not lie behind one another in their window.
#[derive(Debug)]
pub struct Gather<T> {
    places: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for Gather<T> {
    fn default() -> Self {
        Gather { places: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy + Default> Gather<T> {
    /// The values of the batch's documents; `missing` stands for those of documents without one.
    pub fn slices<'g>(&'g mut self, docs: &[u16], window: Decoded<'g, T>, missing: Option<T>) -> Slices<'g, T> {
        let by_document: Option<&'g [T; WINDOW]> =
            if window.starts.is_empty() { window.values.first_chunk() } else { None };
        match (by_document, missing) {
            (None, missing) => self.several(docs, window, missing),
            (Some(values), _) if window.is_full => self.of_all(docs, values),
            (Some(values), None) => self.of_present(docs, values, window.present),
            (Some(values), Some(missing)) => self.or_missing(docs, values, window.present, missing),
        }
    }

    /// The same value for each of the documents.
    pub fn repeated(&mut self, documents: usize, value: T) -> Slices<'_, T> {
        self.values.clear();
        self.values.resize(documents, value);
        Slices { places: None, values: &self.values, has_several: false }
    }

    fn of_all<'g>(&'g mut self, docs: &[u16], values: &'g [T; WINDOW]) -> Slices<'g, T> {
        if is_prefix(docs) {
            return Slices { places: None, values: &values[..docs.len()], has_several: false };
        }
        self.values.clear();
        self.values.extend(docs.iter().map(|&doc| values[usize::from(doc) % WINDOW]));
        Slices { places: None, values: &self.values, has_several: false }
    }

    fn or_missing<'g>(
        &'g mut self,
        docs: &[u16],
        values: &[T; WINDOW],
        present: &WindowBits,
        missing: T,
    ) -> Slices<'g, T> {
        self.values.clear();
        let value = |&doc: &u16| if has(present, doc) { values[usize::from(doc) % WINDOW] } else { missing };
        self.values.extend(docs.iter().map(value));
        Slices { places: None, values: &self.values, has_several: false }
    }

    fn of_present<'g>(&'g mut self, docs: &[u16], values: &[T; WINDOW], present: &WindowBits) -> Slices<'g, T> {
        let is_dense = present.iter().map(|word| word.count_ones()).sum::<u32>() as usize * 2 > WINDOW;
        if is_dense && is_prefix(docs) {
            self.of_runs(docs.len(), values, present)
        } else {
            self.of_some(docs, values, present)
        }
    }

    /// As [`Gather::of_present`] of the first `end` documents of the window, most of which have a value.
    fn of_runs<'g>(&'g mut self, end: usize, values: &[T; WINDOW], present: &WindowBits) -> Slices<'g, T> {
        self.places.clear();
        self.values.clear();
        for (index, &word) in present.iter().enumerate() {
            for_each_run(word, |start, behind| {
                let (start, behind) = ((index * 64 + start).min(end), (index * 64 + behind).min(end));
                self.places.extend(start as u32..behind as u32);
                self.values.extend_from_slice(&values[start..behind]);
            });
        }
        let places = (self.values.len() < end).then_some(&self.places[..]);
        Slices { places, values: &self.values, has_several: false }
    }

    /// As [`Gather::of_present`]: writes every document's value and steps on behind those that have one.
    fn of_some<'g>(&'g mut self, docs: &[u16], values: &[T; WINDOW], present: &WindowBits) -> Slices<'g, T> {
        if self.places.len() < docs.len() {
            self.places.resize(docs.len(), 0);
        }
        if self.values.len() < docs.len() {
            self.values.resize(docs.len(), T::default());
        }
        let mut found = 0;
        for (place, &doc) in (0u32..).zip(docs) {
            self.places[found] = place;
            self.values[found] = values[usize::from(doc) % WINDOW];
            found += usize::from(has(present, doc));
        }
        let places = (found < docs.len()).then_some(&self.places[..found]);
        Slices { places, values: &self.values[..found], has_several: false }
    }

    fn several<'g>(&'g mut self, docs: &[u16], window: Decoded<'_, T>, missing: Option<T>) -> Slices<'g, T> {
        self.places.clear();
        self.values.clear();
        for (place, &doc) in (0u32..).zip(docs) {
            let doc = usize::from(doc) % WINDOW;
            let bounds = window.starts.get(doc).zip(window.starts.get(doc + 1));
            let own = bounds.and_then(|(&start, &end)| window.values.get(start as usize..end as usize));
            self.values.extend_from_slice(own.unwrap_or_default());
            if own.is_none_or(<[T]>::is_empty) {
                self.values.extend(missing);
            }
            self.places.resize(self.values.len(), place);
        }
        Slices { places: Some(&self.places), values: &self.values, has_several: true }
    }
}

#[inline]
fn has(present: &WindowBits, doc: u16) -> bool {
    let doc = usize::from(doc) % WINDOW;
    present[doc / 64] >> (doc % 64) & 1 == 1
}

/// How many of the first values the condition holds for, many at once.
pub fn leading<T>(values: &[T], holds: impl Fn(&T) -> bool) -> usize {
    let all_hold = |part: &&[T]| part.iter().map(|value| u32::from(holds(value))).sum::<u32>() as usize == part.len();
    let whole = values.chunks(LEADING_PART).take_while(all_hold).map(<[T]>::len).sum::<usize>();
    whole + values[whole..].iter().take_while(|value| holds(value)).count()
}

/// Whether the documents are the first ones of their window, each once.
fn is_prefix(docs: &[u16]) -> bool {
    let ends_there = docs.last().is_none_or(|&last| usize::from(last) + 1 == docs.len());
    ends_there && docs.iter().zip(0u16..).fold(0, |differs, (&doc, place)| differs | (doc ^ place)) == 0
}

/// The buckets of the documents of values, for batches whose documents have one each.
#[derive(Debug, Default)]
pub struct OwnersOfValues(Vec<u32>);

impl OwnersOfValues {
    /// `owners`: by place in the batch.
    pub fn of<'o>(&'o mut self, owners: &'o [u32], places: Option<&[u32]>) -> &'o [u32] {
        let Some(places) = places else { return owners };
        self.0.clear();
        self.0.extend(places.iter().map(|&place| owners[place as usize]));
        &self.0
    }
}

/// Keys that the documents of a batch have, by document, each key of a document once.
#[derive(Debug, Default)]
pub struct KeyBatch {
    keys: Vec<i64>,
    places: Vec<u32>,
    /// Key `i` is the only one of document `i`.
    one_each: bool,
}

impl KeyBatch {
    pub fn keys(&self) -> &[i64] {
        &self.keys
    }

    /// As [`Slices::places`].
    pub fn places(&self) -> Option<&[u32]> {
        (!self.one_each).then_some(&self.places)
    }

    pub fn clear(&mut self) {
        self.keys.clear();
        self.places.clear();
        self.one_each = false;
    }

    /// Adds the keys of the document at a place behind all others.
    pub fn push(&mut self, place: usize, keys: &[i64]) {
        self.keys.extend_from_slice(keys);
        self.places.resize(self.keys.len(), place as u32);
    }

    /// Takes the keys of values. `append`: from values to as many keys, which ascend where values do.
    pub fn load<T>(&mut self, slices: Slices<'_, T>, append: impl FnOnce(&[T], &mut Vec<i64>)) {
        self.keys.clear();
        self.places.clear();
        append(slices.values, &mut self.keys);
        self.one_each = slices.places.is_none();
        self.places.extend_from_slice(slices.places.unwrap_or_default());
        if slices.has_several {
            self.drop_repeated();
        }
    }

    /// As [`KeyBatch::load`], of the values that `takes` holds for where it is given.
    pub fn load_taken(
        &mut self,
        slices: Slices<'_, i64>,
        append: impl FnOnce(&[i64], &mut Vec<i64>),
        takes: Option<impl Fn(i64) -> bool>,
    ) {
        let Some(takes) = takes else { return self.load(slices, append) };
        let taken = (0u32..).zip(slices.values).filter(|(_, value)| takes(**value));
        let place = |at: u32| slices.places.map_or(at, |places| places[at as usize]);
        let (places, values): (Vec<u32>, Vec<i64>) = taken.map(|(at, &value)| (place(at), value)).unzip();
        self.load(Slices { places: Some(&places), values: &values, ..slices }, append);
    }

    /// Keeps the keys that the condition holds for.
    pub fn retain(&mut self, keep: impl Fn(i64) -> bool) {
        self.retain_at(|keys, at, _| keep(keys[at]));
    }

    /// Equal keys of a document are neighbours.
    fn drop_repeated(&mut self) {
        self.retain_at(|keys, at, places| at == 0 || (keys[at - 1], places[at - 1]) != (keys[at], places[at]));
    }

    fn retain_at(&mut self, keep: impl Fn(&[i64], usize, &[u32]) -> bool) {
        if self.one_each {
            self.places.extend(0..self.keys.len() as u32);
            self.one_each = false;
        }
        let mut kept = 0;
        // What is written lies at or before what is asked about next.
        for at in 0..self.keys.len() {
            let is_kept = keep(&self.keys, at, &self.places);
            self.keys[kept] = self.keys[at];
            self.places[kept] = self.places[at];
            kept += usize::from(is_kept);
        }
        self.keys.truncate(kept);
        self.places.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_codec::window::WINDOW_WORDS;
    use quarry_testing::Dice;

    /// Values of each document of a window, at most `most` each.
    fn window(dice: &mut Dice, most: u64, is_full: bool) -> Vec<Vec<i64>> {
        let lacking = 1 + dice.below(40);
        let count = |dice: &mut Dice| if is_full || dice.below(lacking) > 0 { 1 } else { dice.below(most + 1) };
        (0..WINDOW)
            .map(|_| {
                let mut values: Vec<i64> = (0..count(dice)).map(|_| dice.below(50) as i64).collect();
                values.sort_unstable();
                values
            })
            .collect()
    }

    #[test]
    fn slices_are_the_values_of_each_document() {
        for seed in 0..40 {
            let mut dice = Dice::new(seed);
            let (most, is_full) = [(1, true), (1, false), (3, false)][seed as usize % 3];
            let documents = window(&mut dice, most, is_full);
            let mut present = [0; WINDOW_WORDS];
            let (mut values, mut starts) = (Vec::new(), Vec::new());
            for (doc, own) in documents.iter().enumerate() {
                present[doc / 64] |= u64::from(!own.is_empty()) << (doc % 64);
                starts.push(values.len() as u32);
                values.extend_from_slice(own);
                if most == 1 && own.is_empty() {
                    values.push(0);
                }
            }
            starts.push(values.len() as u32);
            let starts = if most == 1 { &[][..] } else { &starts };
            let every = [1, 1, 2, 7][dice.below(4) as usize];
            let docs: Vec<u16> = (0..1 + dice.below(WINDOW as u64) as u16).step_by(every).collect();
            for missing in [None, Some(-1)] {
                let decoded = Decoded { present: &present, values: &values, starts, is_full };
                let mut gather = Gather::default();
                let slices = gather.slices(&docs, decoded, missing);
                let found: Vec<(usize, i64)> = (0..slices.values.len())
                    .map(|at| (slices.places.map_or(at, |places| places[at] as usize), slices.values[at]))
                    .collect();
                let own = |doc: u16| match documents[usize::from(doc)].as_slice() {
                    [] => missing.into_iter().collect(),
                    own => own.to_vec(),
                };
                let expected: Vec<(usize, i64)> = (docs.iter().enumerate())
                    .flat_map(|(place, &doc)| own(doc).into_iter().map(move |value| (place, value)))
                    .collect();
                assert_eq!(found, expected, "seed {seed} missing {missing:?}");
            }
        }
    }

    #[test]
    fn keys_of_a_document_are_told_once() {
        let (places, values) = ([0, 0, 0, 2, 3, 3], [10, 11, 25, 11, 31, 32]);
        let mut keys = KeyBatch::default();
        let tens = |values: &[i64], keys: &mut Vec<i64>| keys.extend(values.iter().map(|value| value / 10));
        keys.load(Slices { places: Some(&places), values: &values, has_several: true }, tens);
        assert_eq!((keys.keys(), keys.places()), (&[1, 2, 1, 3][..], Some(&[0, 0, 2, 3][..])));
        keys.retain(|key| key != 2);
        assert_eq!((keys.keys(), keys.places()), (&[1, 1, 3][..], Some(&[0, 2, 3][..])));
        keys.load(Slices { places: None, values: &values, has_several: false }, tens);
        assert_eq!(keys.places(), None);
        keys.retain(|key| key == 1);
        assert_eq!((keys.keys(), keys.places()), (&[1, 1, 1][..], Some(&[0, 1, 3][..])));
    }

    #[test]
    fn a_prefix_has_each_document_once() {
        assert!(is_prefix(&[]) && is_prefix(&[0, 1, 2]));
        assert!(!is_prefix(&[0, 0, 2]) && !is_prefix(&[1, 2]) && !is_prefix(&[0, 2]));
    }
}
