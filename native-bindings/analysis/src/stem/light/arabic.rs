//! Arabic: articles and conjunctions from the front, then every listed ending that leaves two letters.
//! After Larkey, Ballesteros and Connell, "Light stemming for Arabic information retrieval" (2007).

use super::super::rules::ends_with;

const FRONTS: [&str; 7] = ["ال", "وال", "بال", "كال", "فال", "لل", "و"];
const ENDINGS: [&str; 10] = ["ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي"];
/// Letters that must be left.
const LEFT_MIN: usize = 2;

pub fn stem(word: &mut Vec<char>) {
    let front = FRONTS.iter().find_map(|front| {
        let length = front.chars().count();
        // A single letter is more often part of the word.
        let left_min = if length == 1 { LEFT_MIN + 1 } else { LEFT_MIN };
        (word.len() >= length + left_min && word.iter().copied().take(length).eq(front.chars())).then_some(length)
    });
    word.drain(..front.unwrap_or(0));
    for ending in ENDINGS {
        let length = ending.chars().count();
        if word.len() >= length + LEFT_MIN && ends_with(word, ending) {
            word.truncate(word.len() - length);
        }
    }
}
