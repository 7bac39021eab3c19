//! Keys of flattened objects as fields: a plan that names `field.key` sees the key's values as those of a field of their own,
//! taken from the terms of the hidden field.

use super::ComputedColumn;
use super::wanted::Wanted;
use crate::scorers::bits;
use crate::view::SegmentView;
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_buffer::lone::LoneField;
use quarry_codec::window::WINDOW;
use quarry_mapping::keys::{key_prefix, term_number};
use quarry_mapping::spec::{DeclaredType, FieldSpec, FieldType};
use quarry_mapping::{MappedField, Mapping};
use quarry_postings::FieldPostingsReader;
use quarry_segment::column::ordinal::OrdinalWindow;
use quarry_segment::reader::FieldReader;
use rapidhash::RapidHashMap;

/// Keys that one plan may name.
const KEYS_MAX: usize = 1_024;
/// What the values of one key of one segment may take while they are gathered.
const COLUMN_BYTES_MAX: usize = 512 << 20;

/// Which terms are a key's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Name of the hidden field.
    pub hidden: String,
    pub path: String,
    /// They end in numbers.
    pub numbers: bool,
}

/// The keys that texts of a plan name, each with the field that the search has in its place.
///
/// Errors: `IllegalArgument` when there are too many.
pub(super) fn named(mapping: &Mapping, texts: &[String]) -> Result<Vec<(Key, FieldSpec)>> {
    let mut found: Vec<(Key, FieldSpec)> = Vec::new();
    for field in mapping.fields() {
        let Some(hidden) = field.keys().map(|keys| &mapping.field(keys).spec.name) else { continue };
        let before = format!("{}.", field.spec.name);
        for name in texts.iter().flat_map(|text| names_in(text, &before)) {
            let is_known = mapping.field_by_name(name).is_some() || found.iter().any(|(_, spec)| spec.name == name);
            if is_known || name.contains('*') {
                continue;
            }
            if found.len() == KEYS_MAX {
                let reason = format!("a request may name at most [{KEYS_MAX}] keys of flattened fields");
                return Err(Error::illegal_argument(reason));
            }
            let numbers = field.spec.declared_type == Some(DeclaredType::RankFeatures);
            let key = Key { hidden: hidden.clone(), path: name[before.len()..].to_owned(), numbers };
            found.push((key, spec_of(field, name, numbers)));
        }
    }
    Ok(found)
}

/// Names that begin so: the whole text, or what scripts write between quotes.
fn names_in<'t>(text: &'t str, before: &str) -> Vec<&'t str> {
    let mut names = Vec::new();
    if text.len() > before.len() && text.starts_with(before) {
        names.push(text);
    }
    for (at, _) in text.match_indices(before) {
        let quote = text[..at].chars().next_back().filter(|character| matches!(character, '\'' | '"'));
        let end = quote.and_then(|quote| text[at..].find(quote));
        names.extend(end.filter(|&end| end > before.len()).map(|end| &text[at..at + end]));
    }
    names
}

fn spec_of(field: &MappedField, name: &str, numbers: bool) -> FieldSpec {
    let spec = &field.spec;
    let field_type = if numbers { FieldType::Float } else { FieldType::Keyword };
    let declared_type = if numbers { Some(DeclaredType::RankFeature) } else { spec.declared_type };
    let (index, doc_values) = (spec.index || numbers, spec.doc_values || numbers);
    FieldSpec {
        name: name.to_owned(),
        field_type,
        declared_type,
        index,
        doc_values,
        null_value: None,
        ignore_above: None,
        depth_limit: None,
        ..spec.clone()
    }
}

/// The key's values of all documents.
///
/// Errors: `TaskCancelled`, `CircuitBreaking`, damage.
pub(super) fn compute(
    segment: &SegmentView,
    mapped: &MappedField,
    key: &Key,
    is_cancelled: IsCancelled<'_>,
) -> Result<ComputedColumn> {
    let none = ComputedColumn { reader: None, failed: None, bytes: 0 };
    let Some(reader) = segment.reader.field(&key.hidden) else { return Ok(none) };
    let (Some(postings), Some(column)) = (reader.postings(), reader.ordinals()) else { return Ok(none) };
    let terms = Terms::new(postings, &key_prefix(&key.path))?;
    if terms.low >= terms.high {
        return Ok(none);
    }
    let mut values = LoneField::new(mapped, COLUMN_BYTES_MAX)?;
    let (low, high) = (terms.low, terms.high);
    let mut gather = Gather { terms, postings, numbers: key.numbers, known: RapidHashMap::default() };
    let mut decoded = OrdinalWindow::default();
    let mut docs = Vec::new();
    for window in 0..segment.window_count() {
        if is_cancelled() {
            return Err(Error::new(ErrorCode::TaskCancelled, "the task was cancelled"));
        }
        let reaches = column.window_range(window).is_some_and(|(least, most)| least < high && most >= low);
        if !reaches {
            continue;
        }
        column.decode_window(window, &mut decoded);
        bits::list(&decoded.present, &mut docs);
        for &doc in &docs {
            let ordinals = decoded.ordinals_of(doc);
            let own = ordinals.partition_point(|&ordinal| ordinal < low);
            for &ordinal in ordinals[own..].iter().take_while(|&&ordinal| ordinal < high) {
                gather.add(window * WINDOW as u32 + u32::from(doc), ordinal, &mut values)?;
            }
        }
    }
    let sections = values.finish(segment.max_doc())?;
    let bytes = sections.as_ref().map_or(0, |sections| sections.bytes());
    let reader = sections.map(|sections| FieldReader::in_memory(sections, segment.max_doc())).transpose()?;
    Ok(ComputedColumn { reader, failed: None, bytes })
}

/// Ordinals `low..high` of the terms that begin with a path.
struct Terms {
    low: u32,
    high: u32,
    prefix_length: usize,
}

impl Terms {
    fn new(postings: &FieldPostingsReader, prefix: &[u8]) -> Result<Self> {
        let ordinal_of = |bound: &[u8]| -> Result<u32> {
            let mut terms = postings.terms_from(bound)?;
            Ok(terms.next()?.map_or(postings.term_count(), |(_, entry)| entry.ordinal))
        };
        // The character that ends the path is the least one: the next one is above all terms of the path.
        let mut behind = prefix.to_vec();
        if let Some(last) = behind.last_mut() {
            *last += 1;
        }
        Ok(Terms { low: ordinal_of(prefix)?, high: ordinal_of(&behind)?, prefix_length: prefix.len() })
    }
}

struct Gather<'a> {
    terms: Terms,
    postings: &'a FieldPostingsReader,
    numbers: bool,
    /// Terms without their path.
    known: RapidHashMap<u32, Vec<u8>>,
}

impl Gather<'_> {
    fn add(&mut self, doc: u32, ordinal: u32, into: &mut LoneField) -> Result<()> {
        if !self.known.contains_key(&ordinal) {
            let mut term = Vec::new();
            self.postings.term(ordinal, &mut term)?;
            self.known.insert(ordinal, term.split_off(self.terms.prefix_length.min(term.len())));
        }
        let Some(term) = self.known.get(&ordinal) else { return Ok(()) };
        match (self.numbers, term_number(term)) {
            (false, _) => into.add_term(doc, term),
            (true, Some(number)) => into.add_number(doc, number),
            (true, None) => Err(Error::corrupt("a feature has no number")),
        }
    }
}

impl Wanted {
    /// Whether the plan has to be read for keys at all.
    pub(super) fn may_name_keys(mapping: &Mapping) -> bool {
        mapping.fields().iter().any(|field| field.keys().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_alone_or_between_quotes() {
        assert_eq!(names_in("a.b.c", "a."), ["a.b.c"]);
        assert_eq!(names_in("doc['a.x y'].value + doc[\"a.z\"].value", "a."), ["a.x y", "a.z"]);
        assert!(names_in("a.", "a.").is_empty());
        assert!(names_in("ba.x", "a.").is_empty());
        assert!(names_in("doc['a.']", "a.").is_empty());
    }
}
