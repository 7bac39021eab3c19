//! The commit point: which files are the shard, and how far its operations go.

use crate::envelope::{self, Envelope};
use crate::files;
use crate::generated::commit as schema;
use crate::id::{SegmentId, ShardFile};
use flatbuffers::FlatBufferBuilder;
use quarry_base::error::{Error, Result};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

const FILE: Envelope = Envelope { magic: *b"QRYCMIT\n", version: 1 };

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSegment {
    pub id: SegmentId,
    pub max_doc: u32,
    /// 0: nothing is deleted and there is no sidecar.
    pub live_docs_generation: u64,
    pub deleted_count: u32,
    /// Length of the segment file.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPoint {
    pub generation: u64,
    pub segments: Vec<CommitSegment>,
    pub next_segment_number: u64,
    /// -1 when there was no operation yet.
    pub max_seq_no: i64,
    pub local_checkpoint: i64,
    /// Operations from this translog generation on are not in the segments.
    pub translog_generation: u64,
    pub primary_term: u64,
    pub history_uuid: String,
    pub user_data: Vec<(String, String)>,
    /// Every in-sync copy has the operations up to here, as far as this copy was told; -1 for none.
    pub global_checkpoint: i64,
    /// Translog generations from this one on are history, as far as they are still there; 0: none before the one needed.
    pub kept_translog_generation: u64,
    /// Primary term and first sequence number of its operations, up to the local checkpoint, ascending. Empty in shards
    /// from before there were copies.
    pub terms: Vec<(u64, u64)>,
}

impl CommitPoint {
    /// The first one of a shard without documents.
    pub fn empty(translog_generation: u64, primary_term: u64, history_uuid: String) -> Self {
        CommitPoint {
            generation: 1,
            segments: Vec::new(),
            next_segment_number: 0,
            max_seq_no: -1,
            local_checkpoint: -1,
            translog_generation,
            primary_term,
            history_uuid,
            user_data: Vec::new(),
            global_checkpoint: -1,
            kept_translog_generation: translog_generation,
            terms: Vec::new(),
        }
    }

    /// As [`CommitPoint::newest`] of a directory that must hold one.
    pub fn existing(directory: &Path) -> Result<Self> {
        let newest = Self::newest(directory)?;
        newest.ok_or_else(|| Error::corrupt(format!("[{}] holds no commit point", directory.display())))
    }

    pub fn file_name(&self) -> String {
        ShardFile::Commit { generation: self.generation }.to_string()
    }

    /// Writes `commit_<generation>` beside, fsyncs, renames, fsyncs the directory. The segments must be fsynced before.
    pub fn write(&self, directory: &Path) -> Result<PathBuf> {
        let path = directory.join(self.file_name());
        FILE.write(&path, &encode(self))?;
        Ok(path)
    }

    pub fn read(path: &Path) -> Result<Self> {
        FILE.read(path, decode)
    }

    /// The newest commit of the directory; `None` when there is none. A damaged newest commit is an error that names it:
    /// an older one would lose acknowledged operations silently.
    pub fn newest(directory: &Path) -> Result<Option<Self>> {
        let generation_of = |name: &String| match ShardFile::parse(name)? {
            ShardFile::Commit { generation } => Some(generation),
            _ => None,
        };
        let Some(generation) = files::names(directory)?.iter().filter_map(generation_of).max() else { return Ok(None) };
        let path = directory.join(ShardFile::Commit { generation }.to_string());
        let commit = Self::read(&path)?;
        if commit.generation != generation {
            let reason = format!("[{}]: holds the commit of generation {}", path.display(), commit.generation);
            return Err(Error::corrupt(reason));
        }
        Ok(Some(commit))
    }

    /// Names of the files that this commit needs, its own among them.
    pub fn file_names(&self) -> Vec<String> {
        let mut names = vec![self.file_name()];
        for segment in &self.segments {
            names.push(segment.id.file_name());
            if segment.live_docs_generation > 0 {
                names.push(segment.id.live_docs_file_name(segment.live_docs_generation));
            }
        }
        names
    }

    /// Removes segment, live-docs, commit and temporary files of the directory that neither this commit nor `in_use` (file
    /// names) needs; leaves files of other kinds (translog) alone. Returns what was removed.
    pub fn remove_unreferenced(&self, directory: &Path, in_use: &[String]) -> Result<Vec<PathBuf>> {
        let needed: HashSet<String> = self.file_names().into_iter().chain(in_use.iter().cloned()).collect();
        let mut removed = Vec::new();
        for name in files::names(directory)? {
            let ours = ShardFile::parse(name.strip_suffix(files::TEMPORARY).unwrap_or(&name)).is_some();
            if !ours || needed.contains(&name) {
                continue;
            }
            let path = directory.join(name);
            fs::remove_file(&path).map_err(|error| Error::io("cannot remove", &path, error))?;
            removed.push(path);
        }
        Ok(removed)
    }
}

fn encode(commit: &CommitPoint) -> Vec<u8> {
    let mut builder = FlatBufferBuilder::new();
    let mut segments = Vec::with_capacity(commit.segments.len());
    for segment in &commit.segments {
        let arguments = schema::CommitSegmentArgs {
            uuid: Some(builder.create_vector(&segment.id.uuid)),
            number: segment.id.number,
            max_doc: segment.max_doc,
            live_docs_generation: segment.live_docs_generation,
            deleted_count: segment.deleted_count,
            bytes: segment.bytes,
        };
        segments.push(schema::CommitSegment::create(&mut builder, &arguments));
    }
    let mut user_data = Vec::with_capacity(commit.user_data.len());
    for (key, value) in &commit.user_data {
        let arguments =
            schema::UserDatumArgs { key: Some(builder.create_string(key)), value: Some(builder.create_string(value)) };
        user_data.push(schema::UserDatum::create(&mut builder, &arguments));
    }
    let terms: Vec<schema::TermStart> =
        commit.terms.iter().map(|(term, first_seq_no)| schema::TermStart::new(*term, *first_seq_no)).collect();
    let arguments = schema::CommitPointArgs {
        generation: commit.generation,
        segments: Some(builder.create_vector(&segments)),
        next_segment_number: commit.next_segment_number,
        max_seq_no: commit.max_seq_no,
        local_checkpoint: commit.local_checkpoint,
        translog_generation: commit.translog_generation,
        primary_term: commit.primary_term,
        history_uuid: Some(builder.create_string(&commit.history_uuid)),
        user_data: Some(builder.create_vector(&user_data)),
        global_checkpoint: commit.global_checkpoint,
        kept_translog_generation: commit.kept_translog_generation,
        terms: Some(builder.create_vector(&terms)),
    };
    let root = schema::CommitPoint::create(&mut builder, &arguments);
    builder.finish(root, None);
    builder.finished_data().to_vec()
}

fn decode(body: &[u8]) -> Result<CommitPoint> {
    let root = flatbuffers::root::<schema::CommitPoint<'_>>(body).map_err(|error| Error::corrupt(error.to_string()))?;
    let mut segments = Vec::with_capacity(root.segments().len());
    for segment in root.segments() {
        segments.push(CommitSegment {
            id: SegmentId { number: segment.number(), uuid: envelope::uuid(segment.uuid().bytes())? },
            max_doc: segment.max_doc(),
            live_docs_generation: segment.live_docs_generation(),
            deleted_count: segment.deleted_count(),
            bytes: segment.bytes(),
        });
    }
    let user_data = root.user_data().iter().map(|datum| (datum.key().to_owned(), datum.value().to_owned()));
    let terms = root.terms().into_iter().flatten().map(|start| (start.term(), start.first_seq_no()));
    Ok(CommitPoint {
        generation: root.generation(),
        segments,
        next_segment_number: root.next_segment_number(),
        max_seq_no: root.max_seq_no(),
        local_checkpoint: root.local_checkpoint(),
        translog_generation: root.translog_generation(),
        primary_term: root.primary_term(),
        history_uuid: root.history_uuid().to_owned(),
        user_data: user_data.collect(),
        global_checkpoint: root.global_checkpoint(),
        kept_translog_generation: root.kept_translog_generation(),
        terms: terms.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::support::{TestDirectory, expect_damage_reported};

    fn commit(generation: u64, numbers: &[u64]) -> CommitPoint {
        let segment = |&number: &u64| CommitSegment {
            id: SegmentId { number, uuid: [number as u8; 16] },
            max_doc: 10,
            live_docs_generation: number % 3,
            deleted_count: 2,
            bytes: 4_096,
        };
        CommitPoint {
            generation,
            segments: numbers.iter().map(segment).collect(),
            next_segment_number: 99,
            max_seq_no: -1,
            local_checkpoint: 5,
            translog_generation: 7,
            primary_term: 2,
            history_uuid: "history".to_owned(),
            user_data: vec![("key".to_owned(), "välue".to_owned())],
            global_checkpoint: 4,
            kept_translog_generation: 6,
            terms: vec![(1, 0), (2, 3)],
        }
    }

    #[test]
    fn the_newest_commit_is_read_back() {
        let directory = TestDirectory::new();
        assert_eq!(CommitPoint::newest(directory.path()).unwrap(), None);
        commit(9, &[1]).write(directory.path()).unwrap();
        commit(36, &[1, 2, 40]).write(directory.path()).unwrap();
        assert_eq!(CommitPoint::newest(directory.path()).unwrap(), Some(commit(36, &[1, 2, 40])));
    }

    #[test]
    fn a_damaged_newest_commit_is_an_error_and_not_an_older_commit() {
        let directory = TestDirectory::new();
        commit(1, &[1]).write(directory.path()).unwrap();
        let path = commit(2, &[1, 2]).write(directory.path()).unwrap();
        expect_damage_reported(&path, 1, || CommitPoint::newest(directory.path()).err());
    }

    #[test]
    fn a_renamed_commit_is_refused() {
        let directory = TestDirectory::new();
        let path = commit(1, &[]).write(directory.path()).unwrap();
        fs::rename(path, directory.path().join("commit_2")).unwrap();
        assert!(CommitPoint::newest(directory.path()).unwrap_err().reason.contains("commit_2"));
    }

    #[test]
    fn only_files_of_this_room_that_nobody_needs_are_removed() {
        let directory = TestDirectory::new();
        commit(1, &[1]).write(directory.path()).unwrap();
        let newest = commit(2, &[1, 2]);
        newest.write(directory.path()).unwrap();
        let kept = ["_1.seg", "_1_1.live", "_2.seg", "_2_2.live", "_5.seg", "translog-3.tlog", "write.lock", "x.tmp"];
        let removed = ["_3.seg", "_1_2.live", "_2_1.live", "_6.seg.tmp", "commit_3.tmp"];
        for name in kept.iter().chain(&removed) {
            fs::write(directory.path().join(name), b"").unwrap();
        }
        let paths = newest.remove_unreferenced(directory.path(), &["_5.seg".to_owned()]).unwrap();
        assert_eq!(paths.len(), removed.len() + 1);
        let mut expected: Vec<String> =
            kept.iter().map(|name| (*name).to_owned()).chain(["commit_2".to_owned()]).collect();
        expected.sort();
        assert_eq!(files::names(directory.path()).unwrap(), expected);
    }
}
