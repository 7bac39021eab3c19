//! May a message be given to the algorithm: what a member of ours could not have sent is refused before it breaks a rule that
//! the library answers with a panic.

use super::storage::DiskStorage;
use quarry_base::error::{Error, Result};
use raft::eraftpb::{Message, MessageType};
use raft::{Raft, StateRole};

fn refused(message: &Message, what: impl std::fmt::Display) -> Error {
    let (kind, from) = (message.get_msg_type(), message.get_from());
    Error::corrupt(format!("a message of type [{kind:?}] of member [{from}]: {what}"))
}

/// Errors: `Corrupt`; the member goes on without the message.
pub(super) fn check(raft: &Raft<DiskStorage>, message: &Message) -> Result<()> {
    if message.get_to() != raft.id {
        return Err(refused(message, format!("it is for member [{}] and not for [{}]", message.get_to(), raft.id)));
    }
    if message.get_from() == 0 || message.get_from() == raft.id {
        return Err(refused(message, "nobody else sent it"));
    }
    if message.get_term() == 0 {
        return Err(refused(message, "it has no term"));
    }
    let kind = message.get_msg_type();
    if kind != MessageType::MsgAppend && !message.get_entries().is_empty() {
        return Err(refused(message, "it has entries"));
    }
    match kind {
        MessageType::MsgAppend => check_entries(message),
        MessageType::MsgHeartbeat => check_heartbeat(raft, message),
        MessageType::MsgSnapshot => check_snapshot(message),
        MessageType::MsgAppendResponse => check_append_response(raft, message),
        _ => Ok(()),
    }
}

fn check_entries(message: &Message) -> Result<()> {
    let (mut index, mut term) = (message.get_index(), message.get_log_term());
    for entry in message.get_entries() {
        if entry.get_index() != index + 1 || entry.get_term() < term || entry.get_term() > message.get_term() {
            let (found, of) = (entry.get_index(), entry.get_term());
            return Err(refused(message, format!("entry [{found}] of term [{of}] after [{index}] of term [{term}]")));
        }
        (index, term) = (entry.get_index(), entry.get_term());
    }
    Ok(())
}

/// A leader tells no member of more than what that member has acknowledged.
fn check_heartbeat(raft: &Raft<DiskStorage>, message: &Message) -> Result<()> {
    let last = raft.raft_log.last_index();
    if message.get_term() >= raft.term && message.get_commit() > last {
        let what = format!("this member acknowledged entries to [{}] and has them to [{last}]", message.get_commit());
        return Err(refused(message, what));
    }
    Ok(())
}

fn check_snapshot(message: &Message) -> Result<()> {
    let term = message.get_snapshot().get_metadata().get_term();
    if term > message.get_term() {
        return Err(refused(message, format!("its snapshot is of the later term [{term}]")));
    }
    Ok(())
}

/// A member acknowledges nothing that its leader does not have.
fn check_append_response(raft: &Raft<DiskStorage>, message: &Message) -> Result<()> {
    let last = raft.raft_log.last_index();
    let is_mine = raft.state == StateRole::Leader && message.get_term() == raft.term;
    if is_mine && message.get_index() > last {
        return Err(refused(message, format!("it acknowledges [{}] of [{last}] entries", message.get_index())));
    }
    Ok(())
}
