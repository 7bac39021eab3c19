//! `stemmer`, `snowball`, `porter_stem`, `stemmer_override`: words to their stems.

use crate::filter::{TermFilter, TokenFilter, wrong};
use crate::params::Params;
use crate::stem::light::{self, LightStemmer};
use crate::stem::{english, porter, porter2};
use crate::token::Token;
use quarry_base::error::Result;
use rust_stemmers::{Algorithm, Stemmer as SnowballStemmer};
use snowball_stemmers_rs::{Algorithm as LaterAlgorithm, Stemmer as LaterStemmer};
use std::collections::HashMap;

/// `stemmer`: `language` (or `name`) says which one.
pub fn stemmer_filter(params: &Params<'_>) -> Result<TokenFilter> {
    let language = params.text("language")?;
    let name = params.text("name")?;
    let language = language.or(name).unwrap_or_else(|| "porter".to_owned());
    named(params, &language.to_lowercase())
}

/// The forms of words in names that may be written together, as in `lightFrench`.
const PREFIXES: [&str; 3] = ["light", "minimal", "possessive"];

/// `snowball`: `language` is the name of a Snowball algorithm.
pub fn snowball_filter(params: &Params<'_>) -> Result<TokenFilter> {
    let language = params.text("language")?;
    let name = params.text("name")?;
    let language = language.or(name).unwrap_or_else(|| "English".to_owned());
    let stem = match language.as_str() {
        "English" => return Ok(TokenFilter::term(Stem::Porter2)),
        "Porter" => return Ok(TokenFilter::term(Stem::Porter)),
        other => snowball_stemmer(&other.to_lowercase()),
    };
    let stem = stem.ok_or_else(|| {
        wrong(format!("filter [{}]: the Snowball language [{language}] is not supported", params.name))
    })?;
    Ok(TokenFilter::term(stem))
}

/// The stemmers by the names that the `stemmer` filter knows.
pub fn named(params: &Params<'_>, language: &str) -> Result<TokenFilter> {
    let language = &with_underscore(language);
    Ok(TokenFilter::term(match language.as_str() {
        "english" | "porter" => Stem::Porter,
        "porter2" => Stem::Porter2,
        "minimal_english" => Stem::MinimalEnglish,
        "possessive_english" => return Ok(TokenFilter::term(PossessiveEnglish)),
        other => match any_stemmer(other) {
            Some(stem) => stem,
            None => {
                return Err(wrong(format!("filter [{}]: the stemmer [{language}] is not supported", params.name)));
            }
        },
    }))
}

fn with_underscore(language: &str) -> String {
    let parts = PREFIXES.iter().find_map(|prefix| Some((prefix, language.strip_prefix(prefix)?)));
    match parts {
        // Misspelled in the reference from the beginning.
        Some((prefix, "finish" | "_finish")) => format!("{prefix}_finnish"),
        Some((prefix, rest)) if !rest.starts_with('_') => format!("{prefix}_{rest}"),
        _ => language.to_owned(),
    }
}

fn any_stemmer(language: &str) -> Option<Stem> {
    if language == "greek" {
        return Some(Stem::Later(Later { shortest: GREEK_SHORTEST, ..Later::new(LaterAlgorithm::Greek) }));
    }
    light::named(language).map(Stem::Light).or_else(|| snowball_stemmer(language))
}

fn snowball_stemmer(language: &str) -> Option<Stem> {
    let later = || later_algorithm(language).map(|algorithm| Stem::Later(Later::new(algorithm)));
    snowball_algorithm(language).map(|algorithm| Stem::Snowball(Snowball::new(algorithm))).or_else(later)
}

/// Algorithms that are younger than the collection that the API's own are from, or changed since.
fn later_algorithm(language: &str) -> Option<LaterAlgorithm> {
    Some(match language {
        "arabic" => LaterAlgorithm::Arabic,
        "armenian" => LaterAlgorithm::Armenian,
        "basque" => LaterAlgorithm::Basque,
        "catalan" => LaterAlgorithm::Catalan,
        "dutch_kp" => LaterAlgorithm::Dutch,
        "estonian" => LaterAlgorithm::Estonian,
        "german2" => LaterAlgorithm::German,
        "greek" => LaterAlgorithm::Greek,
        "hindi" => LaterAlgorithm::Hindi,
        "indonesian" => LaterAlgorithm::Indonesian,
        "irish" => LaterAlgorithm::Irish,
        "lithuanian" => LaterAlgorithm::Lithuanian,
        "lovins" => LaterAlgorithm::Lovins,
        "nepali" => LaterAlgorithm::Nepali,
        "serbian" => LaterAlgorithm::Serbian,
        "yiddish" => LaterAlgorithm::Yiddish,
        _ => return None,
    })
}

/// The languages whose stemmer is the Snowball algorithm of that name, both in `stemmer` and in `snowball`.
fn snowball_algorithm(language: &str) -> Option<Algorithm> {
    Some(match language {
        "danish" => Algorithm::Danish,
        "dutch" => Algorithm::Dutch,
        "finnish" => Algorithm::Finnish,
        "french" => Algorithm::French,
        "german" => Algorithm::German,
        "hungarian" => Algorithm::Hungarian,
        "italian" => Algorithm::Italian,
        "norwegian" => Algorithm::Norwegian,
        "portuguese" => Algorithm::Portuguese,
        "romanian" => Algorithm::Romanian,
        "russian" => Algorithm::Russian,
        "spanish" => Algorithm::Spanish,
        "swedish" => Algorithm::Swedish,
        "tamil" => Algorithm::Tamil,
        "turkish" => Algorithm::Turkish,
        _ => return None,
    })
}

/// A stemmer of the `rust-stemmers` crate, which does not describe itself.
pub struct Snowball {
    stemmer: SnowballStemmer,
}

impl Snowball {
    fn new(algorithm: Algorithm) -> Self {
        Snowball { stemmer: SnowballStemmer::create(algorithm) }
    }
}

impl std::fmt::Debug for Snowball {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Snowball")
    }
}

/// Letters of the shortest word that the stemmer `greek` changes; the Snowball algorithm, otherwise the same, changes shorter
/// ones.
const GREEK_SHORTEST: usize = 4;

/// A stemmer of the `snowball_stemmers_rs` crate.
pub struct Later {
    stemmer: LaterStemmer,
    /// Words of fewer characters stay as they are.
    shortest: usize,
}

impl Later {
    fn new(algorithm: LaterAlgorithm) -> Self {
        Later { stemmer: LaterStemmer::create(algorithm), shortest: 0 }
    }

    fn stem(&self, token: &mut Token) {
        if self.shortest == 0 || token.text().chars().count() >= self.shortest {
            let stemmed = self.stemmer.stem(token.text()).into_owned();
            token.set_text(&stemmed);
        }
    }
}

impl std::fmt::Debug for Later {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Snowball")
    }
}

/// Stemmers leave tokens alone that are marked as keywords.
#[derive(Debug)]
pub enum Stem {
    Porter,
    Porter2,
    MinimalEnglish,
    Snowball(Snowball),
    Later(Later),
    Light(LightStemmer),
}

impl TermFilter for Stem {
    fn apply(&self, token: &mut Token) -> bool {
        if token.keyword {
            return true;
        }
        match self {
            Stem::Porter => porter::stem(&mut token.term),
            Stem::Porter2 => porter2::stem(&mut token.term),
            Stem::MinimalEnglish => english::minimal(&mut token.term),
            Stem::Snowball(snowball) => {
                let stemmed = snowball.stemmer.stem(token.text()).into_owned();
                token.set_text(&stemmed);
            }
            Stem::Later(later) => later.stem(token),
            Stem::Light(stem) => {
                let mut word: Vec<char> = token.text().chars().collect();
                stem(&mut word);
                let stemmed: String = word.into_iter().collect();
                token.set_text(&stemmed);
            }
        }
        true
    }

    fn knows_keywords(&self) -> bool {
        true
    }
}

/// Removes a trailing `'s`.
#[derive(Debug)]
pub struct PossessiveEnglish;

impl TermFilter for PossessiveEnglish {
    fn apply(&self, token: &mut Token) -> bool {
        english::without_possessive(&mut token.term);
        true
    }
}

/// `stemmer_override`: stems given as rules; such tokens become keywords.
#[derive(Debug)]
pub struct Override {
    stems: HashMap<String, String>,
}

impl Override {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("rules_path")?;
        let rules = params
            .list("rules")?
            .ok_or_else(|| wrong("stemmer override filter requires either `rules` or `rules_path` to be configured"))?;
        let mut stems = HashMap::new();
        for rule in &rules {
            let invalid = || wrong(format!("Invalid Keyword Override Rule:{rule}"));
            let (words, stem) = rule.split_once("=>").ok_or_else(invalid)?;
            let stem = stem.trim();
            if stem.is_empty() || stem.contains("=>") || stem.contains(',') {
                return Err(invalid());
            }
            for word in words.split(',').map(str::trim) {
                if word.is_empty() {
                    return Err(invalid());
                }
                stems.insert(word.to_owned(), stem.to_owned());
            }
        }
        Ok(Override { stems })
    }
}

impl TermFilter for Override {
    fn apply(&self, token: &mut Token) -> bool {
        if !token.keyword
            && let Some(stem) = self.stems.get(token.text())
        {
            token.set_text(stem);
            token.keyword = true;
        }
        true
    }

    fn knows_keywords(&self) -> bool {
        true
    }
}
