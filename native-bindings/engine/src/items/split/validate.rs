//! What contradicts itself in one item, before any shard is asked. Sentences are the API's.

use crate::items::descriptor::{Action, Expected, Item};
use crate::items::version::{VERSION_MAX, VersionType};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::ID_BYTES_MAX;

/// `if_seq_no` when only `if_primary_term` was given.
pub const UNASSIGNED_SEQ_NO: u64 = u64::MAX;
/// `if_primary_term` when only `if_seq_no` was given.
pub const UNASSIGNED_PRIMARY_TERM: u64 = 0;

/// The API's way of listing what is wrong with a request.
pub fn validation_failed(problems: &[String]) -> Error {
    let mut reason = String::from("Validation Failed: ");
    for (at, problem) in problems.iter().enumerate() {
        reason.push_str(&format!("{}: {problem};", at + 1));
    }
    Error::new(ErrorCode::ActionRequestValidation, reason)
}

/// Errors with everything that is wrong with the items of a request.
pub fn validate_items(descriptors: &[u32], strings: &[u8]) -> Result<()> {
    let mut problems = Vec::new();
    for at in 0..descriptors.len() / crate::items::descriptor::DESCRIPTOR_WORDS {
        validate_item(&Item::read(descriptors, strings, at)?, &mut problems);
    }
    if problems.is_empty() { Ok(()) } else { Err(validation_failed(&problems)) }
}

/// Appends what is wrong with the item.
pub fn validate_item(item: &Item<'_>, problems: &mut Vec<String>) {
    if matches!(item.action, Action::Update | Action::Delete) && item.id.is_empty() {
        problems.push("id is missing".into());
    }
    if item.action == Action::Create && item.version_type != VersionType::Internal {
        problems.push("create operations only support internal versioning. use index instead".into());
        return;
    }
    if item.action == Action::Create && (item.expected.is_some() || item.version.is_some()) {
        problems.push("create operations do not support compare and set. use index instead".into());
        return;
    }
    if item.auto_id && (item.version.is_some() || item.version_type != VersionType::Internal) {
        problems.push("an id must be provided if version type or value are set".into());
    }
    if item.action != Action::Update {
        validate_version(item, problems);
    }
    if item.id.len() > ID_BYTES_MAX {
        let length = item.id.len();
        problems.push(format!("id is too long, must be no longer than {ID_BYTES_MAX} bytes but was: {length}"));
    }
    if item.routing.is_some_and(str::is_empty) {
        problems.push("routing must not be empty".into());
    }
    if let Some(expected) = item.expected {
        validate_expected(item, expected, problems);
    }
}

fn validate_version(item: &Item<'_>, problems: &mut Vec<String>) {
    match (item.version_type, item.version) {
        (VersionType::Internal, Some(_)) => problems.push(
            "internal versioning can not be used for optimistic concurrency control. \
             Please use `if_seq_no` and `if_primary_term` instead"
                .into(),
        ),
        (VersionType::Internal, None) => {}
        (version_type, version) => {
            if version.is_none_or(|version| version > VERSION_MAX) {
                // -3 is "any version" in the API's sentences.
                let value = version.map_or(-3, |version| version as i64);
                let name = version_type.as_str();
                problems.push(format!("illegal version value [{value}] for version type [{name}]"));
            }
        }
    }
}

fn validate_expected(item: &Item<'_>, expected: Expected, problems: &mut Vec<String>) {
    if expected.seq_no == UNASSIGNED_SEQ_NO {
        let term = expected.primary_term;
        problems.push(format!("ifSeqNo is unassigned, but primary term is [{term}]"));
    } else if expected.primary_term == UNASSIGNED_PRIMARY_TERM {
        problems.push("ifSeqNo is set, but primary term is [0]".into());
    }
    if item.version.is_some() || item.version_type != VersionType::Internal {
        problems.push("compare and write operations can not be used with versioning".into());
    }
}
