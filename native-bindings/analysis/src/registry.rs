//! All analyzers and normalizers of an index, built from its settings.

use super::builtin;
use super::chain::{Analyzer, Named, POSITION_INCREMENT_GAP};
use super::char_filter::{self, CharFilter};
use super::filter::chains::{multiplexer, scripted};
use super::filter::{self, TokenFilter};
use super::params::{Component, Params};
use super::tokenizer::{self, Tokenizer};
use quarry_base::error::{Error, Result};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Bounds that index settings put on components.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// `index.max_ngram_diff`.
    pub max_ngram_diff: usize,
    /// `index.max_shingle_diff`.
    pub max_shingle_diff: usize,
}

/// Keys of the limits in a spec, beside the groups: dotted, as no group from settings can be.
const NGRAM_DIFF_KEY: &str = "index.max_ngram_diff";
const SHINGLE_DIFF_KEY: &str = "index.max_shingle_diff";

impl Limits {
    fn of_spec(spec: &Value) -> Result<Self> {
        let limit = |key: &str, default: usize| match spec.get(key) {
            None => Ok(default),
            Some(value) => value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .ok_or_else(|| Error::illegal_argument(format!("[{key}] must be a whole number"))),
        };
        let default = Limits::default();
        Ok(Limits {
            max_ngram_diff: limit(NGRAM_DIFF_KEY, default.max_ngram_diff)?,
            max_shingle_diff: limit(SHINGLE_DIFF_KEY, default.max_shingle_diff)?,
        })
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_ngram_diff: 1, max_shingle_diff: 3 }
    }
}

/// Filters that name others, one within the other, at most: they are applied in so many calls within calls.
const NAMING_DEPTH_MAX: usize = 16;

/// Analyzers and normalizers of one index, by name. Built once per shard and shared.
#[derive(Debug)]
pub struct Registry {
    pub(super) limits: Limits,
    tokenizers: HashMap<String, Arc<dyn Tokenizer>>,
    filters: HashMap<String, Arc<TokenFilter>>,
    char_filters: HashMap<String, Arc<dyn CharFilter>>,
    analyzers: HashMap<String, Arc<Analyzer>>,
    normalizers: HashMap<String, Arc<Analyzer>>,
}

impl Registry {
    /// `spec` is the `index.analysis` object (`{"analyzer": {..}, "tokenizer": {..}, "filter": {..}, "char_filter": {..},
    /// "normalizer": {..}}`), or `{}`; `index.max_ngram_diff` and `index.max_shingle_diff` may stand beside the groups.
    /// Errors are `IllegalArgument` and name the component and parameter.
    pub fn from_spec(spec: &Value) -> Result<Self> {
        check_groups(spec)?;
        let limits = Limits::of_spec(spec)?;
        let mut registry = Registry {
            limits,
            tokenizers: HashMap::new(),
            filters: HashMap::new(),
            char_filters: HashMap::new(),
            analyzers: HashMap::new(),
            normalizers: HashMap::new(),
        };
        for (name, values) in components(spec, Component::CharFilter)? {
            let filter = char_filter::build(kind(Component::CharFilter, name, values)?, name, values)?;
            registry.char_filters.insert(name.to_owned(), known(filter, Component::CharFilter, name, values)?.into());
        }
        for (name, values) in components(spec, Component::Tokenizer)? {
            let tokenizer = tokenizer::build(kind(Component::Tokenizer, name, values)?, name, values, &limits)?;
            registry.tokenizers.insert(name.to_owned(), known(tokenizer, Component::Tokenizer, name, values)?.into());
        }
        registry.add_filters(components(spec, Component::Filter)?)?;
        for (name, values) in components(spec, Component::Analyzer)? {
            check_analyzer_name(name)?;
            let analyzer = registry.build_analyzer(name, values)?;
            registry.analyzers.insert(name.to_owned(), Arc::new(analyzer));
        }
        for (name, values) in components(spec, Component::Normalizer)? {
            let normalizer = registry.build_normalizer(name, values)?;
            registry.normalizers.insert(name.to_owned(), Arc::new(normalizer));
        }
        let lowercase = || builtin::lowercase_normalizer().map(Arc::new);
        if !registry.normalizers.contains_key("lowercase") {
            registry.normalizers.insert("lowercase".to_owned(), lowercase()?);
        }
        Ok(registry)
    }

    /// Built-in or custom; `None` when there is no such name. `default` is the standard analyzer unless defined.
    pub fn analyzer(&self, name: &str) -> Option<Arc<Analyzer>> {
        let standard_by_default = if name == "default" { "standard" } else { name };
        self.analyzers.get(name).or_else(|| builtin::analyzers().get(standard_by_default)).cloned()
    }

    pub fn normalizer(&self, name: &str) -> Option<Arc<Analyzer>> {
        self.normalizers.get(name).cloned()
    }

    pub(super) fn tokenizer(&self, name: &str) -> Result<Option<Arc<dyn Tokenizer>>> {
        match self.tokenizers.get(name) {
            Some(tokenizer) => Ok(Some(Arc::clone(tokenizer))),
            None => Ok(tokenizer::preconfigured(name, &self.limits)?.map(Arc::from)),
        }
    }

    pub(super) fn filter(&self, name: &str) -> Result<Option<Arc<TokenFilter>>> {
        match self.filters.get(name) {
            Some(filter) => Ok(Some(Arc::clone(filter))),
            None => Ok(filter::preconfigured(name, &self.limits)?.map(Arc::new)),
        }
    }

    pub(super) fn char_filter(&self, name: &str) -> Result<Option<Arc<dyn CharFilter>>> {
        match self.char_filters.get(name) {
            Some(filter) => Ok(Some(Arc::clone(filter))),
            None => Ok(char_filter::preconfigured(name)?.map(Arc::from)),
        }
    }

    /// Those that name others come after these, in whatever order they are written.
    fn add_filters(&mut self, definitions: Definitions<'_>) -> Result<()> {
        let names_others = |kind: &str| [multiplexer::KIND, scripted::CONDITION].contains(&kind);
        let (mut naming, plain): (Definitions<'_>, Definitions<'_>) = definitions
            .into_iter()
            .partition(|(_, values)| values.get("type").and_then(Value::as_str).is_some_and(names_others));
        self.add_each_filter(&plain)?;
        for _ in 0..NAMING_DEPTH_MAX {
            let waiting: HashSet<&str> = naming.iter().map(|(name, _)| *name).collect();
            let (later, ready): (Definitions<'_>, Definitions<'_>) =
                naming.into_iter().partition(|(_, values)| named_filters(values).any(|name| waiting.contains(name)));
            self.add_each_filter(&ready)?;
            naming = later;
        }
        naming.first().map_or(Ok(()), |(name, _)| {
            Err(Error::illegal_argument(format!(
                "filter [{name}] names itself by way of others, or filters that name others more than \
                 [{NAMING_DEPTH_MAX}] deep"
            )))
        })
    }

    fn add_each_filter(&mut self, definitions: &Definitions<'_>) -> Result<()> {
        for &(name, values) in definitions {
            let filter = self.build_filter(kind(Component::Filter, name, values)?, name, values)?;
            self.filters.insert(name.to_owned(), Arc::new(known(filter, Component::Filter, name, values)?));
        }
        Ok(())
    }

    pub(super) fn build_filter(
        &self,
        kind: &str,
        name: &str,
        values: &Map<String, Value>,
    ) -> Result<Option<TokenFilter>> {
        match kind {
            multiplexer::KIND => multiplexer::build(name, values, |name| self.filter(name)).map(Some),
            scripted::CONDITION => scripted::condition(name, values, |name| self.filter(name)).map(Some),
            _ => filter::build(kind, name, values, &self.limits),
        }
    }

    fn build_analyzer(&self, name: &str, values: &Map<String, Value>) -> Result<Analyzer> {
        match values.get("type").and_then(Value::as_str) {
            None if !values.contains_key("tokenizer") => Err(no_type(Component::Analyzer, name)),
            None | Some("custom") => self.custom_analyzer(name, values),
            Some(kind) => known(builtin::build(kind, name, values)?, Component::Analyzer, name, values),
        }
    }

    fn custom_analyzer(&self, name: &str, values: &Map<String, Value>) -> Result<Analyzer> {
        let params = Params::new(Component::Analyzer, name, values);
        let wanted = params
            .text("tokenizer")?
            .ok_or_else(|| Error::illegal_argument(format!("analyzer [{name}] must be configured with a tokenizer")))?;
        let missing = |what: Component, wanted: &str| {
            Error::illegal_argument(format!(
                "Custom Analyzer [{name}] failed to find {} under name [{wanted}]",
                what.as_str()
            ))
        };
        let tokenizer = self.tokenizer(&wanted)?.ok_or_else(|| missing(Component::Tokenizer, &wanted))?;
        let mut analyzer = Analyzer {
            name: name.to_owned(),
            char_filters: Vec::new(),
            tokenizer: Named::new(&wanted, tokenizer),
            filters: Vec::new(),
            is_custom: true,
            position_increment_gap: params.bounded(
                "position_increment_gap",
                POSITION_INCREMENT_GAP as usize,
                0,
                i32::MAX as usize,
            )? as u32,
        };
        for wanted in params.list("char_filter")?.unwrap_or_default() {
            let filter = self.char_filter(&wanted)?.ok_or_else(|| missing(Component::CharFilter, &wanted))?;
            analyzer.char_filters.push(Named::new(&wanted, filter));
        }
        for wanted in params.list("filter")?.unwrap_or_default() {
            let filter = self.filter(&wanted)?.ok_or_else(|| missing(Component::Filter, &wanted))?;
            analyzer.push_filter(&wanted, filter)?;
        }
        params.finish()?;
        Ok(analyzer)
    }

    fn build_normalizer(&self, name: &str, values: &Map<String, Value>) -> Result<Analyzer> {
        let kind = values.get("type").and_then(Value::as_str).unwrap_or("custom");
        if kind != "custom" {
            return Err(unknown_type(Component::Normalizer, name, kind));
        }
        let params = Params::new(Component::Normalizer, name, values);
        if params.text("tokenizer")?.is_some() {
            return Err(Error::illegal_argument(format!("Custom normalizer [{name}] cannot configure a tokenizer")));
        }
        let wrong = |what: &str| Error::illegal_argument(format!("Custom normalizer [{name}] {what}"));
        let mut normalizer = builtin::lowercase_normalizer()?;
        normalizer.name = name.to_owned();
        normalizer.is_custom = true;
        normalizer.filters.clear();
        for wanted in params.list("char_filter")?.unwrap_or_default() {
            let filter = self.char_filter(&wanted)?;
            let filter = filter.ok_or_else(|| wrong(&format!("failed to find char_filter under name [{wanted}]")))?;
            if !filter.is_normalizing() {
                return Err(wrong(&format!("may not use char filter [{wanted}]")));
            }
            normalizer.char_filters.push(Named::new(&wanted, filter));
        }
        for wanted in params.list("filter")?.unwrap_or_default() {
            let filter = self.filter(&wanted)?;
            let filter = filter.ok_or_else(|| wrong(&format!("failed to find filter under name [{wanted}]")))?;
            if filter.normalizing().is_none() {
                return Err(wrong(&format!("may not use filter [{wanted}]")));
            }
            normalizer.filters.push(Named::new(&wanted, filter));
        }
        params.finish()?;
        Ok(normalizer)
    }
}

const GROUPS: [Component; 5] =
    [Component::Analyzer, Component::Normalizer, Component::Tokenizer, Component::Filter, Component::CharFilter];

fn check_groups(spec: &Value) -> Result<()> {
    let wrong = |what: &str| Error::illegal_argument(format!("unknown setting [index.analysis{what}]"));
    let groups = spec.as_object().ok_or_else(|| wrong(""))?;
    let is_known = |key: &str| {
        key == NGRAM_DIFF_KEY || key == SHINGLE_DIFF_KEY || GROUPS.iter().any(|group| group.as_str() == key)
    };
    match groups.keys().find(|key| !is_known(key)) {
        None => Ok(()),
        Some(unknown) => Err(wrong(&format!(".{unknown}"))),
    }
}

/// Names of the filters that a definition may hold as its parts.
fn named_filters(values: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let lists = ["filter", "filters"].into_iter().filter_map(|key| values.get(key));
    let items = lists.flat_map(|list| list.as_array().map_or(std::slice::from_ref(list), Vec::as_slice));
    items.filter_map(Value::as_str).flat_map(|names| names.split(',')).map(str::trim)
}

type Definitions<'a> = Vec<(&'a str, &'a Map<String, Value>)>;

/// The definitions of one group, by name.
fn components(spec: &Value, component: Component) -> Result<Definitions<'_>> {
    let Some(group) = spec.get(component.as_str()) else { return Ok(Vec::new()) };
    let not_objects =
        || Error::illegal_argument(format!("[index.analysis.{}] must hold objects by name", component.as_str()));
    let group = group.as_object().ok_or_else(not_objects)?;
    group.iter().map(|(name, values)| Ok((name.as_str(), values.as_object().ok_or_else(not_objects)?))).collect()
}

fn kind<'a>(component: Component, name: &str, values: &'a Map<String, Value>) -> Result<&'a str> {
    values.get("type").and_then(Value::as_str).ok_or_else(|| no_type(component, name))
}

fn no_type(component: Component, name: &str) -> Error {
    Error::illegal_argument(format!(
        "{} [{name}] must specify either an analyzer type, or a tokenizer",
        component.as_str()
    ))
}

fn unknown_type(component: Component, name: &str, kind: &str) -> Error {
    Error::illegal_argument(format!("Unknown {} type [{kind}] for [{name}]", component.as_str()))
}

fn known<T>(built: Option<T>, component: Component, name: &str, values: &Map<String, Value>) -> Result<T> {
    let kind = values.get("type").and_then(Value::as_str).unwrap_or_default();
    built.ok_or_else(|| unknown_type(component, name, kind))
}

fn check_analyzer_name(name: &str) -> Result<()> {
    if name.starts_with('_') {
        return Err(Error::illegal_argument(format!("analyzer name must not start with '_'. got \"{name}\"")));
    }
    if name == "default_index" {
        return Err(Error::illegal_argument(
            "setting [index.analysis.analyzer.default_index] is not supported anymore, use \
             [index.analysis.analyzer.default] instead",
        ));
    }
    Ok(())
}
