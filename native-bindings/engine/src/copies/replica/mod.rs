//! One replica: it appends the primary's operations to its translog and searches segments copied from the primary. It indexes
//! nothing; after it was closed, [`crate::Shard::open`] makes a primary of its directory.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `append` | operations of the primary into the translog |
//! | `files` | segment files of the primary, piece by piece |
//! | `install` | a set of segments in the place of the former, committed or not |
//! | `align` | what of its history is also the primary's, and the rest given up |
//! | `describe` | what it has: checkpoints, statistics |
//!
//! A replica takes operations of a primary only after it was aligned with it: what it has above their common history is given
//! up first ([`Replica::begin_rollback`]), or everything ([`InstallMode::Replace`]). So two copies that have an operation of the
//! same number and primary term have the same operations up to it.

mod align;
mod append;
mod describe;
mod files;
mod install;

pub use align::RollbackJob;
pub use files::{FileCheck, FileWrite};
pub use install::{Begun, InstallJob, InstallMode};

use super::history::terms_of;
use crate::config::{Durability, ShardOptions, ShardSettings};
use crate::directory::check::log_bounds;
use crate::directory::claim::DirectoryClaim;
use crate::engine::Identity;
use crate::reads::published::{Publication, Published, PublishedView};
use crate::segments::slot::Slot;
use crate::sequence::next_after;
use crate::stats::Counters;
use crate::translog::{SyncState, TermStarts, Translog, recover};
use files::Receiving;
use quarry_analysis::Registry;
use quarry_base::error::{Error, Result};
use quarry_base::random::{history_name, history_of_name};
use quarry_mapping::Mapping;
use quarry_mapping::index_sort;
use quarry_mapping::spec::MappingSpec;
use quarry_query::view::ShardView;
use quarry_segment::directory::commit::CommitPoint;
use quarry_segment::index_sort::IndexSort;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Which operations the installed segments contain.
#[derive(Debug, Clone)]
struct Installed {
    /// Exactly those up to here; -1 for none.
    checkpoint: i64,
    primary_term: u64,
    /// Of these operations.
    terms: TermStarts,
    next_segment_number: u64,
}

/// One replica. It has one writer; searches use views, which are independent of it.
#[derive(Debug)]
pub struct Replica {
    settings: ShardSettings,
    mapping: Arc<Mapping>,
    analysis: Arc<Registry>,
    /// What the documents of every segment are sorted by.
    sort: Option<Arc<IndexSort>>,
    slots: Vec<Slot>,
    view: ShardView,
    publication: Publication,
    view_generation: u64,
    installed: Installed,
    /// None while it is being rolled back.
    translog: Option<Translog>,
    /// Of the primary whose operations are taken.
    aligned_term: Option<u64>,
    /// The newest commit that is on disk.
    commit: CommitPoint,
    receiving: HashMap<String, Receiving>,
    /// A commit or a rollback works on other threads.
    step_is_running: bool,
    counters: Counters,
    /// Why the replica takes nothing more: it must be opened anew.
    failure: Option<Error>,
    /// The last to be dropped: it claims the directory, where the translog may still write.
    identity: Identity,
}

impl Replica {
    /// Makes an empty replica of the history with this identity in a directory that holds no shard (and makes the directory).
    pub fn create(
        options: ShardOptions,
        mapping: MappingSpec,
        analysis: &serde_json::Value,
        history_uuid: &str,
    ) -> Result<Self> {
        let directory = &options.directory;
        let claim = DirectoryClaim::wait_for(directory)?;
        let history = history_of_name(history_uuid)?;
        let translog = crate::engine::prepare_directory(directory, history)?;
        let commit = CommitPoint::empty(translog.generation(), 0, history_name(&history));
        commit.write(directory)?;
        Self::assemble(options, claim, mapping, analysis, commit, translog, Vec::new())
    }

    /// Opens what a replica or a primary left in a directory: commit point, segments and translog, every byte of which is
    /// verified. Operations are not indexed.
    ///
    /// Errors: `Corrupt` naming file and place when anything acknowledged is missing or damaged.
    pub fn open(options: ShardOptions, mapping: MappingSpec, analysis: &serde_json::Value) -> Result<Self> {
        let directory = &options.directory;
        let claim = DirectoryClaim::wait_for(directory)?;
        let commit = CommitPoint::existing(directory)?;
        let history = history_of_name(&commit.history_uuid)?;
        commit.remove_unreferenced(directory, &[])?;
        let slots = commit.segments.iter().map(|segment| Slot::open(directory, segment)).collect::<Result<Vec<_>>>()?;
        let mut translog = recover(directory, history, log_bounds(&commit))?.translog;
        translog.resume(next_after(commit.local_checkpoint), terms_of(&commit)?)?;
        translog.sync_state().set_global_checkpoint(commit.global_checkpoint);
        Self::assemble(options, claim, mapping, analysis, commit, translog, slots)
    }

    /// What it lies in, and nothing else.
    pub fn directory(&self) -> &Path {
        &self.identity.directory
    }

    /// The newest that is on disk.
    pub(crate) fn newest_commit(&self) -> &CommitPoint {
        &self.commit
    }

    /// A commit or a rollback works on other threads.
    pub(crate) fn is_being_committed(&self) -> bool {
        self.step_is_running
    }

    fn assemble(
        options: ShardOptions,
        claim: Arc<DirectoryClaim>,
        mapping: MappingSpec,
        analysis: &serde_json::Value,
        commit: CommitPoint,
        translog: Translog,
        mut slots: Vec<Slot>,
    ) -> Result<Self> {
        let analysis = Arc::new(Registry::from_spec(analysis)?);
        let mapping = Arc::new(Mapping::new(mapping, &analysis)?);
        let sort = index_sort::resolve(&options.settings.sort, &mapping)?;
        slots.iter().try_for_each(|slot| slot.check_sort(sort.as_deref()))?;
        let index: Arc<str> = options.index.into();
        let node: Arc<str> = options.node.into();
        let searched = slots.iter().map(Slot::searched);
        let view =
            ShardView::new(Arc::clone(&index), options.shard, searched, Arc::clone(&mapping), Arc::clone(&analysis))?
                .on_node(&node);
        slots.iter_mut().for_each(|slot| slot.is_searchable = true);
        let installed = Installed {
            checkpoint: commit.local_checkpoint,
            primary_term: commit.primary_term,
            terms: terms_of(&commit)?,
            next_segment_number: commit.next_segment_number,
        };
        let newest_term = translog.terms().newest().max(commit.primary_term);
        let identity = Identity {
            directory: options.directory,
            claim,
            index,
            index_uuid: options.index_uuid,
            shard: options.shard,
            node,
            primary_term: options.primary_term.max(newest_term),
            buffer_bytes: options.buffer_bytes,
            documents_max: options.documents_max,
        };
        Ok(Replica {
            settings: options.settings,
            mapping,
            analysis,
            sort,
            slots,
            publication: Publication::new(&view, None),
            view,
            view_generation: 1,
            installed,
            translog: Some(translog),
            aligned_term: None,
            commit,
            receiving: HashMap::new(),
            step_is_running: false,
            counters: Counters::default(),
            failure: None,
            identity,
        })
    }

    /// Takes the next version of the mapping: searches use it from now on.
    pub fn update_mapping(&mut self, spec: MappingSpec) -> Result<()> {
        let mapping = Arc::new(self.mapping.update(spec, &self.analysis)?);
        self.view.mapping = Arc::clone(&mapping);
        self.publication.latest().show(PublishedView::new(&self.view), None);
        self.mapping = mapping;
        Ok(())
    }

    pub fn update_settings(&mut self, settings: ShardSettings) {
        self.settings = settings;
    }

    /// What searches see: the installed segments.
    pub fn view(&self) -> &ShardView {
        &self.view
    }

    /// What other threads know of this copy.
    pub fn published(&self) -> &Arc<Published> {
        self.publication.published()
    }

    /// For whoever waits until operations are on disk.
    pub fn sync_state(&self) -> Result<&Arc<SyncState>> {
        self.translog().map(Translog::sync_state)
    }

    /// Whether an acknowledgement waits for the disk.
    pub fn waits_for_disk(&self) -> bool {
        self.settings.durability == Durability::Request
    }

    /// An error as JSON, with this shard's name where the API tells it.
    pub fn error_json(&self, error: &Error) -> String {
        crate::render::error_json_of(error, &self.identity)
    }

    /// Operations from `seq_no` on outlast commits, up to `max_bytes` of them beyond what the commit needs.
    pub fn retain_from(&mut self, seq_no: u64, max_bytes: u64) -> Result<()> {
        self.translog_mut()?.retain_from(seq_no, max_bytes)
    }

    /// Every in-sync copy has everything up to `seq_no`. Never falls; on disk with the next sync or commit.
    pub fn set_global_checkpoint(&self, seq_no: i64) -> Result<()> {
        self.sync_state().map(|sync| sync.set_global_checkpoint(seq_no))
    }

    /// Why the replica takes nothing more; it must be opened anew then.
    pub fn failure(&self) -> Option<Error> {
        let of_sync = || self.translog.as_ref().and_then(|translog| translog.sync_state().failure());
        self.failure.clone().or_else(of_sync)
    }

    fn translog(&self) -> Result<&Translog> {
        self.translog.as_ref().ok_or_else(being_rolled_back)
    }

    fn translog_mut(&mut self) -> Result<&mut Translog> {
        self.translog.as_mut().ok_or_else(being_rolled_back)
    }

    /// Refuses what would change a replica that has failed.
    fn check_usable(&self) -> Result<()> {
        let Some(failure) = self.failure() else { return Ok(()) };
        let Identity { index, shard, .. } = &self.identity;
        let reason = format!("replica [{index}][{shard}] has failed and must be opened anew");
        Err(Error::illegal_state(reason).caused_by(failure))
    }

    /// Memory and disk may disagree after such an error: nothing more is taken.
    fn failing<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.failure = Some(error.clone());
        }
        result
    }
}

fn being_rolled_back() -> Error {
    Error::illegal_state("the replica is being rolled back")
}
