//! A script as requests name it, and the stored scripts that they may name.

use super::cache;
use super::context::Context;
use super::instance::Instance;
use super::tree::Program;
use quarry_base::error::{Error, ErrorCode, Result};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Language of a script that names none.
pub const DEFAULT_LANG: &str = "painless";

/// `{"source": .., "lang": .., "params": ..}` or `{"id": .., "params": ..}`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptSpec {
    pub lang: Option<String>,
    pub source: Option<String>,
    /// Name of a stored script, instead of source and language. Plans call it by the second name, so that it can be told.
    #[serde(alias = "stored_id")]
    pub id: Option<String>,
    /// JSON, or a text that is JSON (which keeps numbers as they were written).
    #[serde(default, deserialize_with = "read_params")]
    pub params: serde_json::Value,
    #[serde(default, rename = "options")]
    pub(super) _options: Option<HashMap<String, String>>,
}

/// A stored script of the cluster state.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredScript {
    pub lang: String,
    pub source: String,
}

static STORED: RwLock<Option<HashMap<String, StoredScript>>> = RwLock::new(None);

/// Takes over the stored scripts of the cluster state.
pub fn store(scripts: HashMap<String, StoredScript>) {
    *STORED.write().unwrap_or_else(PoisonError::into_inner) = Some(scripts);
}

fn stored(id: &str) -> Result<StoredScript> {
    let all = STORED.read().unwrap_or_else(PoisonError::into_inner);
    let found = all.as_ref().and_then(|all| all.get(id)).cloned();
    found.ok_or_else(|| {
        Error::new(ErrorCode::ResourceNotFound, format!("unable to find script [{id}] in cluster state"))
    })
}

fn read_params<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<serde_json::Value, D::Error> {
    match serde_json::Value::deserialize(from)? {
        serde_json::Value::String(text) => quarry_base::deep_json::from_str(&text).map_err(serde::de::Error::custom),
        other => Ok(other),
    }
}

impl ScriptSpec {
    /// A script without parameters, in the default language.
    pub fn inline(source: impl Into<String>) -> Self {
        ScriptSpec { source: Some(source.into()), ..ScriptSpec::default() }
    }

    /// From JSON of a request that nobody has checked: a text, or an object.
    pub fn read(json: &str) -> Result<Self> {
        let value: serde_json::Value = quarry_base::deep_json::from_str(json)
            .map_err(|error| Error::illegal_argument(format!("[script] cannot be read: {error}")))?;
        if let serde_json::Value::String(source) = value {
            return Ok(ScriptSpec::inline(source));
        }
        let wrong = |error: serde_json::Error| Error::illegal_argument(format!("[script] {error}"));
        serde_json::from_value(value).map_err(wrong)
    }

    /// The program, compiled if it has to be.
    ///
    /// Errors: those of [`cache::compile`]; `ResourceNotFound` for a stored script that there is not; `IllegalArgument`.
    pub fn program(&self, context: &'static Context) -> Result<Arc<Program>> {
        if !matches!(self.params, serde_json::Value::Null | serde_json::Value::Object(_)) {
            return Err(Error::illegal_argument("[script] [params] is an object"));
        }
        match (&self.source, &self.id) {
            (Some(source), None) => {
                cache::check_type(false)?;
                cache::compile(self.lang.as_deref().unwrap_or(DEFAULT_LANG), source, context)
            }
            (None, Some(id)) => {
                if self.lang.is_some() {
                    return Err(Error::illegal_argument("illegally specified <lang> for a stored script"));
                }
                cache::check_type(true)?;
                let script = stored(id)?;
                cache::compile(&script.lang, &script.source, context)
            }
            (Some(_), Some(_)) => Err(Error::illegal_argument(
                "must specify either [source] for an inline script or [id] for a stored script",
            )),
            (None, None) => Err(Error::illegal_argument(
                "must specify either [source] for an inline script or [id] for a stored script",
            )),
        }
    }

    pub fn instance(&self, context: &'static Context) -> Result<Instance> {
        Instance::new(self.program(context)?, &self.params)
    }
}
