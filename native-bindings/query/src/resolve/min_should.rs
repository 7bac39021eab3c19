//! `minimum_should_match`: a number, a percentage, either negative, or such behind conditions (`2<-25% 9<-3`).

use quarry_base::error::{Error, ErrorCode, Result};

/// How many of `clauses` optional clauses must match. May be more than there are: then nothing matches.
pub(super) fn minimum_should_match(clauses: usize, specification: &str) -> Result<u32> {
    let clauses = i64::try_from(clauses).unwrap_or(i64::MAX);
    let mut result = clauses;
    if !specification.contains('<') {
        return Ok(simple(clauses, specification)?.clamp(0, u32::MAX.into()) as u32);
    }
    for condition in specification.split_whitespace() {
        let (bound, then) = condition.split_once('<').ok_or_else(|| not_a_number(condition))?;
        if clauses <= parse(bound)? {
            break;
        }
        result = simple(clauses, then)?;
    }
    Ok(result.clamp(0, u32::MAX.into()) as u32)
}

fn simple(clauses: i64, specification: &str) -> Result<i64> {
    let value = match specification.trim().strip_suffix('%') {
        // Truncated towards zero in single precision, as Lucene's users have it.
        Some(percent) => ((clauses * parse(percent)?) as f32 * (1.0 / 100.0)) as i64,
        None => parse(specification)?,
    };
    Ok(if specification.trim().starts_with('-') { clauses + value } else { value })
}

fn parse(text: &str) -> Result<i64> {
    text.trim().parse::<i32>().map(i64::from).map_err(|_| not_a_number(text))
}

fn not_a_number(text: &str) -> Error {
    Error::new(ErrorCode::NumberFormat, format!("For input string: \"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::minimum_should_match;

    #[test]
    fn every_form() {
        for (clauses, specification, expected) in [
            (4, "2", 2),
            (4, "-1", 3),
            (4, "75%", 3),
            (5, "-25%", 4),
            (3, "3<90%", 3),
            (10, "3<90%", 9),
            (2, "2<-25% 9<-3", 2),
            (4, "2<-25% 9<-3", 3),
            (10, "2<-25% 9<-3", 7),
            (2, "5", 5),
            (2, "-5", 0),
            (3, "0%", 0),
        ] {
            assert_eq!(minimum_should_match(clauses, specification).unwrap(), expected, "{clauses} {specification}");
        }
        assert!(minimum_should_match(2, "x").is_err());
    }
}
