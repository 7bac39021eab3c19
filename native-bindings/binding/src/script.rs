//! Scripts outside a shard. Settings and stored scripts hold for the process.

use crate::failure::{entry, parse};
use napi_derive::napi;
use quarry_kernels::error::{Error, Result};
use quarry_kernels::script::context::CONTEXTS;
use quarry_kernels::script::{self, Instance, Nothing, ScriptSpec, StoredScript};
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

#[napi]
pub fn compile_script(lang: String, source: String, context: String) -> napi::Result<()> {
    entry(|| script::compile(&lang, &source, script::context(&context)?).map(drop))
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
