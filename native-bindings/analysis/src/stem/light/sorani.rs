//! Sorani (Central Kurdish): postposition, possessive, then article, number and ezafe.

use super::super::rules::{Rule, first, rule};

const POSTPOSITIONS: [Rule; 3] = [rule(5, &["دا"], 2, ""), rule(4, &["نا"], 1, ""), rule(6, &["ەوە"], 3, "")];
const POSSESSIVES: [Rule; 1] = [rule(6, &["مان", "یان", "تان"], 3, "")];
const ARTICLES: [Rule; 18] = [
    rule(6, &["ێکی"], 3, ""),
    rule(7, &["یەکی"], 4, ""),
    rule(5, &["ێک"], 2, ""),
    rule(6, &["یەک"], 3, ""),
    rule(6, &["ەکە"], 3, ""),
    rule(5, &["کە"], 2, ""),
    rule(7, &["ەکان"], 4, ""),
    rule(6, &["کان"], 3, ""),
    rule(7, &["یانی"], 4, ""),
    rule(6, &["انی"], 3, ""),
    rule(6, &["یان"], 3, ""),
    rule(5, &["ان"], 2, ""),
    rule(7, &["یانە"], 4, ""),
    rule(6, &["انە"], 3, ""),
    rule(5, &["ایە"], 2, ""),
    rule(5, &["ەیە"], 2, ""),
    rule(4, &["ە"], 1, ""),
    rule(4, &["ی"], 1, ""),
];

pub fn stem(word: &mut Vec<char>) {
    first(word, &POSTPOSITIONS);
    first(word, &POSSESSIVES);
    first(word, &ARTICLES);
}
