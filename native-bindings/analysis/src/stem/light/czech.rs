//! Czech: case, possessive, then the end of the stem. After Dolamic and Savoy, "Indexing and stemming approaches for the Czech
//! language" (2009).

use super::super::rules::{Rule, first, rule};

const CASES: [Rule; 5] = [
    rule(7, &["atech"], 5, ""),
    rule(6, &["ětem", "etem", "atům"], 4, ""),
    rule(
        5,
        &[
            "ech", "ich", "ích", "ého", "ěmi", "emi", "ému", "ěte", "ete", "ěti", "eti", "ího", "iho", "ími", "ímu",
            "imu", "ách", "ata", "aty", "ých", "ama", "ami", "ové", "ovi", "ými",
        ],
        3,
        "",
    ),
    rule(4, &["em", "es", "ém", "ím", "ům", "at", "ám", "os", "us", "ým", "mi", "ou"], 2, ""),
    rule(3, &["a", "e", "i", "o", "u", "ů", "y", "á", "é", "í", "ý", "ě"], 1, ""),
];
const POSSESSIVES: [Rule; 1] = [rule(5, &["ov", "in", "ův"], 2, "")];

pub fn stem(word: &mut Vec<char>) {
    first(word, &CASES);
    first(word, &POSSESSIVES);
    match word[..] {
        [.., 'č', 't'] => replace_end(word, 2, "ck"),
        [.., 'š', 't'] => replace_end(word, 2, "sk"),
        [.., 'c' | 'č'] => replace_end(word, 1, "k"),
        [.., 'z' | 'ž'] => replace_end(word, 1, "h"),
        [.., 'e', last] => replace_end(word, 2, last.encode_utf8(&mut [0; 4])),
        [_, .., 'ů', last] => {
            replace_end(word, 2, "o");
            word.push(last);
        }
        _ => {}
    }
}

fn replace_end(word: &mut Vec<char>, length: usize, end: &str) {
    word.truncate(word.len() - length);
    word.extend(end.chars());
}
