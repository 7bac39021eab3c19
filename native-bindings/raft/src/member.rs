//! A member: what goes in are ticks, messages and proposals; what comes out are messages, committed entries and snapshots.
//!
//! The owner's loop: give it what there is; then, while [`RaftMember::ready`] gives something, send those messages, call
//! [`RaftMember::persist`], send the messages of that, and apply what it hands out.

use super::disk::{Directory, Disk};
use super::membership::{self, Membership};
use super::storage::DiskStorage;
use super::types::{
    CommittedEntry, OutgoingMessage, OwnerSnapshot, PeerStatus, Persisted, Proposed, RaftOptions, RaftState,
    RaftStatus, Ready, Role,
};
use super::{NUMBER_MAX, PROPOSAL_BYTES_MAX, check, message, mixed};
use quarry_base::error::{Error, Result};
use raft::eraftpb::{Entry, EntryType, Message, MessageType, Snapshot};
use raft::{Config, ProgressState, RawNode, SnapshotStatus, StateRole};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Below it there is no room between the shortest and the longest time before an election.
const ELECTION_TICKS_MIN: usize = 4;

/// So many elections in a row who may not lead leaves to the others.
const ELECTIONS_LEFT_TO_OTHERS: usize = 8;

pub struct RaftMember {
    node: RawNode<DiskStorage>,
    seed: u64,
    kept_entries: u64,
    election_ticks: usize,
    may_lead: bool,
    /// How many elections in a row were left to others, without a leader.
    elections_left: usize,
    /// Between `ready` and `persist` nothing else may be done.
    outstanding: Option<raft::Ready>,
    /// Messages that go out when the disk was written, though the algorithm would let them go before: what only voters have
    /// that may not lead, or one that never comes back, keeps all others from being elected until that is handed on.
    withheld: Vec<OutgoingMessage>,
    recovered: Option<OwnerSnapshot>,
    /// After it nothing is done any more.
    failure: Option<Error>,
}

impl RaftMember {
    /// Does the directory hold a member.
    pub fn exists(directory: &Path) -> bool {
        Self::exists_on(&Directory::new(directory))
    }

    pub fn exists_on(disk: &dyn Disk) -> bool {
        DiskStorage::exists(disk)
    }

    /// Is the member in this directory whole: reads every byte and changes nothing. Errors: `Corrupt` naming file and place.
    pub fn check(directory: &Path) -> Result<()> {
        DiskStorage::check(Arc::new(Directory::new(directory)))
    }

    /// Errors: `Corrupt` naming file and place, `Io`, `IllegalArgument` for options that contradict themselves.
    pub fn open(directory: &Path, options: &RaftOptions) -> Result<Self> {
        Self::open_on(Arc::new(Directory::new(directory)), options)
    }

    /// Errors: as those of [`RaftMember::open`].
    pub fn open_on(disk: Arc<dyn Disk>, options: &RaftOptions) -> Result<Self> {
        check_options(options)?;
        let storage = DiskStorage::open_or_create(disk, options.id, &options.initial_voters)?;
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
            may_lead: options.may_lead,
            elections_left: 0,
            outstanding: None,
            withheld: Vec::new(),
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
            member.put_election_off();
            member.node.tick();
            Ok(())
        })
    }

    /// Who may not lead leaves elections to the others, and votes once it has not heard of a leader for the shortest time.
    /// But where it alone of a majority has what was committed, the others are elected by nobody, so in the end it stands
    /// itself. It wins against those only that have less, and its owner hands the office on to one that has caught up.
    fn put_election_off(&mut self) {
        let raft = &mut self.node.raft;
        if self.may_lead || raft.state == StateRole::Leader {
            return;
        }
        if raft.election_elapsed < self.election_ticks {
            self.elections_left = 0;
        } else if raft.election_elapsed + 1 >= raft.randomized_election_timeout()
            && self.elections_left < ELECTIONS_LEFT_TO_OTHERS
        {
            self.elections_left += 1;
            raft.election_elapsed = self.election_ticks;
        }
    }

    /// A message from another member. Errors when it is damaged, or breaks the rules: the member goes on without it.
    pub fn step(&mut self, bytes: &[u8]) -> Result<()> {
        self.run(|member| {
            let message = message::decode(bytes)?;
            check::check(&member.node.raft, &message)?;
            if !member.may_lead && message.get_msg_type() == MessageType::MsgTimeoutNow {
                return Ok(());
            }
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
            if !member.may_lead || member.node.raft.state != StateRole::Leader {
                return Ok(Proposed::NotLeader);
            }
            match member.node.propose(Vec::new(), data) {
                Ok(()) => Ok(member.proposed()),
                Err(_) => Ok(Proposed::Busy),
            }
        })
    }

    /// Makes these the members: by joint consensus where more than one changes. Where nothing changes, the index is that of
    /// the last entry. The leader must be one of the voters: it hands its office over before it goes.
    pub fn propose_membership(&mut self, voters: &[u64], learners: &[u64]) -> Result<Proposed> {
        let target = membership::target(voters, learners)?;
        self.run(|member| {
            let raft = &member.node.raft;
            if !member.may_lead || raft.state != StateRole::Leader {
                return Ok(Proposed::NotLeader);
            }
            let current = member.node.store().membership();
            // The library would put an empty entry in its place.
            if raft.has_pending_conf() || current.is_joint() {
                return Ok(Proposed::Busy);
            }
            if !target.voters.contains(&raft.id) {
                let reason = format!("member [{}] leads and cannot be removed before it has handed that over", raft.id);
                return Err(Error::illegal_argument(reason));
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
            if member.may_lead && member.node.raft.promotable() {
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
            let mut messages = outgoing(ready.take_messages())?;
            if !ready.entries().is_empty() {
                member.withheld = std::mem::take(&mut messages);
            }
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
        let mut messages = std::mem::take(&mut self.withheld);
        messages.extend(outgoing(ready.take_persisted_messages())?);
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
                entry.clear_data();
            }
            committed.push(CommittedEntry { index, term, data: entry.take_data().to_vec() });
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
        let membership = Membership::of_conf_state(&state);
        self.step_down_when_removed(&membership);
        self.node.mut_store().set_membership(index, membership)
    }

    /// A change that an earlier leader proposed may remove the one that commits it. The library lets it lead on, and panics when
    /// it looks for its own progress.
    fn step_down_when_removed(&mut self, membership: &Membership) {
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
            && error.code == quarry_base::error::ErrorCode::Io
        {
            self.failure.get_or_insert_with(|| error.clone());
        }
        outcome
    }

    pub fn state(&self) -> RaftState {
        let raft = &self.node.raft;
        let store = self.node.store();
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
            snapshot_index: store.snapshot_index(),
            log_entries: store.entry_count(),
            file_bytes: store.file_bytes(),
            wants_snapshot: store.wants_snapshot(),
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
            log_bytes: store.entry_bytes(),
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
        let drawn = mixed(self.seed ^ mixed(raft.id) ^ raft.term) % self.election_ticks as u64;
        let drawn = if self.may_lead { drawn as usize } else { self.election_ticks - 1 };
        raft.set_randomized_election_timeout(self.election_ticks + drawn);
    }
}

fn check_options(options: &RaftOptions) -> Result<()> {
    if options.election_ticks < ELECTION_TICKS_MIN {
        return Err(Error::illegal_argument(format!("an election takes at least {ELECTION_TICKS_MIN} ticks")));
    }
    if options.id == 0 {
        return Err(Error::illegal_argument("a raft member's id must not be 0"));
    }
    if options.initial_voters.contains(&0) || options.kept_entries > NUMBER_MAX {
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
