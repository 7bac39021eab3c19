//! The suggester `completion`: documents with inputs that begin with a text, by the weight of the input.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`contexts`] | which contexts a request means |
//! | [`matcher`] | how much of a term's form a text stands for |
//! | [`ranges`] | the terms of a segment that begin with the text |
//! | [`best`] | the best documents of a segment |

mod best;
mod contexts;
mod matcher;
mod ranges;

use super::plan::{CompletionPlan, SuggestPlan};
use super::words::{field_named, named_analyzer};
use super::{Entry, SuggestOption, check_cancelled, utf16_length};
use best::{Completion, Wish};
use matcher::Matcher;
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, Result};
use quarry_fetch::Fetcher;
use quarry_fetch::named::{NamedQueries, NamedRequest};
use quarry_mapping::MappedField;
use quarry_mapping::spec::CompletionSpec;
use quarry_plan::query::Query;
use quarry_query::sort::hit::Hit;
use quarry_query::view::ShardView;
use quarry_query::weight::Above;
use quarry_query::weight::QueryEnv;
use std::collections::{BTreeMap, BTreeSet};

pub fn suggest(
    view: &ShardView,
    wanted: &CompletionPlan,
    plan: &SuggestPlan,
    is_cancelled: IsCancelled<'_>,
) -> Result<Vec<Entry>> {
    let field = field_named(view, &wanted.field)?;
    let Some(spec) = &field.spec.completion else {
        let reason = format!("Field [{}] is not a completion suggest field", field.spec.name);
        return Err(Error::illegal_argument(reason));
    };
    let mut found = Vec::new();
    for completion in best_of_shard(view, field, spec, wanted, is_cancelled)? {
        let contexts = named_contexts(spec, &completion.contexts);
        found.push((completion, contexts));
    }
    let options = render(view, plan, found, is_cancelled)?;
    let length = utf16_length(&wanted.text);
    Ok(vec![Entry { text: wanted.text.clone(), offset: 0, length, cutoff: None, options }])
}

fn best_of_shard(
    view: &ShardView,
    field: &MappedField,
    spec: &CompletionSpec,
    wanted: &CompletionPlan,
    is_cancelled: IsCancelled<'_>,
) -> Result<Vec<Completion>> {
    let analyzer = match &wanted.analyzer {
        Some(name) => Some(named_analyzer(view, name)?),
        None => field.search_analyzer.clone(),
    };
    let analyzer = analyzer.ok_or_else(|| Error::internal("a completion field without an analyzer"))?;
    let contexts = contexts::read(field, spec, wanted.contexts.as_ref())?;
    let mut matcher = Matcher::new(&wanted.wanted, &analyzer, spec)?;
    let wish = Wish {
        count: wanted.shard_size,
        skip_duplicates: wanted.skip_duplicates,
        has_contexts: !spec.contexts.is_empty(),
        is_cancelled,
    };
    let mut all: Vec<Completion> = Vec::new();
    for segment in view.segments.iter() {
        check_cancelled(is_cancelled)?;
        let Some(reader) = segment.field(&field.spec.name) else { continue };
        let (Some(postings), Some(weights)) = (reader.postings(), reader.weights()) else { continue };
        let ranges = ranges::find(postings, contexts.as_deref(), &mut matcher, is_cancelled)?;
        all.append(&mut best::of_segment(segment, postings, weights, &ranges, &wish)?);
    }
    all.sort_by(|left, right| {
        let by_score = right.score.total_cmp(&left.score);
        by_score.then_with(|| left.input.cmp(&right.input)).then(left.doc.cmp(&right.doc))
    });
    let mut seen = BTreeSet::new();
    all.retain(|completion| !wanted.skip_duplicates || seen.insert(completion.input.clone()));
    all.truncate(wanted.size);
    Ok(all)
}

fn named_contexts(spec: &CompletionSpec, found: &BTreeSet<(u8, Vec<u8>)>) -> BTreeMap<String, Vec<String>> {
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (number, value) in found {
        if let Some(context) = spec.contexts.get(usize::from(*number)) {
            named.entry(context.name.clone()).or_default().push(String::from_utf8_lossy(value).into_owned());
        }
    }
    named
}

type Found = Vec<(Completion, BTreeMap<String, Vec<String>>)>;

fn render(
    view: &ShardView,
    plan: &SuggestPlan,
    found: Found,
    is_cancelled: IsCancelled<'_>,
) -> Result<Vec<SuggestOption>> {
    let query = Query::match_all();
    let request = NamedRequest { query: &query, post_filter: None, rescore: &[], with_scores: false };
    let env = QueryEnv { now_ms: plan.now_ms, limits: plan.limits.clone(), is_cancelled, above: Above::NOTHING };
    let mut fetcher = Fetcher::new(view, &env, request, &plan.fetch, &[], NamedQueries::none(request))?;
    let mut options = Vec::with_capacity(found.len());
    for (Completion { input, score, doc, .. }, contexts) in found {
        let hit = Hit { doc, score: Some(score), sort: Vec::new(), group: None, rescored: Vec::new() };
        let mut out = Vec::new();
        fetcher.render(&hit, &mut out)?;
        let hit = String::from_utf8(out).map_err(|_| Error::internal("a hit is not UTF-8"))?;
        options.push(SuggestOption { text: input, score, hit: Some(hit), contexts, ..SuggestOption::default() });
    }
    Ok(options)
}
