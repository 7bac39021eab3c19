//! A shard as a search sees it: immutable from the moment it is taken until it is dropped.

use crate::derived::ComputedColumns;
use crate::ordinals::of_shard::AskedFields;
use crate::statistics::Statistics;
use quarry_analysis::Registry;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits, window_count};
use quarry_mapping::Mapping;
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::reader::{FieldReader, SegmentReader};
use std::sync::Arc;

/// One segment and the deletions it had when the view was taken.
#[derive(Debug, Clone)]
pub struct SegmentView {
    pub reader: Arc<SegmentReader>,
    /// What searches see; `None`: all documents. Nested documents are not seen but through those that they are part of.
    pub live: Option<Arc<LiveDocs>>,
    /// The deletions alone, in which nested documents are as good as others; `None`: nothing is deleted.
    pub deletions: Option<Arc<LiveDocs>>,
    /// Number in the shard of the segment's document 0.
    pub doc_base: u32,
    /// Place in [`ShardView::segments`].
    pub ordinal: usize,
    /// Columns that were computed for this search.
    pub computed: Option<Arc<ComputedColumns>>,
}

impl SegmentView {
    #[inline]
    pub fn max_doc(&self) -> u32 {
        self.reader.max_doc()
    }

    #[inline]
    pub fn window_count(&self) -> u32 {
        window_count(self.max_doc())
    }

    /// Whether the field is computed for this search.
    #[inline]
    pub fn computes(&self, name: &str) -> bool {
        self.computed.as_deref().is_some_and(|computed| computed.get(name).is_some())
    }

    #[inline]
    pub fn field(&self, name: &str) -> Option<&FieldReader> {
        match self.computed.as_deref().and_then(|computed| computed.get(name)) {
            Some(column) => column.reader(),
            None => self.reader.field(name),
        }
    }

    /// Errors: a script failed on one of the documents that a computed field was computed for.
    #[inline]
    pub fn check_computed(&self, window: u32, docs: &[u16]) -> Result<()> {
        let Some(computed) = &self.computed else { return Ok(()) };
        docs.iter().try_for_each(|&doc| computed.check(window * WINDOW as u32 + u32::from(doc)))
    }

    /// Documents that are not part of others, deleted ones included.
    #[inline]
    pub fn root_count(&self) -> u32 {
        self.reader.nested().map_or(self.max_doc(), |nested| nested.live_roots().live_count())
    }

    /// Live documents.
    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.live.as_ref().map_or(self.max_doc(), |live| live.live_count())
    }

    /// Clears the bits of deleted documents, and of those that are not at a nested path (empty: the roots). Scripts run on
    /// what is left: on other documents they would fail, as the fields that they read are not there.
    pub fn retain_scope(&self, window: u32, bits: &mut WindowBits, scope: &str) -> Result<()> {
        if scope.is_empty() {
            self.retain_live(window, bits);
            return Ok(());
        }
        let among = self.reader.nested_at(scope)?.and_then(|among| among.window(window));
        let Some(among) = among else {
            *bits = [0; WINDOW_WORDS];
            return Ok(());
        };
        bits.iter_mut().zip(among).for_each(|(word, among)| *word &= among);
        if let Some(deletions) = &self.deletions {
            bits.iter_mut().zip(deletions.window(window)).for_each(|(word, alive)| *word &= alive);
        }
        Ok(())
    }

    /// Clears the bits of deleted documents.
    #[inline]
    pub fn retain_live(&self, window: u32, bits: &mut WindowBits) {
        if let Some(live) = &self.live {
            for (word, alive) in bits.iter_mut().zip(live.window(window)) {
                *word &= alive;
            }
        }
    }
}

/// The segments of one shard with its mapping and analyzers: everything that a query, an aggregation or a fetch reads.
/// Cloning is cheap; a fetch must use the view that its query used.
#[derive(Debug, Clone)]
pub struct ShardView {
    /// Name of the index: `_index` of the hits.
    pub index: Arc<str>,
    pub shard: u32,
    /// Id of the node that the shard is on: `_node` of explained hits. Empty where nobody asks for it.
    pub node: Arc<str>,
    pub segments: Arc<[SegmentView]>,
    pub mapping: Arc<Mapping>,
    pub analysis: Arc<Registry>,
    /// Fields whose terms aggregations asked to have numbered.
    pub asked_fields: Arc<AskedFields>,
    /// What scores are computed from.
    pub statistics: Statistics,
}

impl ShardView {
    /// Errors when the segments hold more documents than a shard may.
    pub fn new(
        index: Arc<str>,
        shard: u32,
        segments: impl IntoIterator<Item = (Arc<SegmentReader>, Option<Arc<LiveDocs>>)>,
        mapping: Arc<Mapping>,
        analysis: Arc<Registry>,
    ) -> Result<Self> {
        let mut doc_base = 0u32;
        let mut views = Vec::new();
        for (ordinal, (reader, deletions)) in segments.into_iter().enumerate() {
            let next =
                doc_base.checked_add(reader.max_doc()).filter(|&docs| docs <= quarry_base::limits::DOCUMENTS_MAX);
            let live = match (reader.nested(), &deletions) {
                (None, deletions) => deletions.clone(),
                (Some(nested), None) => Some(Arc::clone(nested.live_roots())),
                (Some(nested), Some(deletions)) => Some(Arc::new(deletions.and(nested.live_roots()))),
            };
            views.push(SegmentView { reader, live, deletions, doc_base, ordinal, computed: None });
            doc_base = next.ok_or_else(|| Error::illegal_argument("a shard holds at most 2147483647 documents"))?;
        }
        let asked_fields = Arc::default();
        Ok(ShardView {
            index,
            shard,
            node: "".into(),
            segments: views.into(),
            mapping,
            analysis,
            asked_fields,
            statistics: Statistics::OfShard,
        })
    }

    /// The same on a node.
    #[inline]
    pub fn on_node(self, node: &Arc<str>) -> Self {
        ShardView { node: Arc::clone(node), ..self }
    }

    /// Live documents of all segments.
    #[inline]
    pub fn doc_count(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.doc_count())).sum()
    }

    /// The segment that holds a document of the shard, and the document's number in it.
    #[inline]
    pub fn locate(&self, doc: u32) -> Result<(&SegmentView, u32)> {
        let after = self.segments.partition_point(|segment| segment.doc_base <= doc);
        let segment = after.checked_sub(1).and_then(|place| self.segments.get(place));
        segment
            .map(|segment| (segment, doc - segment.doc_base))
            .filter(|(segment, local)| *local < segment.max_doc())
            .ok_or_else(|| Error::illegal_argument(format!("document [{doc}] is not in this view of the shard")))
    }
}
