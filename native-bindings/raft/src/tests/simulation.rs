//! Seeded histories of a few members in one process: a network that delays, loses, repeats and reorders, partitions, crashes in
//! the middle of writes, snapshots, changes of members, handed-over leadership.
//!
//! Numbered invariants: (1) a term has one leader; (2) every member applies the same entries in the same order; (3) what was
//! committed is there when all faults are gone, (4) and then the group goes on;
//! (5) who only votes takes no proposals, and hands on what it leads.
//!
//! `QUARRY_RAFT_SEED=n` runs that history alone; `QUARRY_RAFT_HISTORIES=n` runs more of them.

use crate::log_file::RECORDS_START;
use crate::member::RaftMember;
use crate::types::{OwnerSnapshot, Persisted, Proposed, RaftOptions, Role};
use quarry_testing::Dice;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const HISTORIES: u64 = 60;
const STEPS: usize = 1_500;
const STEPS_TO_HEAL_MAX: usize = 4_000;
const MESSAGES_MAX: usize = 2_000;

/// What the entries applied so far amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Applied {
    index: u64,
    hash: u64,
}

impl Applied {
    fn and(self, index: u64, term: u64, data: &[u8]) -> Self {
        let mut bytes = self.hash.to_le_bytes().to_vec();
        bytes.extend_from_slice(&index.to_le_bytes());
        bytes.extend_from_slice(&term.to_le_bytes());
        bytes.extend_from_slice(data);
        Applied { index, hash: rapidhash::v3::rapidhash_v3(&bytes) }
    }

    fn to_bytes(self) -> Vec<u8> {
        [self.index.to_le_bytes(), self.hash.to_le_bytes()].concat()
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        let long = |at: usize| bytes.get(at..at + 8).map_or(0, |long| u64::from_le_bytes(long.try_into().unwrap()));
        Applied { index: long(0), hash: long(8) }
    }
}

struct Node {
    directory: PathBuf,
    member: Option<RaftMember>,
    applied: Applied,
    /// To here everything was handed out.
    handed_out: u64,
    /// The side of the partition it is on.
    side: u64,
}

struct Letter {
    due: usize,
    to: u64,
    from: u64,
    bytes: Vec<u8>,
}

/// How much goes wrong.
#[derive(Clone, Copy)]
struct Faults {
    lost_percent: u64,
    repeated_percent: u64,
    delay_max: u64,
    crash_per_mille: u64,
}

const NO_FAULTS: Faults = Faults { lost_percent: 0, repeated_percent: 0, delay_max: 3, crash_per_mille: 0 };

struct Simulation {
    seed: u64,
    dice: Dice,
    faults: Faults,
    now: usize,
    nodes: BTreeMap<u64, Node>,
    initial_voters: Vec<u64>,
    /// Votes only; 0 when all may lead.
    never_leads: u64,
    letters: Vec<Letter>,
    /// By term.
    leaders: BTreeMap<u64, u64>,
    /// By index, what the first member that applied it had then.
    history: BTreeMap<u64, Applied>,
    proposals: u64,
}

fn directory(seed: u64, id: u64) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let directory = base.join(format!("quarry-raft-{}-{seed}-{id}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    directory
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed + 1);
        let size = [3, 5][dice.below(2) as usize];
        let faults = Faults {
            lost_percent: dice.below(20),
            repeated_percent: dice.below(10),
            delay_max: 1 + dice.below(15),
            crash_per_mille: dice.below(12),
        };
        let ids: Vec<u64> = (1..=size).collect();
        let node = |id| Node {
            directory: directory(seed, id),
            member: None,
            applied: Applied::default(),
            handed_out: 0,
            side: 0,
        };
        let nodes = ids.iter().map(|&id| (id, node(id))).collect();
        // Some begin without some of the nodes, which are added later.
        let initial_voters = ids[..ids.len() - dice.below(2) as usize].to_vec();
        let never_leads = [0, 0, 0, 1][dice.below(4) as usize];
        let (letters, leaders, history) = Default::default();
        let mut simulation = Simulation {
            seed,
            dice,
            faults,
            now: 0,
            nodes,
            initial_voters,
            never_leads,
            letters,
            leaders,
            history,
            proposals: 0,
        };
        ids.into_iter().for_each(|id| simulation.start(id));
        simulation
    }

    fn start(&mut self, id: u64) {
        let initial_voters = if self.initial_voters.contains(&id) { self.initial_voters.clone() } else { Vec::new() };
        let options = RaftOptions {
            id,
            election_ticks: 10,
            heartbeat_ticks: 2,
            may_lead: self.never_leads != id,
            seed: self.seed,
            message_bytes_max: 100,
            messages_in_flight_max: 4,
            uncommitted_bytes_max: 2_000,
            committed_bytes_max: 200,
            kept_entries: self.dice.below(5),
            initial_voters,
        };
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let mut member = RaftMember::open(&node.directory, &options).unwrap();
        node.applied = Applied::default();
        node.handed_out = 0;
        let recovered = member.take_recovered();
        node.member = Some(member);
        if let Some(snapshot) = recovered {
            self.install(id, &snapshot);
        }
    }

    fn install(&mut self, id: u64, snapshot: &OwnerSnapshot) {
        let applied = Applied::of_bytes(&snapshot.data);
        if applied.index > 0 {
            assert_eq!(self.history.get(&applied.index), Some(&applied), "{}: invariant 2, snapshot", self.seed);
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            assert!(snapshot.index >= node.handed_out, "{}: a snapshot goes back", self.seed);
            node.applied = applied;
            node.handed_out = snapshot.index;
        }
    }

    fn member(&mut self, id: u64) -> Option<&mut RaftMember> {
        self.nodes.get_mut(&id)?.member.as_mut()
    }

    /// Does what there is to do, unless it crashes meanwhile.
    fn settle(&mut self, id: u64) {
        loop {
            let Some(member) = self.member(id) else { return };
            let state = member.state();
            if state.role == Role::Leader {
                let leader = *self.leaders.entry(state.term).or_insert(id);
                assert_eq!(leader, id, "{}: invariant 1, term {}", self.seed, state.term);
            }
            let Some(member) = self.member(id) else { return };
            let Some(ready) = member.ready().unwrap() else { return };
            for message in ready.messages {
                self.send(id, message.to, message.bytes);
            }
            if self.dice.below(1_000) < self.faults.crash_per_mille {
                return self.crash_while_writing(id);
            }
            let Some(member) = self.member(id) else { return };
            let persisted = member.persist().unwrap();
            self.carry_out(id, persisted);
        }
    }

    fn carry_out(&mut self, id: u64, persisted: Persisted) {
        for message in persisted.messages {
            self.send(id, message.to, message.bytes);
        }
        if let Some(snapshot) = &persisted.snapshot {
            self.install(id, snapshot);
        }
        let Some(node) = self.nodes.get_mut(&id) else { return };
        for entry in persisted.committed {
            assert_eq!(entry.index, node.handed_out + 1, "{}: entry {} out of order", self.seed, entry.index);
            node.applied = node.applied.and(entry.index, entry.term, &entry.data);
            node.handed_out = entry.index;
            let first = *self.history.entry(entry.index).or_insert(node.applied);
            assert_eq!(first, node.applied, "{}: invariant 2, entry {} of member {id}", self.seed, entry.index);
        }
    }

    fn send(&mut self, from: u64, to: u64, bytes: Vec<u8>) {
        let copies = if self.dice.below(100) < self.faults.lost_percent {
            0
        } else {
            1 + usize::from(self.dice.below(100) < self.faults.repeated_percent)
        };
        for _ in 0..copies {
            let due = self.now + 1 + self.dice.below(self.faults.delay_max) as usize;
            if self.letters.len() < MESSAGES_MAX {
                self.letters.push(Letter { due, to, from, bytes: bytes.clone() });
            }
        }
    }

    /// The disk has some of what `persist` wrote, and nobody heard of it.
    fn crash_while_writing(&mut self, id: u64) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let path = node.directory.join("raft.log");
        let before = fs::read(&path).unwrap();
        if let Some(mut member) = node.member.take() {
            member.persist().unwrap();
        }
        let mut after = fs::read(&path).unwrap();
        let records = RECORDS_START as usize;
        if after.len() > before.len() && after[records..before.len()] == before[records..] {
            after[..records].copy_from_slice(&before[..records]);
            after.truncate(before.len() + self.dice.below((after.len() - before.len()) as u64) as usize);
            fs::write(&path, after).unwrap();
        }
    }

    fn deliver(&mut self) {
        let now = self.now;
        let (due, later) = std::mem::take(&mut self.letters).into_iter().partition(|letter| letter.due <= now);
        self.letters = later;
        let mut due: Vec<Letter> = due;
        while !due.is_empty() {
            let place = self.dice.below(due.len() as u64) as usize;
            let Letter { to, from, bytes, .. } = due.swap_remove(place);
            let side_of = |id: u64| self.nodes.get(&id).map(|node| node.side);
            if side_of(to) != side_of(from) {
                continue;
            }
            let Some(member) = self.member(to) else { continue };
            member.step(&bytes).unwrap_or_else(|error| panic!("{}: {error}", self.seed));
            if self.dice.below(3) > 0 {
                self.settle(to);
            }
        }
    }

    fn disturb(&mut self) {
        let count = self.nodes.len() as u64;
        let id = 1 + self.dice.below(count);
        match self.dice.below(200) {
            0..4 => self.nodes.values_mut().for_each(|node| node.side = self.dice.below(2)),
            4..12 => self.nodes.values_mut().for_each(|node| node.side = 0),
            12..16 if self.faults.crash_per_mille > 0 => {
                if let Some(node) = self.nodes.get_mut(&id) {
                    node.member = None;
                }
            }
            16..60 if self.member(id).is_none() => self.start(id),
            60..110 => self.propose(id),
            110..120 => self.compact(id),
            120..126 => self.change_members(id),
            126..129 => {
                let to = 1 + self.dice.below(count);
                if let Some(member) = self.member(id) {
                    member.transfer_leader(to).unwrap();
                }
            }
            129..140 => {
                let to = 1 + self.dice.below(count);
                let has_arrived = self.dice.below(2) == 0;
                if let Some(member) = self.member(id) {
                    member.report_snapshot(to, has_arrived).unwrap();
                    member.report_unreachable(to).unwrap();
                }
            }
            _ => {}
        }
        self.settle(id);
    }

    fn propose(&mut self, id: u64) {
        self.proposals += 1;
        let data = format!("{id} proposes {}", self.proposals).into_bytes();
        let Some(member) = self.member(id) else { return };
        let outcome = member.propose(data).unwrap();
        assert!(id != self.never_leads || outcome == Proposed::NotLeader, "{}: invariant 5", self.seed);
    }

    fn compact(&mut self, id: u64) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let Some(member) = &mut node.member else { return };
        if !member.membership().voters.is_empty() && node.handed_out >= member.state().snapshot_index {
            member.compact(node.handed_out, node.applied.to_bytes()).unwrap();
        }
    }

    fn change_members(&mut self, id: u64) {
        let mut voters = Vec::new();
        let mut learners = Vec::new();
        for each in 1..=self.nodes.len() as u64 {
            match self.dice.below(6) {
                0 => learners.push(each),
                1 => {}
                _ => voters.push(each),
            }
        }
        // Somebody must be left who may lead.
        if voters.iter().all(|&voter| voter == self.never_leads) {
            return;
        }
        if let Some(member) = self.member(id) {
            let outcome = member.propose_membership(&voters, &learners);
            assert!(outcome.is_ok() || !voters.contains(&id), "{}: {outcome:?}", self.seed);
        }
    }

    fn step(&mut self) {
        self.now += 1;
        let ids: Vec<u64> = self.nodes.keys().copied().collect();
        for id in ids {
            // Clocks do not go at the same pace.
            if self.dice.below(10) > 0
                && let Some(member) = self.member(id)
            {
                member.tick().unwrap();
                self.hand_on(id);
                self.settle(id);
            }
        }
        self.deliver();
        // Owners that are asked for a snapshot make one.
        let asked = |node: &Node| node.member.as_ref().is_some_and(|member| member.state().wants_snapshot);
        let asked: Vec<u64> = self.nodes.iter().filter(|(_, node)| asked(node)).map(|(id, _)| *id).collect();
        asked.into_iter().for_each(|id| self.compact(id));
    }

    /// As an owner does whose member only votes.
    fn hand_on(&mut self, id: u64) {
        let to = 1 + self.dice.below(self.nodes.len() as u64);
        let is_wanted = id == self.never_leads && to != id && self.now.is_multiple_of(20);
        if let Some(member) = self.member(id).filter(|_| is_wanted) {
            member.transfer_leader(to).unwrap();
        }
    }

    /// All members of the group in force have applied the same, everything that was ever applied, and one leads.
    fn is_level(&mut self) -> bool {
        let newest = self.history.values().last().copied().unwrap_or_default();
        let leader = |(id, node): (&u64, &Node)| {
            let member = node.member.as_ref().filter(|member| member.state().role == Role::Leader)?;
            (*id != self.never_leads).then(|| (member.state().term, member.membership()))
        };
        let leader = self.nodes.iter().filter_map(leader).max_by_key(|(term, _)| *term);
        let Some((_, membership)) = leader.filter(|(_, membership)| !membership.is_joint()) else { return false };
        self.nodes.iter().filter(|(id, _)| membership.contains(**id)).all(|(_, node)| node.applied == newest)
    }

    fn heal(&mut self) {
        self.faults = NO_FAULTS;
        self.nodes.values_mut().for_each(|node| node.side = 0);
        let ids: Vec<u64> = self.nodes.keys().copied().collect();
        ids.iter().for_each(|id| {
            if self.member(*id).is_none() {
                self.start(*id)
            }
        });
        for round in 0..2 {
            let mut steps = 0;
            while !self.is_level() {
                self.step();
                // Snapshots that got lost before.
                if steps % 50 == 0 {
                    for (id, to) in ids.iter().flat_map(|id| ids.iter().map(move |to| (*id, *to))) {
                        self.member(id).into_iter().for_each(|member| member.report_snapshot(to, false).unwrap());
                    }
                }
                steps += 1;
                assert!(steps < STEPS_TO_HEAL_MAX, "{}: invariant {}", self.seed, 3 + round);
            }
            let before = self.history.len();
            while round == 0 && self.history.len() == before {
                ids.iter().for_each(|id| self.propose(*id));
                self.step();
                steps += 1;
                assert!(steps < STEPS_TO_HEAL_MAX, "{}: invariant 4", self.seed);
            }
        }
    }

    fn run(mut self) -> usize {
        for _ in 0..STEPS {
            self.step();
            self.disturb();
        }
        self.heal();
        self.history.len()
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        for node in self.nodes.values() {
            let _ = fs::remove_dir_all(&node.directory);
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn histories_keep_the_invariants() {
    if let Some(seed) = number("QUARRY_RAFT_SEED") {
        Simulation::new(seed).run();
        return;
    }
    let committed: usize =
        (0..number("QUARRY_RAFT_HISTORIES").unwrap_or(HISTORIES)).map(|seed| Simulation::new(seed).run()).sum();
    assert!(committed > 0);
}
