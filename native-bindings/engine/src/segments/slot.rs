//! A segment as its shard holds it: the reader, its deletions, and what happens to it.

use quarry_base::error::{Error, Result};
use quarry_buffer::FlushSummary;
use quarry_segment::directory::commit::CommitSegment;
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::id::SegmentId;
use quarry_segment::index_sort::IndexSort;
use quarry_segment::reader::{SegmentReader, Verify};
use std::path::Path;
use std::sync::Arc;

/// A segment and the deletions that searches are to see.
pub type SearchedSegment = (Arc<SegmentReader>, Option<Arc<LiveDocs>>);

#[derive(Debug, Clone)]
pub struct Slot {
    pub id: SegmentId,
    pub reader: Arc<SegmentReader>,
    /// Deletions up to now. Searches hold the state of the last refresh: it is copied when it changes after one.
    pub live: Option<Arc<LiveDocs>>,
    /// Generation of the newest sidecar on disk; 0 for none.
    pub live_generation: u64,
    /// Deletions came after that sidecar.
    pub live_is_dirty: bool,
    /// The newest commit names this segment.
    pub is_committed: bool,
    /// Searches see it.
    pub is_searchable: bool,
    pub is_merging: bool,
}

impl Slot {
    /// What the segment takes outside of its files.
    pub(crate) fn heap_bytes(&self) -> u64 {
        self.reader.heap_bytes() + self.live.as_ref().map_or(0, |live| live.heap_bytes() as u64)
    }

    /// A segment that was just written, with all documents of it that are deleted: nested ones are named as others are.
    pub fn new(reader: Arc<SegmentReader>, deleted: &[u32]) -> Self {
        let mut slot = Slot {
            id: reader.id(),
            reader,
            live: None,
            live_generation: 0,
            live_is_dirty: false,
            is_committed: false,
            is_searchable: false,
            is_merging: false,
        };
        for &doc in deleted {
            // Going through the block of each of a block's documents would take the square of its length.
            slot.delete_one(doc);
        }
        slot
    }

    /// The segment that a flush of a buffer wrote. One without a live document is of no use to anyone: it is removed.
    pub fn of_flushed(path: &Path, summary: &FlushSummary) -> Result<Option<Self>> {
        if summary.deleted.len() == summary.document_count as usize {
            std::fs::remove_file(path).map_err(|error| Error::io("removing", path, error))?;
            return Ok(None);
        }
        let reader = SegmentReader::open(path, Verify::Metadata)?;
        Ok(Some(Slot::new(reader, &summary.deleted)))
    }

    /// A segment of the commit point, as the directory has it; every byte of it is verified.
    pub fn open(directory: &Path, segment: &CommitSegment) -> Result<Self> {
        let path = directory.join(segment.id.file_name());
        let reader = SegmentReader::open(&path, Verify::All)?;
        let disagree = |what: &str| {
            Err(Error::corrupt(format!("segment [{}] and the commit point disagree about {what}", path.display())))
        };
        if reader.id() != segment.id {
            return disagree("its identity");
        }
        if reader.max_doc() != segment.max_doc || reader.bytes() != segment.bytes {
            return disagree("its size");
        }
        let live = match segment.live_docs_generation {
            0 => None,
            generation => Some(LiveDocs::read(directory, &segment.id, generation, segment.max_doc)?),
        };
        if live.as_ref().map_or(0, LiveDocs::deleted_count) != segment.deleted_count {
            return disagree("its deletions");
        }
        Ok(Slot {
            id: segment.id,
            reader,
            live: live.map(Arc::new),
            live_generation: segment.live_docs_generation,
            live_is_dirty: false,
            is_committed: true,
            is_searchable: false,
            is_merging: false,
        })
    }

    /// Errors: `Corrupt` for a segment whose documents are not sorted as the index says.
    pub fn check_sort(&self, sort: Option<&IndexSort>) -> Result<()> {
        if self.reader.sort() == sort {
            return Ok(());
        }
        let problem = Error::corrupt("the documents are not in the order of the index");
        Err(self.reader.name_damage(problem))
    }

    /// Deletes a document with its nested ones. `false` when it was deleted already.
    pub fn delete(&mut self, doc: u32) -> bool {
        for child in self.reader.block_start(doc)..doc {
            self.delete_one(child);
        }
        self.delete_one(doc)
    }

    fn delete_one(&mut self, doc: u32) -> bool {
        let max_doc = self.reader.max_doc();
        let live = self.live.get_or_insert_with(|| Arc::new(LiveDocs::all_live(max_doc)));
        if !live.is_live(doc) {
            return false;
        }
        self.live_is_dirty = true;
        Arc::make_mut(live).delete(doc)
    }

    pub fn is_live(&self, doc: u32) -> bool {
        self.live.as_ref().is_none_or(|live| live.is_live(doc))
    }

    /// Nested documents are counted.
    pub fn deleted_count(&self) -> u32 {
        self.live.as_ref().map_or(0, |live| live.deleted_count())
    }

    /// Of the segment and of its newest sidecar.
    pub fn file_names(&self) -> [String; 2] {
        [self.id.file_name(), self.id.live_docs_file_name(self.live_generation)]
    }

    /// As the next commit point names it.
    pub fn committed(&self) -> CommitSegment {
        CommitSegment {
            id: self.id,
            max_doc: self.reader.max_doc(),
            live_docs_generation: self.live_generation,
            deleted_count: self.deleted_count(),
            bytes: self.reader.bytes(),
        }
    }

    /// As a view takes it.
    pub fn searched(&self) -> SearchedSegment {
        (Arc::clone(&self.reader), self.live.clone())
    }

    /// Documents that are alive, and that are deleted, nested ones not counted.
    pub fn root_counts(&self) -> (u32, u32) {
        let Some(nested) = self.reader.nested() else { return (self.live_count(), self.deleted_count()) };
        let roots = nested.live_roots();
        let live = self.live.as_ref().map_or(roots.live_count(), |live| live.and(roots).live_count());
        (live, roots.live_count() - live)
    }

    /// Nested and deleted documents are counted.
    pub fn document_count(&self) -> u64 {
        self.reader.max_doc().into()
    }

    /// Nested documents are counted.
    pub fn live_count(&self) -> u32 {
        self.reader.max_doc() - self.deleted_count()
    }
}
