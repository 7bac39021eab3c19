//! Minimal intervals (Clarke, Cormack, Burkowski: "An algebra for structured text search", 1995) as lists: none contains
//! another, so that starts and ends both ascend. Combinations move through the lists as Lucene's iterators do.

/// Positions `start..=end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    pub start: i64,
    pub end: i64,
    /// Positions between the parts it was put together of.
    pub gaps: i64,
}

impl Interval {
    pub fn width(&self) -> i64 {
        self.end - self.start + 1
    }
}

/// A list and where its reader stands.
struct Reader<'l> {
    list: &'l [Interval],
    next: usize,
    /// `None` before the first and after the last one.
    current: Option<Interval>,
}

impl<'l> Reader<'l> {
    fn new(list: &'l [Interval]) -> Self {
        Reader { list, next: 0, current: None }
    }

    fn advance(&mut self) -> Option<Interval> {
        self.current = self.list.get(self.next).copied();
        self.next += 1;
        self.current
    }
}

/// One interval of each list, one behind the other: for each of the first list the ones that end soonest. Of those that
/// end together the last to start is the narrowest.
pub fn ordered(parts: &[Vec<Interval>]) -> Vec<Interval> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    let mut at = vec![0usize; others.len()];
    let mut found: Vec<Interval> = Vec::new();
    for head in first {
        let (mut end, mut widths) = (head.end, head.width());
        for (list, at) in others.iter().zip(&mut at) {
            *at += list[*at..].iter().take_while(|interval| interval.start <= end).count();
            let Some(next) = list.get(*at) else { return found };
            end = next.end;
            widths += next.width();
        }
        found.pop_if(|last| last.end == end);
        found.push(Interval { start: head.start, end, gaps: end - head.start + 1 - widths });
    }
    found
}

/// One interval of each list in any order; they may overlap.
pub fn unordered(parts: &[Vec<Interval>]) -> Vec<Interval> {
    let mut found = Vec::new();
    let mut readers: Vec<Reader<'_>> = parts.iter().map(|list| Reader::new(list)).collect();
    if readers.is_empty() || readers.iter_mut().any(|reader| reader.advance().is_none()) {
        return found;
    }
    let mut end = readers.iter().filter_map(|reader| reader.current).map(|part| part.end).max().unwrap_or(0);
    let mut is_exhausted = false;
    while !is_exhausted {
        // Minimized: the part that starts first moves on until it is the one that ends last, or the end moves.
        let mut best;
        loop {
            let (lead, top) = first_to_start(&readers);
            let widths: i64 = readers.iter().filter_map(|reader| reader.current).map(|part| part.width()).sum();
            best = Interval { start: top.start, end, gaps: end - top.start + 1 - widths };
            if top.end == end {
                break;
            }
            is_exhausted = advance(&mut readers, lead, &mut end);
            if is_exhausted || end != best.end {
                break;
            }
        }
        found.push(best);
        while !is_exhausted && first_to_start(&readers).1.start == best.start {
            let lead = first_to_start(&readers).0;
            is_exhausted = advance(&mut readers, lead, &mut end);
        }
    }
    found
}

/// Moves one reader on; `true` when its list is at its end.
fn advance(readers: &mut [Reader<'_>], place: usize, end: &mut i64) -> bool {
    match readers[place].advance() {
        Some(interval) => {
            *end = interval.end.max(*end);
            false
        }
        None => true,
    }
}

/// Of equal starts the one that ends last.
fn first_to_start(readers: &[Reader<'_>]) -> (usize, Interval) {
    let nothing = Interval { start: i64::MAX, end: i64::MAX, gaps: 0 };
    let current = |reader: &Reader<'_>| reader.current.unwrap_or(nothing);
    let places = readers.iter().map(current).enumerate();
    places.min_by_key(|(_, part)| (part.start, std::cmp::Reverse(part.end))).unwrap_or((0, nothing))
}

/// Intervals of any of the lists, without those that contain another.
pub fn any_of(parts: &[Vec<Interval>]) -> Vec<Interval> {
    let mut all: Vec<Interval> = parts.concat();
    // Of those that end together the shortest first; one that starts no later than its predecessor contains it.
    all.sort_by_key(|interval| (interval.end, std::cmp::Reverse(interval.start)));
    let mut last = i64::MIN;
    all.retain(|interval| {
        let is_minimal = interval.start > last;
        last = last.max(interval.start);
        is_minimal
    });
    all
}

/// Each right behind the one before.
pub fn block(parts: &[Vec<Interval>]) -> Vec<Interval> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    'heads: for head in first {
        let mut end = head.end;
        for list in others {
            let Some(next) = list.iter().find(|next| next.start == end + 1) else { continue 'heads };
            end = next.end;
        }
        found.push(Interval { start: head.start, end, gaps: 0 });
    }
    found
}

/// `count` intervals of one list, one after the other.
pub fn repeated(list: &[Interval], count: usize) -> Vec<Interval> {
    let whole = |run: &[Interval]| {
        let (first, last) = (run.first()?, run.last()?);
        let widths: i64 = run.iter().map(Interval::width).sum();
        Some(Interval { start: first.start, end: last.end, gaps: last.end - first.start + 1 - widths })
    };
    list.windows(count.max(1)).filter_map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(positions: &[i64]) -> Vec<Interval> {
        positions.iter().map(|&at| Interval { start: at, end: at, gaps: 0 }).collect()
    }

    fn places(intervals: &[Interval]) -> Vec<(i64, i64)> {
        intervals.iter().map(|interval| (interval.start, interval.end)).collect()
    }

    /// Every choice of one word from each list, as its span; those that contain no other.
    fn minimal(parts: &[Vec<i64>], in_order: bool) -> Vec<(i64, i64)> {
        let mut choices: Vec<Vec<i64>> = vec![Vec::new()];
        for part in parts {
            choices =
                choices.iter().flat_map(|choice| part.iter().map(|&at| [choice.as_slice(), &[at]].concat())).collect();
        }
        let fits = |choice: &&Vec<i64>| !in_order || choice.is_sorted_by(|a, b| a < b);
        let span = |choice: &Vec<i64>| (*choice.iter().min().unwrap(), *choice.iter().max().unwrap());
        let all: Vec<(i64, i64)> = choices.iter().filter(fits).map(span).collect();
        let is_minimal =
            |&&(start, end): &&(i64, i64)| !all.iter().any(|&(s, e)| s >= start && e <= end && (s, e) != (start, end));
        let mut minimal: Vec<(i64, i64)> = all.iter().filter(is_minimal).copied().collect();
        minimal.sort_unstable();
        minimal.dedup();
        minimal
    }

    proptest! {
        #[test]
        fn combinations_agree_with_the_definition(
            parts in prop::collection::vec(prop::collection::btree_set(0i64..14, 1..6), 2..4),
        ) {
            let parts: Vec<Vec<i64>> = parts.iter().map(|part| part.iter().copied().collect()).collect();
            let lists: Vec<Vec<Interval>> = parts.iter().map(|part| words(part)).collect();
            prop_assert_eq!(places(&ordered(&lists)), minimal(&parts, true));
            prop_assert_eq!(places(&unordered(&lists)), minimal(&parts, false));
        }
    }

    #[test]
    fn gaps_are_between_the_parts() {
        let found = ordered(&[words(&[1]), words(&[4]), words(&[5, 9])]);
        assert_eq!(found, [Interval { start: 1, end: 5, gaps: 2 }]);
        assert_eq!(unordered(&[words(&[7]), words(&[4])]), [Interval { start: 4, end: 7, gaps: 2 }]);
    }

    #[test]
    fn unions_blocks_and_repetitions() {
        let wide = vec![Interval { start: 0, end: 3, gaps: 0 }, Interval { start: 6, end: 8, gaps: 0 }];
        assert_eq!(places(&any_of(&[wide.clone(), words(&[2, 10])])), [(2, 2), (6, 8), (10, 10)]);
        assert_eq!(places(&block(&[words(&[1, 4, 5]), words(&[6, 2])])), [(1, 2), (5, 6)]);
        assert_eq!(places(&repeated(&words(&[1, 3, 4]), 2)), [(1, 3), (3, 4)]);
    }
}
