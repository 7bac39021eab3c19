//! The score of one term, number by number.

use super::Explanation;
use super::describe::float;
use super::explainer::Place;
use crate::codec::norm;
use crate::error::Result;
use crate::search::bm25::{B, K1, NORM_OF_FIELD_WITHOUT_NORMS, idf};
use crate::search::node::{Node, TermStatistics};
use crate::window::WINDOW;

pub(super) fn explain_term(
    place: &Place<'_>,
    field: &str,
    term: &[u8],
    statistics: Option<TermStatistics>,
    node: &Node,
    boost: f32,
) -> Result<Explanation> {
    let Some(score) = place.score(node, Some(boost))? else {
        return Ok(Explanation::no_match("no matching term", Vec::new()));
    };
    let freq = frequency(place, field, term)?;
    let stats = place.view.field_stats(field);
    let doc_freq = match statistics {
        Some(statistics) => statistics.doc_freq,
        None => place.view.doc_freq(field, term)?,
    };
    let doc_count = stats.doc_count.max(doc_freq);
    let average = stats.sum_total_term_freq as f32 / stats.doc_count.max(1) as f32;
    let norms = place.segment.field(field).and_then(|field| field.norms());
    let code = norms.and_then(|norms| norms.get(place.doc as usize).copied()).unwrap_or(NORM_OF_FIELD_WITHOUT_NORMS);
    let length = norm::decode(code);
    let idf_value = idf(doc_freq, doc_count);
    let inverse = 1.0 / (K1 * ((1.0 - B) + B * length as f32 / average));
    let tf = 1.0 - 1.0 / (1.0 + freq as f32 * inverse);
    let leaf = |value: f64, description: &str| Explanation::of(value, description, Vec::new());
    let idf_details = vec![
        leaf(doc_freq as f64, "n, number of documents containing term"),
        leaf(doc_count as f64, "N, total number of documents with field"),
    ];
    let tf_details = vec![
        leaf(freq.into(), "freq, occurrences of term within document"),
        leaf(K1.into(), "k1, term saturation parameter"),
        leaf(B.into(), "b, length normalization parameter"),
        leaf(length.into(), "dl, length of field"),
        leaf(average.into(), "avgdl, average length of field"),
    ];
    let mut factors = Vec::new();
    if boost != 1.0 {
        factors.push(leaf(boost.into(), "boost"));
    }
    factors.push(Explanation::of(idf_value, "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:", idf_details));
    factors.push(Explanation::of(
        tf,
        "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:",
        tf_details,
    ));
    let computed = format!("score(freq={}), computed as boost * idf * tf from:", float(freq as f32));
    let described = format!("weight({} in {}) [PerFieldSimilarity], result of:", place.describe(node), place.doc);
    Ok(Explanation::of(score, described, vec![Explanation::of(score, computed, factors)]))
}

/// How often the document has the term; 1 where frequencies are not kept.
fn frequency(place: &Place<'_>, field: &str, term: &[u8]) -> Result<u32> {
    let Some(postings) = place.segment.field(field).and_then(|field| field.postings()) else { return Ok(1) };
    let Some(entry) = postings.lookup(term)? else { return Ok(1) };
    let mut cursor = postings.cursor(&entry)?;
    let (window, doc) = (place.doc / WINDOW as u32, (place.doc % WINDOW as u32) as u16);
    let mut freqs = [0u8];
    let may_be_more = cursor.probe(window, &[doc], &mut freqs)?;
    if may_be_more { cursor.exact_freq(window, doc) } else { Ok(freqs[0].max(1).into()) }
}
