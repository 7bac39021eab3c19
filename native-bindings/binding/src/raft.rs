//! A Raft member behind its JavaScript object. Ids are decimal strings: they use all 64 bits.

use crate::background::in_background;
use crate::failure::{catching, entry, parse};
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use quarry_base::error::{Error, Result};
use quarry_raft::member::RaftMember;
use quarry_raft::membership::Membership;
use quarry_raft::simulated_disk::SimulatedDisk;
use quarry_raft::types::{
    OutgoingMessage, OwnerSnapshot, PeerStatus, Persisted, Proposed, RaftOptions, RaftState, Role,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// None once it is closed. JavaScript makes no call while one runs in the background: the lock is never waited for.
type SharedMember = Arc<Mutex<Option<RaftMember>>>;

#[napi]
pub struct NativeRaft {
    shared: SharedMember,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OpenOptions {
    directory: PathBuf,
    id: String,
    election_ticks: usize,
    heartbeat_ticks: usize,
    may_lead: bool,
    seed: u32,
    message_bytes_max: u64,
    messages_in_flight_max: usize,
    uncommitted_bytes_max: u64,
    committed_bytes_max: u64,
    kept_entries: u64,
    initial_voters: Vec<String>,
}

impl OpenOptions {
    fn of_member(&self) -> Result<RaftOptions> {
        Ok(RaftOptions {
            id: id_of(&self.id)?,
            election_ticks: self.election_ticks,
            heartbeat_ticks: self.heartbeat_ticks,
            may_lead: self.may_lead,
            seed: u64::from(self.seed),
            message_bytes_max: self.message_bytes_max,
            messages_in_flight_max: self.messages_in_flight_max,
            uncommitted_bytes_max: self.uncommitted_bytes_max,
            committed_bytes_max: self.committed_bytes_max,
            kept_entries: self.kept_entries,
            initial_voters: ids_of(&self.initial_voters)?,
        })
    }
}

/// The disk of a simulated node. Everything on it happens at once, on the thread that asks.
#[napi]
pub struct NativeSimulatedDisk {
    disk: SimulatedDisk,
}

#[napi]
impl NativeSimulatedDisk {
    #[napi(constructor)]
    pub fn new(seed: u32) -> Self {
        NativeSimulatedDisk { disk: SimulatedDisk::new(u64::from(seed)) }
    }

    #[napi]
    pub fn has_member(&self) -> bool {
        RaftMember::exists_on(&self.disk)
    }

    #[napi]
    pub fn fail_at(&self, operation: Option<u32>) {
        self.disk.fail_at(operation.map(u64::from));
    }

    #[napi]
    pub fn set_full(&self, is_full: bool) {
        self.disk.set_full(is_full);
    }

    #[napi]
    pub fn lose_power(&self) {
        self.disk.lose_power();
    }

    #[napi]
    pub fn open(&self, options: String) -> napi::Result<NativeRaft> {
        entry(|| {
            let options: OpenOptions = parse("the options of a raft member", options.as_bytes())?;
            let member = RaftMember::open_on(Arc::new(self.disk.clone()), &options.of_member()?)?;
            Ok(NativeRaft { shared: Arc::new(Mutex::new(Some(member))) })
        })
    }
}

#[napi(object)]
pub struct RawRaftMessage {
    pub to: String,
    pub bytes: Uint8Array,
    pub is_snapshot: bool,
}

#[napi(object)]
pub struct RawRaftReady {
    pub messages: Vec<RawRaftMessage>,
    pub must_sync: bool,
}

#[napi(object)]
pub struct RawRaftSnapshot {
    pub index: f64,
    pub term: f64,
    pub data: Uint8Array,
}

#[napi(object)]
pub struct RawRaftEntry {
    pub index: f64,
    pub term: f64,
    pub data: Uint8Array,
}

#[napi(object)]
pub struct RawRaftState {
    pub role: String,
    pub leader: Option<String>,
    pub term: f64,
    pub commit: f64,
    pub applied: f64,
    pub snapshot_index: f64,
    pub log_entries: f64,
    pub file_bytes: f64,
    pub wants_snapshot: bool,
}

#[napi(object)]
pub struct RawRaftMembership {
    pub voters: Vec<String>,
    pub learners: Vec<String>,
    pub outgoing_voters: Vec<String>,
}

#[napi(object)]
pub struct RawRaftBarrier {
    pub number: f64,
    pub index: f64,
}

#[napi(object)]
pub struct RawRaftPersisted {
    pub messages: Vec<RawRaftMessage>,
    pub snapshot: Option<RawRaftSnapshot>,
    pub committed: Vec<RawRaftEntry>,
    pub membership: Option<RawRaftMembership>,
    pub barriers: Vec<RawRaftBarrier>,
    pub state: RawRaftState,
}

#[napi(object)]
pub struct RawRaftProposed {
    /// `at`, `not_leader`, `busy`
    pub outcome: String,
    pub index: f64,
    pub term: f64,
}

fn id_of(text: &str) -> Result<u64> {
    text.parse().map_err(|_| Error::illegal_argument(format!("[{text}] is no id of a raft member")))
}

fn ids_of(texts: &[String]) -> Result<Vec<u64>> {
    texts.iter().map(|text| id_of(text)).collect()
}

fn texts_of(ids: &[u64]) -> Vec<String> {
    ids.iter().map(u64::to_string).collect()
}

fn raw_messages(messages: Vec<OutgoingMessage>) -> Vec<RawRaftMessage> {
    let raw = |message: OutgoingMessage| RawRaftMessage {
        to: message.to.to_string(),
        bytes: message.bytes.into(),
        is_snapshot: message.is_snapshot,
    };
    messages.into_iter().map(raw).collect()
}

fn raw_snapshot(snapshot: OwnerSnapshot) -> RawRaftSnapshot {
    RawRaftSnapshot { index: snapshot.index as f64, term: snapshot.term as f64, data: snapshot.data.into() }
}

fn raw_state(state: RaftState) -> RawRaftState {
    let role = match state.role {
        Role::Follower => "follower",
        Role::Candidate => "candidate",
        Role::Leader => "leader",
    };
    RawRaftState {
        role: role.to_owned(),
        leader: (state.leader != 0).then(|| state.leader.to_string()),
        term: state.term as f64,
        commit: state.commit as f64,
        applied: state.applied as f64,
        snapshot_index: state.snapshot_index as f64,
        log_entries: state.log_entries as f64,
        file_bytes: state.file_bytes as f64,
        wants_snapshot: state.wants_snapshot,
    }
}

fn raw_membership(membership: &Membership) -> RawRaftMembership {
    RawRaftMembership {
        voters: texts_of(&membership.voters),
        learners: texts_of(&membership.learners),
        outgoing_voters: texts_of(&membership.outgoing_voters),
    }
}

fn raw_persisted(persisted: Persisted) -> RawRaftPersisted {
    let committed = persisted.committed.into_iter();
    let barriers = persisted.barriers.iter();
    RawRaftPersisted {
        messages: raw_messages(persisted.messages),
        snapshot: persisted.snapshot.map(raw_snapshot),
        committed: committed
            .map(|entry| RawRaftEntry { index: entry.index as f64, term: entry.term as f64, data: entry.data.into() })
            .collect(),
        membership: persisted.membership.as_ref().map(raw_membership),
        barriers: barriers
            .map(|(number, index)| RawRaftBarrier { number: *number as f64, index: *index as f64 })
            .collect(),
        state: raw_state(persisted.state),
    }
}

fn raw_proposed(proposed: Proposed) -> RawRaftProposed {
    let (outcome, index, term) = match proposed {
        Proposed::At { index, term } => ("at", index, term),
        Proposed::NotLeader => ("not_leader", 0, 0),
        Proposed::Busy => ("busy", 0, 0),
    };
    RawRaftProposed { outcome: outcome.to_owned(), index: index as f64, term: term as f64 }
}

fn peer_json(peer: &PeerStatus) -> Value {
    json!({
        "id": peer.id.to_string(),
        "matched": peer.matched,
        "isRecentlyActive": peer.is_recently_active,
        "isSnapshotUnderWay": peer.is_snapshot_under_way,
    })
}

fn with<T>(shared: &SharedMember, work: impl FnOnce(&mut RaftMember) -> Result<T>) -> Result<T> {
    let mut guard = shared.lock().map_err(|_| Error::illegal_state("the raft member has failed"))?;
    match guard.as_mut() {
        Some(member) => work(member),
        None => Err(Error::illegal_state("the raft member is closed")),
    }
}

impl NativeRaft {
    fn call<T>(&self, work: impl FnOnce(&mut RaftMember) -> Result<T>) -> napi::Result<T> {
        entry(|| with(&self.shared, work))
    }
}

#[napi]
impl NativeRaft {
    #[napi]
    pub fn exists(directory: String) -> bool {
        RaftMember::exists(Path::new(&directory))
    }

    /// Reads every byte; fails where one is wrong.
    #[napi]
    pub fn check(directory: String) -> napi::Result<()> {
        entry(|| RaftMember::check(Path::new(&directory)))
    }

    #[napi]
    pub fn open<'env>(env: &'env Env, options: String) -> napi::Result<Object<'env>> {
        in_background(
            env,
            "raft-open",
            move || {
                let options: OpenOptions = parse("the options of a raft member", options.as_bytes())?;
                RaftMember::open(&options.directory, &options.of_member()?)
            },
            |member| Ok(NativeRaft { shared: Arc::new(Mutex::new(Some(member))) }),
        )
    }

    /// The snapshot that was on disk; once.
    #[napi]
    pub fn take_recovered(&self) -> napi::Result<Option<RawRaftSnapshot>> {
        self.call(|member| Ok(member.take_recovered().map(raw_snapshot)))
    }

    #[napi]
    pub fn tick(&self) -> napi::Result<()> {
        self.call(RaftMember::tick)
    }

    #[napi]
    pub fn step(&self, message: &[u8]) -> napi::Result<()> {
        self.call(|member| member.step(message))
    }

    #[napi]
    pub fn propose(&self, data: &[u8]) -> napi::Result<RawRaftProposed> {
        self.call(|member| member.propose(data.to_vec()).map(raw_proposed))
    }

    #[napi]
    pub fn propose_membership(&self, voters: Vec<String>, learners: Vec<String>) -> napi::Result<RawRaftProposed> {
        self.call(|member| member.propose_membership(&ids_of(&voters)?, &ids_of(&learners)?).map(raw_proposed))
    }

    #[napi]
    pub fn campaign(&self) -> napi::Result<()> {
        self.call(RaftMember::campaign)
    }

    #[napi]
    pub fn transfer_leader(&self, to: String) -> napi::Result<()> {
        self.call(|member| member.transfer_leader(id_of(&to)?))
    }

    #[napi]
    pub fn report_unreachable(&self, id: String) -> napi::Result<()> {
        self.call(|member| member.report_unreachable(id_of(&id)?))
    }

    #[napi]
    pub fn report_snapshot(&self, id: String, has_arrived: bool) -> napi::Result<()> {
        self.call(|member| member.report_snapshot(id_of(&id)?, has_arrived))
    }

    #[napi]
    pub fn read_barrier(&self, number: f64) -> napi::Result<bool> {
        self.call(|member| member.read_barrier(number as u64))
    }

    #[napi]
    pub fn ready(&self) -> napi::Result<Option<RawRaftReady>> {
        self.call(|member| {
            let ready = member.ready()?;
            Ok(ready.map(|ready| RawRaftReady { messages: raw_messages(ready.messages), must_sync: ready.must_sync }))
        })
    }

    /// For what need not be synced.
    #[napi]
    pub fn persist(&self) -> napi::Result<RawRaftPersisted> {
        self.call(|member| member.persist().map(raw_persisted))
    }

    #[napi]
    pub fn persist_in_background<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let shared = Arc::clone(&self.shared);
        in_background(env, "raft", move || with(&shared, RaftMember::persist), |done| Ok(raw_persisted(done)))
    }

    #[napi]
    pub fn compact<'env>(&self, env: &'env Env, index: f64, data: &[u8]) -> napi::Result<Object<'env>> {
        let (shared, data) = (Arc::clone(&self.shared), data.to_vec());
        in_background(env, "raft", move || with(&shared, |member| member.compact(index as u64, data)), |()| Ok(()))
    }

    /// As `compact`, and done when it returns.
    #[napi]
    pub fn compact_here(&self, index: f64, data: &[u8]) -> napi::Result<()> {
        self.call(|member| member.compact(index as u64, data.to_vec()))
    }

    #[napi]
    pub fn state(&self) -> napi::Result<RawRaftState> {
        self.call(|member| Ok(raw_state(member.state())))
    }

    #[napi]
    pub fn membership(&self) -> napi::Result<RawRaftMembership> {
        self.call(|member| Ok(raw_membership(&member.membership())))
    }

    /// What a leader knows of the others, and the size of the log: JSON.
    #[napi]
    pub fn status(&self) -> napi::Result<String> {
        self.call(|member| {
            let status = member.status();
            let peers: Vec<Value> = status.peers.iter().map(peer_json).collect();
            Ok(json!({ "peers": peers, "lastIndex": status.last_index, "logBytes": status.log_bytes }).to_string())
        })
    }

    /// Gives the files back. Other calls fail from then on.
    #[napi]
    pub fn close(&self) {
        let member = self.shared.lock().unwrap_or_else(PoisonError::into_inner).take();
        // What a failed member left behind may be dropped as well.
        let _ = catching(|| {
            drop(member);
            Ok(())
        });
    }
}
