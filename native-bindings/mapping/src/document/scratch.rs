//! Memory that the parser reuses from document to document.

use super::stored_query::{IndexedQuery, StoredQueryText};
use crate::compiled::Mapping;
use crate::dynamic::DynamicReport;
use crate::tree::{ChildId, NodeId};
use quarry_json::KeyFrames;

/// Memory reused from document to document, and the report of the batch. Serves any mapping, one document at a time.
#[derive(Debug, Default)]
pub struct ParseScratch {
    /// Unmapped fields of all documents since [`DynamicReport::clear`], first seen first.
    pub report: DynamicReport,
    pub(super) found_unmapped: bool,
    /// Queries that the document holds: whoever takes the document has them planned.
    pub stored_queries: Vec<StoredQueryText>,
    /// What becomes of these, where that is known.
    pub(super) indexed_queries: Vec<IndexedQuery>,
    /// Keys of open objects, other than those of mapped children.
    pub(super) keys: KeyFrames,
    /// Decoded text of the string at hand.
    pub(super) text: String,
    /// JSON or canonical text of a stored value.
    pub(super) stored: Vec<u8>,
    /// Of the vector at hand.
    pub(super) vector: Vec<f32>,
    /// Shapes of the document so far.
    shapes: u32,
    pub(super) order: KeyOrder,
    pub(super) seen: SeenChildren,
    /// The mapping that `order` and `seen` are laid out for.
    identity: u64,
}

impl ParseScratch {
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of the next shape of the document.
    pub(super) fn next_shape(&mut self) -> u32 {
        let number = self.shapes;
        self.shapes += 1;
        number
    }

    pub(super) fn prepare(&mut self, mapping: &Mapping) {
        self.keys.clear();
        self.shapes = 0;
        self.stored_queries.clear();
        if self.identity != mapping.identity() {
            self.identity = mapping.identity();
            self.order = KeyOrder::new(mapping.tree().node_count(), mapping.tree().child_count());
            self.seen = SeenChildren { stamps: vec![0; mapping.tree().child_count()], objects: 0 };
        }
    }
}

/// Which key followed which last time: documents of one source nearly always have one order, so that most keys are
/// recognised by one comparison.
#[derive(Debug, Default)]
pub(super) struct KeyOrder {
    first: Vec<Option<ChildId>>,
    next: Vec<Option<ChildId>>,
}

impl KeyOrder {
    fn new(nodes: usize, children: usize) -> Self {
        KeyOrder { first: vec![None; nodes], next: vec![None; children] }
    }

    /// The place where the key after `previous` (none: the first key) of an object is remembered.
    #[inline]
    pub(super) fn after(&mut self, node: NodeId, previous: Option<ChildId>) -> &mut Option<ChildId> {
        match previous {
            None => &mut self.first[node as usize],
            Some(child) => &mut self.next[child as usize],
        }
    }
}

/// Which mapped children an object has had already: each object gets a number, and stamps the children it meets.
#[derive(Debug, Default)]
pub(super) struct SeenChildren {
    stamps: Vec<u64>,
    objects: u64,
}

impl SeenChildren {
    /// The number of the next object.
    pub(super) fn open(&mut self) -> u64 {
        self.objects += 1;
        self.objects
    }

    /// `false` when the object has had the child before.
    #[inline]
    pub(super) fn mark(&mut self, object: u64, child: ChildId) -> bool {
        let stamp = &mut self.stamps[child as usize];
        let is_new = *stamp != object;
        *stamp = object;
        is_new
    }
}
