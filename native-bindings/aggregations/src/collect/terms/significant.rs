//! `significant_terms`: how many documents of the background have the terms that a bucket has.

use super::end::{TermsEnd, known_format};
use super::told::Family;
use crate::collect::tables::entry;
use crate::collect::{Batch, Context};
use crate::kinds::significance::{PartialSignificant, SignificantTerm};
use crate::partial::{Partial, TermBucket, TermKey};
use crate::plan::SignificantTerms;
use crate::source::FieldSource;
use hashbrown::HashMap;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_postings::FieldPostingsReader;
use quarry_query::scorers::bits;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::Weight;
use quarry_segment::reader::FieldReader;

/// Documents of the background by key.
type Background = HashMap<TermKey, u64>;

pub struct Significant<'a> {
    plan: &'a SignificantTerms,
    view: &'a ShardView,
    /// `None`: the background is the whole shard. With the path of the nested documents that it is of.
    background: Option<(&'a dyn Weight, &'a str)>,
    /// Documents of each bucket of the parent.
    subsets: Vec<u64>,
}

impl<'a> Significant<'a> {
    pub fn new(context: &Context<'a>, plan: &'a SignificantTerms) -> Self {
        let scope = context.resolved.next_scope();
        let weights = context.resolved.take_weights(usize::from(plan.background.is_some()));
        let background = weights.first().map(|weight| (weight.as_ref(), scope));
        Significant { plan, view: context.view, background, subsets: Vec::new() }
    }

    /// Counts of the background, and how large it is.
    fn count(&self, source: &FieldSource, mut counts: Background) -> Result<(Background, u64)> {
        if let Some(background) = self.background {
            let mut size = 0;
            for segment in self.view.segments.iter() {
                size += count_matches(segment, background, source, &mut counts)?;
            }
            return Ok((counts, size));
        }
        // Deleted documents count in the dictionary, and so in the size.
        let size = self.view.segments.iter().map(|segment| u64::from(segment.max_doc())).sum();
        for segment in self.view.segments.iter() {
            if source.has_terms() {
                count_terms(segment, source, &mut counts)?;
            } else {
                (0..segment.max_doc()).for_each(|doc| count_values(segment, source, doc, &mut counts));
            }
        }
        Ok((counts, size))
    }
}

fn count_terms(segment: &SegmentView, source: &FieldSource, counts: &mut Background) -> Result<()> {
    let Some(postings) = source.reader(segment).and_then(FieldReader::postings) else { return Ok(()) };
    for (key, count) in counts {
        if let TermKey::Bytes(term) = key {
            *count += postings.lookup(term)?.map_or(0, |entry| u64::from(entry.doc_freq));
        }
    }
    Ok(())
}

/// The keys that one document has and that are counted.
fn count_values(segment: &SegmentView, source: &FieldSource, doc: u32, counts: &mut Background) {
    let Some(column) = source.numeric(segment) else { return };
    let mut values = Vec::new();
    column.get(doc, &mut values);
    let mut keys: Vec<i64> = values.into_iter().map(|value| source.format.value_type.key(value)).collect();
    keys.dedup();
    for key in keys {
        if let Some(count) = counts.get_mut(&TermKey::Number(key)) {
            *count += 1;
        }
    }
}

/// Counts the keys of the documents that the background query matches; returns how many these are.
fn count_matches(
    segment: &SegmentView,
    (weight, scope): (&dyn Weight, &str),
    source: &FieldSource,
    counts: &mut Background,
) -> Result<u64> {
    let Some(mut scorer) = weight.scorer(segment)? else { return Ok(0) };
    let mut size = 0;
    let mut by_ordinal: HashMap<u32, u64> = HashMap::new();
    let ordinals = source.reader(segment).and_then(FieldReader::ordinals);
    let (mut docs, mut found) = (Vec::new(), Vec::new());
    let postings = source.reader(segment).and_then(FieldReader::postings);
    let is_text = source.has_terms() && ordinals.is_none();
    let mut windows: Vec<WindowBits> = Vec::new();
    for window in 0..segment.window_count() {
        let mut matched = bits::EMPTY;
        scorer.matches(window, &mut matched)?;
        segment.retain_scope(window, &mut matched, scope)?;
        bits::list(&matched, &mut docs);
        size += docs.len() as u64;
        if is_text {
            windows.push(matched);
            continue;
        }
        for &doc in &docs {
            let doc = window * WINDOW as u32 + u32::from(doc);
            if let Some(column) = ordinals {
                found.clear();
                column.get(doc, &mut found);
                found.iter().for_each(|&ordinal| *by_ordinal.entry(ordinal).or_default() += 1);
            } else {
                count_values(segment, source, doc, counts);
            }
        }
    }
    if let Some(postings) = postings.filter(|_| is_text) {
        count_postings(postings, &windows, counts)?;
    } else if let Some(postings) = postings {
        for (key, count) in counts.iter_mut() {
            if let TermKey::Bytes(term) = key
                && let Some(entry) = postings.lookup(term)?
            {
                *count += by_ordinal.get(&entry.ordinal).copied().unwrap_or(0);
            }
        }
    }
    Ok(size)
}

/// Of a field without ordinals: documents of each term's list that are among those of the windows.
fn count_postings(postings: &FieldPostingsReader, windows: &[WindowBits], counts: &mut Background) -> Result<()> {
    for (key, count) in counts {
        interrupt::check()?;
        let TermKey::Bytes(term) = key else { continue };
        let Some(entry) = postings.lookup(term)? else { continue };
        let mut cursor = postings.cursor(&entry)?;
        let mut window = cursor.next_window(0);
        while let Some(matched) = windows.get(window as usize) {
            let mut having = bits::EMPTY;
            cursor.or_bits(window, &mut having)?;
            let both = having.iter().zip(matched).map(|(having, matched)| u64::from((having & matched).count_ones()));
            *count += both.sum::<u64>();
            window = cursor.next_window(window + 1);
        }
    }
    Ok(())
}

impl TermsEnd for Significant<'_> {
    fn family(&self) -> Family {
        Family::Significant
    }

    fn counts_alone(&self) -> bool {
        false
    }

    fn observe(&mut self, batch: &Batch<'_>) {
        (0..batch.docs.len()).for_each(|place| *entry(&mut self.subsets, batch.owners.of(place)) += 1);
    }

    fn end(&mut self, source: &FieldSource, lists: Vec<Vec<TermBucket>>) -> Result<Vec<Partial>> {
        let keys = lists.iter().flatten().map(|term| (term.key.clone(), 0)).collect();
        let (background, superset) = self.count(source, keys)?;
        self.subsets.resize(lists.len(), 0);
        let mut partials = Vec::with_capacity(lists.len());
        for (list, &subset) in lists.into_iter().zip(&self.subsets) {
            let term = |term: TermBucket| {
                let superset = background.get(&term.key).copied().unwrap_or(0);
                SignificantTerm { key: term.key, bucket: term.bucket, superset, score: 0.0 }
            };
            let buckets = list.into_iter().map(term).collect();
            let mut found = PartialSignificant { format: known_format(source), subset, superset, buckets };
            found.keep_best(self.plan, self.plan.shard_size as usize, self.plan.shard_min_doc_count)?;
            partials.push(Partial::Significant(found));
        }
        Ok(partials)
    }
}
