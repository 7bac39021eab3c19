//! `significant_text`: as `significant_terms`, with the words that the analyzer makes of the texts in the sources.

use super::duplicate_text::SeenSequences;
use super::end::TermsEnd;
use super::per_owner;
use super::significant::Significant;
use crate::budget::Budget;
use crate::collect::tables::bucket_table::BucketTable;
use crate::collect::values::term_ids::TermIds;
use crate::collect::{Batch, Collector, Context, Report};
use crate::partial::{Bucket, Partial, TermKey};
use crate::plan::SignificantText;
use crate::selection::Selector;
use crate::source::FieldSource;
use hashbrown::HashSet;
use quarry_analysis::Token;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::interrupt;
use quarry_codec::window::WINDOW;
use quarry_fetch::source_texts::{analyzed, texts_at};
use quarry_mapping::MappedField;
use quarry_mapping::spec::FieldType;
use quarry_query::view::SegmentView;
use quarry_segment::stored::{Record, StoredScratch};
use rapidhash::quality::RandomState;
use std::rc::Rc;

pub struct SignificantTextCollector<'a> {
    /// `None`: not mapped, so that no document has words.
    field: Option<&'a MappedField>,
    /// Where texts stand in sources.
    paths: Vec<String>,
    source: FieldSource,
    selector: Selector,
    end: Significant<'a>,
    budget: Rc<Budget>,
    segment: Option<&'a SegmentView>,
    scratch: StoredScratch,
    ids: TermIds,
    table: BucketTable,
    /// Words of the document that were counted.
    counted: HashSet<u32, RandomState>,
    /// By bucket of the parent, where copied text does not count.
    sequences: Option<Vec<SeenSequences>>,
    are_copies: Vec<bool>,
}

impl<'a> SignificantTextCollector<'a> {
    /// `IllegalArgument` where the field has no words.
    pub fn new(context: &Context<'a>, plan: &'a SignificantText, name: &str) -> Result<Self> {
        let of = &plan.terms;
        let field = context.view.mapping.field_by_name(&of.source.field);
        if let Some(field) = field.filter(|field| !has_words(field)) {
            return Err(Error::illegal_argument(format!(
                "Field [{}] has no analyzer, but SignificantText requires an analyzed field",
                field.spec.name
            )));
        }
        let own = field.map_or(&of.source.field, |field| field.spec.parent.as_ref().unwrap_or(&field.spec.name));
        let source = FieldSource::of_words(field.map_or(&of.source.field, |field| &field.spec.name), field.is_none());
        let now_ms = context.env.now_ms;
        Ok(SignificantTextCollector {
            paths: plan.source_fields.clone().unwrap_or_else(|| vec![own.clone()]),
            selector: Selector::new(of.include.as_ref(), of.exclude.as_ref(), &source, name, now_ms)?,
            field,
            source,
            end: Significant::new(context, of),
            budget: Rc::clone(&context.budget),
            segment: None,
            scratch: StoredScratch::default(),
            ids: TermIds::default(),
            table: BucketTable::new(),
            counted: HashSet::default(),
            sequences: plan.filter_duplicate_text.then(Vec::new),
            are_copies: Vec::new(),
        })
    }

    fn collect_document(&mut self, field: &MappedField, doc: u32, owner: u32) -> Result<()> {
        let Some(segment) = self.segment else { return Ok(()) };
        let record = Record::parse(segment.reader.stored().get(doc, &mut self.scratch)?)?;
        let Some(source) = record.source() else { return Ok(()) };
        let source: serde_json::Value = quarry_base::deep_json::from_slice(source)
            .map_err(|error| Error::new(ErrorCode::Corrupt, format!("stored _source is not JSON: {error}")))?;
        let texts: Vec<String> = self.paths.iter().flat_map(|path| texts_at(&source, path)).collect();
        self.counted.clear();
        if let Some(sequences) = &mut self.sequences {
            if sequences.len() <= owner as usize {
                sequences.resize_with(owner as usize + 1, SeenSequences::default);
            }
            sequences[owner as usize].start_document();
        }
        texts.into_iter().try_for_each(|text| {
            let tokens = analyzed(field, &[(text, 0)])?;
            self.collect_words(&tokens, owner)
        })
    }

    /// Each word counts once for a document.
    fn collect_words(&mut self, tokens: &[Token], owner: u32) -> Result<()> {
        self.are_copies.clear();
        if let Some(seen) = self.sequences.as_mut().and_then(|sequences| sequences.get_mut(owner as usize)) {
            let words = tokens.iter().map(|token| &token.term[..]);
            seen.mark(words, &mut self.are_copies, &self.budget)?;
        }
        for (place, token) in tokens.iter().enumerate() {
            let is_copy = self.are_copies.get(place) == Some(&true);
            if is_copy || !self.selector.takes_term(&token.term) {
                continue;
            }
            let id = self.ids.id(&token.term, &self.budget)?;
            if self.counted.insert(id) {
                let bucket = self.table.bucket(owner, i64::from(id), &self.budget)?;
                self.table.count(bucket, 1);
            }
        }
        Ok(())
    }
}

fn has_words(field: &MappedField) -> bool {
    matches!(field.spec.field_type, FieldType::Text | FieldType::Keyword)
}

impl<'a> Collector<'a> for SignificantTextCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.segment = Some(segment);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.end.observe(&batch);
        let Some(field) = self.field else { return Ok(()) };
        for (place, &doc) in batch.docs.iter().enumerate() {
            interrupt::check()?;
            self.collect_document(field, batch.window * WINDOW as u32 + u32::from(doc), batch.owners.of(place))?;
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let bucket = |&doc_count: &u64| Bucket { doc_count, aggs: Vec::new() };
        let buckets = self.table.counts().iter().map(bucket).collect();
        let terms = self.ids.terms();
        let lists = per_owner(owner_count, &self.table, buckets, |id| TermKey::Bytes(terms[id as usize].clone()));
        self.end.end(&self.source, lists)
    }

    fn report(&self, report: &mut Report) {
        report.kind = Some("MapStringTermsAggregator");
        report.figure("collection_strategy", "analyze_from_source");
        report.figure("result_strategy", "significant_terms");
    }
}
