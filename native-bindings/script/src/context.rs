//! Where scripts run, and what they find there.

use quarry_base::error::{Error, Result};

/// What the value of a script is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    Nothing,
    Bool,
    Long,
    Double,
    Text,
    Any,
}

/// One context of the API.
#[derive(Debug, PartialEq, Eq)]
pub struct Context {
    pub name: &'static str,
    /// Variables in the order in which [`super::Instance::set`] numbers them; `params` is always the first.
    pub variables: &'static [&'static str],
    /// `doc` can be asked for values of the document.
    pub has_doc: bool,
    pub has_score: bool,
    /// The functions `emit(..)`: so many arguments.
    pub emits: Option<usize>,
    pub returns: Returns,
    /// Also for scripts of the language `expression`.
    pub takes_expressions: bool,
}

const NONE: Context = Context {
    name: "",
    variables: &["params"],
    has_doc: false,
    has_score: false,
    emits: None,
    returns: Returns::Any,
    takes_expressions: false,
};
const DOCUMENT: Context = Context { has_doc: true, ..NONE };
const RUNTIME_FIELD: Context = Context { emits: Some(1), returns: Returns::Nothing, ..DOCUMENT };

/// Every context, by name.
pub static CONTEXTS: [Context; 34] = [
    Context { name: "aggregation_selector", returns: Returns::Bool, takes_expressions: true, ..NONE },
    Context { name: "aggs", variables: &["params", "_value"], has_score: true, takes_expressions: true, ..DOCUMENT },
    Context { name: "aggs_combine", variables: &["params", "state"], ..NONE },
    Context { name: "aggs_init", variables: &["params", "state"], returns: Returns::Nothing, ..NONE },
    Context {
        name: "aggs_map",
        variables: &["params", "state"],
        has_score: true,
        returns: Returns::Nothing,
        ..DOCUMENT
    },
    Context { name: "aggs_reduce", variables: &["params", "states"], ..NONE },
    Context { name: "analysis", variables: &["params", "token"], returns: Returns::Bool, ..NONE },
    Context { name: "boolean_field", ..RUNTIME_FIELD },
    Context { name: "bucket_aggregation", returns: Returns::Double, takes_expressions: true, ..NONE },
    Context { name: "composite_field", emits: Some(2), ..RUNTIME_FIELD },
    Context { name: "date_field", ..RUNTIME_FIELD },
    Context { name: "double_field", ..RUNTIME_FIELD },
    Context { name: "field", has_score: true, takes_expressions: true, ..DOCUMENT },
    Context { name: "filter", returns: Returns::Bool, takes_expressions: true, ..DOCUMENT },
    Context { name: "geo_point_field", emits: Some(2), ..RUNTIME_FIELD },
    Context { name: "ingest", variables: &["params", "ctx"], returns: Returns::Nothing, ..NONE },
    Context { name: "interval", variables: &["params", "interval"], returns: Returns::Bool, ..NONE },
    Context { name: "ip_field", ..RUNTIME_FIELD },
    Context { name: "keyword_field", ..RUNTIME_FIELD },
    Context { name: "long_field", ..RUNTIME_FIELD },
    Context { name: "moving-function", variables: &["params", "values"], returns: Returns::Double, ..NONE },
    Context { name: "number_sort", has_score: true, returns: Returns::Double, takes_expressions: true, ..DOCUMENT },
    Context { name: "painless_test", ..NONE },
    Context { name: "processor_conditional", variables: &["params", "ctx"], returns: Returns::Bool, ..NONE },
    Context { name: "reindex", variables: &["params", "ctx"], returns: Returns::Nothing, ..NONE },
    Context { name: "score", has_score: true, returns: Returns::Double, takes_expressions: true, ..DOCUMENT },
    Context { name: "script_heuristic", returns: Returns::Double, ..NONE },
    Context {
        name: "similarity",
        variables: &["params", "weight", "query", "field", "term", "doc"],
        returns: Returns::Double,
        ..NONE
    },
    Context {
        name: "similarity_weight",
        variables: &["params", "query", "field", "term"],
        returns: Returns::Double,
        ..NONE
    },
    Context { name: "string_sort", has_score: true, returns: Returns::Text, ..DOCUMENT },
    Context { name: "template", returns: Returns::Text, ..NONE },
    Context { name: "terms_set", returns: Returns::Long, takes_expressions: true, ..DOCUMENT },
    Context { name: "update", variables: &["params", "ctx"], returns: Returns::Nothing, ..NONE },
    Context { name: "update_by_query", variables: &["params", "ctx"], returns: Returns::Nothing, ..NONE },
];

/// A context by its name; `IllegalArgument` when there is none.
pub fn context(name: &str) -> Result<&'static Context> {
    let found = CONTEXTS.iter().find(|context| context.name == name);
    found.ok_or_else(|| Error::illegal_argument(format!("script context [{name}] not supported")))
}
