//! Which documents of a window have a value: nothing, the first few, a list, or a bitmap.

use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits, for_each_run};

/// From so many documents on, a bitmap (512 bytes) is no larger than a list of 16-bit numbers.
const BITMAP_FROM: usize = WINDOW / 8 / 2;
const BITMAP_BYTES: usize = WINDOW / 8;
/// So many of 64 documents lie mostly behind one another.
const RUNS_FROM: usize = 48;

/// How the set is stored. The number is what the directory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetForm {
    /// Documents `0..count` of the window; nothing is stored.
    Prefix = 0,
    /// Ascending 16-bit numbers.
    List = 1,
    Bitmap = 2,
}

impl SetForm {
    pub(super) fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(SetForm::Prefix),
            1 => Some(SetForm::List),
            2 => Some(SetForm::Bitmap),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn stored_len(self, count: usize) -> usize {
        match self {
            SetForm::Prefix => 0,
            SetForm::List => count * 2,
            SetForm::Bitmap => BITMAP_BYTES,
        }
    }
}

/// Appends the set of in-window documents (ascending) in its smallest form.
pub(super) fn write(docs: &[u16], out: &mut Vec<u8>) -> SetForm {
    if docs.last().is_none_or(|&last| usize::from(last) + 1 == docs.len()) {
        return SetForm::Prefix;
    }
    if docs.len() < BITMAP_FROM {
        out.extend(docs.iter().flat_map(|doc| doc.to_le_bytes()));
        return SetForm::List;
    }
    let start = out.len();
    out.resize(start + BITMAP_BYTES, 0);
    for &doc in docs {
        out[start + usize::from(doc) / 8] |= 1 << (doc % 8);
    }
    SetForm::Bitmap
}

/// A stored set. Reads are safe on damaged bytes: documents stay inside the window.
#[derive(Debug, Clone, Copy)]
pub(super) enum DocumentSet<'a> {
    Prefix(usize),
    List(&'a [u8]),
    Bitmap(&'a [u8]),
}

impl<'a> DocumentSet<'a> {
    /// `stored` has [`SetForm::stored_len`] bytes.
    #[inline]
    pub(super) fn new(form: SetForm, count: usize, stored: &'a [u8]) -> Self {
        match form {
            SetForm::Prefix => DocumentSet::Prefix(count.min(WINDOW)),
            SetForm::List => DocumentSet::List(stored),
            SetForm::Bitmap => DocumentSet::Bitmap(stored),
        }
    }

    #[inline]
    pub(super) fn is_prefix(self) -> bool {
        matches!(self, DocumentSet::Prefix(_))
    }

    /// Sets the bit of every document of the set.
    #[inline]
    pub(super) fn set_bits(self, bits: &mut WindowBits) {
        match self {
            DocumentSet::Prefix(count) => set_prefix(count, bits),
            DocumentSet::List(list) => {
                for doc in list_docs(list) {
                    bits[doc / 64] |= 1 << (doc % 64);
                }
            }
            DocumentSet::Bitmap(bitmap) => {
                for (word, stored) in bits.iter_mut().zip(bitmap_words(bitmap)) {
                    *word |= stored;
                }
            }
        }
    }

    /// Place of a document among those of the set; `None` when it is not in it.
    #[inline]
    pub(super) fn rank(self, doc: usize) -> Option<usize> {
        match self {
            DocumentSet::Prefix(count) => (doc < count).then_some(doc),
            DocumentSet::List(list) => {
                let count = list.len() / 2;
                let place = partition_point(count, |place| list_doc(list, place) < doc);
                (place < count && list_doc(list, place) == doc).then_some(place)
            }
            DocumentSet::Bitmap(bitmap) => {
                let word = bitmap_word(bitmap, doc / 64);
                if word >> (doc % 64) & 1 == 0 {
                    return None;
                }
                let before: u32 = (0..doc / 64).map(|index| bitmap_word(bitmap, index).count_ones()).sum();
                let within = word & ((1 << (doc % 64)) - 1);
                Some((before + within.count_ones()) as usize)
            }
        }
    }

    /// Calls `visit(rank, document)` for the documents in ascending order.
    #[inline]
    pub(super) fn for_each(self, mut visit: impl FnMut(usize, usize)) {
        match self {
            DocumentSet::Prefix(count) => (0..count).for_each(|doc| visit(doc, doc)),
            DocumentSet::List(list) => list_docs(list).enumerate().for_each(|(rank, doc)| visit(rank, doc)),
            DocumentSet::Bitmap(bitmap) => {
                let mut rank = 0;
                for (index, mut word) in bitmap_words(bitmap).enumerate() {
                    while word != 0 {
                        visit(rank, index * 64 + word.trailing_zeros() as usize);
                        word &= word - 1;
                        rank += 1;
                    }
                }
            }
        }
    }

    /// How many documents it has; `None` where they do not ascend or one is not below `documents`. What is looked up by place and what is
    /// read from the front agree only where they ascend.
    pub(super) fn ascending_within(self, documents: usize) -> Option<usize> {
        let (mut count, mut lowest) = (0, 0);
        let mut ascends = true;
        self.for_each(|_, doc| {
            ascends &= (lowest..documents).contains(&doc);
            lowest = doc + 1;
            count += 1;
        });
        ascends.then_some(count)
    }

    /// Copies the value of each rank to its document.
    #[inline]
    pub(super) fn spread<T: Copy>(self, ranked: &[T], values: &mut [T; WINDOW]) {
        let DocumentSet::Bitmap(bitmap) = self else {
            return self.for_each(|rank, doc| {
                if let Some(&value) = ranked.get(rank) {
                    values[doc] = value;
                }
            });
        };
        let mut rest = ranked;
        for (values, word) in values.as_chunks_mut::<64>().0.iter_mut().zip(bitmap_words(bitmap)) {
            let Some((own, behind)) = rest.split_at_checked(word.count_ones() as usize) else { return };
            rest = behind;
            if own.len() >= RUNS_FROM {
                let mut taken = 0;
                for_each_run(word, |start, end| {
                    values[start..end].copy_from_slice(&own[taken..taken + end - start]);
                    taken += end - start;
                });
            } else {
                let mut word = word;
                for &value in own {
                    values[word.trailing_zeros() as usize % 64] = value;
                    word &= word.wrapping_sub(1);
                }
            }
        }
    }

    /// Sets the bit of each document whose rank has its bit set in `ranks`.
    pub(super) fn expand(self, ranks: &WindowBits, bits: &mut WindowBits) {
        match self {
            DocumentSet::Prefix(_) => {
                for (word, rank_word) in bits.iter_mut().zip(ranks) {
                    *word |= rank_word;
                }
            }
            DocumentSet::List(list) => {
                for (rank, doc) in list_docs(list).enumerate() {
                    bits[doc / 64] |= (ranks[rank / 64 % WINDOW_WORDS] >> (rank % 64) & 1) << (doc % 64);
                }
            }
            DocumentSet::Bitmap(bitmap) => {
                let mut rank = 0;
                for (word, stored) in bits.iter_mut().zip(bitmap_words(bitmap)) {
                    *word |= deposit(take_bits(ranks, rank), stored);
                    rank += stored.count_ones() as usize;
                }
            }
        }
    }
}

#[inline]
fn set_prefix(count: usize, bits: &mut WindowBits) {
    for word in &mut bits[..count / 64] {
        *word = u64::MAX;
    }
    if !count.is_multiple_of(64) {
        bits[count / 64] |= (1 << (count % 64)) - 1;
    }
}

#[inline]
fn list_docs(list: &[u8]) -> impl Iterator<Item = usize> + '_ {
    list.chunks_exact(2).map(|pair| usize::from(u16::from_le_bytes([pair[0], pair[1]])) % WINDOW)
}

#[inline]
fn list_doc(list: &[u8], place: usize) -> usize {
    usize::from(u16::from_le_bytes([list[place * 2], list[place * 2 + 1]])) % WINDOW
}

#[inline]
fn partition_point(count: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[inline]
fn bitmap_word(bitmap: &[u8], index: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bitmap[index * 8..index * 8 + 8]);
    u64::from_le_bytes(word)
}

#[inline]
fn bitmap_words(bitmap: &[u8]) -> impl Iterator<Item = u64> + '_ {
    (0..WINDOW_WORDS).map(|index| bitmap_word(bitmap, index))
}

/// 64 bits from `start` on; zeros beyond the end.
#[inline]
fn take_bits(bits: &WindowBits, start: usize) -> u64 {
    let word = |index: usize| bits.get(index).copied().unwrap_or(0);
    let low = word(start / 64) >> (start % 64);
    if start.is_multiple_of(64) { low } else { low | word(start / 64 + 1) << (64 - start % 64) }
}

/// Puts the low bits of `source` where `mask` has bits, in order.
#[inline]
fn deposit(source: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: the build's target has BMI2.
        unsafe { std::arch::x86_64::_pdep_u64(source, mask) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        deposit_portable(source, mask)
    }
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn deposit_portable(mut source: u64, mut mask: u64) -> u64 {
    let mut result = 0;
    while mask != 0 && source != 0 {
        result |= (source & 1).wrapping_neg() & mask & mask.wrapping_neg();
        source >>= 1;
        mask &= mask - 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    fn stored(docs: &[u16]) -> (SetForm, Vec<u8>) {
        let mut bytes = Vec::new();
        let form = write(docs, &mut bytes);
        assert_eq!(bytes.len(), form.stored_len(docs.len()));
        (form, bytes)
    }

    proptest! {
        #[test]
        fn every_form_answers_like_the_list(
            docs in prop_oneof![
                btree_set(0u16..4096, 0..20),
                btree_set(0u16..4096, 200..900),
                btree_set(0u16..4096, 0..200).prop_map(|without| (0..4096).filter(|doc| !without.contains(doc)).collect()),
                (0u16..=4096).prop_map(|count| (0..count).collect()),
            ],
            ranks: [u64; 8],
        ) {
            let docs: Vec<u16> = docs.into_iter().collect();
            let (form, bytes) = stored(&docs);
            let set = DocumentSet::new(form, docs.len(), &bytes);
            let mut visited = Vec::new();
            set.for_each(|rank, doc| visited.push((rank, doc as u16)));
            prop_assert_eq!(visited, docs.iter().copied().enumerate().collect::<Vec<_>>());
            let ranked: Vec<u32> = (1..=docs.len() as u32).collect();
            let mut spread = [0; WINDOW];
            set.spread(&ranked, &mut spread);
            for (doc, value) in spread.into_iter().enumerate() {
                let rank = docs.binary_search(&(doc as u16));
                prop_assert_eq!(value, rank.map_or(0, |rank| rank as u32 + 1));
            }
            let mut all = [0; WINDOW_WORDS];
            set.set_bits(&mut all);
            for doc in 0..WINDOW {
                let rank = docs.binary_search(&(doc as u16)).ok();
                prop_assert_eq!(set.rank(doc), rank);
                prop_assert_eq!(all[doc / 64] >> (doc % 64) & 1 == 1, rank.is_some());
            }
            let mut rank_bits: WindowBits = std::array::from_fn(|word| ranks[word % 8].rotate_left(word as u32));
            for rank in docs.len()..WINDOW {
                rank_bits[rank / 64] &= !(1 << (rank % 64));
            }
            let mut expanded = [0; WINDOW_WORDS];
            set.expand(&rank_bits, &mut expanded);
            for (rank, &doc) in docs.iter().enumerate() {
                let doc = usize::from(doc);
                prop_assert_eq!(expanded[doc / 64] >> (doc % 64) & 1, rank_bits[rank / 64] >> (rank % 64) & 1);
            }
        }

        #[test]
        fn deposit_twins_agree(source: u64, mask: u64) {
            prop_assert_eq!(deposit(source, mask), deposit_portable(source, mask));
        }
    }
}
