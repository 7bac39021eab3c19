//! Columns of ranges: where each range of a document begins and where it ends, both included.
//!
//! Ends are `i128`: numbers and dates in sortable form as they are, addresses as [`address_end`] gives them. A field has one
//! numeric column of beginnings and one of ends, whose minimum and maximum per window are the skip data; addresses have two
//! more columns for the lower halves of theirs. Ranges of a document ascend by beginning, then end, and all columns hold
//! them in that order.

use super::numeric::{NumericColumn, NumericColumnData, NumericColumnWriter, NumericWindow};
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits};
use std::ops::RangeInclusive;

/// Beginning and end, both included.
pub type Range = (i128, i128);

/// Which beginnings and which ends a range is to have; every relation between ranges is of this form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeMatch {
    pub from: RangeInclusive<i128>,
    pub to: RangeInclusive<i128>,
}

impl RangeMatch {
    #[inline]
    pub fn matches(&self, (from, to): Range) -> bool {
        self.from.contains(&from) && self.to.contains(&to)
    }
}

/// An address as the end of a range: the order is that of addresses.
#[inline]
pub fn address_end(address: [u8; 16]) -> i128 {
    (u128::from_be_bytes(address) ^ 1 << 127) as i128
}

/// The address that [`address_end`] was given.
#[inline]
pub fn end_address(end: i128) -> [u8; 16] {
    (end as u128 ^ 1 << 127).to_be_bytes()
}

/// Upper and lower half, each in an order as numbers that together is that of the whole.
fn halves(end: i128) -> (i64, i64) {
    ((end >> 64) as i64, (end as u64 ^ 1 << 63) as i64)
}

fn whole(upper: i64, lower: i64) -> i128 {
    i128::from(upper) << 64 | i128::from(lower as u64 ^ 1 << 63)
}

/// Finished columns, ready for the segment writer.
#[derive(Debug, Clone)]
pub struct RangeColumnsData {
    pub from: NumericColumnData,
    pub to: NumericColumnData,
    /// Of addresses: the lower halves of beginnings and ends.
    pub lower: Option<(NumericColumnData, NumericColumnData)>,
}

impl RangeColumnsData {
    /// Documents with at least one range.
    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.from.doc_count()
    }
}

/// Takes the ranges of documents in ascending order.
#[derive(Debug)]
pub struct RangeColumnsWriter {
    from: NumericColumnWriter,
    to: NumericColumnWriter,
    lower: Option<(NumericColumnWriter, NumericColumnWriter)>,
    halves: [Vec<i64>; 4],
}

impl RangeColumnsWriter {
    #[inline]
    pub fn new(addresses: bool) -> Self {
        let column = NumericColumnWriter::in_given_order;
        RangeColumnsWriter {
            from: column(),
            to: column(),
            lower: addresses.then(|| (column(), column())),
            halves: Default::default(),
        }
    }

    /// The ranges of `doc`, ascending; none for documents without.
    pub fn add(&mut self, doc: u32, ranges: &[Range]) {
        debug_assert!(ranges.is_sorted());
        let [from, to, from_lower, to_lower] = &mut self.halves;
        [&mut *from, to, from_lower, to_lower].into_iter().for_each(|column| column.clear());
        for &range in ranges {
            if self.lower.is_none() {
                from.push(range.0 as i64);
                to.push(range.1 as i64);
                continue;
            }
            let ((from_upper, from_low), (to_upper, to_low)) = (halves(range.0), halves(range.1));
            from.push(from_upper);
            to.push(to_upper);
            from_lower.push(from_low);
            to_lower.push(to_low);
        }
        self.from.add(doc, from);
        self.to.add(doc, to);
        if let Some((from_column, to_column)) = &mut self.lower {
            from_column.add(doc, from_lower);
            to_column.add(doc, to_lower);
        }
    }

    #[inline]
    pub fn finish(self, max_doc: u32) -> RangeColumnsData {
        RangeColumnsData {
            from: self.from.finish(max_doc),
            to: self.to.finish(max_doc),
            lower: self.lower.map(|(from, to)| (from.finish(max_doc), to.finish(max_doc))),
        }
    }
}

/// The ranges of one window; reused from window to window.
#[derive(Debug, Default)]
pub struct RangeWindow {
    from: NumericWindow,
    to: NumericWindow,
    from_lower: NumericWindow,
    to_lower: NumericWindow,
    has_lower: bool,
}

impl RangeWindow {
    /// Documents with at least one range.
    #[inline]
    pub fn present(&self) -> &WindowBits {
        &self.from.present
    }

    /// The ranges of in-window document `doc`, by beginning.
    pub fn ranges_of(&self, doc: u16) -> impl Iterator<Item = Range> + '_ {
        let upper = self.from.values_of(doc).iter().zip(self.to.values_of(doc));
        // Columns of numbers have no lower halves: what these windows hold is not looked at.
        let lower =
            move |window: &NumericWindow, place: usize| window.values_of(doc).get(place).copied().unwrap_or_default();
        upper.enumerate().map(move |(place, (&from, &to))| {
            if self.has_lower {
                (whole(from, lower(&self.from_lower, place)), whole(to, lower(&self.to_lower, place)))
            } else {
                (from.into(), to.into())
            }
        })
    }
}

#[derive(Debug)]
pub struct RangeColumns {
    from: NumericColumn,
    to: NumericColumn,
    lower: Option<(NumericColumn, NumericColumn)>,
}

impl RangeColumns {
    /// What they take outside of their file.
    pub(crate) fn heap_bytes(&self) -> usize {
        let lower = self.lower.iter().flat_map(|(from, to)| [from, to]);
        [&self.from, &self.to].into_iter().chain(lower).map(NumericColumn::heap_bytes).sum()
    }

    /// Verifies that the bytes are columns of `max_doc` documents and of as many ranges each; afterwards no access can leave
    /// them.
    pub fn open(
        (from, to): (SharedBytes, SharedBytes),
        lower: Option<(SharedBytes, SharedBytes)>,
        max_doc: u32,
    ) -> Result<Self> {
        let open = |bytes| NumericColumn::open(bytes, max_doc);
        let (from, to) = (open(from)?, open(to)?);
        let lower = lower.map(|(from, to)| Ok::<_, Error>((open(from)?, open(to)?))).transpose()?;
        let columns = RangeColumns { from, to, lower };
        let count = |column: &NumericColumn| (column.doc_count(), column.value_count());
        if columns.others().any(|column| count(column) != count(&columns.from)) {
            return Err(Error::corrupt("has not as many values as the column of beginnings"));
        }
        Ok(columns)
    }

    fn others(&self) -> impl Iterator<Item = &NumericColumn> {
        std::iter::once(&self.to).chain(self.lower.iter().flat_map(|(from, to)| [from, to]))
    }

    /// The ends are addresses.
    #[inline]
    pub fn has_addresses(&self) -> bool {
        self.lower.is_some()
    }

    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.from.doc_count()
    }

    #[inline]
    pub fn window_count(&self) -> u32 {
        self.from.window_count()
    }

    /// Reads everything: the columns go together, and no range ends before it begins.
    pub fn verify(&self) -> Result<()> {
        self.from.verify()?;
        self.others().try_for_each(NumericColumn::verify)?;
        let mut decoded = RangeWindow::default();
        for window in 0..self.window_count() {
            self.decode_window(window, &mut decoded);
            let others = [&decoded.to, &decoded.from_lower, &decoded.to_lower];
            let same = |other: &&NumericWindow| {
                (&other.present, &other.starts) == (&decoded.from.present, &decoded.from.starts)
            };
            let columns = if self.has_addresses() { 3 } else { 1 };
            let in_order = (0..WINDOW as u16).all(|doc| decoded.ranges_of(doc).all(|(from, to)| from <= to));
            if !others.iter().take(columns).all(same) || !in_order {
                return Err(Error::corrupt(format!(
                    "ranges of window {window} have no beginning or end, or end before they begin"
                )));
            }
        }
        Ok(())
    }

    #[inline]
    pub fn decode_window(&self, window: u32, out: &mut RangeWindow) {
        self.from.decode_window(window, &mut out.from);
        self.to.decode_window(window, &mut out.to);
        out.has_lower = self.has_addresses();
        if let Some((from, to)) = &self.lower {
            from.decode_window(window, &mut out.from_lower);
            to.decode_window(window, &mut out.to_lower);
        }
    }

    /// Sets the bit of every document of the window that has a range.
    #[inline]
    pub fn has_value(&self, window: u32, bits: &mut WindowBits) {
        self.from.has_value(window, bits);
    }

    /// Whether a document of the window may have such a range, by the skip data.
    pub fn may_match(&self, window: u32, wanted: &RangeMatch) -> bool {
        let lower = self.lower.as_ref();
        let reaches = |column: &NumericColumn, lower: Option<&NumericColumn>, wanted: &RangeInclusive<i128>| {
            let Some((least, most)) = column.window_range(window) else { return false };
            let (least, most) = match lower {
                None => (least.into(), most.into()),
                // Where all have one upper half, the lower ones say more.
                Some(lower) if least == most => {
                    let (low, high) = lower.window_range(window).unwrap_or((i64::MIN, i64::MAX));
                    (whole(least, low), whole(most, high))
                }
                Some(_) => (whole(least, i64::MIN), whole(most, i64::MAX)),
            };
            *wanted.start() <= most && least <= *wanted.end()
        };
        reaches(&self.from, lower.map(|(from, _)| from), &wanted.from)
            && reaches(&self.to, lower.map(|(_, to)| to), &wanted.to)
    }

    /// Sets the bit of every document of the window with such a range.
    pub fn match_window(&self, window: u32, wanted: &RangeMatch, decoded: &mut RangeWindow, bits: &mut WindowBits) {
        if !self.may_match(window, wanted) {
            return;
        }
        if !self.has_addresses() && self.from.has_single_values(window) && self.to.has_single_values(window) {
            return self.match_single(window, wanted, bits);
        }
        self.decode_window(window, decoded);
        for doc in 0..WINDOW as u16 {
            let found = decoded.ranges_of(doc).any(|range| wanted.matches(range));
            bits[usize::from(doc) / 64] |= u64::from(found) << (doc % 64);
        }
    }

    /// One range each: beginnings and ends are told apart by themselves, on the packed codes.
    fn match_single(&self, window: u32, wanted: &RangeMatch, bits: &mut WindowBits) {
        let of = |column: &NumericColumn, wanted: &RangeInclusive<i128>| {
            let clamp = |end: i128| end.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            let mut found = [0; WINDOW_WORDS];
            column.match_range(window, clamp(*wanted.start()), clamp(*wanted.end()), &mut found);
            found
        };
        let (from, to) = (of(&self.from, &wanted.from), of(&self.to, &wanted.to));
        for (word, (from, to)) in bits.iter_mut().zip(from.iter().zip(&to)) {
            *word |= from & to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn columns(documents: &[Vec<Range>], addresses: bool) -> RangeColumns {
        let mut writer = RangeColumnsWriter::new(addresses);
        for (doc, ranges) in documents.iter().enumerate() {
            let mut ranges = ranges.clone();
            ranges.sort_unstable();
            writer.add(doc as u32, &ranges);
        }
        let data = writer.finish(documents.len() as u32);
        let lower = data.lower.map(|(from, to)| (from.bytes.into(), to.bytes.into()));
        let columns = RangeColumns::open((data.from.bytes.into(), data.to.bytes.into()), lower, documents.len() as u32);
        columns.unwrap()
    }

    fn matching(columns: &RangeColumns, max_doc: usize, wanted: &RangeMatch) -> Vec<usize> {
        let mut found = Vec::new();
        let mut decoded = RangeWindow::default();
        for window in 0..max_doc.div_ceil(WINDOW) {
            let mut bits = [0; WINDOW_WORDS];
            columns.match_window(window as u32, wanted, &mut decoded, &mut bits);
            found.extend(
                (0..WINDOW).filter(|doc| bits[doc / 64] >> (doc % 64) & 1 == 1).map(|doc| window * WINDOW + doc),
            );
        }
        found
    }

    fn range(ends: impl Strategy<Value = i128> + Clone) -> impl Strategy<Value = Range> {
        (ends.clone(), ends).prop_map(|(a, b)| (a.min(b), a.max(b)))
    }

    fn small() -> impl Strategy<Value = i128> + Clone {
        prop_oneof![8 => (0i64..40).boxed(), 1 => Just(i64::MIN).boxed(), 1 => Just(i64::MAX).boxed()]
            .prop_map(i128::from)
    }

    fn address() -> impl Strategy<Value = i128> + Clone {
        let near = (0u8..3, any::<[u8; 2]>()).prop_map(|(upper, low)| {
            let mut address = [0; 16];
            (address[7], address[14], address[15]) = (upper, low[0], low[1]);
            address
        });
        prop_oneof![3 => near, 1 => any::<[u8; 16]>()].prop_map(address_end)
    }

    fn check(documents: &[Vec<Range>], addresses: bool, from: Range, to: Range) {
        let columns = columns(documents, addresses);
        columns.verify().unwrap();
        let wanted = RangeMatch { from: from.0..=from.1, to: to.0..=to.1 };
        let expected = documents.iter().enumerate().filter(|(_, ranges)| ranges.iter().any(|it| wanted.matches(*it)));
        let expected: Vec<usize> = expected.map(|(doc, _)| doc).collect();
        assert_eq!(matching(&columns, documents.len(), &wanted), expected);
    }

    proptest! {
        #[test]
        fn numbers_match_as_one_by_one(
            documents in proptest::collection::vec(proptest::collection::vec(range(small()), 0..4), 1..200),
            from in range(small()), to in range(small()),
        ) {
            check(&documents, false, from, to);
            let single: Vec<Vec<Range>> = documents.iter().map(|ranges| ranges.iter().copied().take(1).collect()).collect();
            check(&single, false, from, to);
        }

        #[test]
        fn addresses_match_as_one_by_one(
            documents in proptest::collection::vec(proptest::collection::vec(range(address()), 0..3), 1..200),
            from in range(address()), to in range(address()),
        ) {
            check(&documents, true, from, to);
        }

        #[test]
        fn addresses_keep_their_order(a: [u8; 16], b: [u8; 16]) {
            prop_assert_eq!(a.cmp(&b), address_end(a).cmp(&address_end(b)));
            prop_assert_eq!(end_address(address_end(a)), a);
            let (upper, lower) = halves(address_end(a));
            prop_assert_eq!(whole(upper, lower), address_end(a));
            prop_assert_eq!(halves(address_end(a)).cmp(&halves(address_end(b))), a.cmp(&b));
        }
    }

    #[test]
    fn windows_out_of_reach_are_passed_over() {
        let documents: Vec<Vec<Range>> = (0..WINDOW as i128 * 2).map(|doc| vec![(doc, doc + 10)]).collect();
        let columns = columns(&documents, false);
        let below = RangeMatch { from: i128::MIN..=5, to: 0..=i128::MAX };
        assert!(columns.may_match(0, &below) && !columns.may_match(1, &below));
        assert_eq!(matching(&columns, documents.len(), &below), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn columns_that_do_not_go_together_are_refused() {
        let data = |ranges: &[Range]| {
            let mut writer = RangeColumnsWriter::new(false);
            writer.add(0, ranges);
            writer.finish(1)
        };
        let (one, two) = (data(&[(1, 2)]), data(&[(1, 2), (1, 5)]));
        let open = |from: &NumericColumnData, to: &NumericColumnData| {
            RangeColumns::open((from.bytes.clone().into(), to.bytes.clone().into()), None, 1)
        };
        assert!(open(&one.from, &two.to).is_err());
        assert!(open(&one.to, &one.from).unwrap().verify().is_err());
        assert!(open(&two.from, &two.to).unwrap().verify().is_ok());
    }
}
