//! Russian: case, then the end of the stem. After Dolamic and Savoy, "Indexing and searching strategies for the Russian language"
//! (2009).

use super::super::rules::{Rule, first, rule};

const CASES: [Rule; 4] = [
    rule(6, &["иями", "оями"], 4, ""),
    rule(
        5,
        &["иям", "иях", "оях", "ями", "оям", "оьв", "ами", "его", "ему", "ери", "ими", "ого", "ому", "ыми", "оев"],
        3,
        "",
    ),
    rule(
        4,
        &[
            "ая", "яя", "ях", "юю", "ах", "ею", "их", "ия", "ию", "ьв", "ою", "ую", "ям", "ых", "ея", "ам", "ем", "ей",
            "ём", "ев", "ий", "им", "ое", "ой", "ом", "ов", "ые", "ый", "ым", "ми",
        ],
        2,
        "",
    ),
    rule(3, &["а", "е", "и", "о", "у", "й", "ы", "я", "ь"], 1, ""),
];
const STEM_ENDS: [Rule; 1] = [rule(3, &["ь", "и", "нн"], 1, "")];

pub fn stem(word: &mut Vec<char>) {
    first(word, &CASES);
    first(word, &STEM_ENDS);
}
