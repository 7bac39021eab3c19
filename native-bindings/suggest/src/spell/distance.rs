//! How similar two words are, by the measures that requests can name: 1 for equal ones.

use crate::plan::StringDistance;

/// Code units of a word that are compared: the measures take the product of both lengths.
const UNITS_MAX: usize = 2_048;
/// Letters of a gram.
const GRAM: usize = 2;
/// From this similarity on Winkler's bonus for a common beginning counts.
const WINKLER_FROM: f32 = 0.7;

pub fn similarity(measure: StringDistance, left: &str, right: &str) -> f32 {
    let units = |text: &str| text.encode_utf16().take(UNITS_MAX).collect::<Vec<u16>>();
    match measure {
        StringDistance::Internal | StringDistance::DamerauLevenshtein => damerau_levenshtein(left, right),
        StringDistance::Levenshtein => levenshtein(&units(left), &units(right)),
        StringDistance::JaroWinkler => jaro_winkler(&units(left), &units(right)),
        StringDistance::Ngram => ngram(&units(left), &units(right)),
    }
}

/// Optimal string alignment over characters, by the shorter word.
fn damerau_levenshtein(left: &str, right: &str) -> f32 {
    let characters = |text: &str| text.chars().take(UNITS_MAX).collect::<Vec<char>>();
    let (left, right) = (characters(left), characters(right));
    if left.is_empty() || right.is_empty() {
        return if left.len() == right.len() { 0.0 } else { left.len().max(right.len()) as f32 };
    }
    let mut rows = vec![(0..=left.len()).collect::<Vec<usize>>()];
    for row in 1..=right.len() {
        let mut cells = vec![row];
        for column in 1..=left.len() {
            let cost = usize::from(left[column - 1] != right[row - 1]);
            let above = &rows[row - 1];
            let mut cell = (above[column] + 1).min(cells[column - 1] + 1).min(above[column - 1] + cost);
            let is_swap =
                row > 1 && column > 1 && left[column - 1] == right[row - 2] && left[column - 2] == right[row - 1];
            if is_swap {
                cell = cell.min(rows[row - 2][column - 2] + cost);
            }
            cells.push(cell);
        }
        rows.push(cells);
    }
    let edits = rows[right.len()][left.len()];
    1.0 - edits as f32 / left.len().min(right.len()) as f32
}

fn levenshtein(left: &[u16], right: &[u16]) -> f32 {
    if left.is_empty() || right.is_empty() {
        return f32::from(u8::from(left.len() == right.len()));
    }
    let mut above: Vec<usize> = (0..=left.len()).collect();
    for (row, unit) in right.iter().enumerate() {
        let mut cells = vec![row + 1];
        for column in 1..=left.len() {
            let cost = usize::from(left[column - 1] != *unit);
            cells.push((above[column] + 1).min(cells[column - 1] + 1).min(above[column - 1] + cost));
        }
        above = cells;
    }
    1.0 - above[left.len()] as f32 / left.len().max(right.len()) as f32
}

/// Winkler 1990.
fn jaro_winkler(left: &[u16], right: &[u16]) -> f32 {
    let (long, short) = if left.len() > right.len() { (left, right) } else { (right, left) };
    let range = (long.len() / 2).saturating_sub(1);
    let mut taken = vec![false; long.len()];
    let mut of_short = Vec::new();
    for (at, unit) in short.iter().enumerate() {
        let near = at.saturating_sub(range)..(at + range + 1).min(long.len());
        if let Some(place) = near.into_iter().find(|&place| !taken[place] && long[place] == *unit) {
            taken[place] = true;
            of_short.push(*unit);
        }
    }
    if of_short.is_empty() {
        return 0.0;
    }
    let of_long = long.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(unit, _)| unit);
    let swapped = of_short.iter().zip(of_long).filter(|(a, b)| a != b).count() / 2;
    let prefix = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let matches = of_short.len() as f32;
    let jaro =
        (matches / left.len() as f32 + matches / right.len() as f32 + (matches - swapped as f32) / matches) / 3.0;
    if jaro < WINKLER_FROM { jaro } else { jaro + (1.0 / long.len() as f32).min(0.1) * prefix as f32 * (1.0 - jaro) }
}

/// Kondrak 2005, with grams of two letters.
fn ngram(left: &[u16], right: &[u16]) -> f32 {
    if left.is_empty() || right.is_empty() {
        return f32::from(u8::from(left.len() == right.len()));
    }
    let longer = left.len().max(right.len()) as f32;
    if left.len() < GRAM || right.len() < GRAM {
        return left.iter().zip(right).filter(|(a, b)| a == b).count() as f32 / longer;
    }
    let padded = |text: &[u16]| [&[0; GRAM - 1], text].concat();
    let (left_grams, right_grams) = (padded(left), padded(right));
    let mut above: Vec<f32> = (0..=left.len()).map(|column| column as f32).collect();
    for (row, wanted) in right_grams.windows(GRAM).enumerate() {
        let mut cells = vec![row as f32 + 1.0];
        for (column, gram) in left_grams.windows(GRAM).enumerate() {
            let different = gram.iter().zip(wanted).filter(|(a, b)| a != b).count();
            let padding = gram.iter().zip(wanted).filter(|(a, b)| a == b && **a == 0).count();
            let cost = different as f32 / (GRAM - padding) as f32;
            cells.push((cells[column] + 1.0).min(above[column + 1] + 1.0).min(above[column] + cost));
        }
        above = cells;
    }
    1.0 - above[left.len()] / longer
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [StringDistance; 4] = [
        StringDistance::DamerauLevenshtein,
        StringDistance::Levenshtein,
        StringDistance::JaroWinkler,
        StringDistance::Ngram,
    ];

    fn close(measure: StringDistance, left: &str, right: &str, expected: f32) {
        let found = similarity(measure, left, right);
        assert!((found - expected).abs() < 5e-4, "{measure:?} of {left} and {right}: {found}");
    }

    #[test]
    fn measures_agree_with_published_figures() {
        close(StringDistance::JaroWinkler, "martha", "marhta", 0.9611);
        close(StringDistance::JaroWinkler, "dwayne", "duane", 0.84);
        close(StringDistance::JaroWinkler, "dixon", "dicksonx", 0.8133);
        close(StringDistance::Levenshtein, "kitten", "sitting", 1.0 - 3.0 / 7.0);
        close(StringDistance::DamerauLevenshtein, "amsterdma", "amsterdam", 1.0 - 1.0 / 9.0);
        close(StringDistance::Ngram, "abc", "abd", 1.0 - 0.5 / 3.0);
    }

    proptest! {
        #[test]
        fn equal_words_are_as_similar_as_can_be(word in "[a-cé😀]{1,8}", other in "[a-cé😀]{1,8}") {
            for measure in ALL {
                prop_assert_eq!(similarity(measure, &word, &word), 1.0);
                prop_assert!(similarity(measure, &word, &other) <= 1.0);
            }
        }
    }
}
