//! What goes into a member and what comes out of it.

use super::membership::Membership;

/// How a member behaves. Ticks are the owner's unit of time.
#[derive(Debug, Clone)]
pub struct RaftOptions {
    /// Never 0, and never used again by a member that lost its directory.
    pub id: u64,
    /// A follower that hears nothing of a leader for so many ticks (up to twice as many, by chance) asks for votes; a leader
    /// that hears nothing of a majority for so many ticks steps down.
    pub election_ticks: usize,
    pub heartbeat_ticks: usize,
    /// False: it votes, and leaves elections to others. It is elected only where they cannot be, because it has entries that
    /// they lack. Then it takes no proposals, and its owner hands the office on to a voter that may lead.
    pub may_lead: bool,
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
    pub snapshot_index: u64,
    pub log_entries: u64,
    pub file_bytes: u64,
    /// A member needs a newer snapshot than there is.
    pub wants_snapshot: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    pub to: u64,
    pub bytes: Vec<u8>,
    /// Its loss must be reported by [`report_snapshot`](super::member::RaftMember::report_snapshot): nothing else is sent to
    /// that member before.
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
    /// [`persist`](super::member::RaftMember::persist) will wait for the disk.
    pub must_sync: bool,
}

/// What may be done after the disk was written.
#[derive(Debug)]
pub struct Persisted {
    pub messages: Vec<OutgoingMessage>,
    /// To be applied before the entries.
    pub snapshot: Option<OwnerSnapshot>,
    /// All of them, without gaps; those that concern only the group itself have no data.
    pub committed: Vec<CommittedEntry>,
    /// When it changed.
    pub membership: Option<Membership>,
    /// Of [`read_barrier`](super::member::RaftMember::read_barrier): the barrier's number, and the index that must be applied.
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
    /// It has answered since the leader last looked, which it does once in an election timeout.
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
    pub log_bytes: u64,
}
