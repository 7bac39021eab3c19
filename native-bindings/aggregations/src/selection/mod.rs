//! `include` and `exclude` of a terms aggregation.

mod partition;

use super::plan::Selection;
use super::source::FieldSource;
use hashbrown::HashSet;
use partition::Partition;
use quarry_base::error::{Error, Result};
use quarry_mapping::format::ValueType;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;

/// Bytes that a compiled regular expression may take; patterns that need more are refused.
const REGEX_BYTES_MAX: usize = 1 << 20;

/// Which values get a bucket.
#[derive(Debug)]
pub struct Selector {
    include: Option<Rule>,
    exclude: Option<Rule>,
}

#[derive(Debug)]
enum Rule {
    Terms(HashSet<Vec<u8>>),
    Numbers(HashSet<i64>),
    Regexp(Regex),
    Partition(Partition),
}

impl Selector {
    /// `IllegalArgument` for regular expressions on numbers and for values that the field cannot hold.
    pub fn new(
        include: Option<&Selection>,
        exclude: Option<&Selection>,
        source: &FieldSource,
        name: &str,
        now_ms: i64,
    ) -> Result<Self> {
        let rule = |selection: Option<&Selection>| {
            selection.map(|selection| Rule::new(selection, source, name, now_ms)).transpose()
        };
        Ok(Selector { include: rule(include)?, exclude: rule(exclude)? })
    }

    /// Every value has a bucket.
    pub fn takes_all(&self) -> bool {
        self.include.is_none() && self.exclude.is_none()
    }

    pub fn takes_term(&self, term: &[u8]) -> bool {
        self.include.as_ref().is_none_or(|rule| rule.holds_term(term))
            && !self.exclude.as_ref().is_some_and(|rule| rule.holds_term(term))
    }

    #[inline]
    pub fn takes_number(&self, value: i64) -> bool {
        self.include.as_ref().is_none_or(|rule| rule.holds_number(value))
            && !self.exclude.as_ref().is_some_and(|rule| rule.holds_number(value))
    }
}

impl Rule {
    fn new(selection: &Selection, source: &FieldSource, name: &str, now_ms: i64) -> Result<Self> {
        Ok(match selection {
            Selection::Partition { partition, partitions } => {
                Rule::Partition(Partition::new(*partition, *partitions, source.format.value_type))
            }
            Selection::Regexp(pattern) if source.format.value_type == ValueType::Text => {
                let whole = format!("^(?s:{pattern})$");
                let regex = RegexBuilder::new(&whole).size_limit(REGEX_BYTES_MAX).build();
                Rule::Regexp(regex.map_err(|error| {
                    Error::illegal_argument(format!("invalid regular expression [{pattern}]: {error}"))
                })?)
            }
            Selection::Regexp(_) => {
                return Err(Error::illegal_argument(format!(
                    "Aggregation [{name}] cannot support regular expression style include/exclude settings as they can only be \
                     applied to string fields. Use an array of values for include/exclude clauses"
                )));
            }
            Selection::Values(values) if source.has_terms() => {
                let terms = values.iter().map(|value| term_bytes(value, source.format.value_type));
                Rule::Terms(terms.collect::<Result<_>>()?)
            }
            Selection::Values(values) => {
                let value_type = source.format.value_type;
                let numbers = values.iter().map(|value| Ok(value_type.sortable(source.number(value, now_ms)?)));
                Rule::Numbers(numbers.collect::<Result<_>>()?)
            }
        })
    }

    fn holds_term(&self, term: &[u8]) -> bool {
        match self {
            Rule::Terms(terms) => terms.contains(term),
            Rule::Numbers(_) => false,
            Rule::Regexp(regex) => regex.is_match(term),
            Rule::Partition(partition) => partition.holds_term(term),
        }
    }

    fn holds_number(&self, value: i64) -> bool {
        match self {
            Rule::Numbers(numbers) => numbers.contains(&value),
            Rule::Terms(_) | Rule::Regexp(_) => false,
            Rule::Partition(partition) => partition.holds_number(value),
        }
    }
}

fn term_bytes(value: &Value, value_type: ValueType) -> Result<Vec<u8>> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    value_type.term(&text)
}
