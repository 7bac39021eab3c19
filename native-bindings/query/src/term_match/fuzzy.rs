//! Terms within an edit distance of a text: Damerau-Levenshtein in the restricted form (a transposed pair of neighbours is
//! one edit and is not edited again), as Lucene's automata accept it; without transpositions, Levenshtein.
//!
//! The terms of a dictionary come sorted, so the rows of the distance table that belong to the prefix shared with the
//! term before are kept, and after a term that is too far away they tell which is the least that may not be.

/// Finds terms near a text.
#[derive(Debug, Clone)]
pub struct FuzzyMatcher {
    text: Vec<char>,
    edits: u8,
    transpositions: bool,
    prefix: Vec<u8>,
    /// Rows of the distance table, one after the other: the distance of the first `row` characters of the current term to the
    /// first `column` of the text, where these numbers are no further apart than the edits allowed. Larger distances are one
    /// above these.
    rows: Vec<u8>,
    current: Vec<char>,
    /// The first so many characters of the current term are further away than the edits allowed, whatever follows.
    dead: Option<usize>,
}

/// Where the terms behind one that was refused may be near again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextNear {
    /// Right behind it.
    Anywhere,
    /// At this text or above.
    From(Vec<u8>),
    Nowhere,
}

/// How a term may end: with one character, and a piece of the text that is looked for.
#[derive(Debug, Clone, Copy, Default)]
struct End<'a> {
    first: Option<char>,
    rest: &'a [char],
}

impl End<'_> {
    fn characters(&self) -> impl Iterator<Item = char> {
        self.first.into_iter().chain(self.rest.iter().copied())
    }
}

impl FuzzyMatcher {
    /// `edits` are 2 at most: see the parsers of `fuzziness`. The first `prefix_length` characters must be equal; they count towards the length of the text but take no edits.
    pub fn new(text: &str, edits: u8, prefix_length: u32, transpositions: bool) -> Self {
        let text: Vec<char> = text.chars().collect();
        let exact = if edits == 0 { text.len() } else { (prefix_length as usize).min(text.len()) };
        let prefix = text[..exact].iter().collect::<String>().into_bytes();
        let mut matcher =
            FuzzyMatcher { text, edits, transpositions, prefix, rows: Vec::new(), current: Vec::new(), dead: None };
        matcher.push_row(0);
        matcher
    }

    pub fn literal_prefix(&self) -> &[u8] {
        &self.prefix
    }

    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    pub fn edits(&self) -> u8 {
        self.edits
    }

    /// After a term that was refused, and once: which of the terms above it come next.
    pub fn next_near(&mut self) -> NextNear {
        let Some(dead) = self.dead.take() else { return NextNear::Anywhere };
        // The beginning of the term is left where it was given up, then one character before that, and so on.
        for place in (0..dead).rev() {
            let passed = self.current[place];
            self.current.truncate(place);
            let end = if self.takes_any(place) {
                let Some(next) = (passed..=char::MAX).nth(1) else { continue };
                self.enter(next);
                if self.takes_any(place + 1) { Some(End::default()) } else { self.least_end(None) }
            } else {
                self.least_end(Some(passed))
            };
            if let Some(end) = end {
                let least: String = self.current.iter().copied().chain(end.characters()).collect();
                return NextNear::From(least.into_bytes());
            }
        }
        NextNear::Nowhere
    }

    /// Whether edits are left behind so many characters: then any character may follow.
    fn takes_any(&self, row: usize) -> bool {
        self.row(row).iter().any(|&cell| cell < self.edits)
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.rows[row * self.width()..][..self.width()]
    }

    /// Appends a character to the current beginning, and its row in the place of those that were behind.
    fn enter(&mut self, character: char) {
        self.current.push(character);
        self.rows.truncate(self.current.len() * self.width());
        self.push_row(self.current.len());
    }

    /// The least text that makes the current beginning, which took all edits, near; only those whose first character is above
    /// another one, where one is given. They are ends of the own text, or begin with the second of a transposed pair.
    fn least_end(&self, above: Option<char>) -> Option<End<'_>> {
        let row = self.current.len();
        let ends = self.columns(row, self.edits).map(|column| End { first: None, rest: &self.text[column..] });
        let transposed = self.current.last().filter(|_| self.transpositions && self.edits > 0).map(|last| {
            let pairs = self.columns(row - 1, self.edits - 1);
            pairs.filter_map(move |column| match &self.text[column..] {
                [first, second, rest @ ..] if second == last => Some(End { first: Some(*first), rest }),
                _ => None,
            })
        });
        let is_above =
            |end: &End<'_>| above.is_none_or(|above| end.characters().next().is_some_and(|first| first > above));
        let all = ends.chain(transposed.into_iter().flatten());
        all.filter(is_above).min_by(|left, right| left.characters().cmp(right.characters()))
    }

    /// Columns of a row whose distance is so small at most.
    fn columns(&self, row: usize, distance: u8) -> impl Iterator<Item = usize> {
        let near = self.row(row).iter().enumerate().filter(move |(_, cell)| **cell <= distance);
        near.filter_map(move |(place, _)| (row + place).checked_sub(self.edits.into()))
            .filter(|&column| column <= self.text.len())
    }

    /// `1 - edits / length of the shorter` for a term near enough.
    pub fn weigh(&mut self, term: &[u8]) -> Option<f32> {
        self.dead = None;
        let edits = self.distance(std::str::from_utf8(term).ok()?)?;
        let shorter = self.current.len().min(self.text.len());
        Some(if edits == 0 { 1.0 } else { 1.0 - f32::from(edits) / shorter as f32 })
    }

    /// The distance where it is within the edits allowed.
    fn distance(&mut self, term: &str) -> Option<u8> {
        let shared = self.current.iter().copied().zip(term.chars()).take_while(|(old, new)| old == new).count();
        self.current.truncate(shared);
        self.current.extend(term.chars().skip(shared));
        // Rows of the shared prefix are still right, as many as were computed.
        self.rows.truncate((shared + 1) * self.width());
        loop {
            let last = &self.rows[self.rows.len() - self.width()..];
            let rows = self.rows.len() / self.width();
            if last.iter().all(|&cell| cell > self.edits) {
                self.dead = Some(rows - 1);
                return None;
            }
            if rows > self.current.len() {
                let place = (self.text.len() + usize::from(self.edits)).checked_sub(self.current.len())?;
                return last.get(place).copied().filter(|&distance| distance <= self.edits);
            }
            self.push_row(rows);
        }
    }

    /// Cells of a row: columns as many as the edits before its own number and as many behind it.
    fn width(&self) -> usize {
        2 * usize::from(self.edits) + 1
    }

    fn push_row(&mut self, row: usize) {
        let (width, start) = (self.width(), self.rows.len());
        let none = self.edits.saturating_add(1);
        for place in 0..width {
            let column = (row + place).checked_sub(usize::from(self.edits)).filter(|&column| column <= self.text.len());
            let cell = match column {
                None => none,
                Some(column) if row == 0 || column == 0 => (row + column) as u8,
                Some(column) => {
                    let (wanted, found) = (self.text[column - 1], self.current[row - 1]);
                    let diagonal = self.rows[start - width + place] + u8::from(wanted != found);
                    let above = if place + 1 < width { self.rows[start - width + place + 1] + 1 } else { none };
                    let left = if place > 0 { self.rows[start + place - 1] + 1 } else { none };
                    let mut cell = diagonal.min(above).min(left);
                    if self.transpositions && row > 1 && column > 1 {
                        let swapped = wanted == self.current[row - 2] && self.text[column - 2] == found;
                        if swapped {
                            cell = cell.min(self.rows[start - 2 * width + place] + 1);
                        }
                    }
                    cell
                }
            };
            self.rows.push(cell.min(none));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(left: &[char], right: &[char], transpositions: bool) -> usize {
        let (Some((&a, left_rest)), Some((&b, right_rest))) = (left.split_last(), right.split_last()) else {
            return left.len().max(right.len());
        };
        let mut best = (naive(left_rest, right_rest, transpositions) + usize::from(a != b))
            .min(naive(left_rest, right, transpositions) + 1)
            .min(naive(left, right_rest, transpositions) + 1);
        if transpositions && left.len() > 1 && right.len() > 1 {
            let swapped = left[left.len() - 2] == b && right[right.len() - 2] == a;
            if swapped {
                let cut = naive(&left[..left.len() - 2], &right[..right.len() - 2], transpositions);
                best = best.min(cut + 1);
            }
        }
        best
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition_on_sorted_terms(
            text in "[abé]{1,5}",
            mut terms in proptest::collection::vec("[abé]{0,6}", 1..20),
            edits in 0..=2u8,
            transpositions: bool,
        ) {
            terms.sort();
            let characters: Vec<char> = text.chars().collect();
            let mut matcher = FuzzyMatcher::new(&text, edits, 0, transpositions);
            for term in &terms {
                let term_characters: Vec<char> = term.chars().collect();
                let expected = naive(&term_characters, &characters, transpositions);
                let found = matcher.distance(term).map(usize::from);
                prop_assert_eq!(found, (expected <= usize::from(edits)).then_some(expected), "{}", term);
            }
        }

        #[test]
        fn nothing_between_a_term_and_the_next_near_one_is_near(
            text in "[abé]{1,5}",
            mut terms in proptest::collection::vec("[abcéœ]{0,6}", 1..60),
            edits in 0..=2u8,
            transpositions: bool,
        ) {
            terms.sort();
            let mut matcher = FuzzyMatcher::new(&text, edits, 0, transpositions);
            let mut left = terms.as_slice();
            while let [term, behind @ ..] = left {
                left = behind;
                if matcher.weigh(term.as_bytes()).is_some() {
                    continue;
                }
                let passed = match matcher.next_near() {
                    NextNear::Anywhere => 0,
                    NextNear::From(least) => {
                        prop_assert!(least.as_slice() > term.as_bytes());
                        behind.partition_point(|other| other.as_bytes() < least.as_slice())
                    }
                    NextNear::Nowhere => behind.len(),
                };
                for other in &behind[..passed] {
                    let is_near = FuzzyMatcher::new(&text, edits, 0, transpositions).weigh(other.as_bytes()).is_some();
                    prop_assert!(!is_near, "{} after {}", other, term);
                }
                left = &behind[passed..];
            }
        }
    }
}
