//! Term vectors of one document: its terms by field, with frequencies, positions and offsets, made of its source by
//! analysing it again, and statistics of the shard.

use crate::source_texts;
use quarry_analysis::{Analyzer, Token};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::write::write_string;
use quarry_mapping::MappedField;
use quarry_mapping::spec::FieldType;
use quarry_query::view::ShardView;
use quarry_query::wildcard_name::matches_name;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;

/// A checked `_termvectors` request.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermVectorsPlan {
    /// Names or patterns.
    pub fields: Vec<String>,
    /// Analyzers to use instead of those of the mapping.
    #[serde(default)]
    pub analyzers: HashMap<String, String>,
    pub positions: bool,
    pub offsets: bool,
    pub term_statistics: bool,
    pub field_statistics: bool,
    pub filter: Option<TermFilter>,
}

/// Keeps the terms that tell most of the document.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermFilter {
    pub max_num_terms: usize,
    pub min_term_freq: u64,
    pub max_term_freq: u64,
    pub min_doc_freq: u64,
    pub max_doc_freq: u64,
    pub min_word_length: usize,
    /// 0: any.
    pub max_word_length: usize,
}

#[derive(Default)]
struct TermStatistics {
    doc_freq: u64,
    total: u64,
}

/// The response's `term_vectors` object as JSON.
///
/// Errors: a source that is not JSON; an analyzer that the index does not have.
pub fn term_vectors(view: &ShardView, source: &[u8], plan: &TermVectorsPlan) -> Result<Vec<u8>> {
    let document: Value = quarry_base::deep_json::from_slice(source)
        .map_err(|error| Error::new(ErrorCode::Parsing, format!("the document is not JSON: {error}")))?;
    let mut out = vec![b'{'];
    for field in view.mapping.fields() {
        let name = &field.spec.name;
        let is_wanted = plan.fields.iter().any(|pattern| matches_name(pattern, name));
        if !is_wanted || !matches!(field.spec.field_type, FieldType::Text | FieldType::Keyword) || !field.spec.index {
            continue;
        }
        let tokens = tokens_of(view, field, &document, plan)?;
        if tokens.is_empty() {
            continue;
        }
        if out.len() > 1 {
            out.push(b',');
        }
        write_field(view, field, tokens, plan, &mut out)?;
    }
    out.push(b'}');
    Ok(out)
}

fn tokens_of(view: &ShardView, field: &MappedField, document: &Value, plan: &TermVectorsPlan) -> Result<Vec<Token>> {
    let mut field = field.clone();
    if let Some(name) = plan.analyzers.get(&field.spec.name) {
        let missing = || Error::illegal_argument(format!("No analyzer found for [{name}]"));
        let analyzer: Arc<Analyzer> = view.analysis.analyzer(name).ok_or_else(missing)?;
        field.analyzer = Some(analyzer);
    }
    source_texts::tokens(&field, document)
}

fn write_field(
    view: &ShardView,
    field: &MappedField,
    tokens: Vec<Token>,
    plan: &TermVectorsPlan,
    out: &mut Vec<u8>,
) -> Result<()> {
    let name = &field.spec.name;
    write_string(out, name);
    out.extend_from_slice(b":{");
    let stats = view.field_stats(name);
    if plan.field_statistics {
        let statistics = format!(
            "\"field_statistics\":{{\"sum_doc_freq\":{},\"doc_count\":{},\"sum_ttf\":{}}},",
            stats.sum_doc_freq, stats.doc_count, stats.sum_total_term_freq
        );
        out.extend_from_slice(statistics.as_bytes());
    }
    let mut terms: BTreeMap<Vec<u8>, Vec<Token>> = BTreeMap::new();
    for token in tokens {
        terms.entry(token.term.clone()).or_default().push(token);
    }
    let kept = match &plan.filter {
        Some(filter) => Some(best_terms(view, name, &terms, filter, view.doc_count())?),
        None => None,
    };
    out.extend_from_slice(b"\"terms\":{");
    let mut is_first = true;
    for (term, tokens) in &terms {
        let score = match &kept {
            Some(kept) => match kept.get(term) {
                Some(score) => Some(*score),
                None => continue,
            },
            None => None,
        };
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        write_string(out, &String::from_utf8_lossy(term));
        write_term(view, name, term, tokens, score, plan, out)?;
    }
    out.extend_from_slice(b"}}");
    Ok(())
}

fn write_term(
    view: &ShardView,
    field: &str,
    term: &[u8],
    tokens: &[Token],
    score: Option<f64>,
    plan: &TermVectorsPlan,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.extend_from_slice(b":{");
    if plan.term_statistics {
        let TermStatistics { doc_freq, total } = statistics(view, field, term)?;
        if doc_freq > 0 {
            out.extend_from_slice(format!("\"doc_freq\":{doc_freq},\"ttf\":{total},").as_bytes());
        }
    }
    out.extend_from_slice(format!("\"term_freq\":{}", tokens.len()).as_bytes());
    if plan.positions || plan.offsets {
        out.extend_from_slice(b",\"tokens\":[");
        for (place, token) in tokens.iter().enumerate() {
            let mut members = Vec::new();
            if plan.positions {
                members.push(format!("\"position\":{}", token.position));
            }
            if plan.offsets {
                members.push(format!("\"start_offset\":{},\"end_offset\":{}", token.start_offset, token.end_offset));
            }
            let comma = if place > 0 { "," } else { "" };
            out.extend_from_slice(format!("{comma}{{{}}}", members.join(",")).as_bytes());
        }
        out.push(b']');
    }
    if let Some(score) = score {
        out.extend_from_slice(format!(",\"score\":{}", score as f32).as_bytes());
    }
    out.push(b'}');
    Ok(())
}

/// Of all segments of the shard, deleted documents included.
fn statistics(view: &ShardView, field: &str, term: &[u8]) -> Result<TermStatistics> {
    let mut sum = TermStatistics::default();
    for segment in view.segments.iter() {
        let postings = segment.field(field).and_then(|reader| reader.postings());
        if let Some(entry) = postings.map(|postings| postings.lookup(term)).transpose()?.flatten() {
            sum.doc_freq += u64::from(entry.doc_freq);
            sum.total += entry.total_term_freq;
        }
    }
    Ok(sum)
}

/// The terms with the highest tf-idf, with it.
fn best_terms(
    view: &ShardView,
    field: &str,
    terms: &BTreeMap<Vec<u8>, Vec<Token>>,
    filter: &TermFilter,
    documents: u64,
) -> Result<HashMap<Vec<u8>, f64>> {
    let mut scored = Vec::new();
    for (term, tokens) in terms {
        let frequency = tokens.len() as u64;
        let length = String::from_utf8_lossy(term).chars().count();
        let fits_length =
            length >= filter.min_word_length && (filter.max_word_length == 0 || length <= filter.max_word_length);
        if !fits_length || frequency < filter.min_term_freq || frequency > filter.max_term_freq {
            continue;
        }
        let doc_freq = statistics(view, field, term)?.doc_freq;
        if doc_freq < filter.min_doc_freq || doc_freq > filter.max_doc_freq || doc_freq == 0 {
            continue;
        }
        let inverse = 1.0 + ((documents as f64 + 1.0) / (doc_freq as f64 + 1.0)).ln();
        scored.push((term.clone(), frequency as f64 * inverse));
    }
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    scored.truncate(filter.max_num_terms);
    Ok(scored.into_iter().collect())
}
