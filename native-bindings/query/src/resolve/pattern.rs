//! `prefix`, `wildcard`, `regexp` and `fuzzy`: terms by their form.

use super::field::{Target, require_searchable};
use super::text::full_text::{fuzzy_node, rewritten};
use super::value::text_of;
use super::{Resolver, failed_to_create};
use crate::node::{Node, TopTermsNode};
use crate::term_match::TermMatcher;
use crate::term_match::regexp;
use crate::term_match::wildcard::Wildcard;
use quarry_analysis::Analyzer;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::spec::{DeclaredType, FieldType};
use quarry_mapping::{MappedField, version};
use quarry_plan::query::{FuzzyQuery, PatternQuery, RegexpQuery, Rewrite};
use std::sync::Arc;

impl<'a> Resolver<'a> {
    /// The field's name where a pattern can be put to it; `None` when it is not mapped.
    fn pattern_field(&self, name: &str, query: &str, kinds: &str) -> Result<Option<PatternField<'a>>> {
        let refuse = |kind: &str| {
            let message =
                format!("Can only use {query} queries on {kinds} fields - not on [{name}] which is of type [{kind}]");
            Error::new(ErrorCode::QueryShard, message)
        };
        match self.target(name) {
            Target::Mapped(field)
                if matches!(field.spec.field_type, FieldType::Text | FieldType::Keyword | FieldType::Version)
                    && !field.is_lookup() =>
            {
                require_searchable(field)?;
                Ok(Some(PatternField { name: field.spec.name.clone(), mapped: Some(field) }))
            }
            Target::Mapped(field) => Err(refuse(field.spec.type_name())),
            Target::Metadata(metadata) => Ok(Some(PatternField { name: metadata.to_owned(), mapped: None })),
            Target::Unmapped => Ok(None),
            special => Err(refuse(special.type_name())),
        }
    }

    pub(super) fn prefix(&self, query: &PatternQuery) -> Result<Node> {
        let as_term = self.prefix_as_term(&query.field, &query.value, query.case_insensitive, query.rewrite);
        if let Some(node) = as_term {
            return Ok(node.boosted(query.boost));
        }
        if !self.has_indexed_prefix(query) {
            self.check_expensive("prefix")?;
        }
        if let Target::Index = self.target(&query.field) {
            return Ok(self.index_pattern(&format!("{}*", query.value)).boosted(query.boost));
        }
        let Some(field) = self.pattern_field(&query.field, "prefix", "keyword, text and wildcard")? else {
            return Ok(Node::None);
        };
        let value = self.keyword_text(&field, &query.value)?;
        let matcher = if query.case_insensitive {
            TermMatcher::FoldedPrefix(value.to_lowercase())
        } else {
            TermMatcher::Prefix(value.into_bytes())
        };
        Ok(field.rewritten(matcher, query.rewrite)?.boosted(query.boost))
    }

    pub(super) fn wildcard(&self, query: &PatternQuery) -> Result<Node> {
        self.check_expensive("wildcard")?;
        if let Target::Index = self.target(&query.field) {
            return Ok(self.index_pattern(&query.value).boosted(query.boost));
        }
        let Some(field) = self.pattern_field(&query.field, "wildcard", "keyword, text and wildcard")? else {
            return Ok(Node::None);
        };
        let pattern = self.normalized_pattern(&field, &query.value)?;
        let wildcard = Wildcard::new(&pattern, query.case_insensitive);
        let matcher = match wildcard.as_prefix() {
            Some(prefix) => TermMatcher::Prefix(prefix.to_vec()),
            None => TermMatcher::Wildcard(wildcard),
        };
        Ok(field.rewritten(matcher, query.rewrite)?.boosted(query.boost))
    }

    pub(super) fn regexp(&self, query: &RegexpQuery) -> Result<Node> {
        self.check_expensive("regexp")?;
        let Some(field) = self.pattern_field(&query.field, "regexp", "keyword and text")? else {
            return Ok(Node::None);
        };
        let is_wildcard = |mapped: &&MappedField| mapped.spec.declared_type == Some(DeclaredType::Wildcard);
        let takes_normal = |mapped: &&MappedField| query.is_normalized || is_wildcard(mapped);
        let normalizer = field.mapped.filter(takes_normal).and_then(normalizer_of);
        let value = match normalizer {
            Some(normalizer) => String::from_utf8_lossy(&normalizer.normalize(&query.value)?).into_owned(),
            None => query.value.clone(),
        };
        let regex = regexp::compile(&value, &query.flags, query.case_insensitive, query.max_determinized_states)
            .map_err(failed_to_create)?;
        let node = field.rewritten(TermMatcher::Regexp(regex), query.rewrite)?;
        Ok(node.boosted(query.boost))
    }

    pub(super) fn fuzzy(&self, query: &FuzzyQuery) -> Result<Node> {
        self.check_expensive("fuzzy")?;
        let Some(field) = self.pattern_field(&query.field, "fuzzy", "keyword and text")? else {
            return Ok(Node::None);
        };
        let text = text_of(&query.value);
        let term = match self.fuzzy_analyzer(&field, query)? {
            Some(analyzer) => String::from_utf8_lossy(&analyzer.normalize(&text)?).into_owned(),
            None => self.keyword_text(&field, &text)?,
        };
        let node = fuzzy_node(&field.name, term.as_bytes(), &query.fuzzy);
        let node = if field.holds_versions() { of_versions(node) } else { node };
        let node = if field.scores_alike() { node.constant() } else { node };
        Ok(node.boosted(query.boost))
    }

    /// What a text of a query string is brought into the form of terms with; `None` for other texts.
    fn fuzzy_analyzer(&self, field: &PatternField<'_>, query: &FuzzyQuery) -> Result<Option<Arc<Analyzer>>> {
        match &query.analyzer {
            Some(name) => self.named_analyzer(name).map(Some),
            None => Ok(field.mapped.filter(|_| query.is_normalized).and_then(normalizer_of).cloned()),
        }
    }

    fn has_indexed_prefix(&self, query: &PatternQuery) -> bool {
        let prefixes = match self.target(&query.field) {
            Target::Mapped(field) => field.spec.index_prefixes,
            _ => None,
        };
        let length = query.value.chars().count() as u32;
        prefixes.is_some_and(|prefixes| (prefixes.min_chars..=prefixes.max_chars).contains(&length))
    }

    fn index_pattern(&self, pattern: &str) -> Node {
        if Wildcard::new(pattern, false).matches(self.view.index.as_bytes()) { Node::All } else { Node::None }
    }

    /// A keyword's normalizer applies to what is looked for; text is taken as it is.
    fn keyword_text(&self, field: &PatternField<'_>, text: &str) -> Result<String> {
        match field.mapped {
            Some(mapped) if mapped.spec.field_type == FieldType::Keyword => {
                Ok(String::from_utf8_lossy(&self.keyword_term(mapped, text)?).into_owned())
            }
            _ => Ok(text.to_owned()),
        }
    }

    /// Normalizes the characters between the operators of a wildcard pattern.
    fn normalized_pattern(&self, field: &PatternField<'_>, pattern: &str) -> Result<String> {
        let normalizer = field.mapped.and_then(normalizer_of);
        let Some(normalizer) = normalizer else {
            return Ok(pattern.to_owned());
        };
        let mut normalized = String::with_capacity(pattern.len());
        let mut literal = String::new();
        let mut characters = pattern.chars();
        let flush = |literal: &mut String, out: &mut String| -> Result<()> {
            if !literal.is_empty() {
                out.push_str(&String::from_utf8_lossy(&normalizer.normalize(literal)?));
                literal.clear();
            }
            Ok(())
        };
        while let Some(character) = characters.next() {
            match character {
                '*' | '?' => {
                    flush(&mut literal, &mut normalized)?;
                    normalized.push(character);
                }
                '\\' => {
                    flush(&mut literal, &mut normalized)?;
                    normalized.push('\\');
                    normalized.extend(characters.next());
                }
                other => literal.push(other),
            }
        }
        flush(&mut literal, &mut normalized)?;
        Ok(normalized)
    }
}

/// What terms of the field are brought into their form with.
fn normalizer_of(mapped: &MappedField) -> Option<&Arc<Analyzer>> {
    match mapped.spec.field_type {
        FieldType::Keyword => mapped.normalizer.as_ref(),
        _ => mapped.search_analyzer.as_ref().or(mapped.analyzer.as_ref()),
    }
}

/// The same on a dictionary of versions.
fn of_versions(node: Node) -> Node {
    match node {
        Node::Term { field, term, statistics } => {
            Node::Term { field, term: version::encode(&String::from_utf8_lossy(&term)), statistics }
        }
        Node::TopTerms(top) => {
            Node::TopTerms(TopTermsNode { matcher: TermMatcher::Version(Box::new(top.matcher)), ..top })
        }
        Node::Pattern { field, matcher } => Node::Pattern { field, matcher: TermMatcher::Version(Box::new(matcher)) },
        other => other,
    }
}

/// A pattern of texts as one of the field's terms.
pub(super) fn for_field(field: &MappedField, matcher: TermMatcher) -> TermMatcher {
    if field.spec.field_type == FieldType::Version { TermMatcher::Version(Box::new(matcher)) } else { matcher }
}

/// A pattern that is put to the one value that all documents have, those too that came before the mapping knew it.
pub(super) fn of_constant(constant: &str, mut matcher: TermMatcher) -> Result<Node> {
    Ok(if matcher.accepts(constant.as_bytes())? { Node::All.constant() } else { Node::None })
}

/// A field whose terms a pattern can be put to.
struct PatternField<'a> {
    name: String,
    mapped: Option<&'a MappedField>,
}

impl PatternField<'_> {
    fn scores_alike(&self) -> bool {
        self.mapped.is_some_and(|mapped| mapped.spec.declared_type == Some(DeclaredType::Wildcard))
    }

    fn holds_versions(&self) -> bool {
        self.mapped.is_some_and(|mapped| mapped.spec.field_type == FieldType::Version)
    }

    fn rewritten(&self, matcher: TermMatcher, how: Rewrite) -> Result<Node> {
        let matcher = match self.mapped {
            Some(mapped) => for_field(mapped, matcher),
            None => matcher,
        };
        if let Some(constant) = self.mapped.and_then(|mapped| mapped.spec.constant.as_ref()) {
            return of_constant(constant, matcher);
        }
        // Fields for patterns score alike whatever the request says.
        let how = if self.scores_alike() { Rewrite::ConstantScore } else { how };
        Ok(rewritten(&self.name, matcher, how, Rewrite::ConstantScore))
    }
}
