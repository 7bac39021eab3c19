//! Versions of documents: what a write must know of the current one, and which version it makes.
//! The rules and sentences are those of the API's `version_type`.

use super::descriptor::Expected;
use quarry_base::error::{Error, ErrorCode, Result};

/// The greatest version a document may have (a signed 64-bit number in the API).
pub const VERSION_MAX: u64 = i64::MAX as u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VersionType {
    /// Counted by the shard.
    #[default]
    Internal,
    /// Given by the client, must rise.
    External,
    /// Given by the client, must not fall.
    ExternalGte,
}

impl VersionType {
    pub fn from_code(code: u32) -> Result<Self> {
        match code {
            0 => Ok(VersionType::Internal),
            1 => Ok(VersionType::External),
            2 => Ok(VersionType::ExternalGte),
            _ => Err(Error::illegal_argument(format!("unknown version type code [{code}]"))),
        }
    }

    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "internal" => Ok(VersionType::Internal),
            "external" | "external_gt" => Ok(VersionType::External),
            "external_gte" => Ok(VersionType::ExternalGte),
            _ => Err(Error::illegal_argument(format!("No version type match [{name}]"))),
        }
    }

    /// As error sentences print it.
    pub fn as_str(self) -> &'static str {
        match self {
            VersionType::Internal => "INTERNAL",
            VersionType::External => "EXTERNAL",
            VersionType::ExternalGte => "EXTERNAL_GTE",
        }
    }
}

/// What the shard last did with an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Current {
    pub seq_no: u64,
    pub primary_term: u64,
    pub version: u64,
    /// It was deleted, recently enough to be remembered.
    pub is_deleted: bool,
}

/// What a write demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    pub version: Option<u64>,
    pub version_type: VersionType,
    pub expected: Option<Expected>,
    /// `op_type: create`.
    pub must_be_new: bool,
}

pub fn conflict(id: &str, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::VersionConflict, format!("[{id}]: version conflict, {why}"))
}

/// The version that the write makes, or a `VersionConflict`.
pub fn next_version(id: &str, current: Option<Current>, demand: &Demand) -> Result<u64> {
    let alive = current.filter(|current| !current.is_deleted);
    if let Some(expected) = demand.expected {
        check_expected(id, alive, expected)?;
    }
    match (demand.version_type, demand.version) {
        (VersionType::Internal, _) | (_, None) => {
            if let Some(alive) = alive.filter(|_| demand.must_be_new) {
                let why = format!("document already exists (current version [{}])", alive.version);
                return Err(conflict(id, why));
            }
            let version = current.map_or(1, |current| current.version.saturating_add(1));
            Ok(version.min(VERSION_MAX))
        }
        (version_type, Some(given)) => {
            let Some(current) = current else { return Ok(given) };
            let (refused, relation) = match version_type {
                VersionType::ExternalGte => (current.version > given, "higher than"),
                _ => (current.version >= given, "higher or equal to"),
            };
            if refused {
                let why = format!("current version [{}] is {relation} the one provided [{given}]", current.version);
                return Err(conflict(id, why));
            }
            Ok(given)
        }
    }
}

/// Whether the live document is the one that `if_seq_no` and `if_primary_term` name.
pub fn check_expected(id: &str, alive: Option<Current>, expected: Expected) -> Result<()> {
    let required = format!("required seqNo [{}], primary term [{}].", expected.seq_no, expected.primary_term);
    match alive {
        None => Err(conflict(id, format!("{required} but no document was found"))),
        Some(current) if (current.seq_no, current.primary_term) != (expected.seq_no, expected.primary_term) => {
            let has =
                format!("current document has seqNo [{}] and primary term [{}]", current.seq_no, current.primary_term);
            Err(conflict(id, format!("{required} {has}")))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current(version: u64, is_deleted: bool) -> Option<Current> {
        Some(Current { seq_no: 7, primary_term: 2, version, is_deleted })
    }

    fn demand(version_type: VersionType, version: Option<u64>) -> Demand {
        Demand { version, version_type, expected: None, must_be_new: false }
    }

    fn reason(result: Result<u64>) -> String {
        result.unwrap_err().reason
    }

    #[test]
    fn internal_versions_count_on_even_over_a_deletion() {
        let demand = demand(VersionType::Internal, None);
        assert_eq!(next_version("a", None, &demand).unwrap(), 1);
        assert_eq!(next_version("a", current(4, false), &demand).unwrap(), 5);
        assert_eq!(next_version("a", current(4, true), &demand).unwrap(), 5);
    }

    #[test]
    fn create_wants_no_live_document() {
        let demand = Demand { must_be_new: true, ..demand(VersionType::Internal, None) };
        assert_eq!(next_version("a", current(4, true), &demand).unwrap(), 5);
        assert_eq!(
            reason(next_version("a", current(4, false), &demand)),
            "[a]: version conflict, document already exists (current version [4])"
        );
    }

    #[test]
    fn external_versions_rise_or_do_not_fall() {
        let external = demand(VersionType::External, Some(5));
        let gte = demand(VersionType::ExternalGte, Some(5));
        assert_eq!(next_version("a", None, &external).unwrap(), 5);
        assert_eq!(next_version("a", current(4, true), &external).unwrap(), 5);
        assert_eq!(next_version("a", current(5, false), &gte).unwrap(), 5);
        assert_eq!(
            reason(next_version("a", current(5, true), &external)),
            "[a]: version conflict, current version [5] is higher or equal to the one provided [5]"
        );
        assert_eq!(
            reason(next_version("a", current(6, false), &gte)),
            "[a]: version conflict, current version [6] is higher than the one provided [5]"
        );
    }

    #[test]
    fn a_sequence_number_must_be_that_of_the_live_document() {
        let expecting = |seq_no, primary_term| Demand {
            expected: Some(Expected { seq_no, primary_term }),
            ..demand(VersionType::Internal, None)
        };
        assert_eq!(next_version("a", current(4, false), &expecting(7, 2)).unwrap(), 5);
        assert_eq!(
            reason(next_version("a", current(4, false), &expecting(8, 2))),
            "[a]: version conflict, required seqNo [8], primary term [2]. \
             current document has seqNo [7] and primary term [2]"
        );
        assert_eq!(
            reason(next_version("a", current(4, true), &expecting(7, 2))),
            "[a]: version conflict, required seqNo [7], primary term [2]. but no document was found"
        );
    }
}
