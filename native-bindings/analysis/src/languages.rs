//! The analyzers of languages: each the same few steps in its own order, as Lucene's analyzers have them.

use super::builtin::{Parts, tokenizer_named};
use super::filter::selected::stop::WordSet;
use super::filter::selected::stop_lists;
use super::params::Params;
use quarry_base::error::{Error, Result};
use serde_json::json;

/// One step of a language's chain.
#[derive(Clone, Copy)]
enum Step {
    /// A filter that needs no settings.
    Filter(&'static str),
    /// `lowercase` as the language does it.
    Lowercase(&'static str),
    Elision(&'static [&'static str]),
    /// Stems that a rule would get wrong.
    Override(&'static [&'static str]),
    /// Words that are no words of their own, beside the list.
    NoWords(&'static [&'static str]),
    Stop,
    /// `stem_exclusion`.
    Excluded,
    Stem(&'static str),
}

use Step::{Elision, Excluded, Filter, Lowercase, NoWords, Override, Stem, Stop};

const LOWER: Step = Filter("lowercase");
const DIGITS: Step = Filter("decimal_digit");

/// Most languages: lower case, no stop words, a stemmer.
const fn plain(stemmer: &'static str) -> [Step; 4] {
    [LOWER, Stop, Excluded, Stem(stemmer)]
}

const CATALAN: &[&str] = &["d", "l", "m", "n", "s", "t"];
const FRENCH: &[&str] = &["l", "m", "t", "qu", "n", "s", "j", "d", "c", "jusqu", "quoiqu", "lorsqu", "puisqu"];
const IRISH: &[&str] = &["d", "m", "b"];
const ITALIAN: &[&str] = &[
    "c", "l", "all", "dall", "dell", "nell", "sull", "coll", "pell", "gl", "agl", "dagl", "degl", "negl", "sugl", "un",
    "m", "t", "s", "v", "d",
];
const DUTCH: &[&str] = &["fiets=>fiets", "bromfiets=>bromfiets", "ei=>eier", "kind=>kinder"];

const LANGUAGES: [(&str, &[Step]); 34] = [
    ("arabic", &[LOWER, DIGITS, Stop, Filter("arabic_normalization"), Excluded, Stem("arabic")]),
    ("armenian", &plain("armenian")),
    ("basque", &plain("basque")),
    (
        "bengali",
        &[
            LOWER,
            DIGITS,
            Excluded,
            Filter("indic_normalization"),
            Filter("bengali_normalization"),
            Stop,
            Stem("bengali"),
        ],
    ),
    ("brazilian", &plain("brazilian")),
    ("bulgarian", &plain("bulgarian")),
    ("catalan", &[Elision(CATALAN), LOWER, Stop, Excluded, Stem("catalan")]),
    ("cjk", &[Filter("cjk_width"), LOWER, Filter("cjk_bigram"), Stop]),
    ("czech", &plain("czech")),
    ("danish", &plain("danish")),
    ("dutch", &[LOWER, Stop, Excluded, Override(DUTCH), Stem("dutch")]),
    ("estonian", &plain("estonian")),
    ("finnish", &plain("finnish")),
    ("french", &[Elision(FRENCH), LOWER, Stop, Excluded, Stem("light_french")]),
    ("galician", &plain("galician")),
    ("german", &[LOWER, Stop, Excluded, Filter("german_normalization"), Stem("light_german")]),
    ("greek", &[Lowercase("greek"), Stop, Excluded, Stem("greek")]),
    (
        "hindi",
        &[LOWER, DIGITS, Excluded, Filter("indic_normalization"), Filter("hindi_normalization"), Stop, Stem("hindi")],
    ),
    ("hungarian", &plain("hungarian")),
    ("indonesian", &plain("indonesian")),
    ("irish", &[NoWords(&["h", "n", "t"]), Elision(IRISH), Lowercase("irish"), Stop, Excluded, Stem("irish")]),
    ("italian", &[Elision(ITALIAN), LOWER, Stop, Excluded, Stem("light_italian")]),
    ("latvian", &plain("latvian")),
    ("lithuanian", &plain("lithuanian")),
    ("norwegian", &plain("norwegian")),
    ("persian", &[LOWER, DIGITS, Filter("arabic_normalization"), Filter("persian_normalization"), Stop]),
    ("portuguese", &plain("light_portuguese")),
    ("romanian", &plain("romanian")),
    ("russian", &plain("russian")),
    ("sorani", &[Filter("sorani_normalization"), LOWER, DIGITS, Stop, Excluded, Stem("sorani")]),
    ("spanish", &plain("light_spanish")),
    ("swedish", &plain("swedish")),
    ("thai", &[LOWER, DIGITS, Stop]),
    ("turkish", &[Filter("apostrophe"), Lowercase("turkish"), Stop, Excluded, Stem("turkish")]),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(name, _)| *name)
}

/// The chain of a language, with the settings `stopwords` and `stem_exclusion`; `None` when it is none.
pub fn build(language: &str, params: &Params<'_>) -> Result<Option<Parts>> {
    let Some((_, steps)) = LANGUAGES.iter().find(|(name, _)| *name == language) else { return Ok(None) };
    let tokenizer = if language == "thai" { "thai" } else { "standard" };
    let mut parts = Parts::new(tokenizer_named(tokenizer)?);
    for step in *steps {
        parts = match *step {
            Filter(kind) => parts.then(kind)?,
            Lowercase(language) => parts.then_with("lowercase", json!({"language": language}))?,
            Elision(articles) => parts.then_with("elision", json!({"articles": articles, "articles_case": true}))?,
            Override(rules) => parts.then_with("stemmer_override", json!({"rules": rules}))?,
            NoWords(words) => parts.then_with("stop", json!({"stopwords": words, "ignore_case": true}))?,
            Stop => stopped(parts, language, params)?,
            Excluded => parts.excluding(params)?,
            Stem(name) => parts.then_with("stemmer", json!({"language": name}))?,
        };
    }
    if language == "persian" {
        parts.char_filter("mapping", json!({"mappings": ["\\u200C=>\\u0020"]})).map(Some)
    } else {
        Ok(Some(parts))
    }
}

/// The language's list is brought into the form that words have by then; a list of the user's own is taken as it is.
fn stopped(parts: Parts, language: &str, params: &Params<'_>) -> Result<Parts> {
    params.refuse_path("stopwords_path")?;
    let words = match params.list("stopwords")? {
        Some(entries) => WordSet::new(entries, false)?,
        None => {
            let list = stop_lists::of(language)
                .ok_or_else(|| Error::internal(format!("there is no list of stop words for [{language}]")))?;
            WordSet::new(list.iter().map(|word| parts.applied_to(word)).collect(), false)?
        }
    };
    Ok(parts.then_stop(words))
}
