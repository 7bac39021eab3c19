//! Who votes and who listens, and changes of that.

use super::{MEMBERS_MAX, NUMBER_MAX};
use quarry_base::error::{Error, Result};
use quarry_base::varint::{read_u64, write_u64};
use raft::eraftpb::{ConfChangeSingle, ConfChangeTransition, ConfChangeType, ConfChangeV2, ConfState};

/// The members of a group. While a change of voters is under way both sets of voters must agree (joint consensus).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Membership {
    pub voters: Vec<u64>,
    /// They get everything and decide nothing.
    pub learners: Vec<u64>,
    /// The voters before the change that is under way; empty when none is.
    pub outgoing_voters: Vec<u64>,
    /// Outgoing voters that will be learners.
    pub next_learners: Vec<u64>,
    /// The leader ends the change by itself.
    pub leaves_automatically: bool,
}

impl Membership {
    /// The members of a new group.
    pub fn of_voters(mut voters: Vec<u64>) -> Self {
        voters.sort_unstable();
        Membership { voters, ..Membership::default() }
    }

    pub fn is_joint(&self) -> bool {
        !self.outgoing_voters.is_empty()
    }

    /// The only one who decides.
    pub fn is_lone_voter(&self, id: u64) -> bool {
        self.voters == [id] && !self.is_joint()
    }

    pub fn contains(&self, id: u64) -> bool {
        [&self.voters, &self.learners, &self.outgoing_voters].into_iter().any(|members| members.contains(&id))
    }

    /// An error that tells what is wrong with it. Nobody voting is wrong as well.
    pub fn check(&self) -> Result<()> {
        let lists = [&self.voters, &self.learners, &self.outgoing_voters, &self.next_learners];
        if lists.iter().map(|list| list.len()).sum::<usize>() > MEMBERS_MAX {
            return Err(Error::corrupt(format!("there are more than {MEMBERS_MAX} members")));
        }
        if lists.iter().any(|list| list.contains(&0) || !list.is_sorted_by(|left, right| left < right)) {
            return Err(Error::corrupt("a list of members is not in order"));
        }
        if self.voters.is_empty() {
            return Err(Error::corrupt("nobody votes"));
        }
        let meet = |left: &[u64], right: &[u64]| left.iter().any(|id| right.contains(id));
        if meet(&self.learners, &self.voters) || meet(&self.learners, &self.outgoing_voters) {
            return Err(Error::corrupt("a learner votes"));
        }
        let are_outgoing = self.next_learners.iter().all(|id| self.outgoing_voters.contains(id));
        if !are_outgoing || meet(&self.next_learners, &self.voters) || (self.leaves_automatically && !self.is_joint()) {
            return Err(Error::corrupt("the change of members that is under way contradicts itself"));
        }
        Ok(())
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for list in [&self.voters, &self.learners, &self.outgoing_voters, &self.next_learners] {
            write_u64(out, list.len() as u64);
            list.iter().for_each(|&id| write_u64(out, id));
        }
        out.push(u8::from(self.leaves_automatically));
    }

    /// Reads and checks.
    pub(super) fn read(bytes: &[u8], at: &mut usize) -> Result<Self> {
        let mut list = || -> Result<Vec<u64>> {
            let count = read_u64(bytes, at)?;
            if count > MEMBERS_MAX as u64 {
                return Err(Error::corrupt(format!("there are more than {MEMBERS_MAX} members")));
            }
            (0..count).map(|_| read_u64(bytes, at)).collect()
        };
        let (voters, learners, outgoing_voters, next_learners) = (list()?, list()?, list()?, list()?);
        let flag = bytes.get(*at).filter(|flag| **flag < 2);
        let leaves_automatically = *flag.ok_or_else(|| Error::corrupt("a membership is cut off"))? == 1;
        *at += 1;
        let membership = Membership { voters, learners, outgoing_voters, next_learners, leaves_automatically };
        membership.check()?;
        Ok(membership)
    }

    pub(super) fn to_conf_state(&self) -> ConfState {
        let mut state = ConfState::default();
        state.set_voters(self.voters.clone());
        state.set_learners(self.learners.clone());
        state.set_voters_outgoing(self.outgoing_voters.clone());
        state.set_learners_next(self.next_learners.clone());
        state.set_auto_leave(self.leaves_automatically);
        state
    }

    pub(super) fn of_conf_state(state: &ConfState) -> Self {
        let sorted = |ids: &[u64]| {
            let mut ids = ids.to_vec();
            ids.sort_unstable();
            ids
        };
        Membership {
            voters: sorted(state.get_voters()),
            learners: sorted(state.get_learners()),
            outgoing_voters: sorted(state.get_voters_outgoing()),
            next_learners: sorted(state.get_learners_next()),
            leaves_automatically: state.get_auto_leave(),
        }
    }

    /// The change from this membership to these lists; none when nothing changes.
    pub(super) fn change_to(&self, target: &Membership) -> Option<ConfChangeV2> {
        let mut changes = Vec::new();
        let mut add = |id: u64, kind: ConfChangeType| {
            let mut change = ConfChangeSingle::default();
            change.set_node_id(id);
            change.set_change_type(kind);
            changes.push(change);
        };
        let added =
            |now: &[u64], then: &[u64]| -> Vec<u64> { then.iter().filter(|id| !now.contains(id)).copied().collect() };
        added(&self.voters, &target.voters).into_iter().for_each(|id| add(id, ConfChangeType::AddNode));
        added(&self.learners, &target.learners).into_iter().for_each(|id| add(id, ConfChangeType::AddLearnerNode));
        let members = self.voters.iter().chain(&self.learners).copied();
        members.filter(|id| !target.contains(*id)).for_each(|id| add(id, ConfChangeType::RemoveNode));
        if changes.is_empty() {
            return None;
        }
        let mut change = ConfChangeV2::default();
        change.set_changes(changes.into());
        Some(change)
    }
}

/// Field numbers of `ConfChangeV2` and of the changes in it.
const TRANSITION: u64 = 1;
const CHANGES: u64 = 2;
const CHANGE_TYPE: u64 = 1;
const NODE_ID: u64 = 2;

enum Field<'bytes> {
    Number(u64),
    Bytes(&'bytes [u8]),
}

/// The fields of a protocol buffer that holds numbers and nested messages only.
fn fields(bytes: &[u8]) -> Result<Vec<(u64, Field<'_>)>> {
    let mut fields = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let key = read_u64(bytes, &mut at)?;
        let value = read_u64(bytes, &mut at)?;
        let field = match key & 7 {
            0 => Field::Number(value),
            2 => {
                let end = usize::try_from(value).ok().and_then(|length| at.checked_add(length));
                let inner = end.and_then(|end| bytes.get(at..end));
                let inner = inner.ok_or_else(|| Error::corrupt("a change of members is cut off"))?;
                at += inner.len();
                Field::Bytes(inner)
            }
            kind => return Err(Error::corrupt(format!("a change of members has a field of kind {kind}"))),
        };
        fields.push((key >> 3, field));
    }
    Ok(fields)
}

fn unknown_field() -> Error {
    Error::corrupt("a change of members has an unknown field or value")
}

fn decode_single(bytes: &[u8]) -> Result<ConfChangeSingle> {
    let mut change = ConfChangeSingle::default();
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (CHANGE_TYPE, Field::Number(0)) => change.set_change_type(ConfChangeType::AddNode),
            (CHANGE_TYPE, Field::Number(1)) => change.set_change_type(ConfChangeType::RemoveNode),
            (CHANGE_TYPE, Field::Number(2)) => change.set_change_type(ConfChangeType::AddLearnerNode),
            (NODE_ID, Field::Number(id)) => change.set_node_id(id),
            _ => return Err(unknown_field()),
        }
    }
    if change.get_node_id() == 0 {
        return Err(Error::corrupt("a change of members names nobody"));
    }
    Ok(change)
}

/// The change that an entry of the log holds, as the library encodes it. The library's own decoder recurses without bound on
/// hostile bytes.
pub(super) fn decode_change(bytes: &[u8]) -> Result<ConfChangeV2> {
    let mut change = ConfChangeV2::default();
    let mut singles = Vec::new();
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (TRANSITION, Field::Number(0)) => change.set_transition(ConfChangeTransition::Auto),
            (TRANSITION, Field::Number(1)) => change.set_transition(ConfChangeTransition::Implicit),
            (TRANSITION, Field::Number(2)) => change.set_transition(ConfChangeTransition::Explicit),
            (CHANGES, Field::Bytes(inner)) if singles.len() < MEMBERS_MAX => singles.push(decode_single(inner)?),
            _ => return Err(unknown_field()),
        }
    }
    change.set_changes(singles.into());
    Ok(change)
}

/// Lists that an owner asks for, in order and checked; the message names what is wrong.
pub(super) fn target(voters: &[u64], learners: &[u64]) -> Result<Membership> {
    let sorted = |ids: &[u64]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids
    };
    let membership = Membership { voters: sorted(voters), learners: sorted(learners), ..Membership::default() };
    membership.check().map_err(|error| Error::illegal_argument(format!("bad list of members: {}", error.reason)))?;
    Ok(membership)
}

/// A number as it may stand in a message or file.
pub(super) fn bounded(what: &str, value: u64) -> Result<u64> {
    if value <= NUMBER_MAX { Ok(value) } else { Err(Error::corrupt(format!("{what} [{value}] is too large"))) }
}
