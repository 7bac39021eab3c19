//! Scripts outside a shard. Settings and stored scripts hold for the process.

use crate::failure::{entry, parse};
use crate::searches::{flag, is_raised};
use napi_derive::napi;
use quarry_aggregations::kept_terms::term_counts::TERM_COUNTS;
use quarry_aggregations::kept_terms::term_hashes::TERM_HASHES;
use quarry_base::error::{Error, Result};
use quarry_engine::error_json;
use quarry_percolate::compiled::RESOLVED_QUERIES;
use quarry_percolate::key_filter::KEY_FILTERS;
use quarry_percolate::query_table::QUERY_TABLES;
use quarry_percolate::stored::QUERIES;
use quarry_plan::kept_plans;
use quarry_query::breaker;
use quarry_query::derived::cache::COLUMNS;
use quarry_query::ordinals::ORDINALS;
use quarry_script as script;
use quarry_script::batch;
use quarry_script::batch::Outcome;
use quarry_script::context::CONTEXTS;
use quarry_script::statistics::statistics;
use quarry_script::{Instance, Nothing, ScriptSpec, StoredScript};
use quarry_segment::stored::kept_blocks;
use serde_json::json;
use std::collections::HashMap;

#[napi]
pub fn configure_scripts(settings: String) -> napi::Result<()> {
    entry(|| {
        script::configure(parse("settings of scripts", settings.as_bytes())?);
        Ok(())
    })
}

#[napi]
pub fn set_stored_scripts(scripts: String) -> napi::Result<()> {
    entry(|| {
        let scripts: HashMap<String, StoredScript> = parse("stored scripts", scripts.as_bytes())?;
        script::spec::store(scripts);
        Ok(())
    })
}

/// `is_inline`: the script is part of what asks for it, which `script.allowed_types` may forbid.
#[napi]
pub fn compile_script(lang: String, source: String, context: String, is_inline: bool) -> napi::Result<()> {
    entry(|| {
        if is_inline {
            script::check_type(false)?;
        }
        script::compile(&lang, &source, script::context(&context)?).map(drop)
    })
}

fn execute(spec: &ScriptSpec) -> Result<String> {
    let mut instance: Instance = spec.instance(script::context("painless_test")?)?;
    let value = instance.run(&mut Nothing)?;
    instance.printed(value)
}

/// The text of what a script returns.
#[napi]
pub fn execute_script(spec: String) -> napi::Result<String> {
    entry(|| {
        let spec: ScriptSpec = parse("a script", spec.as_bytes())?;
        execute(&spec)
    })
}

/// What a script made of one document: one of the three.
#[napi(object)]
pub struct RawScriptOutcome {
    /// `ctx` as JSON.
    pub ctx: Option<String>,
    pub answer: Option<bool>,
    /// As the message of a thrown one.
    pub error: Option<String>,
}

/// Runs a script once for each `ctx` (JSON). Fewer outcomes than documents: call again with the rest.
#[napi]
pub fn run_scripts(
    spec: String,
    context: String,
    documents: Vec<String>,
    cancelled: &[i32],
) -> napi::Result<Vec<RawScriptOutcome>> {
    entry(|| {
        let flag = flag(cancelled)?;
        let spec: ScriptSpec = parse("a script", spec.as_bytes())?;
        let outcomes = batch::run(&spec, script::context(&context)?, &documents, &|| is_raised(flag))?;
        let none = || RawScriptOutcome { ctx: None, answer: None, error: None };
        let raw = outcomes.into_iter().map(|outcome| match outcome {
            Outcome::Changed(ctx) => RawScriptOutcome { ctx: Some(ctx), ..none() },
            Outcome::Answered(answer) => RawScriptOutcome { answer: Some(answer), ..none() },
            Outcome::Failed(error) => RawScriptOutcome { error: Some(error_json(&error)), ..none() },
        });
        Ok(raw.collect())
    })
}

/// Counts since the process began, as JSON.
#[napi]
pub fn script_statistics() -> napi::Result<String> {
    entry(|| {
        let counts = json!({
            "scripts": statistics(),
            "computed_fields": COLUMNS.statistics(),
            "term_ordinals": ORDINALS.statistics(),
            "term_counts": TERM_COUNTS.statistics(),
            "term_hashes": TERM_HASHES.statistics(),
            "stored_blocks": kept_blocks::statistics(),
            "stored_queries": QUERIES.statistics(),
            "resolved_queries": RESOLVED_QUERIES.statistics(),
            "stored_query_keys": KEY_FILTERS.statistics(),
            "stored_query_tables": QUERY_TABLES.statistics(),
            "kept_plans": kept_plans::statistics(),
            "request_breaker": breaker::statistics(),
        });
        Ok(counts.to_string())
    })
}

/// The patterns of grok that have names, as a JSON object.
#[napi]
pub fn grok_patterns() -> &'static str {
    script::grok_patterns_json()
}

/// Every context, as JSON.
#[napi]
pub fn script_contexts() -> napi::Result<String> {
    entry(|| {
        let contexts = CONTEXTS.iter().filter(|context| !context.name.is_empty());
        let contexts: Vec<_> =
            contexts.map(|context| json!({ "name": context.name, "expression": context.takes_expressions })).collect();
        serde_json::to_string(&contexts).map_err(|error| Error::internal(error.to_string()))
    })
}
