//! The open shard: its parts, how it is made and recovered, and how it fails.

use super::config::{Durability, ShardOptions, ShardSettings};
use super::copies::history::terms_of;
use super::directory::check::log_bounds;
use super::directory::claim::DirectoryClaim;
use super::reads::published::{Publication, Published, PublishedView};
use super::render::error_json_of;
use super::segments::frozen::Frozen;
use super::segments::merging::RunningMerge;
use super::segments::slot::Slot;
use super::segments::slots::Slots;
use super::sequence::{SequenceNumbers, next_after};
use super::stats::Counters;
use super::stored_queries::QueryPlans;
use super::translog::{BatchWriter, HistoryId, SyncState, Translog, recover};
use super::version_map::{UNKNOWN_TIME, VersionMap};
use hashbrown::HashMap;
use quarry_analysis::Registry;
use quarry_base::error::{Error, Result};
use quarry_buffer::IndexBuffer;
use quarry_json::prune::Pruner;
use quarry_mapping::Mapping;
use quarry_mapping::document::ParseScratch;
use quarry_mapping::index_sort;
use quarry_mapping::spec::MappingSpec;
use quarry_publication::touched_ids::TouchedIds;
use quarry_query::view::ShardView;
use quarry_segment::directory::commit::CommitPoint;
use quarry_segment::id::{first_number_of, next_number_in};
use quarry_segment::index_sort::IndexSort;
use quarry_segment::stored::StoredScratch;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a shard is and was told: constant while it is open, but for its settings.
#[derive(Debug)]
pub(super) struct Identity {
    pub directory: PathBuf,
    pub claim: Arc<DirectoryClaim>,
    pub index: Arc<str>,
    pub index_uuid: String,
    pub shard: u32,
    pub node: Arc<str>,
    pub primary_term: u64,
    /// Bound of the buffers and their version maps together.
    pub buffer_bytes: usize,
    pub documents_max: u32,
}

/// One shard. It has one writer; searches use views, which are independent of it.
#[derive(Debug)]
pub struct Shard {
    pub(super) settings: ShardSettings,
    pub(super) mapping: Arc<Mapping>,
    pub(super) analysis: Arc<Registry>,
    /// `_source.includes` and `excludes` of the mapping; `None` when the body is stored as it came.
    pub(super) source_pruner: Option<Pruner>,
    /// What the documents of every segment are sorted by.
    pub(super) sort: Option<Arc<IndexSort>>,
    pub(super) buffer: IndexBuffer,
    /// Routing of buffered documents that have one, by ordinal.
    pub(super) buffered_routings: HashMap<u32, Box<str>>,
    pub(super) versions: VersionMap,
    /// The buffer before, while it becomes a segment, and an empty one whose memory is kept for the next.
    pub(super) frozen: Option<Frozen>,
    pub(super) spare_buffer: Option<IndexBuffer>,
    pub(super) sequence: SequenceNumbers,
    pub(super) slots: Slots,
    pub(super) view: ShardView,
    pub(super) publication: Publication,
    /// Ids written since the view was made, for those who read without this shard.
    pub(super) touched: TouchedIds,
    /// The view contains exactly the operations up to here; -1 for none.
    pub(super) view_checkpoint: i64,
    /// Counts the views.
    pub(super) view_generation: u64,
    /// Deletions or merges came after the view was made.
    pub(super) view_is_stale: bool,
    pub(super) translog: Translog,
    /// Operations of the batch that is being carried out.
    pub(super) batch: BatchWriter,
    /// The newest commit that is on disk, and the number of the next segment.
    pub(super) commit: CommitPoint,
    pub(super) next_segment_number: u64,
    pub(super) flush_is_running: bool,
    pub(super) uncommitted_merge_bytes: u64,
    pub(super) merges: Vec<RunningMerge>,
    pub(super) counters: Counters,
    pub(super) parse_scratch: ParseScratch,
    pub(super) query_plans: QueryPlans,
    pub(super) stored_scratch: StoredScratch,
    /// Why the shard takes no more writes: it must be opened anew.
    pub(super) failure: Option<Error>,
    /// The last to be dropped: it claims the directory, where the translog may still write.
    pub(super) identity: Identity,
}

impl Shard {
    /// Makes an empty shard in a directory that holds none (and makes the directory).
    pub fn create(options: ShardOptions, mapping: MappingSpec, analysis: &serde_json::Value) -> Result<Self> {
        let directory = &options.directory;
        let claim = DirectoryClaim::wait_for(directory)?;
        let history = quarry_base::random::random_16()?;
        let translog = prepare_directory(directory, history)?;
        let history_uuid = quarry_base::random::history_name(&history);
        let commit = CommitPoint::empty(translog.generation(), options.primary_term, history_uuid);
        commit.write(directory)?;
        Self::assemble(options, claim, mapping, analysis, commit, translog, Vec::new())
    }

    /// Recovers the shard of a directory: commit point, segments (every byte is verified), then the operations of the
    /// translog.
    ///
    /// Errors: `Corrupt` naming file and place when anything acknowledged is missing or damaged.
    pub fn open(options: ShardOptions, mapping: MappingSpec, analysis: &serde_json::Value) -> Result<Self> {
        let directory = options.directory.clone();
        let claim = DirectoryClaim::wait_for(&directory)?;
        let commit = CommitPoint::existing(&directory)?;
        let history = quarry_base::random::history_of_name(&commit.history_uuid)?;
        let next_segment_number = unused_segment_number(&commit, &options)?;
        commit.remove_unreferenced(&directory, &[])?;
        let slots =
            commit.segments.iter().map(|segment| Slot::open(&directory, segment)).collect::<Result<Vec<_>>>()?;
        let mut recovered = recover(&directory, history, log_bounds(&commit))?;
        recovered.translog.resume(next_after(commit.local_checkpoint), terms_of(&commit)?)?;
        recovered.translog.sync_state().set_global_checkpoint(commit.global_checkpoint);
        let mut shard = Self::assemble(options, claim, mapping, analysis, commit, recovered.translog, slots)?;
        shard.next_segment_number = next_segment_number;
        recovered.replay.run(|operation| shard.replay(&operation))?;
        shard.refresh(UNKNOWN_TIME)?;
        Ok(shard)
    }

    pub(super) fn assemble(
        options: ShardOptions,
        claim: Arc<DirectoryClaim>,
        mapping: MappingSpec,
        analysis: &serde_json::Value,
        commit: CommitPoint,
        translog: Translog,
        slots: Vec<Slot>,
    ) -> Result<Self> {
        let analysis = Arc::new(Registry::from_spec(analysis)?);
        let mapping = Arc::new(Mapping::new(mapping, &analysis)?);
        let index: Arc<str> = options.index.into();
        let node: Arc<str> = options.node.into();
        let sort = index_sort::resolve(&options.settings.sort, &mapping)?;
        slots.iter().try_for_each(|slot| slot.check_sort(sort.as_deref()))?;
        let buffer = IndexBuffer::new(&mapping, options.settings.codec.into(), options.buffer_bytes)?;
        let view = ShardView::new(
            Arc::clone(&index),
            options.shard,
            slots.iter().map(Slot::searched),
            Arc::clone(&mapping),
            Arc::clone(&analysis),
        )?
        .on_node(&node);
        let touched = TouchedIds::default();
        let identity = Identity {
            directory: options.directory,
            claim,
            index,
            index_uuid: options.index_uuid,
            shard: options.shard,
            node,
            primary_term: options.primary_term.max(commit.primary_term),
            buffer_bytes: options.buffer_bytes,
            documents_max: options.documents_max,
        };
        Ok(Shard {
            identity,
            settings: options.settings,
            source_pruner: pruner_of(&mapping),
            mapping,
            analysis,
            buffer: buffer.sorted_by(sort.clone()),
            sort,
            buffered_routings: HashMap::new(),
            versions: VersionMap::default(),
            frozen: None,
            spare_buffer: None,
            sequence: SequenceNumbers::resume(commit.local_checkpoint, commit.max_seq_no),
            slots: slots.into(),
            publication: Publication::new(&view, Some(touched.since_view())),
            touched,
            view,
            view_checkpoint: commit.local_checkpoint,
            view_generation: 0,
            view_is_stale: true,
            translog,
            batch: BatchWriter::default(),
            next_segment_number: commit.next_segment_number,
            commit,
            flush_is_running: false,
            uncommitted_merge_bytes: 0,
            merges: Vec::new(),
            counters: Counters::default(),
            parse_scratch: ParseScratch::default(),
            query_plans: QueryPlans::default(),
            stored_scratch: StoredScratch::default(),
            failure: None,
        })
    }

    /// Takes the next version of the mapping. Searches use it from now on as well.
    pub fn update_mapping(&mut self, spec: MappingSpec) -> Result<()> {
        let mapping = Arc::new(self.mapping.update(spec, &self.analysis)?);
        self.buffer.update_mapping(&mapping)?;
        self.source_pruner = pruner_of(&mapping);
        self.view.mapping = Arc::clone(&mapping);
        self.touched.show_again(self.publication.latest(), PublishedView::new(&self.view));
        self.mapping = mapping;
        Ok(())
    }

    pub fn update_settings(&mut self, settings: ShardSettings) {
        // Some of them are part of what queries mean.
        self.query_plans.forget_known();
        self.settings = settings;
    }

    /// What searches see: everything up to the last refresh.
    pub fn view(&self) -> &ShardView {
        &self.view
    }

    /// What other threads know of this copy.
    pub fn published(&self) -> &Arc<Published> {
        self.publication.published()
    }

    /// What it lies in, and nothing else.
    pub fn directory(&self) -> &Path {
        &self.identity.directory
    }

    /// For whoever waits until writes are on disk.
    pub fn sync_state(&self) -> &Arc<SyncState> {
        self.translog.sync_state()
    }

    /// Whether an acknowledgement waits for the disk.
    pub fn waits_for_disk(&self) -> bool {
        self.settings.durability == Durability::Request
    }

    /// An error as JSON, with this shard's name where the API tells it.
    pub fn error_json(&self, error: &Error) -> String {
        error_json_of(error, &self.identity)
    }

    /// Why the shard takes no more writes; it must be opened anew then.
    pub fn failure(&self) -> Option<Error> {
        self.failure.clone().or_else(|| self.translog.sync_state().failure())
    }

    /// Refuses what would change a shard that has failed.
    pub(super) fn check_usable(&self) -> Result<()> {
        match self.failure() {
            None => Ok(()),
            Some(failure) => {
                let Identity { index, shard, .. } = &self.identity;
                let reason = format!("shard [{index}][{shard}] has failed and must be opened anew");
                Err(Error::illegal_state(reason).caused_by(failure))
            }
        }
    }

    /// Memory and disk may disagree after such an error: the shard takes no more writes.
    pub(super) fn failing<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.failure = Some(error.clone());
        }
        result
    }
}

fn pruner_of(mapping: &Mapping) -> Option<Pruner> {
    let spec = mapping.spec();
    let pruner = Pruner::new(&spec.source_includes, &spec.source_excludes);
    (!pruner.keeps_all()).then_some(pruner)
}

/// The number of the next segment. Replicas may have copies of segments that no commit of this directory names, from before a
/// crash or from an earlier primary: theirs are not used again.
fn unused_segment_number(commit: &CommitPoint, options: &ShardOptions) -> Result<u64> {
    let above_files = next_number_in(&options.directory)?;
    let of_term = if options.primary_term > commit.primary_term { first_number_of(options.primary_term) } else { 0 };
    Ok(commit.next_segment_number.max(above_files).max(of_term))
}

/// Makes the directory, which must hold no shard, and the translog of a new one.
pub(super) fn prepare_directory(directory: &Path, history: HistoryId) -> Result<Translog> {
    std::fs::create_dir_all(directory).map_err(|error| Error::io("creating", directory, error))?;
    if CommitPoint::newest(directory)?.is_some() {
        let path = directory.display();
        return Err(Error::illegal_state(format!("[{path}] holds a shard already: it can only be opened")));
    }
    remove_leftovers(directory)?;
    Translog::create(directory, history)
}

/// What a creation left behind that a crash interrupted: without a commit point it was never acknowledged.
fn remove_leftovers(directory: &Path) -> Result<()> {
    let entries = std::fs::read_dir(directory).map_err(|error| Error::io("listing", directory, error))?;
    for entry in entries.flatten() {
        let is_translog = entry.file_name().to_str().is_some_and(|name| name.starts_with("translog"));
        if is_translog {
            let path = entry.path();
            std::fs::remove_file(&path).map_err(|error| Error::io("removing", &path, error))?;
        }
    }
    Ok(())
}
