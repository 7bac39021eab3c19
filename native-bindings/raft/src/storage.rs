//! The log as the algorithm sees it: all of it in memory, every change of it on disk first.

use super::disk::Disk;
use super::log_file::{FoundLog, LOG, LogFile, LogHeader, damaged};
use super::membership::Membership;
use super::message::snapshot;
use super::record::{Item, read_items, write_entry_item, write_hard_state, write_membership};
use super::snapshot_file;
use quarry_base::error::{Error, Result};
use raft::eraftpb::{Entry, HardState, Snapshot};
use raft::{GetEntriesContext, RaftState, Storage, StorageError};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of the payload of a record at which the next one begins.
const RECORD_BYTES_SOFT_MAX: usize = 16 * 1024 * 1024;
/// A new group begins as if everybody had a snapshot of nothing here: whoever joins later then needs a real one.
const FIRST_INDEX: u64 = 1;
const FIRST_TERM: u64 = 1;

#[derive(Debug)]
pub(super) struct DiskStorage {
    disk: Arc<dyn Disk>,
    file: LogFile,
    member: u64,
    term: u64,
    vote: u64,
    commit: u64,
    /// Index and term of the entry before `entries`.
    previous: (u64, u64),
    entries: VecDeque<Entry>,
    entry_bytes: u64,
    snapshot: Option<Snapshot>,
    /// Memberships since the snapshot, each with the index of the entry that brought it into force; the first is the
    /// snapshot's. Empty while the member belongs to no group.
    memberships: Vec<(u64, Membership)>,
    /// A member cannot use the snapshot that there is.
    wants_snapshot: Cell<bool>,
}

impl DiskStorage {
    pub fn exists(disk: &dyn Disk) -> bool {
        matches!(disk.open(LOG), Ok(Some(_)))
    }

    /// Opens what is there, or begins: as one of `initial_voters`, or, when there are none, as one who waits to be added.
    pub fn open_or_create(disk: Arc<dyn Disk>, member: u64, initial_voters: &[u64]) -> Result<Self> {
        let Some(found) = LogFile::find(&*disk)? else { return Self::create(disk, member, initial_voters) };
        let mut storage = Self::recover(disk, found)?;
        if storage.member != member {
            let what = format!("it belongs to member [{}] and not to [{member}]", storage.member);
            return Err(damaged(storage.file.path(), 8, what));
        }
        storage.file.begin(storage.commit)?;
        snapshot_file::remove_others(&*storage.disk, storage.snapshot_index())?;
        Ok(storage)
    }

    /// Reads every byte of what a member would open, and changes nothing. Errors: `Corrupt` naming file and place.
    pub fn check(disk: Arc<dyn Disk>) -> Result<()> {
        match LogFile::find(&*disk)? {
            Some(found) => Self::recover(disk, found).map(drop),
            None => Err(Error::corrupt(format!("[{}] is missing", disk.path_of(LOG).display()))),
        }
    }

    fn create(disk: Arc<dyn Disk>, member: u64, initial_voters: &[u64]) -> Result<Self> {
        disk.make()?;
        let first = match initial_voters {
            [] => None,
            voters => {
                let membership = super::membership::target(voters, &[])?;
                if !membership.contains(member) {
                    return Err(Error::illegal_argument(format!("member [{member}] is none of the initial voters")));
                }
                Some(membership)
            }
        };
        let snapshot = first.as_ref().map(|first| snapshot(FIRST_INDEX, FIRST_TERM, first, Vec::new()));
        let previous = if snapshot.is_some() { (FIRST_INDEX, FIRST_TERM) } else { (0, 0) };
        if let Some(snapshot) = &snapshot {
            snapshot_file::write(&*disk, snapshot)?;
        }
        let header =
            LogHeader { member, previous_index: previous.0, previous_term: previous.1, snapshot_index: previous.0 };
        let mut payload = Vec::new();
        write_hard_state(&mut payload, previous.1, 0);
        Ok(DiskStorage {
            file: LogFile::replace(&*disk, header, previous.0, &[payload])?,
            disk,
            member,
            term: previous.1,
            vote: 0,
            commit: previous.0,
            previous,
            entries: VecDeque::new(),
            entry_bytes: 0,
            snapshot,
            memberships: first.into_iter().map(|first| (FIRST_INDEX, first)).collect(),
            wants_snapshot: Cell::new(false),
        })
    }

    /// What the files amount to.
    fn recover(disk: Arc<dyn Disk>, found: FoundLog) -> Result<Self> {
        let header = found.header;
        let path = found.file.path().to_owned();
        let snapshot = match header.snapshot_index {
            0 => None,
            index => Some(snapshot_file::read(&*disk, index)?),
        };
        if header.snapshot_index < header.previous_index {
            return Err(damaged(&path, 16, "the snapshot does not reach the first entry"));
        }
        let memberships = snapshot.as_ref().map(|snapshot| {
            let metadata = snapshot.get_metadata();
            (metadata.get_index(), Membership::of_conf_state(metadata.get_conf_state()))
        });
        let mut storage = DiskStorage {
            disk,
            file: found.file,
            member: header.member,
            term: 0,
            vote: 0,
            commit: 0,
            previous: (header.previous_index, header.previous_term),
            entries: VecDeque::new(),
            entry_bytes: 0,
            snapshot,
            memberships: memberships.into_iter().collect(),
            wants_snapshot: Cell::new(false),
        };
        for (place, payload) in &found.records {
            let items = read_items(payload).map_err(|error| damaged(&path, *place, error.reason))?;
            for item in items {
                storage.replay(item).map_err(|error| damaged(&path, *place, error.reason))?;
            }
        }
        storage.set_recovered_commit(found.commit).map_err(|error| damaged(&path, 0, error.reason))?;
        Ok(storage)
    }

    fn replay(&mut self, item: Item) -> Result<()> {
        match item {
            Item::HardState { term, vote } => (self.term, self.vote) = (term, vote),
            Item::Entry(entry) => self.push(entry)?,
            Item::Membership { index, membership } => {
                if self.membership_index() >= index {
                    return Err(Error::corrupt(format!("a membership of index [{index}] comes too late")));
                }
                self.memberships.push((index, membership));
            }
        }
        Ok(())
    }

    /// What was in force or in a snapshot was committed, even when the slot does not know.
    fn set_recovered_commit(&mut self, noted: u64) -> Result<()> {
        let last = self.last();
        self.commit = noted.max(self.snapshot_index()).max(self.membership_index());
        let last_term = self.entries.back().map_or(self.previous.1, Entry::get_term);
        if self.commit > last {
            return Err(Error::corrupt(format!("entries end at [{last}] and were committed to [{}]", self.commit)));
        }
        if last_term > self.term {
            return Err(Error::corrupt(format!("an entry of term [{last_term}] is later than term [{}]", self.term)));
        }
        Ok(())
    }

    /// In memory: takes the place of the entry of this index and of all after it.
    fn push(&mut self, entry: Entry) -> Result<()> {
        let index = entry.get_index();
        if index <= self.previous.0 || index > self.last() + 1 {
            let (first, last) = (self.previous.0 + 1, self.last());
            return Err(Error::corrupt(format!("an entry of index [{index}] beside entries [{first}] to [{last}]")));
        }
        while self.last() >= index {
            let gone = self.entries.pop_back();
            self.entry_bytes -= gone.map_or(0, |gone| gone.get_data().len() as u64);
        }
        let before = self.entries.back().map_or(self.previous.1, Entry::get_term);
        if entry.get_term() < before {
            return Err(Error::corrupt(format!("entry [{index}] has a lower term than the one before it")));
        }
        self.entry_bytes += entry.get_data().len() as u64;
        self.entries.push_back(entry);
        Ok(())
    }

    /// Durable when it returns.
    pub fn append(&mut self, hard_state: Option<&HardState>, entries: &[Entry]) -> Result<()> {
        let mut payloads = vec![Vec::new()];
        let mut payload = 0;
        if let Some(state) = hard_state {
            (self.term, self.vote) = (state.get_term(), state.get_vote());
            write_hard_state(&mut payloads[payload], self.term, self.vote);
        }
        for entry in entries {
            if payloads[payload].len() >= RECORD_BYTES_SOFT_MAX {
                payloads.push(Vec::new());
                payload += 1;
            }
            write_entry_item(&mut payloads[payload], entry);
        }
        self.file.append(&payloads)?;
        entries.iter().try_for_each(|entry| self.push(entry.clone()))?;
        self.file.note(self.commit)
    }

    /// Noted, not synced: a commit index that is lost is learnt again.
    pub fn note_commit(&mut self, commit: u64) -> Result<()> {
        if commit <= self.commit {
            return Ok(());
        }
        self.commit = commit;
        self.file.note(commit)
    }

    /// Durable when it returns: who decides must not depend on what was learnt and lost.
    pub fn set_membership(&mut self, index: u64, membership: Membership) -> Result<()> {
        let mut payload = Vec::new();
        write_membership(&mut payload, index, &membership);
        self.file.append(&[payload])?;
        self.memberships.push((index, membership));
        self.commit = self.commit.max(index);
        self.file.note(self.commit)
    }

    /// A snapshot that came from the leader takes the place of the log.
    pub fn install(&mut self, snapshot: &Snapshot, hard_state: Option<&HardState>) -> Result<()> {
        let metadata = snapshot.get_metadata();
        if let Some(state) = hard_state {
            (self.term, self.vote) = (state.get_term(), state.get_vote());
        }
        self.previous = (metadata.get_index(), metadata.get_term());
        self.entries.clear();
        self.entry_bytes = 0;
        self.commit = self.commit.max(metadata.get_index());
        self.memberships = vec![(metadata.get_index(), Membership::of_conf_state(metadata.get_conf_state()))];
        self.keep(snapshot.clone())
    }

    /// A snapshot that the owner made of the entries to `index`. The newest `kept_entries` of them stay, so that members who
    /// lag a little need no snapshot.
    pub fn compact(&mut self, index: u64, data: Vec<u8>, kept_entries: u64) -> Result<()> {
        if index < self.snapshot_index() || index > self.commit {
            let (from, to) = (self.snapshot_index(), self.commit);
            return Err(Error::illegal_argument(format!("a snapshot of index [{index}] outside [{from}] to [{to}]")));
        }
        let term = self.term_of(index).ok_or_else(|| Error::internal(format!("no term of index [{index}]")))?;
        let older = self.memberships.iter().take_while(|(since, _)| *since <= index).count();
        let Some((_, membership)) = older.checked_sub(1).and_then(|last| self.memberships.get(last)).cloned() else {
            return Err(Error::illegal_state("a member without a group has no snapshot"));
        };
        self.memberships.drain(..older);
        self.memberships.insert(0, (index, membership.clone()));
        let previous = index.saturating_sub(kept_entries).max(self.previous.0);
        let previous_term = self.term_of(previous).unwrap_or(term);
        while self.entries.front().is_some_and(|entry| entry.get_index() <= previous) {
            let gone = self.entries.pop_front();
            self.entry_bytes -= gone.map_or(0, |gone| gone.get_data().len() as u64);
        }
        self.previous = (previous, previous_term);
        self.wants_snapshot.set(false);
        self.keep(snapshot(index, term, &membership, data))
    }

    /// The snapshot's file first, then a log that names it, then the former snapshot goes.
    fn keep(&mut self, snapshot: Snapshot) -> Result<()> {
        snapshot_file::write(&*self.disk, &snapshot)?;
        let index = snapshot.get_metadata().get_index();
        let header = LogHeader {
            member: self.member,
            previous_index: self.previous.0,
            previous_term: self.previous.1,
            snapshot_index: index,
        };
        let mut payloads = vec![Vec::new()];
        write_hard_state(&mut payloads[0], self.term, self.vote);
        for (index, membership) in self.memberships.iter().skip(1) {
            write_membership(&mut payloads[0], *index, membership);
        }
        for entry in &self.entries {
            if payloads.last().is_none_or(|payload| payload.len() >= RECORD_BYTES_SOFT_MAX) {
                payloads.push(Vec::new());
            }
            if let Some(payload) = payloads.last_mut() {
                write_entry_item(payload, entry);
            }
        }
        self.file = LogFile::replace(&*self.disk, header, self.commit, &payloads)?;
        self.snapshot = Some(snapshot);
        snapshot_file::remove_others(&*self.disk, index)
    }

    /// The index of the last entry, or the one before the first.
    pub fn last(&self) -> u64 {
        self.previous.0 + self.entries.len() as u64
    }

    pub fn snapshot_index(&self) -> u64 {
        self.snapshot.as_ref().map_or(0, |snapshot| snapshot.get_metadata().get_index())
    }

    pub fn newest_snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.as_ref()
    }

    /// The index of the entry that brought the membership into force.
    pub fn membership_index(&self) -> u64 {
        self.memberships.last().map_or(0, |(index, _)| *index)
    }

    pub fn membership(&self) -> Membership {
        self.memberships.last().map(|(_, membership)| membership.clone()).unwrap_or_default()
    }

    pub fn entry_count(&self) -> u64 {
        self.entries.len() as u64
    }

    pub fn entry_bytes(&self) -> u64 {
        self.entry_bytes
    }

    pub fn file_bytes(&self) -> u64 {
        self.file.length()
    }

    pub fn wants_snapshot(&self) -> bool {
        self.wants_snapshot.get()
    }

    pub fn term_of(&self, index: u64) -> Option<u64> {
        if index == self.previous.0 {
            return Some(self.previous.1);
        }
        let place = usize::try_from(index.checked_sub(self.previous.0 + 1)?).ok()?;
        self.entries.get(place).map(Entry::get_term)
    }
}

impl Storage for DiskStorage {
    fn initial_state(&self) -> raft::Result<RaftState> {
        let mut state = HardState::default();
        state.set_term(self.term);
        state.set_vote(self.vote);
        state.set_commit(self.commit);
        Ok(RaftState::new(state, self.membership().to_conf_state()))
    }

    fn entries(
        &self,
        low: u64,
        high: u64,
        max_size: impl Into<Option<u64>>,
        _: GetEntriesContext,
    ) -> raft::Result<Vec<Entry>> {
        if low <= self.previous.0 {
            return Err(StorageError::Compacted.into());
        }
        if high > self.last() + 1 {
            return Err(StorageError::Unavailable.into());
        }
        let range = (low - self.previous.0 - 1) as usize..(high - self.previous.0 - 1) as usize;
        let mut entries: Vec<Entry> = self.entries.range(range).cloned().collect();
        raft::util::limit_size(&mut entries, max_size.into());
        Ok(entries)
    }

    fn term(&self, index: u64) -> raft::Result<u64> {
        match self.term_of(index) {
            Some(term) => Ok(term),
            None if index < self.previous.0 => Err(StorageError::Compacted.into()),
            None => Err(StorageError::Unavailable.into()),
        }
    }

    fn first_index(&self) -> raft::Result<u64> {
        Ok(self.previous.0 + 1)
    }

    fn last_index(&self) -> raft::Result<u64> {
        Ok(self.last())
    }

    /// A snapshot from before `to` was a member is of no use to it: the owner is asked for a new one.
    fn snapshot(&self, request_index: u64, to: u64) -> raft::Result<Snapshot> {
        let usable = self.snapshot.as_ref().filter(|snapshot| {
            let metadata = snapshot.get_metadata();
            metadata.get_index() >= request_index && Membership::of_conf_state(metadata.get_conf_state()).contains(to)
        });
        usable.cloned().ok_or_else(|| {
            self.wants_snapshot.set(true);
            StorageError::SnapshotTemporarilyUnavailable.into()
        })
    }
}
