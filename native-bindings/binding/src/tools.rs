//! What needs no open shard: analysis, checks of directories, the processor.

use crate::background::in_background;
use crate::failure::{entry, parse};
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use quarry_analysis::{AnalyzeScope, Registry};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_engine::directory::check::check_shard;
use quarry_engine::directory::removal::remove_shard_directory as remove;
use quarry_mapping::similarity::SimilaritySpec;
use quarry_scores::similarity::check as check_scripted;
use serde_json::{Value, json};
use std::path::Path;

fn registry(analysis: &str) -> Result<Registry> {
    let spec: Value = parse("analysis settings", analysis.as_bytes())?;
    Registry::from_spec(&spec)
}

/// Which part of a `search_as_you_type` field is meant.
#[napi(object)]
pub struct Shingle {
    pub size: u32,
    pub prefixes: bool,
}

/// `analysis`: the settings of the index that the request names, if it names one.
#[napi]
pub fn analyze(
    analysis: Option<String>,
    request: String,
    max_tokens: u32,
    shingle: Option<Shingle>,
    field_gap: Option<u32>,
) -> napi::Result<Uint8Array> {
    entry(|| {
        let request: Value = parse("an analyze request", request.as_bytes())?;
        let scope = AnalyzeScope {
            max_token_count: max_tokens as usize,
            has_index: analysis.is_some(),
            shingle: shingle.map(|Shingle { size, prefixes }| (size, prefixes)),
            field_gap,
        };
        registry(analysis.as_deref().unwrap_or("{}"))?.analyze_request(&request, scope).map(Uint8Array::from)
    })
}

#[napi]
pub fn validate_analysis(analysis: String) -> napi::Result<()> {
    entry(|| registry(&analysis).map(drop))
}

/// Refuses a similarity (JSON) whose scripts do not compile or score as none may.
#[napi]
pub fn check_similarity(similarity: String) -> napi::Result<()> {
    entry(|| match parse("a similarity", similarity.as_bytes())? {
        SimilaritySpec::Scripted(spec) => check_scripted(&spec),
        _ => Ok(()),
    })
}

#[napi]
pub fn has_analyzer(analysis: String, name: String, normalizer: bool) -> napi::Result<bool> {
    entry(|| {
        let registry = registry(&analysis)?;
        Ok(if normalizer { registry.normalizer(&name).is_some() } else { registry.analyzer(&name).is_some() })
    })
}

/// What is wrong with a shard's directory, as JSON.
#[napi]
pub fn check(directory: String) -> napi::Result<String> {
    entry(|| {
        let findings = check_shard(Path::new(&directory))?;
        let findings: Vec<Value> = findings
            .iter()
            .map(|finding| json!({ "file": finding.file, "place": finding.place, "problem": finding.problem }))
            .collect();
        Ok(Value::from(findings).to_string())
    })
}

/// Removes the directory of a shard when nobody works in it any more.
#[napi]
pub fn remove_shard_directory<'env>(env: &'env Env, directory: String) -> napi::Result<Object<'env>> {
    in_background(env, "shard-removal", move || remove(Path::new(&directory)), Ok)
}

/// Features that this add-on was built with; an error when the processor lacks one.
#[napi]
pub fn processor_features() -> napi::Result<Vec<String>> {
    entry(|| {
        let built_with = built_with();
        match built_with.iter().find(|(_, present)| !present) {
            None => Ok(built_with.iter().map(|(name, _)| (*name).to_string()).collect()),
            Some((name, _)) => Err(Error::new(
                ErrorCode::Internal,
                format!(
                    "the native kernels were built for processors with [{name}], which this one lacks: build them here"
                ),
            )),
        }
    })
}

/// Features that the build used, and whether this processor has them.
#[cfg(target_arch = "x86_64")]
fn built_with() -> Vec<(&'static str, bool)> {
    let mut features = Vec::new();
    macro_rules! note {
        ($($name:tt),*) => {$(
            if cfg!(target_feature = $name) {
                features.push(($name, is_x86_feature_detected!($name)));
            }
        )*};
    }
    note!(
        "sse4.2",
        "popcnt",
        "pclmulqdq",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "fma",
        "lzcnt",
        "avx512f",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512vl",
        "avx512vbmi",
        "avx512vbmi2",
        "avx512ifma",
        "avx512vnni",
        "avx512bitalg",
        "avx512vpopcntdq",
        "gfni",
        "vaes",
        "vpclmulqdq"
    );
    features
}

#[cfg(not(target_arch = "x86_64"))]
fn built_with() -> Vec<(&'static str, bool)> {
    Vec::new()
}
