//! The suggester `term`: for each word of the text terms that are near it.

use super::field_terms::FieldTerms;
use super::plan::TermPlan;
use super::spell::SpellChecker;
use super::words::{analyzer_of, field_named, words};
use super::{Entry, SuggestOption, check_cancelled};
use quarry_base::control::IsCancelled;
use quarry_base::error::Result;
use quarry_query::view::ShardView;

pub fn suggest(view: &ShardView, plan: &TermPlan, is_cancelled: IsCancelled<'_>) -> Result<Vec<Entry>> {
    let field = field_named(view, &plan.field)?;
    let analyzer = analyzer_of(view, field, plan.analyzer.as_deref())?;
    let terms = FieldTerms::of(view, &field.spec.name);
    let mut entries = Vec::new();
    for word in words(field, analyzer.as_deref(), &plan.text)? {
        check_cancelled(is_cancelled)?;
        let mut options = Vec::new();
        if let Some(terms) = &terms {
            let checker = SpellChecker { terms, plan: &plan.spell, is_cancelled };
            for near in checker.near(word.text(), plan.shard_size, plan.spell.min_doc_freq)? {
                let (text, freq) = (near.text, Some(near.doc_freq));
                options.push(SuggestOption { text, score: near.score, freq, ..SuggestOption::default() });
            }
        }
        entries.push(Entry {
            text: word.text().to_owned(),
            offset: word.start_offset,
            length: word.end_offset.saturating_sub(word.start_offset),
            cutoff: None,
            options,
        });
    }
    Ok(entries)
}
