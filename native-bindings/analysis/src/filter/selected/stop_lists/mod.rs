//! Lists of words that say little, by language.
//!
//! The lists are those of Lucene where a package has them, or has one that differs by some tens of words: these are
//! then named in [`differences`]. Lists of which no package comes as near are the nearest that there is.

mod differences;
#[cfg(test)]
mod tests;

use differences::DIFFERENCES;
use std::collections::BTreeSet;
use stopwords::{Language, NLTK, Spark, Stopwords};
use yake_rust::StopWords as Yake;

/// Lucene's list.
const ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];
/// What Lucene adds to it for texts that mix scripts.
const BESIDE_CJK: [&str; 3] = ["s", "t", "www"];

/// The collection that has a language's list, and what the language is called there.
#[derive(Clone, Copy)]
enum Source {
    /// Stopwords ISO, by code of ISO 639; a few of its entries are two words, which no word equals.
    Iso(&'static str),
    /// Snowball's lists, as Spark has them.
    Snowball(Language),
    /// NLTK's list of Greek holds the ancient language's words too: with accents, in letters that no list of today's needs.
    PlainGreek,
    /// The lists of the keyword extractor YAKE, by code of ISO 639.
    Yake(&'static str),
    /// Such a list whose letters with a cedilla stand for letters with a comma as well, which people write for each other.
    YakeRomanian,
}

use Source::{Iso, PlainGreek, Snowball, YakeRomanian};

const SOURCES: [(&str, Source); 33] = [
    ("arabic", Source::Yake("ar")),
    ("armenian", Iso("hy")),
    ("basque", Iso("eu")),
    ("bengali", Iso("bn")),
    ("brazilian", Snowball(Language::Portuguese)),
    ("bulgarian", Iso("bg")),
    ("catalan", Iso("ca")),
    ("czech", Iso("cs")),
    ("danish", Snowball(Language::Danish)),
    ("dutch", Snowball(Language::Dutch)),
    ("estonian", Iso("et")),
    ("finnish", Snowball(Language::Finnish)),
    ("french", Snowball(Language::French)),
    ("galician", Iso("gl")),
    ("german", Snowball(Language::German)),
    ("greek", PlainGreek),
    ("hindi", Iso("hi")),
    ("hungarian", Snowball(Language::Hungarian)),
    ("indonesian", Source::Yake("id")),
    ("irish", Iso("ga")),
    ("italian", Snowball(Language::Italian)),
    ("latvian", Iso("lv")),
    ("lithuanian", Iso("lt")),
    ("norwegian", Snowball(Language::Norwegian)),
    ("persian", Source::Yake("fa")),
    ("portuguese", Snowball(Language::Portuguese)),
    ("romanian", YakeRomanian),
    ("russian", Snowball(Language::Russian)),
    ("sorani", Iso("ku")),
    ("spanish", Snowball(Language::Spanish)),
    ("swedish", Snowball(Language::Swedish)),
    ("thai", Iso("th")),
    ("turkish", Source::Yake("tr")),
];

/// The words of a language, sorted; `None` when there is no list for it.
pub fn of(language: &str) -> Option<BTreeSet<String>> {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<BTreeSet<String>>();
    match language {
        "english" => Some(owned(&ENGLISH)),
        "cjk" => Some(owned(&[&ENGLISH[..], &BESIDE_CJK].concat())),
        _ => {
            let (_, source) = SOURCES.iter().find(|(name, _)| *name == language)?;
            let mut words = source.words()?;
            if let Some(difference) = DIFFERENCES.iter().find(|difference| difference.language == language) {
                difference.excess.split_whitespace().for_each(|word| {
                    words.remove(word);
                });
                words.extend(difference.missing.split_whitespace().map(str::to_owned));
            }
            Some(words)
        }
    }
}

impl Source {
    fn words(self) -> Option<BTreeSet<String>> {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        match self {
            Iso(code) => Some(owned(&single_words(stop_words::lookup(code)?))),
            Snowball(language) => Spark::stopwords(language).map(owned),
            PlainGreek => {
                let is_plain = |word: &&&str| word.chars().all(|letter| matches!(letter, 'α'..='ω'));
                Some(NLTK::stopwords(Language::Greek)?.iter().filter(is_plain).map(|&word| word.to_owned()).collect())
            }
            Source::Yake(code) => yake(code),
            YakeRomanian => {
                let mut words = yake("ro")?;
                let with_commas: Vec<String> =
                    words.iter().map(|word| word.replace('ş', "ș").replace('ţ', "ț")).collect();
                words.extend(with_commas);
                Some(words)
            }
        }
    }
}

fn single_words<'a>(entries: &[&'a str]) -> Vec<&'a str> {
    entries.iter().copied().filter(|entry| !entry.contains(' ')).collect()
}

/// Some of these lists begin with remarks.
fn yake(code: &str) -> Option<BTreeSet<String>> {
    let is_word = |line: &&String| !line.is_empty() && !line.starts_with('#');
    Some(Yake::predefined(code)?.iter().filter(is_word).cloned().collect())
}
