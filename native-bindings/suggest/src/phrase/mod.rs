//! The suggester `phrase`: the whole text with some words replaced by near ones, likelier than it was.
//!
//! A noisy channel, as Elasticsearch has it: candidates for each word ([`candidates`]), the likelihood of a word behind others
//! from the terms of a field of words and of words joined ([`model`]), and the best ways through the candidates ([`corrections`]).

mod candidates;
mod corrections;
mod model;

use super::field_terms::FieldTerms;
use super::plan::{GeneratorPlan, PhrasePlan};
use super::words::{analyzer_of, field_named, named_analyzer, words};
use super::{Entry, SuggestOption, utf16_length};
use candidates::{CandidateSet, Generator, Generators};
use corrections::{Corrections, find};
use model::Model;
use quarry_analysis::Token;
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_query::view::ShardView;

/// The least number above 0: every score is above it.
const NO_CUTOFF: f64 = f64::from_bits(1);
/// Candidates of a generator where the request names none.
const GENERATOR_SIZE: usize = 5;
/// Words of a phrase: each takes a frame of the stack.
const TOKENS_MAX: usize = 500;
const SHINGLE: &str = "shingle";
const SYNONYM: &str = "SYNONYM";

pub fn suggest(view: &ShardView, plan: &PhrasePlan, is_cancelled: IsCancelled<'_>) -> Result<Vec<Entry>> {
    let field = field_named(view, &plan.field)?;
    let analyzer = analyzer_of(view, field, plan.analyzer.as_deref())?;
    let shingles = analyzer.as_deref().and_then(|analyzer| analyzer.shingles());
    let has_unigrams = shingles.as_ref().is_none_or(|shingles| shingles.has_unigrams);
    if plan.generators.is_empty() && !has_unigrams && plan.force_unigrams {
        return Err(Error::illegal_argument(format!(
            "The default candidate generator for phrase suggest can't operate on field: [{}] since it doesn't emit \
             unigrams. If this is intentional try to set the candidate generator field explicitly",
            plan.field
        )));
    }
    let gram_size = plan.gram_size.unwrap_or_else(|| shingles.map_or(1, |shingles| shingles.most as u32));
    let own = [default_generator(plan)];
    let wanted = if plan.generators.is_empty() { own.as_slice() } else { plan.generators.as_slice() };
    let generators = generators(view, wanted, plan, is_cancelled)?;
    let mut entry = Entry {
        text: plan.text.clone(),
        offset: 0,
        length: utf16_length(&plan.text),
        cutoff: Some(NO_CUTOFF),
        options: Vec::new(),
    };
    let terms = FieldTerms::of(view, &field.spec.name);
    let (Some(terms), false) = (&terms, generators.is_empty()) else { return Ok(vec![entry]) };
    let generators = Generators { all: generators, most: plan.shard_size };
    let tokens = words(field, analyzer.as_deref(), &plan.text)?;
    let sets = candidate_sets(&tokens, &generators, plan)?;
    let model = Model::new(terms, plan, gram_size);
    let found = find(sets, &model, plan, is_cancelled)?;
    let Some(Corrections { cutoff, corrections }) = found else { return Ok(vec![entry]) };
    entry.cutoff = Some(cutoff);
    for correction in corrections {
        let score = correction.score as f32;
        if f64::from(score) > cutoff {
            let highlighted = plan.highlight.as_ref().map(|(before, after)| correction.highlighted(before, after));
            entry.options.push(SuggestOption { text: correction.text(), score, highlighted, ..Default::default() });
        }
    }
    Ok(vec![entry])
}

fn default_generator(plan: &PhrasePlan) -> GeneratorPlan {
    GeneratorPlan {
        field: plan.field.clone(),
        size: GENERATOR_SIZE,
        pre_filter: None,
        post_filter: None,
        spell: plan.default_spell.clone(),
    }
}

/// Those whose field has terms.
fn generators<'a>(
    view: &'a ShardView,
    wanted: &'a [GeneratorPlan],
    plan: &PhrasePlan,
    is_cancelled: IsCancelled<'a>,
) -> Result<Vec<Generator<'a>>> {
    let filter = |name: &Option<String>| {
        let named = name.as_deref().map(|name| named_analyzer(view, name));
        named.transpose().map_err(|error| Error { reason: error.reason.replacen("analyzer", "Analyzer", 1), ..error })
    };
    let mut found = Vec::new();
    for generator in wanted {
        let (pre_filter, post_filter) = (filter(&generator.pre_filter)?, filter(&generator.post_filter)?);
        let name = view.mapping.field_by_name(&generator.field).map_or(&generator.field, |field| &field.spec.name);
        if let Some(terms) = FieldTerms::of(view, name) {
            let likelihood = plan.real_word_error_likelihood;
            found.push(Generator { terms, plan: generator, likelihood, pre_filter, post_filter, is_cancelled });
        }
    }
    Ok(found)
}

/// One set for each word that is to be corrected; none where there are too many.
fn candidate_sets(tokens: &[Token], generators: &Generators<'_>, plan: &PhrasePlan) -> Result<Vec<CandidateSet>> {
    let mut sets: Vec<CandidateSet> = Vec::new();
    let mut last_position = None;
    let mut has_unigrams = false;
    for token in tokens {
        if plan.force_unigrams && token.kind == SHINGLE {
            continue;
        }
        has_unigrams = true;
        let is_beside = last_position == Some(token.position);
        last_position = Some(token.position);
        match sets.last_mut().filter(|_| is_beside && token.kind == SYNONYM) {
            Some(set) => set.others.extend(generators.known(&token.term, plan.real_word_error_likelihood)?),
            None => sets.push(CandidateSet::new(generators.original(&token.term)?)),
        }
    }
    if plan.force_unigrams && !has_unigrams && !tokens.is_empty() {
        let reason = "At least one unigram is required but all tokens were ngrams";
        return Err(Error::new(ErrorCode::IllegalArgument, reason));
    }
    if sets.len() >= plan.token_limit.min(TOKENS_MAX) {
        sets.clear();
    }
    for set in &mut sets {
        generators.draw(set)?;
    }
    Ok(sets)
}
