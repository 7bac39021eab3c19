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
    /// `rows[i][j]`: distance of the first `i` characters of the current term to the first `j` of the text.
    rows: Vec<Vec<u8>>,
    current: Vec<char>,
}

impl FuzzyMatcher {
    /// The first `prefix_length` characters must be equal; they count towards the length of the text but take no edits.
    pub fn new(text: &str, edits: u8, prefix_length: u32, transpositions: bool) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let exact = if edits == 0 { characters.len() } else { (prefix_length as usize).min(characters.len()) };
        let prefix = characters[..exact].iter().collect::<String>().into_bytes();
        let first_row = (0..=characters.len()).map(|column| column.min(u8::MAX as usize) as u8).collect();
        FuzzyMatcher { text: characters, edits, transpositions, prefix, rows: vec![first_row], current: Vec::new() }
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

    /// `1 - edits / length of the shorter` for a term near enough.
    pub fn weigh(&mut self, term: &[u8]) -> Option<f32> {
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
        self.rows.truncate(shared + 1);
        if self.current.len().abs_diff(self.text.len()) > usize::from(self.edits) {
            return None;
        }
        while self.rows.len() <= self.current.len() {
            if self.rows.last().is_none_or(|row| row.iter().all(|&cell| cell > self.edits)) {
                return None;
            }
            self.push_row();
        }
        let distance = *self.rows.last()?.last()?;
        (distance <= self.edits).then_some(distance)
    }

    fn push_row(&mut self) {
        let row = self.rows.len();
        let character = self.current[row - 1];
        let above = &self.rows[row - 1];
        let mut cells = Vec::with_capacity(self.text.len() + 1);
        cells.push(row.min(u8::MAX as usize) as u8);
        for column in 1..=self.text.len() {
            let wanted = self.text[column - 1];
            let substituted = above[column - 1] + u8::from(wanted != character);
            let mut cell = substituted.min(above[column].saturating_add(1)).min(cells[column - 1].saturating_add(1));
            if self.transpositions && row > 1 && column > 1 {
                let swapped = wanted == self.current[row - 2] && self.text[column - 2] == character;
                if swapped {
                    cell = cell.min(self.rows[row - 2][column - 2].saturating_add(1));
                }
            }
            cells.push(cell);
        }
        self.rows.push(cells);
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
    }
}
