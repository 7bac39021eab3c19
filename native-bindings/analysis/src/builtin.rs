//! The analyzers that need no parts list: `standard`, `simple`, `whitespace`, `stop`, `keyword`, `english`, `pattern`,
//! `fingerprint`, `snowball`; those of languages; and the normalizer `lowercase`.

use super::ahead;
use super::chain::{Analyzer, Named, POSITION_INCREMENT_GAP};
use super::char_filter::{self, CharFilter};
use super::filter::selected::stop::{WordSet, from_words, stop_words};
use super::filter::{self, TokenFilter};
use super::languages;
use super::params::{Component, Params};
use super::registry::Limits;
use super::token::Token;
use super::tokenizer::{self, MAX_TOKEN_LENGTH_LIMIT, Pattern, Standard, Tokenizer};
use quarry_base::error::{Error, Result};
use quarry_base::limits::TOKEN_CHARS_MAX;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

const NAMES: [&str; 9] =
    ["standard", "simple", "whitespace", "stop", "keyword", "english", "pattern", "fingerprint", "snowball"];

/// The built-in analyzers with their default settings, by name.
pub fn analyzers() -> &'static HashMap<&'static str, Arc<Analyzer>> {
    static ANALYZERS: OnceLock<HashMap<&'static str, Arc<Analyzer>>> = OnceLock::new();
    ANALYZERS.get_or_init(|| {
        let default = |name: &'static str| {
            let built = build(name, name, &Map::new()).expect("built-in analyzers have valid defaults");
            (name, Arc::new(built.expect("every listed name is known")))
        };
        NAMES.into_iter().chain(languages::names()).map(default).collect()
    })
}

/// The built-in normalizer `lowercase`.
pub fn lowercase_normalizer() -> Result<Analyzer> {
    Parts::new(tokenizer_named("keyword")?).then("lowercase")?.named("lowercase")
}

/// Builds the analyzer of type `kind`; `None` when there is no such type.
pub fn build(kind: &str, name: &str, values: &Map<String, Value>) -> Result<Option<Analyzer>> {
    let params = Params::new(Component::Analyzer, name, values);
    let parts = match kind {
        "standard" => {
            let max = params.bounded("max_token_length", TOKEN_CHARS_MAX, 1, MAX_TOKEN_LENGTH_LIMIT)?;
            let stop = stop_words(&params, "_none_", false)?;
            Parts::new(Arc::new(Standard::with_max_token_length(max))).then("lowercase")?.then_stop(stop)
        }
        "simple" => Parts::new(tokenizer_named("letter")?).then("lowercase")?,
        "whitespace" => Parts::new(tokenizer_named("whitespace")?),
        "keyword" => Parts::new(tokenizer_named("keyword")?),
        "stop" => {
            let stop = stop_words(&params, "_english_", false)?;
            Parts::new(tokenizer_named("letter")?).then("lowercase")?.then_stop(stop)
        }
        "english" => english(&params)?,
        "pattern" => pattern(&params)?,
        "fingerprint" => fingerprint(&params)?,
        "snowball" => snowball(&params)?,
        language => match languages::build(language, &params)? {
            Some(parts) => parts,
            None => return Ok(None),
        },
    };
    params.finish()?;
    parts.named(name).map(Some)
}

/// The parts of Lucene's EnglishAnalyzer.
fn english(params: &Params<'_>) -> Result<Parts> {
    let stop = stop_words(params, "_english_", false)?;
    let parts = Parts::new(tokenizer_named("standard")?)
        .then_with("stemmer", json!({"language": "possessive_english"}))?
        .then("lowercase")?
        .then_stop(stop);
    parts.excluding(params)?.then("porter_stem")
}

fn pattern(params: &Params<'_>) -> Result<Parts> {
    let pattern = params.text("pattern")?.unwrap_or_else(|| r"\W+".to_owned());
    let regex = ahead::Pattern::compile(&pattern, params.text("flags")?.as_deref())?;
    let stop = stop_words(params, "_none_", false)?;
    let parts = Parts::new(Arc::new(Pattern::split(regex)));
    let parts = if params.flag("lowercase", true)? { parts.then("lowercase")? } else { parts };
    Ok(parts.then_stop(stop))
}

fn fingerprint(params: &Params<'_>) -> Result<Parts> {
    let stop = stop_words(params, "_none_", false)?;
    let mut settings = Map::new();
    for key in ["separator", "max_output_size"] {
        if let Some(value) = params.text(key)? {
            settings.insert(key.to_owned(), Value::String(value));
        }
    }
    Parts::new(tokenizer_named("standard")?)
        .then("lowercase")?
        .then("asciifolding")?
        .then_stop(stop)
        .then_with("fingerprint", Value::Object(settings))
}

fn snowball(params: &Params<'_>) -> Result<Parts> {
    let language = params.text("language")?.or(params.text("name")?).unwrap_or_else(|| "English".to_owned());
    let stop = stop_words(params, if language == "English" { "_english_" } else { "_none_" }, false)?;
    let parts = Parts::new(tokenizer_named("standard")?);
    let parts = match language.as_str() {
        "English" | "Porter" => parts.then_with("stemmer", json!({"language": "possessive_english"}))?,
        _ => parts,
    };
    parts.then("lowercase")?.then_stop(stop).then_with("snowball", json!({"language": language}))
}

/// A chain being put together.
pub struct Parts {
    char_filters: Vec<Named<dyn CharFilter>>,
    tokenizer: Arc<dyn Tokenizer>,
    filters: Vec<Named<TokenFilter>>,
}

impl Parts {
    pub fn new(tokenizer: Arc<dyn Tokenizer>) -> Self {
        Parts { char_filters: Vec::new(), tokenizer, filters: Vec::new() }
    }

    pub fn char_filter(mut self, kind: &str, settings: Value) -> Result<Self> {
        let settings = settings.as_object().cloned().unwrap_or_default();
        let built = char_filter::build(kind, kind, &settings)?;
        let filter = built.ok_or_else(|| Error::illegal_argument(format!("there is no char filter [{kind}]")))?;
        self.char_filters.push(Named::new(kind, filter.into()));
        Ok(self)
    }

    pub fn then(self, kind: &str) -> Result<Self> {
        self.then_with(kind, json!({}))
    }

    pub fn then_with(mut self, kind: &str, settings: Value) -> Result<Self> {
        let settings = settings.as_object().cloned().unwrap_or_default();
        let built = filter::build(kind, kind, &settings, &Limits::default())?;
        let filter = built.ok_or_else(|| Error::illegal_argument(format!("there is no filter [{kind}]")))?;
        self.filters.push(Named::new(kind, Arc::new(filter)));
        Ok(self)
    }

    pub fn then_stop(mut self, words: WordSet) -> Self {
        if !words.is_empty() {
            self.filters.push(Named::new("stop", Arc::new(from_words(words))));
        }
        self
    }

    /// The words of `stem_exclusion` are left alone from here on.
    pub fn excluding(self, params: &Params<'_>) -> Result<Self> {
        let excluded = params.list("stem_exclusion")?.unwrap_or_default();
        if excluded.is_empty() { Ok(self) } else { self.then_with("keyword_marker", json!({"keywords": excluded})) }
    }

    /// What the filters so far make of one word, as far as they look at one at a time.
    pub fn applied_to(&self, word: &str) -> String {
        let mut token = Token { term: word.as_bytes().to_vec(), ..Token::word() };
        for filter in &self.filters {
            if let TokenFilter::Term(filter) = &*filter.part {
                filter.apply(&mut token);
            }
        }
        token.text().to_owned()
    }

    fn named(self, name: &str) -> Result<Analyzer> {
        Ok(Analyzer {
            name: name.to_owned(),
            char_filters: self.char_filters,
            tokenizer: Named::new(name, self.tokenizer),
            filters: self.filters,
            is_custom: false,
            position_increment_gap: POSITION_INCREMENT_GAP,
        })
    }
}

pub fn tokenizer_named(name: &str) -> Result<Arc<dyn Tokenizer>> {
    let built = tokenizer::preconfigured(name, &Limits::default())?;
    built.map(Arc::from).ok_or_else(|| Error::illegal_argument(format!("there is no tokenizer [{name}]")))
}
