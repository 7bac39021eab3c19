//! `_analyze`: what a chain makes of given texts, stage by stage if asked.

use super::chain::{Analyzer, Named, POSITION_INCREMENT_GAP};
use super::char_filter::{self, CharFilter};
use super::filter::TokenFilter;
use super::params::Component;
use super::registry::Registry;
use super::token::{Token, TokenStream};
use super::tokenizer::{self, Tokenizer};
use quarry_base::error::{Error, Result};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Offsets between two texts of one request, as between two values of a field.
const OFFSET_GAP: u32 = 1;
const FIELDS: [&str; 8] =
    ["analyzer", "normalizer", "tokenizer", "filter", "char_filter", "text", "explain", "attributes"];

/// What the request's place decides.
#[derive(Debug, Clone, Copy)]
pub struct AnalyzeScope {
    /// `index.analyze.max_token_count`.
    pub max_token_count: usize,
    /// The request names an index, whose components it may use.
    pub has_index: bool,
    /// It means a part of a `search_as_you_type` field: words of so many words, or their beginnings.
    pub shingle: Option<(u32, bool)>,
    /// The gap between the values of the field that it names, when this is not the one that all fields leave.
    pub field_gap: Option<u32>,
}

/// The chain that a request means, and the positions that it leaves between two texts.
type Requested = (Arc<Analyzer>, u32);

impl Registry {
    /// Answers an `_analyze` body (`analyzer` | `normalizer` | `tokenizer`/`filter`/`char_filter`, `text`, `explain`,
    /// `attributes`; a `field` is resolved to `analyzer` or `normalizer` by the caller) with the response as JSON bytes.
    pub fn analyze_request(&self, body: &Value, scope: AnalyzeScope) -> Result<Vec<u8>> {
        let body = body.as_object().ok_or_else(|| Error::illegal_argument("request body must be an object"))?;
        if let Some(unknown) = body.keys().find(|key| !FIELDS.contains(&key.as_str())) {
            return Err(Error::illegal_argument(format!("[analyze_request] unknown field [{unknown}]")));
        }
        let texts = texts(body)?;
        let (analyzer, gap) = match (self.requested_chain(body, scope)?, scope.shingle) {
            ((analyzer, _), Some((size, prefixes))) => {
                let shingled = analyzer.shingled(size, prefixes)?;
                let gap = shingled.position_increment_gap;
                (Arc::new(shingled), gap)
            }
            (requested, None) => requested,
        };
        let answer = if flag(body, "explain")? {
            let attributes = attribute_names(body)?;
            json!({"detail": explain(&analyzer, &texts, (scope, gap), &attributes)?})
        } else {
            let mut list = TokenList::new(scope);
            for text in &texts {
                let mut stream = analyzer.tokenize(text)?;
                apply(&analyzer.filters, &mut stream)?;
                list.add(&stream, gap, |_| None)?;
            }
            json!({"tokens": list.tokens})
        };
        serde_json::to_vec(&answer).map_err(|error| Error::illegal_argument(error.to_string()))
    }

    /// A chain knows of a gap where an index or a definition gave it one: without an index, the named ones leave none.
    fn requested_chain(&self, body: &Map<String, Value>, scope: AnalyzeScope) -> Result<Requested> {
        let with_gap = |analyzer: Arc<Analyzer>| {
            let own_gap = if scope.has_index { analyzer.position_increment_gap } else { 0 };
            (analyzer, scope.field_gap.unwrap_or(own_gap))
        };
        let named = |key: &str| body.get(key).and_then(Value::as_str);
        let tokenizer = body.get("tokenizer").filter(|value| !value.is_null());
        let has_filters = ["filter", "char_filter"].iter().any(|key| !list(body, key).is_empty());
        let has_parts = tokenizer.is_some() || has_filters;
        let global = if scope.has_index { "" } else { "global " };
        if let Some(name) = named("analyzer") {
            if has_parts {
                return Err(Error::illegal_argument("cannot define extra components on a named analyzer"));
            }
            let missing = || Error::illegal_argument(format!("failed to find {global}analyzer [{name}]"));
            return self.analyzer(name).map(with_gap).ok_or_else(missing);
        }
        if let Some(name) = named("normalizer") {
            if has_parts {
                return Err(Error::illegal_argument("cannot define extra components on a named normalizer"));
            }
            let missing = || Error::illegal_argument(format!("failed to find normalizer under [{name}]"));
            return Ok((self.normalizer(name).ok_or_else(missing)?, 0));
        }
        if !has_parts {
            return self
                .analyzer("default")
                .map(with_gap)
                .ok_or_else(|| Error::illegal_argument("failed to find analyzer [default]"));
        }
        Ok((Arc::new(self.ad_hoc_chain(body, tokenizer, global)?), POSITION_INCREMENT_GAP))
    }

    /// Without a tokenizer the text is one token, and only filters on characters make sense.
    fn ad_hoc_chain(&self, body: &Map<String, Value>, tokenizer: Option<&Value>, global: &str) -> Result<Analyzer> {
        let keyword = Value::from("keyword");
        let mut analyzer = Analyzer {
            name: "__custom__".to_owned(),
            char_filters: Vec::new(),
            tokenizer: self.part(tokenizer.unwrap_or(&keyword), global)?,
            filters: Vec::new(),
            is_custom: true,
            position_increment_gap: POSITION_INCREMENT_GAP,
        };
        for part in list(body, "char_filter") {
            analyzer.char_filters.push(self.part(part, global)?);
        }
        for part in list(body, "filter") {
            let filter: Named<TokenFilter> = self.part(part, global)?;
            if tokenizer.is_none() && filter.part.normalizing().is_none() {
                return Err(Error::illegal_argument(format!("Custom normalizer may not use filter [{}]", filter.name)));
            }
            analyzer.push_filter(&filter.name, filter.part)?;
        }
        Ok(analyzer)
    }

    /// A component by name, or from a definition of its own.
    fn part<T: Part + ?Sized>(&self, wanted: &Value, global: &str) -> Result<Named<T>> {
        let component = T::COMPONENT.as_str();
        match wanted {
            Value::String(name) => {
                let missing = || Error::illegal_argument(format!("failed to find {global}{component} under [{name}]"));
                Ok(Named::new(name, T::named(self, name)?.ok_or_else(missing)?))
            }
            Value::Object(values) => {
                let kind = values.get("type").and_then(Value::as_str).ok_or_else(|| {
                    let definition = Value::Object(values.clone());
                    Error::illegal_argument(format!("Missing [type] setting for anonymous {component}: {definition}"))
                })?;
                let name = format!("__anonymous__{kind}");
                let missing = || Error::illegal_argument(format!("failed to find global {component} under [{kind}]"));
                Ok(Named::new(&name, T::build(self, kind, &name, values)?.ok_or_else(missing)?))
            }
            _ => Err(Error::illegal_argument(format!("[analyze_request] [{component}] must be a name or an object"))),
        }
    }
}

/// The three kinds of components that a request may name or define.
trait Part {
    const COMPONENT: Component;
    fn named(registry: &Registry, name: &str) -> Result<Option<Arc<Self>>>;
    fn build(registry: &Registry, kind: &str, name: &str, values: &Map<String, Value>) -> Result<Option<Arc<Self>>>;
}

impl Part for dyn Tokenizer {
    const COMPONENT: Component = Component::Tokenizer;

    fn named(registry: &Registry, name: &str) -> Result<Option<Arc<Self>>> {
        registry.tokenizer(name)
    }

    fn build(registry: &Registry, kind: &str, name: &str, values: &Map<String, Value>) -> Result<Option<Arc<Self>>> {
        Ok(tokenizer::build(kind, name, values, &registry.limits)?.map(Arc::from))
    }
}

impl Part for TokenFilter {
    const COMPONENT: Component = Component::Filter;

    fn named(registry: &Registry, name: &str) -> Result<Option<Arc<Self>>> {
        registry.filter(name)
    }

    fn build(registry: &Registry, kind: &str, name: &str, values: &Map<String, Value>) -> Result<Option<Arc<Self>>> {
        Ok(registry.build_filter(kind, name, values)?.map(Arc::new))
    }
}

impl Part for dyn CharFilter {
    const COMPONENT: Component = Component::CharFilter;

    fn named(registry: &Registry, name: &str) -> Result<Option<Arc<Self>>> {
        registry.char_filter(name)
    }

    fn build(_: &Registry, kind: &str, name: &str, values: &Map<String, Value>) -> Result<Option<Arc<Self>>> {
        Ok(char_filter::build(kind, name, values)?.map(Arc::from))
    }
}

fn apply(filters: &[Named<TokenFilter>], stream: &mut TokenStream) -> Result<()> {
    filters.iter().try_for_each(|filter| filter.part.apply(stream))
}

/// The `detail` of the answer: each stage for a chain of parts, the result alone for a built-in analyzer.
fn explain(
    analyzer: &Analyzer,
    texts: &[&str],
    (scope, gap): (AnalyzeScope, u32),
    attributes: &[String],
) -> Result<Value> {
    let stages = analyzer.filters.len() + 1;
    let mut lists: Vec<TokenList> = (0..stages).map(|_| TokenList::new(scope)).collect();
    for text in texts {
        let mut stream = analyzer.tokenize(text)?;
        let (mut marks_keywords, mut has_payloads) = (false, false);
        for (stage, list) in lists.iter_mut().enumerate() {
            if let Some(filter) = stage.checked_sub(1).map(|index| &analyzer.filters[index].part) {
                filter.apply(&mut stream)?;
                marks_keywords |= filter.knows_keywords();
                has_payloads |= filter.knows_payloads();
            }
            let extended = |token: &Token| Some(extended_attributes(token, marks_keywords, has_payloads, attributes));
            list.add(&stream, gap, extended)?;
        }
    }
    let mut lists = lists.into_iter().map(|list| list.tokens);
    if !analyzer.is_custom {
        let tokens = lists.next_back();
        return Ok(json!({"custom_analyzer": false, "analyzer": {"name": analyzer.name, "tokens": tokens}}));
    }
    let tokenizer = lists.next();
    let filters: Vec<Value> = analyzer
        .filters
        .iter()
        .zip(lists)
        .map(|(filter, tokens)| json!({"name": filter.name, "tokens": tokens}))
        .collect();
    Ok(json!({
        "custom_analyzer": true,
        "charfilters": filtered_texts(analyzer, texts)?,
        "tokenizer": {"name": analyzer.tokenizer.name, "tokens": tokenizer},
        "tokenfilters": filters,
    }))
}

fn filtered_texts(analyzer: &Analyzer, texts: &[&str]) -> Result<Vec<Value>> {
    let mut current: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    let mut stages = Vec::new();
    for filter in &analyzer.char_filters {
        current = current.iter().map(|text| Ok(filter.part.filter(text)?.text)).collect::<Result<_>>()?;
        stages.push(json!({"name": filter.name, "filtered_text": current}));
    }
    Ok(stages)
}

/// The attributes beyond the plain ones, sorted by name; `wanted` in lower case, empty for all.
fn extended_attributes(
    token: &Token,
    marks_keywords: bool,
    has_payloads: bool,
    wanted: &[String],
) -> Map<String, Value> {
    let digits = |bytes: &[u8]| {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:x}")).collect();
        Value::from(format!("[{}]", bytes.join(" ")))
    };
    let mut all = vec![("bytes", digits(&token.term))];
    if marks_keywords {
        all.push(("keyword", Value::from(token.keyword)));
    }
    if has_payloads {
        all.push(("payload", token.payload.as_deref().map_or(Value::Null, digits)));
    }
    all.push(("positionLength", Value::from(token.position_length)));
    all.push(("termFrequency", Value::from(1)));
    let is_wanted = |name: &str| wanted.is_empty() || wanted.contains(&name.to_lowercase());
    all.into_iter().filter(|(name, _)| is_wanted(name)).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The tokens of all texts of one stage.
struct TokenList {
    tokens: Vec<Value>,
    next_position: u32,
    next_offset: u32,
    max_token_count: usize,
}

impl TokenList {
    fn new(scope: AnalyzeScope) -> Self {
        TokenList { tokens: Vec::new(), next_position: 0, next_offset: 0, max_token_count: scope.max_token_count }
    }

    fn add(
        &mut self,
        stream: &TokenStream,
        gap: u32,
        extended: impl Fn(&Token) -> Option<Map<String, Value>>,
    ) -> Result<()> {
        if self.tokens.len() + stream.tokens.len() > self.max_token_count {
            return Err(Error::illegal_argument(format!(
                "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [{}]. This limit can \
                 be set by changing the [index.analyze.max_token_count] index level setting.",
                self.max_token_count
            )));
        }
        for token in &stream.tokens {
            let mut shown = Map::new();
            shown.insert("token".to_owned(), Value::from(token.text()));
            shown.insert("start_offset".to_owned(), Value::from(self.next_offset + token.start_offset));
            shown.insert("end_offset".to_owned(), Value::from(self.next_offset + token.end_offset));
            shown.insert("type".to_owned(), Value::from(token.kind));
            shown.insert("position".to_owned(), Value::from(self.next_position + token.position));
            if token.position_length > 1 {
                shown.insert("positionLength".to_owned(), Value::from(token.position_length));
            }
            shown.extend(extended(token).into_iter().flatten());
            self.tokens.push(Value::Object(shown));
        }
        self.next_position += stream.positions + gap;
        self.next_offset += stream.end_offset + OFFSET_GAP;
        Ok(())
    }
}

fn texts(body: &Map<String, Value>) -> Result<Vec<&str>> {
    let missing = || Error::illegal_argument("Validation Failed: 1: text is missing;");
    let not_text = || Error::illegal_argument("[analyze_request] [text] must be a string or an array of strings");
    match body.get("text") {
        None | Some(Value::Null) => Err(missing()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(items)) if items.is_empty() => Err(missing()),
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().ok_or_else(not_text)).collect(),
        Some(_) => Err(not_text()),
    }
}

/// The entries under `key`; a single one may stand without its array.
fn list<'a>(body: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    match body.get(key) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(items)) => items,
        Some(single) => std::slice::from_ref(single),
    }
}

fn flag(body: &Map<String, Value>, key: &str) -> Result<bool> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
        Some(other) => {
            Err(Error::illegal_argument(format!("[analyze_request] [{key}] must be a boolean, not [{other}]")))
        }
    }
}

fn attribute_names(body: &Map<String, Value>) -> Result<Vec<String>> {
    let not_text = || Error::illegal_argument("[analyze_request] [attributes] must be strings");
    list(body, "attributes").iter().map(|name| name.as_str().map(str::to_lowercase).ok_or_else(not_text)).collect()
}
