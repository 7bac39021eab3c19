//! Scripts: the API's scripting language (painless) and `expression`, compiled once and run in a sandbox.
//!
//! ```text
//! let program = script::compile("painless", source, script::context("score")?)?;      // cached, counted
//! let mut instance = Instance::new(program, &params)?;                                // one per shard and request
//! for doc in docs { env.doc = doc; let score = instance.run_double(&mut env)?; }      // env: impl script::Env
//! ```
//!
//! - [`compile`] finds or makes a [`Program`], which threads share. An [`Instance`] belongs to one thread and holds the
//!   parameters, the variables of the context ([`Instance::set`]) and the objects of the run.
//! - [`Env`] is what a run sees of the document: values of fields by number, the score, `_source`, cancellation.
//!   `query::script::docs` implements it over the columns of a segment.
//! - A [`Value`] that a run returns lives until the next run: numbers are plain, texts by [`Instance::text`], anything as
//!   JSON by [`Instance::write_json`]. What has to live longer (`ctx`, `state`) is made by [`Instance::import`] and set as
//!   a variable; the script changes it in place.
//! - Failures are `Script` errors with the place; budgets are in [`limits`], their counters in [`statistics`].
//!
//! | module | what it does |
//! | --- | --- |
//! | [`compile`], [`expression`] | text to a [`tree`], which names [`types`] |
//! | [`run`], [`heap`], [`number`] | the interpreter, its objects and its numbers |
//! | [`library`] | the library that scripts see |
//! | [`cache`], [`context`] | programs by source, and where they run |
//! | [`batch`] | one script over many documents outside a shard |
//! | [`failure`], [`fault`] | what went wrong, and where |
pub mod batch;
pub mod cache;
pub mod compile;
pub mod context;
pub mod env;
mod expression;
mod failure;
pub mod fault;
pub mod heap;
pub mod instance;
pub mod json;
pub mod library;
pub mod limits;
pub mod number;
mod run;
pub mod spec;
pub mod statistics;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod types;

pub use cache::{ScriptSettings, check_type, compile, configure};
pub use context::{Context, Returns, context};
pub use env::{DocScalar, Env, Holds, Nothing};
pub use heap::Value;
pub use instance::Instance;
pub use library::extract::patterns_json as grok_patterns_json;
pub use spec::{ScriptSpec, StoredScript};
pub use tree::Program;
