//! A member: what goes in are ticks, messages and proposals; what comes out are messages, committed entries and snapshots.
//!
//! The owner's loop: give it what there is; then, while [`RaftMember::ready`] gives something, send those messages, call
//! [`RaftMember::persist`], send the messages of that, and apply what it hands out.

use super::membership::{self, Membership};
use super::storage::DiskStorage;
use super::{NUMBER_MAX, PROPOSAL_BYTES_MAX, check, message};
use crate::error::{Error, Result};
use raft::eraftpb::{Entry, EntryType, Message, MessageType, Snapshot};
use raft::{Config, ProgressState, RawNode, SnapshotStatus, StateRole};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// How a member behaves. Ticks are the owner's unit of time.
#[derive(Debug, Clone)]
pub struct RaftOptions {
    /// Never 0, and never used again by a member that lost its directory.
    pub id: u64,
    /// A follower that hears nothing of a leader for so many ticks (up to twice as many, by chance) asks for votes; a leader
    /// that hears nothing of a majority for so many ticks steps down.
    pub election_ticks: usize,
    pub heartbeat_ticks: usize,
    /// Chooses the waiting times before elections.
    pub seed: u64,
    /// Entries of one message, in bytes; one entry always goes.
    pub message_bytes_max: u64,
    /// Messages with entries that one follower has not acknowledged.
    pub messages_in_flight_max: usize,
    /// Entries of the leader that are not committed, in bytes; more proposals are refused.
    pub uncommitted_bytes_max: u64,
    /// Committed entries that one [`Persisted`] hands out, in bytes; one always goes.
    pub committed_bytes_max: u64,
    /// Entries that stay behind a snapshot for followers that lag a little.
    pub kept_entries: u64,
    /// The members of a new group: looked at only where the directory holds no member yet. Empty: a leader must add it.
    pub initial_voters: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Follower,
    /// Asks whether it would be elected, or to be elected.
    Candidate,
    Leader,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaftState {
    pub role: Role,
    /// 0: not known.
    pub leader: u64,
    pub term: u64,
    pub commit: u64,
    /// Entries to here were handed out.
    pub applied: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    pub to: u64,
    pub bytes: Vec<u8>,
    /// Its loss must be reported by [`RaftMember::report_snapshot`]: nothing else is sent to that member before.
    pub is_snapshot: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedEntry {
    pub index: u64,
    pub term: u64,
    pub data: Vec<u8>,
}

/// The owner's state as of an entry; takes the place of everything that was applied before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerSnapshot {
    pub index: u64,
    pub term: u64,
    /// Empty in a new group.
    pub data: Vec<u8>,
}

/// What may be done before the disk is written.
#[derive(Debug)]
pub struct Ready {
    pub messages: Vec<OutgoingMessage>,
    /// [`RaftMember::persist`] will wait for the disk.
    pub must_sync: bool,
}

/// What may be done after the disk was written.
#[derive(Debug)]
pub struct Persisted {
    pub messages: Vec<OutgoingMessage>,
    /// To be applied before the entries.
    pub snapshot: Option<OwnerSnapshot>,
    /// Without those that concern only the group itself.
    pub committed: Vec<CommittedEntry>,
    /// When it changed.
    pub membership: Option<Membership>,
    /// Of [`RaftMember::read_barrier`]: the barrier's number, and the index that must be applied.
    pub barriers: Vec<(u64, u64)>,
    pub state: RaftState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposed {
    /// Where it will be if it is committed: an entry of another term at this index means that it was not.
    At {
        index: u64,
        term: u64,
    },
    NotLeader,
    /// Too much is not committed, or the leadership is being handed over, or a change of members is under way.
    Busy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerStatus {
    pub id: u64,
    /// It has acknowledged the entries to here.
    pub matched: u64,
    /// It answered within the last election timeout.
    pub is_recently_active: bool,
    pub is_snapshot_under_way: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaftStatus {
    pub state: RaftState,
    pub membership: Membership,
    /// Of the leader only.
    pub peers: Vec<PeerStatus>,
    pub last_index: u64,
    pub snapshot_index: u64,
    pub log_entries: u64,
    pub log_bytes: u64,
    pub file_bytes: u64,
    /// A member needs a newer snapshot than there is.
    pub wants_snapshot: bool,
}

pub struct RaftMember {
    node: RawNode<DiskStorage>,
    seed: u64,
    kept_entries: u64,
    election_ticks: usize,
    /// Between `ready` and `persist` nothing else may be done.
    outstanding: Option<raft::Ready>,
    recovered: Option<OwnerSnapshot>,
    /// After it nothing is done any more.
    failure: Option<Error>,
}

impl RaftMember {
    /// Does the directory hold a member.
    pub fn exists(directory: &Path) -> bool {
        DiskStorage::exists(directory)
    }

    /// Errors: `Corrupt` naming file and place, `Io`, `IllegalArgument` for options that contradict themselves.
    pub fn open(directory: &Path, options: &RaftOptions) -> Result<Self> {
        check_options(options)?;
        let storage = DiskStorage::open_or_create(directory, options.id, &options.initial_voters)?;
        let recovered = storage.newest_snapshot().map(owner_snapshot);
        let config = Config {
            id: options.id,
            election_tick: options.election_ticks,
            heartbeat_tick: options.heartbeat_ticks,
            applied: storage.snapshot_index(),
            max_size_per_msg: options.message_bytes_max,
            max_inflight_msgs: options.messages_in_flight_max,
            max_uncommitted_size: options.uncommitted_bytes_max,
            max_committed_size_per_ready: options.committed_bytes_max,
            check_quorum: true,
            pre_vote: true,
            ..Config::default()
        };
        let logger = slog::Logger::root(slog::Discard, slog::o!());
        let node = catch_unwind(AssertUnwindSafe(|| RawNode::new(&config, storage, &logger)));
        let node = node.map_err(|payload| panicked(&*payload))?;
        let node = node.map_err(|error| Error::illegal_argument(format!("options of a raft member: {error}")))?;
        let mut member = RaftMember {
            node,
            seed: options.seed,
            kept_entries: options.kept_entries,
            election_ticks: options.election_ticks,
            outstanding: None,
            recovered,
            failure: None,
        };
        member.choose_timeout();
        Ok(member)
    }

    /// The snapshot that was on disk when the member was opened; entries after it are handed out again. Once.
    pub fn take_recovered(&mut self) -> Option<OwnerSnapshot> {
        self.recovered.take()
    }

    pub fn tick(&mut self) -> Result<()> {
        self.run(|member| {
            member.node.tick();
            Ok(())
        })
    }

    /// A message from another member. Errors when it is damaged, or breaks the rules: the member goes on without it.
    pub fn step(&mut self, bytes: &[u8]) -> Result<()> {
        self.run(|member| {
            let message = message::decode(bytes)?;
            check::check(&member.node.raft, &message)?;
            // What it does not want, such as a message of somebody who left, it says in an error: nothing happened then.
            let _ = member.node.step(message);
            Ok(())
        })
    }

    /// Appends to the leader's log. The data must not be empty.
    pub fn propose(&mut self, data: Vec<u8>) -> Result<Proposed> {
        if data.is_empty() || data.len() > PROPOSAL_BYTES_MAX {
            let reason = format!("a proposal has 1 to {PROPOSAL_BYTES_MAX} bytes and not {}", data.len());
            return Err(Error::illegal_argument(reason));
        }
        self.run(|member| {
            if member.node.raft.state != StateRole::Leader {
                return Ok(Proposed::NotLeader);
            }
            match member.node.propose(Vec::new(), data) {
                Ok(()) => Ok(member.proposed()),
                Err(_) => Ok(Proposed::Busy),
            }
        })
    }

    /// Makes these the members: by joint consensus where more than one changes. Where nothing changes, the index is that of
    /// the last entry.
    pub fn propose_membership(&mut self, voters: &[u64], learners: &[u64]) -> Result<Proposed> {
        let target = membership::target(voters, learners)?;
        self.run(|member| {
            let raft = &member.node.raft;
            if raft.state != StateRole::Leader {
                return Ok(Proposed::NotLeader);
            }
            let current = member.node.store().membership();
            // The library would put an empty entry in its place.
            if raft.has_pending_conf() || current.is_joint() {
                return Ok(Proposed::Busy);
            }
            let Some(change) = current.change_to(&target) else { return Ok(member.proposed()) };
            match member.node.propose_conf_change(Vec::new(), change) {
                Ok(()) => Ok(member.proposed()),
                Err(_) => Ok(Proposed::Busy),
            }
        })
    }

    fn proposed(&self) -> Proposed {
        Proposed::At { index: self.node.raft.raft_log.last_index(), term: self.node.raft.term }
    }

    /// Asks for votes without waiting for the timeout. A lone voter is elected by this.
    pub fn campaign(&mut self) -> Result<()> {
        self.run(|member| {
            if member.node.raft.promotable() {
                // Refused only where there is nothing to do.
                let _ = member.node.campaign();
            }
            Ok(())
        })
    }

    /// Of the leader: hands the leadership over to a voter; given up after an election timeout.
    pub fn transfer_leader(&mut self, to: u64) -> Result<()> {
        self.run(|member| {
            if member.node.raft.state == StateRole::Leader && member.node.store().membership().voters.contains(&to) {
                member.node.transfer_leader(to);
            }
            Ok(())
        })
    }

    /// A message could not be sent there.
    pub fn report_unreachable(&mut self, id: u64) -> Result<()> {
        self.run(|member| {
            member.node.report_unreachable(id);
            Ok(())
        })
    }

    /// A snapshot arrived there, or did not.
    pub fn report_snapshot(&mut self, id: u64, has_arrived: bool) -> Result<()> {
        self.run(|member| {
            let status = if has_arrived { SnapshotStatus::Finish } else { SnapshotStatus::Failure };
            member.node.report_snapshot(id, status);
            Ok(())
        })
    }

    /// Of the leader: [`Persisted::barriers`] will tell the index that was committed when this was called, once a majority has
    /// confirmed that it still leads. False: it does not lead, or nothing of its term was committed yet.
    pub fn read_barrier(&mut self, number: u64) -> Result<bool> {
        self.run(|member| {
            let raft = &member.node.raft;
            if raft.state != StateRole::Leader || !raft.commit_to_current_term() {
                return Ok(false);
            }
            member.node.read_index(number.to_le_bytes().to_vec());
            Ok(true)
        })
    }

    /// What there is to do; none when there is nothing. Nothing else may be called before [`RaftMember::persist`].
    pub fn ready(&mut self) -> Result<Option<Ready>> {
        self.run(|member| {
            if !member.node.has_ready() {
                return Ok(None);
            }
            let mut ready = member.node.ready();
            let messages = outgoing(ready.take_messages())?;
            let must_sync = ready.must_sync() || ready.committed_entries().iter().any(is_of_group);
            member.outstanding = Some(ready);
            Ok(Some(Ready { messages, must_sync }))
        })
    }

    /// Writes what [`RaftMember::ready`] was about; waits for the disk. Any error fails the member.
    pub fn persist(&mut self) -> Result<Persisted> {
        let Some(ready) = self.outstanding.take() else {
            return Err(self.failure.clone().unwrap_or_else(|| Error::illegal_state("there is nothing to persist")));
        };
        let outcome = self.run(|member| member.carry_out(ready));
        if let Err(error) = &outcome {
            self.failure.get_or_insert_with(|| error.clone());
        }
        outcome
    }

    fn carry_out(&mut self, mut ready: raft::Ready) -> Result<Persisted> {
        let membership_before = self.node.store().membership_index();
        let snapshot = self.write(&ready)?;
        let mut messages = outgoing(ready.take_persisted_messages())?;
        let barriers = ready.take_read_states().iter().map(barrier).collect::<Result<_>>()?;
        let mut committed = Vec::new();
        self.hand_out(ready.take_committed_entries(), &mut committed)?;
        let mut light = self.node.advance(ready);
        if let Some(commit) = light.commit_index() {
            self.node.mut_store().note_commit(commit)?;
        }
        messages.extend(outgoing(light.take_messages())?);
        self.hand_out(light.take_committed_entries(), &mut committed)?;
        self.node.advance_apply();
        self.step_down_when_removed();
        let store = self.node.store();
        let membership = (store.membership_index() != membership_before).then(|| store.membership());
        Ok(Persisted { messages, snapshot, committed, membership, barriers, state: self.state() })
    }

    fn write(&mut self, ready: &raft::Ready) -> Result<Option<OwnerSnapshot>> {
        let store = self.node.mut_store();
        let hard_state = ready.hs();
        let has_snapshot = !ready.snapshot().is_empty();
        if has_snapshot {
            store.install(ready.snapshot(), hard_state)?;
        }
        if !ready.entries().is_empty() || (ready.must_sync() && !has_snapshot) {
            store.append(hard_state, ready.entries())?;
        }
        if let Some(state) = hard_state {
            store.note_commit(state.get_commit())?;
        }
        Ok(has_snapshot.then(|| owner_snapshot(ready.snapshot())))
    }

    /// Changes of members come into force here, in their order among the others.
    fn hand_out(&mut self, entries: Vec<Entry>, committed: &mut Vec<CommittedEntry>) -> Result<()> {
        for mut entry in entries {
            let (index, term) = (entry.get_index(), entry.get_term());
            if entry.get_entry_type() == EntryType::EntryConfChangeV2 {
                self.change_members(index, entry.get_data())?;
            } else if !entry.get_data().is_empty() {
                committed.push(CommittedEntry { index, term, data: entry.take_data().to_vec() });
            }
        }
        Ok(())
    }

    /// One that was in force before a restart is handed out again, and was dealt with then.
    fn change_members(&mut self, index: u64, data: &[u8]) -> Result<()> {
        if index <= self.node.store().membership_index() {
            return Ok(());
        }
        let change = membership::decode_change(data)?;
        // A change that cannot be made is made by no member: all of them decide from the same.
        let Ok(state) = self.node.apply_conf_change(&change) else { return Ok(()) };
        self.node.mut_store().set_membership(index, Membership::of_conf_state(&state))
    }

    /// The library lets a leader that was removed go on.
    fn step_down_when_removed(&mut self) {
        let membership = self.node.store().membership();
        let raft = &mut self.node.raft;
        if raft.state == StateRole::Leader && !membership.is_joint() && !membership.voters.contains(&raft.id) {
            let term = raft.term;
            raft.become_follower(term, 0);
        }
    }

    /// The owner's state as of entry `index`, which was handed out: entries before it go. Waits for the disk; errors of the
    /// disk fail the member.
    pub fn compact(&mut self, index: u64, data: Vec<u8>) -> Result<()> {
        let applied = self.node.raft.raft_log.applied;
        if index > applied {
            return Err(Error::illegal_argument(format!(
                "a snapshot of index [{index}] before [{applied}] is applied"
            )));
        }
        let outcome = self.run(|member| {
            let kept = member.kept_entries;
            member.node.mut_store().compact(index, data, kept)
        });
        if let Err(error) = &outcome
            && error.code == crate::error::ErrorCode::Io
        {
            self.failure.get_or_insert_with(|| error.clone());
        }
        outcome
    }

    pub fn state(&self) -> RaftState {
        let raft = &self.node.raft;
        RaftState {
            role: match raft.state {
                StateRole::Follower => Role::Follower,
                StateRole::PreCandidate | StateRole::Candidate => Role::Candidate,
                StateRole::Leader => Role::Leader,
            },
            leader: raft.leader_id,
            term: raft.term,
            commit: raft.raft_log.committed,
            applied: raft.raft_log.applied,
        }
    }

    pub fn membership(&self) -> Membership {
        self.node.store().membership()
    }

    pub fn status(&self) -> RaftStatus {
        let raft = &self.node.raft;
        let store = self.node.store();
        let mut peers: Vec<PeerStatus> = match raft.state {
            StateRole::Leader => raft.prs().iter().map(|(id, progress)| peer_status(*id, progress)).collect(),
            _ => Vec::new(),
        };
        peers.sort_unstable_by_key(|peer| peer.id);
        RaftStatus {
            state: self.state(),
            membership: store.membership(),
            peers,
            last_index: raft.raft_log.last_index(),
            snapshot_index: store.snapshot_index(),
            log_entries: store.entry_count(),
            log_bytes: store.entry_bytes(),
            file_bytes: store.file_bytes(),
            wants_snapshot: store.wants_snapshot(),
        }
    }

    /// A panic of the library fails the member for good. An error fails the call only.
    fn run<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if self.outstanding.is_some() {
            return Err(Error::illegal_state("what was ready must be persisted first"));
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let outcome = work(self);
            self.choose_timeout();
            outcome
        }));
        outcome.unwrap_or_else(|payload| {
            let failure = panicked(&*payload);
            self.failure = Some(failure.clone());
            Err(failure)
        })
    }

    /// The library draws the time before an election from the system's randomness; this takes the seed's instead. It depends on
    /// member and term, so that two candidates that met do not meet again.
    fn choose_timeout(&mut self) {
        let raft = &mut self.node.raft;
        let drawn = mixed(self.seed ^ mixed(raft.id) ^ raft.term);
        raft.set_randomized_election_timeout(self.election_ticks + (drawn % self.election_ticks as u64) as usize);
    }
}

fn check_options(options: &RaftOptions) -> Result<()> {
    if options.id == 0 {
        return Err(Error::illegal_argument("a raft member's id must not be 0"));
    }
    if options.initial_voters.iter().any(|id| *id == 0) || options.kept_entries > NUMBER_MAX {
        return Err(Error::illegal_argument("options of a raft member: a number is out of range"));
    }
    Ok(())
}

fn panicked(payload: &(dyn std::any::Any + Send)) -> Error {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    Error::internal(format!("the raft member has failed: {text}"))
}

fn outgoing(messages: Vec<Message>) -> Result<Vec<OutgoingMessage>> {
    let encode = |message: Message| {
        let is_snapshot = message.get_msg_type() == MessageType::MsgSnapshot;
        Ok(OutgoingMessage { to: message.get_to(), bytes: message::encode(&message)?, is_snapshot })
    };
    messages.into_iter().map(encode).collect()
}

fn owner_snapshot(snapshot: &Snapshot) -> OwnerSnapshot {
    let metadata = snapshot.get_metadata();
    OwnerSnapshot { index: metadata.get_index(), term: metadata.get_term(), data: snapshot.get_data().to_vec() }
}

fn barrier(state: &raft::ReadState) -> Result<(u64, u64)> {
    let number = state.request_ctx.as_slice().try_into().map_err(|_| Error::internal("a barrier without a number"))?;
    Ok((u64::from_le_bytes(number), state.index))
}

fn is_of_group(entry: &Entry) -> bool {
    entry.get_entry_type() == EntryType::EntryConfChangeV2
}

fn peer_status(id: u64, progress: &raft::Progress) -> PeerStatus {
    PeerStatus {
        id,
        matched: progress.matched,
        is_recently_active: progress.recent_active,
        is_snapshot_under_way: progress.state == ProgressState::Snapshot,
    }
}

/// splitmix64.
fn mixed(seed: u64) -> u64 {
    let mut value = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
