//! A new shard made of the files of others: a copy of one, the part of one that is split, or several that become one.
//!
//! Segments never change, so they are linked and not copied. The source lends the files of its newest commit
//! ([`Shard::link_commit`]) as a directory beside the new files; [`Shard::create_of_parts`] takes them from there, deletes
//! what belongs to other shards, and writes the commit point last. Without that the directory holds no shard.

use super::history::terms_of;
use super::replica::Replica;
use crate::config::ShardOptions;
use crate::directory::claim::DirectoryClaim;
use crate::engine::{Shard, prepare_directory};
use crate::items::routing::RoutingTarget;
use crate::reads::lookup::routing_in;
use crate::segments::slot::Slot;
use crate::sequence::next_after;
use crate::version_map::UNKNOWN_TIME;
use quarry_base::error::{Error, Result};
use quarry_base::random::{history_name, random_16};
use quarry_mapping::spec::MappingSpec;
use quarry_segment::directory::commit::{CommitPoint, CommitSegment};
use quarry_segment::id::SegmentId;
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::writer::sync_segment;
use serde::Deserialize;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a new shard is made of.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parts {
    /// What the sources lent, one directory for each; they are used up. On the file system of the new shard.
    pub directories: Vec<PathBuf>,
    /// How the new index spreads its documents, where the sources have some of other shards.
    #[serde(default)]
    pub split: Option<RoutingTarget>,
}

impl Shard {
    /// Lends the files of the newest commit to a directory that is made for them.
    ///
    /// Errors: `IllegalState` when the commit does not hold exactly the operations up to `max_seq_no`.
    pub fn link_commit(&self, into: &Path, max_seq_no: i64) -> Result<()> {
        self.check_usable()?;
        if self.flush_is_running || self.sequence.max_seq_no() != max_seq_no {
            return Err(not_at_rest(&self.commit, max_seq_no));
        }
        link_commit(&self.commit, &self.identity.directory, into, max_seq_no)
    }

    /// Makes the shard in a directory that holds no shard yet but the parts. Their histories end here: it has one of its own,
    /// which goes on behind the newest of their operations.
    pub fn create_of_parts(
        options: ShardOptions,
        mapping: MappingSpec,
        analysis: &serde_json::Value,
        parts: &Parts,
    ) -> Result<Self> {
        let directory = options.directory.clone();
        let claim = DirectoryClaim::wait_for(&directory)?;
        let history = random_16()?;
        check_room(&options, parts)?;
        let mut translog = prepare_directory(&directory, history)?;
        let mut commit = CommitPoint::empty(translog.generation(), options.primary_term, history_name(&history));
        let mut slots = Vec::new();
        for part in &parts.directories {
            let source = CommitPoint::existing(part)?;
            commit.max_seq_no = commit.max_seq_no.max(source.max_seq_no);
            for segment in &source.segments {
                let number = commit.next_segment_number;
                commit.next_segment_number += 1;
                let owner = parts.split.as_ref().map(|target| (target, options.shard));
                slots.extend(take_segment(part, segment, &directory, number, owner)?);
            }
            std::fs::remove_dir_all(part).map_err(|error| Error::io("removing", part, error))?;
        }
        commit.local_checkpoint = commit.max_seq_no;
        commit.global_checkpoint = commit.max_seq_no;
        commit.segments = slots.iter().map(Slot::committed).collect();
        if commit.max_seq_no >= 0 {
            commit.terms = vec![(options.primary_term, 0)];
        }
        commit.write(&directory)?;
        translog.resume(next_after(commit.local_checkpoint), terms_of(&commit)?)?;
        translog.sync_state().set_global_checkpoint(commit.global_checkpoint);
        let mut shard = Self::assemble(options, claim, mapping, analysis, commit, translog, slots)?;
        shard.refresh(UNKNOWN_TIME)?;
        Ok(shard)
    }
}

/// Refuses parts that hold more documents together than a shard may, before any of them is used up: those that the new shard
/// deletes stay in its segments.
fn check_room(options: &ShardOptions, parts: &Parts) -> Result<()> {
    let mut documents = 0u64;
    for part in &parts.directories {
        let segments = CommitPoint::existing(part)?.segments;
        documents += segments.iter().map(|segment| u64::from(segment.max_doc)).sum::<u64>();
    }
    let max = options.documents_max;
    if documents > u64::from(max) {
        let reason = format!("Number of documents in the index can't exceed [{max}], its parts have [{documents}]");
        return Err(Error::illegal_argument(reason));
    }
    Ok(())
}

impl Replica {
    /// As [`Shard::link_commit`].
    pub fn link_commit(&self, into: &Path, max_seq_no: i64) -> Result<()> {
        if self.checkpoints()?.max_seq_no != max_seq_no || self.is_being_committed() {
            return Err(not_at_rest(self.newest_commit(), max_seq_no));
        }
        link_commit(self.newest_commit(), self.directory(), into, max_seq_no)
    }
}

fn not_at_rest(commit: &CommitPoint, max_seq_no: i64) -> Error {
    let reason = format!("does not hold exactly the operations up to [{max_seq_no}]");
    Error::illegal_state(format!("[{}] of the source {reason}", commit.file_name()))
}

fn link_commit(commit: &CommitPoint, from: &Path, into: &Path, max_seq_no: i64) -> Result<()> {
    if (commit.local_checkpoint, commit.max_seq_no) != (max_seq_no, max_seq_no) {
        return Err(not_at_rest(commit, max_seq_no));
    }
    std::fs::create_dir(into).map_err(|error| Error::io("creating", into, error))?;
    commit.file_names().iter().try_for_each(|name| link(&from.join(name), &into.join(name)))
}

/// A copy where the file system has no links. What is there already is never written to: it may be a link to the original.
fn link(from: &Path, to: &Path) -> Result<()> {
    match std::fs::hard_link(from, to) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(Error::io("linking", to, error)),
        Err(_) => {}
    }
    let mut original = File::open(from).map_err(|error| Error::io("opening", from, error))?;
    let mut copy = File::create_new(to).map_err(|error| Error::io("creating", to, error))?;
    std::io::copy(&mut original, &mut copy).map_err(|error| Error::io("copying", from, error))?;
    sync_segment(to)
}

/// The segment under a number of its own, with the documents deleted that belong to other shards than the owner. `None` when
/// none is left.
fn take_segment(
    part: &Path,
    segment: &CommitSegment,
    directory: &Path,
    number: u64,
    owner: Option<(&RoutingTarget, u32)>,
) -> Result<Option<Slot>> {
    let mut source = Slot::open(part, segment)?;
    if let Some((target, shard)) = owner {
        delete_foreign(&mut source, target, shard)?;
    }
    if source.live_count() == 0 {
        return Ok(None);
    }
    let id = SegmentId { number, uuid: segment.id.uuid };
    let path = directory.join(id.file_name());
    let lent = part.join(segment.id.file_name());
    std::fs::rename(&lent, &path).map_err(|error| Error::io("renaming", &lent, error))?;
    let live_generation = u64::from(source.live.is_some());
    if let Some(live) = &source.live {
        live.write(directory, &id, live_generation)?;
    }
    // Every byte was verified under its former name.
    let reader = SegmentReader::open(&path, Verify::Metadata)?;
    Ok(Some(Slot { id, reader, live_generation, live_is_dirty: false, ..source }))
}

fn delete_foreign(slot: &mut Slot, target: &RoutingTarget, shard: u32) -> Result<()> {
    let reader = Arc::clone(&slot.reader);
    for doc in 0..reader.max_doc() {
        let id = reader.ids().get(doc);
        // Nested documents have none: they go with their root.
        if id.is_empty() || !slot.is_live(doc) {
            continue;
        }
        let id = std::str::from_utf8(id)
            .map_err(|_| reader.name_damage(Error::corrupt(format!("the id of document [{doc}] is not UTF-8"))))?;
        if target.shard_of(id, routing_in(&reader, doc)?.as_deref())? != shard {
            slot.delete(doc);
        }
    }
    Ok(())
}
