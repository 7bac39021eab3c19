//! What scripts compute, refuse and survive.
mod budgets;
mod classes;
mod errors;
mod expressions;
mod fields;
mod hostile;
mod language;
mod library;

use super::*;
use compile::RegexUse;
use quarry_base::error::Result;
use std::sync::Arc;

/// Runs a script of `painless_test` without the cache and gives its value as JSON.
pub fn run_with(source: &str, params: serde_json::Value) -> Result<String> {
    let program = Arc::new(cache::compiled("painless", source, context("painless_test")?, RegexUse::Limited(6))?);
    let mut instance = Instance::new(program, &params)?;
    let mut out = Vec::new();
    instance.run_json(&mut Nothing, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

pub fn run(source: &str) -> String {
    run_with(source, serde_json::Value::Null).unwrap_or_else(|error| format!("{error}"))
}

/// Each script with the JSON that it returns.
pub fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(run(source), *expected, "{source}");
    }
}
