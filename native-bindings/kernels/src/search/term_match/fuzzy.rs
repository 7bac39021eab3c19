//! Terms within an edit distance of a text: Damerau-Levenshtein in the restricted form (a transposed pair of neighbours is
//! one edit and is not edited again), as Lucene's automata accept it; without transpositions, Levenshtein.
//!
//! The terms of a dictionary come sorted, so the rows of the distance table that belong to the prefix shared with the
//! term before are kept.

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

    /// After a term that is too far away: so many bytes of it already are, whatever follows them. `None` where more may bring a term nearer.
    pub fn dead_prefix(&self) -> Option<usize> {
        Some(self.current[..self.dead?].iter().map(|character| character.len_utf8()).sum())
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
        fn nothing_that_begins_with_a_dead_prefix_is_near(
            text in "[abé]{1,5}",
            terms in proptest::collection::vec("[abé]{0,6}", 1..20),
            end in "[abé]{0,4}",
            edits in 0..=2u8,
            transpositions: bool,
        ) {
            let mut matcher = FuzzyMatcher::new(&text, edits, 0, transpositions);
            for term in &terms {
                let found = matcher.weigh(term.as_bytes());
                let Some(length) = matcher.dead_prefix() else { continue };
                prop_assert!(found.is_none());
                let other = format!("{}{end}", &term[..length]);
                prop_assert!(matcher.clone().weigh(other.as_bytes()).is_none(), "{} after {}", other, term);
            }
        }
    }
}
