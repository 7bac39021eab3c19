//! Scores that a script computes from the statistics of a term and of a document.

use crate::explanation::Explanation;
use crate::totals::{FieldTotals, TermTotals};
use quarry_base::error::{Error, Result};
use quarry_codec::norm;
use quarry_mapping::similarity::ScriptedSpec;
use quarry_script::heap::Value;
use quarry_script::{Instance, Nothing, ScriptSpec, context};
use serde_json::json;
use std::cell::RefCell;

/// The script over one term, or the sum over several.
#[derive(Debug)]
pub(super) struct Scripted {
    spec: ScriptedSpec,
    boost: f32,
    field: FieldTotals,
    terms: Vec<TermScript>,
}

#[derive(Debug)]
struct TermScript {
    totals: TermTotals,
    weight: f64,
    run: RefCell<Instance>,
}

/// Places of the variables in the contexts `similarity_weight` and `similarity`.
const STATISTICS: [&str; 3] = ["query", "field", "term"];
const FIRST_OF_WEIGHT: usize = 1;
const WEIGHT: usize = 1;
const FIRST_OF_SCORE: usize = 2;
const DOC: usize = 5;

fn prepared(script: &ScriptSpec, context_name: &str, first: usize, statistics: &serde_json::Value) -> Result<Instance> {
    let mut instance = script.instance(context(context_name)?)?;
    for (place, name) in STATISTICS.into_iter().enumerate() {
        let value = instance.import(&statistics[name])?;
        instance.set(first + place, value);
    }
    Ok(instance)
}

impl TermScript {
    fn new(spec: &ScriptedSpec, boost: f32, field: FieldTotals, totals: TermTotals) -> Result<Self> {
        let statistics = json!({
            "query": { "boost": boost },
            "field": {
                "docCount": field.doc_count,
                "sumDocFreq": field.sum_doc_freq,
                "sumTotalTermFreq": field.sum_total_term_freq,
            },
            "term": { "docFreq": totals.doc_freq, "totalTermFreq": totals.occurrences },
        });
        let weight = match &spec.weight_script {
            Some(script) => {
                prepared(script, "similarity_weight", FIRST_OF_WEIGHT, &statistics)?.run_double(&mut Nothing)?
            }
            None => 1.0,
        };
        let mut run = prepared(&spec.script, "similarity", FIRST_OF_SCORE, &statistics)?;
        run.set(WEIGHT, Value::Double(weight));
        let doc = run.import(&json!({ "freq": 0.0, "length": 0 }))?;
        run.set(DOC, doc);
        Ok(TermScript { totals, weight, run: RefCell::new(run) })
    }

    fn score(&self, freq: f32, length: u32) -> Result<f32> {
        let mut run = self.run.borrow_mut();
        run.set_entry(DOC, "freq", Value::Float(freq))?;
        run.set_entry(DOC, "length", Value::Int(length as i32))?;
        Ok(run.run_double(&mut Nothing)? as f32)
    }
}

impl Scripted {
    /// Errors: a script does not compile; the script of the weight fails.
    pub(super) fn new(spec: &ScriptedSpec, boost: f32, field: FieldTotals, terms: &[TermTotals]) -> Result<Self> {
        let scripts = terms.iter().map(|totals| TermScript::new(spec, boost, field, *totals));
        Ok(Scripted { spec: spec.clone(), boost, field, terms: scripts.collect::<Result<_>>()? })
    }

    fn sum(&self, freq: f32, length: u32) -> Result<f32> {
        let mut sum = 0.0;
        for term in &self.terms {
            sum += f64::from(term.score(freq, length)?);
        }
        Ok(sum as f32)
    }

    /// Errors: the script fails, or gives a negative score.
    pub(super) fn score(&self, freq: f32, norm: u8) -> Result<f32> {
        let score = self.sum(freq, norm::decode(norm))?;
        if score >= 0.0 {
            return Ok(score);
        }
        let explained = self.explain(freq, norm)?.to_text();
        Err(Error::illegal_argument(format!("Similarities must not produce negative scores, but got:\n{explained}")))
    }

    pub(super) fn explain(&self, freq: f32, norm: u8) -> Result<Explanation> {
        let length = norm::decode(norm);
        let parts = self.terms.iter().map(|term| self.explain_term(term, freq, length));
        let mut parts = parts.collect::<Result<Vec<_>>>()?;
        match parts.len() {
            1 => Ok(parts.remove(0)),
            _ => Ok(Explanation::of(self.sum(freq, length)?, "Sum of:", parts)),
        }
    }

    fn explain_term(&self, term: &TermScript, freq: f32, length: u32) -> Result<Explanation> {
        let weight_script = self.spec.weight_script.as_ref().map_or("null".to_owned(), named);
        let described = format!(
            "score from ScriptedSimilarity(weightScript=[{weight_script}], script=[{}]) computed from:",
            named(&self.spec.script)
        );
        let details = vec![
            Explanation::leaf(term.weight as f32, "weight"),
            Explanation::leaf(self.boost, "query.boost"),
            Explanation::leaf(self.field.doc_count as f64, "field.docCount"),
            Explanation::leaf(self.field.sum_doc_freq as f64, "field.sumDocFreq"),
            Explanation::leaf(self.field.sum_total_term_freq as f64, "field.sumTotalTermFreq"),
            Explanation::leaf(term.totals.doc_freq as f64, "term.docFreq"),
            Explanation::leaf(term.totals.occurrences as f64, "term.totalTermFreq"),
            Explanation::leaf(freq, "doc.freq"),
            Explanation::leaf(length, "doc.length"),
        ];
        Ok(Explanation::of(term.score(freq, length)?, described, details))
    }
}

/// A script as the API prints it.
fn named(script: &ScriptSpec) -> String {
    let params = match &script.params {
        serde_json::Value::Object(params) => {
            let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let pairs: Vec<String> = params.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        _ => "{}".to_owned(),
    };
    match &script.id {
        Some(id) => format!("Script{{type=stored, idOrCode='{id}', params={params}}}"),
        None => {
            let lang = script.lang.as_deref().unwrap_or("painless");
            let source = script.source.as_deref().unwrap_or_default();
            format!("Script{{type=inline, lang='{lang}', idOrCode='{source}', options={{}}, params={params}}}")
        }
    }
}

/// Refuses scripts that do not compile, and those whose scores are negative, fall with the frequency, or rise with the
/// length, for a term that is like many.
pub fn check(spec: &ScriptedSpec) -> Result<()> {
    const MOST: u32 = 10;
    const LENGTH: u32 = 20;
    let field = FieldTotals { doc_count: 1100, sum_doc_freq: 2000, sum_total_term_freq: 3000 };
    let scripted = Scripted::new(spec, 2.0, field, &[TermTotals { doc_freq: 100, occurrences: 130 }])?;
    let refused = |rule: &str, cases: &[(u32, u32)]| -> Result<()> {
        let mut texts = Vec::with_capacity(cases.len());
        for &(freq, length) in cases {
            texts.push(scripted.explain(freq as f32, norm::encode(length))?.to_text());
        }
        Err(Error::illegal_argument(format!("{rule}:\n{}", texts.join("\n"))))
    };
    let mut scores = Vec::new();
    for freq in 1..=MOST {
        let score = scripted.sum(freq as f32, LENGTH)?;
        if score < 0.0 {
            return refused("Similarities should not return negative scores", &[(freq, LENGTH)]);
        }
        scores.push(score);
    }
    if let Some(fall) = scores.windows(2).position(|pair| pair[1] < pair[0]) {
        let freq = fall as u32 + 1;
        let rule = "Similarity scores should not decrease when term frequency increases";
        return refused(rule, &[(freq, LENGTH), (freq + 1, LENGTH)]);
    }
    let mut previous = f32::MAX;
    for length in 1..=MOST {
        let score = scripted.sum(1.0, length)?;
        if score > previous {
            let rule = "Similarity scores should not increase when norm increases";
            return refused(rule, &[(1, length - 1), (1, length)]);
        }
        previous = score;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_base::error::ErrorCode;
    use quarry_base::interrupt::watching;

    #[test]
    fn a_search_that_is_cancelled_ends_the_scripts() {
        let field = FieldTotals { doc_count: 2, sum_doc_freq: 4, sum_total_term_freq: 4 };
        let made = |script: &str, weight_script: Option<&str>| {
            let weight_script = weight_script.map(ScriptSpec::inline);
            let spec = ScriptedSpec { script: ScriptSpec::inline(script), weight_script };
            Scripted::new(&spec, 1.0, field, &[TermTotals { doc_freq: 1, occurrences: 1 }])
        };
        let endless = "int i = 0; while (i < 1) { i = 0 } return 1.0";
        let scripted = made(endless, None).unwrap();
        let error = watching(&|| true, None, || scripted.score(1.0, 1)).unwrap_err();
        assert_eq!(error.code, ErrorCode::TaskCancelled);
        let error = watching(&|| true, None, || made("return 1.0", Some(endless))).unwrap_err();
        assert_eq!(error.code, ErrorCode::TaskCancelled);
    }
}
