//! Queries on `search_as_you_type` fields, as far as they are put to the parts of such a field: a phrase of words is a phrase of
//! longer words, and the beginning of a word is a term of its own.

use super::graph_phrase::{PhraseOptions, Prefixes, any_term, near_node, phrase_of};
use super::token_graph::{Stretch, Words, as_line, read_text};
use crate::node::Node;
use crate::resolve::Resolver;
use crate::resolve::field::Target;
use crate::term_match::TermMatcher;
use quarry_analysis::{Analyzer, utf16_length};
use quarry_base::error::Result;
use quarry_mapping::MappedField;
use quarry_mapping::spec::{DeclaredType, ShingleSpec};
use quarry_plan::query::Rewrite;

/// Words that the longest words of a part are made of.
const SHINGLE_SIZE_MAX: usize = 4;
/// The longest beginning that is a term, in UTF-16 code units.
const PREFIX_MAX: u32 = 20;

impl Resolver<'_> {
    /// The phrase over the part whose words are as long as the phrase, or the longest there are; `None` where it is looked for
    /// in the field itself. `words`: the text as `analyzer` has it.
    pub(in crate::resolve) fn shingled_phrase(
        &self,
        field: &MappedField,
        analyzer: &Analyzer,
        (text, words): (&str, &[Words]),
        options: PhraseOptions,
    ) -> Result<Option<Node>> {
        let is_root = field.spec.declared_type == Some(DeclaredType::SearchAsYouType) && field.spec.shingle.is_none();
        if !is_root || options.slop > 0 || words.len() < 2 || words.iter().any(|word| word.gap > 0) {
            return Ok(None);
        }
        let part = |size: usize| match self.target(&format!("{}._{size}gram", field.spec.name)) {
            Target::Mapped(part) => part.spec.shingle.map(|shingle| (part, shingle)),
            _ => None,
        };
        let Some((part, ShingleSpec { size, .. })) = (2..=words.len().min(SHINGLE_SIZE_MAX)).rev().find_map(part)
        else {
            return Ok(None);
        };
        let shingled = read_text(&analyzer.shingled(size, false)?, text, self.env.limits.max_clauses)?;
        let Some(shingles) = as_line(&shingled) else { return Ok(None) };
        if let Some(node) = phrase_with_prefix(part, &shingled, &shingles, options) {
            return Ok(Some(node));
        }
        Ok(Some(match shingles.as_slice() {
            [only] if options.prefix_expansions.is_none() => any_term(&part.spec.name, only),
            shingles => phrase_of(&part.spec.name, shingles, options),
        }))
    }

    /// A prefix of a field with such parts: a term of one of them. `None` where no term can stand for it.
    pub(in crate::resolve) fn prefix_as_term(
        &self,
        field: &str,
        prefix: &str,
        ignores_case: bool,
        how: Rewrite,
    ) -> Option<Node> {
        let Target::Mapped(field) = self.target(field) else { return None };
        if !(1..=PREFIX_MAX).contains(&utf16_length(prefix)) {
            return None;
        }
        let field = prefix_part(field)?;
        if ignores_case {
            return Some(Node::Pattern { field, matcher: TermMatcher::Folded(prefix.to_lowercase()) });
        }
        let term = Node::term(&field, prefix.as_bytes().to_vec());
        let is_constant = matches!(how, Rewrite::Default | Rewrite::ConstantScore);
        Some(if is_constant { term.constant() } else { term })
    }
}

/// A phrase over a part whose last word is a beginning that is a term; `None` for any other.
pub(in crate::resolve) fn phrase_with_prefix(
    part: &MappedField,
    text: &[Stretch],
    words: &[Words],
    options: PhraseOptions,
) -> Option<Node> {
    options.prefix_expansions.filter(|_| options.slop == 0)?;
    part.spec.shingle.filter(|shingle| !shingle.prefixes)?;
    let prefixes = prefix_part(part)?;
    let last = words.last()?;
    if last.terms.iter().any(|term| utf16_length(&String::from_utf8_lossy(term)) > PREFIX_MAX) {
        return None;
    }
    Some(match words {
        [only] => any_term(&prefixes, only),
        _ => near_node(&part.spec.name, text, Some(Prefixes::Field(&prefixes))),
    })
}

/// The part with beginnings of words, beside the field or this other part of it.
fn prefix_part(field: &MappedField) -> Option<String> {
    let is_part = field.spec.shingle.is_some_and(|shingle| !shingle.prefixes);
    let is_root = field.spec.declared_type == Some(DeclaredType::SearchAsYouType) && !is_part;
    let root = if is_part { field.spec.parent.as_deref() } else { is_root.then_some(field.spec.name.as_str()) };
    root.filter(|_| field.spec.shingle.is_none_or(|shingle| !shingle.prefixes))
        .map(|root| format!("{root}._index_prefix"))
}
