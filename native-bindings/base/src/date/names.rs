//! The built-in formats, by name.
//!
//! Each row is a name, what it prints, and what it reads where that is more than it prints. Strict formats want the
//! full number of digits of every part; the others (the rows `LENIENT`) take fewer.

use super::pattern::{Element, compile_builtin};
use crate::error::Result;

/// What a name stands for.
pub(super) enum Builtin {
    EpochMillis,
    EpochSecond,
    Pattern { print: Vec<Element>, parse: Vec<Element> },
}

struct Row {
    name: &'static str,
    print: &'static str,
    /// Read by `strict_<name>`, and by `<name>` too unless `lenient` differs.
    strict: &'static str,
    lenient: &'static str,
}

const fn row(name: &'static str, print: &'static str, strict: &'static str, lenient: &'static str) -> Row {
    Row { name, print, strict, lenient }
}

/// Formats with a strict and a lenient variant.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("date_optional_time", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
        "yyyy[-MM[-dd]]['T'[HH[:mm[:ss[%f]]]][%z]]", "y[-M[-d]]['T'[H[:m[:s[%f]]]][%z]]"),
    row("date_optional_time_nanos", "yyyy-MM-dd'T'HH:mm:ss%nXXX",
        "yyyy[-MM[-dd]]['T'HH:mm:ss[%f][%z]]", "y[-M[-d]]['T'H:m:s[%f][%z]]"),
    row("date", "yyyy-MM-dd", "yyyy-MM-dd", "y-M-d"),
    row("date_hour", "yyyy-MM-dd'T'HH", "yyyy-MM-dd'T'HH", "y-M-d'T'H"),
    row("date_hour_minute", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd'T'HH:mm", "y-M-d'T'H:m"),
    row("date_hour_minute_second", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss", "y-M-d'T'H:m:s"),
    row("date_hour_minute_second_fraction", "yyyy-MM-dd'T'HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss%f", "y-M-d'T'H:m:s%f"),
    row("date_hour_minute_second_millis", "yyyy-MM-dd'T'HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss%f", "y-M-d'T'H:m:s%f"),
    row("date_time", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "yyyy-MM-dd'T'HH:mm:ss[%f]%z", "y-M-d'T'H:m:s[%f]%z"),
    row("date_time_no_millis", "yyyy-MM-dd'T'HH:mm:ssXXX", "yyyy-MM-dd'T'HH:mm:ss%z", "y-M-d'T'H:m:s%z"),
    row("hour", "HH", "HH", "H"),
    row("hour_minute", "HH:mm", "HH:mm", "H:m"),
    row("hour_minute_second", "HH:mm:ss", "HH:mm:ss", "H:m:s"),
    row("hour_minute_second_fraction", "HH:mm:ss.SSS", "HH:mm:ss%f", "H:m:s%f"),
    row("hour_minute_second_millis", "HH:mm:ss.SSS", "HH:mm:ss%f", "H:m:s%f"),
    row("ordinal_date", "yyyy-DDD", "yyyy-DDD", "y-D"),
    row("ordinal_date_time", "yyyy-DDD'T'HH:mm:ss.SSSXXX", "yyyy-DDD'T'HH:mm:ss%f%z", "y-D'T'H:m:s%f%z"),
    row("ordinal_date_time_no_millis", "yyyy-DDD'T'HH:mm:ssXXX", "yyyy-DDD'T'HH:mm:ss%z", "y-D'T'H:m:s%z"),
    row("time", "HH:mm:ss.SSSXXX", "HH:mm:ss%f%z", "H:m:s%f%z"),
    row("time_no_millis", "HH:mm:ssXXX", "HH:mm:ss%z", "H:m:s%z"),
    row("t_time", "'T'HH:mm:ss.SSSXXX", "'T'HH:mm:ss%f%z", "'T'H:m:s%f%z"),
    row("t_time_no_millis", "'T'HH:mm:ssXXX", "'T'HH:mm:ss%z", "'T'H:m:s%z"),
    row("week_date", "YYYY-'W'ww-e", "YYYY-'W'ww-e", "Y-'W'w-e"),
    row("week_date_time", "YYYY-'W'ww-e'T'HH:mm:ss.SSSXXX", "YYYY-'W'ww-e'T'HH:mm:ss%f%z", "Y-'W'w-e'T'H:m:s%f%z"),
    row("week_date_time_no_millis", "YYYY-'W'ww-e'T'HH:mm:ssXXX", "YYYY-'W'ww-e'T'HH:mm:ss%z", "Y-'W'w-e'T'H:m:s%z"),
    row("weekyear", "YYYY", "YYYY", "Y"),
    row("weekyear_week", "YYYY-'W'ww", "YYYY-'W'ww", "Y-'W'w"),
    row("weekyear_week_day", "YYYY-'W'ww-e", "YYYY-'W'ww-e", "Y-'W'w-e"),
    row("year", "yyyy", "yyyy", "y"),
    row("year_month", "yyyy-MM", "yyyy-MM", "y-M"),
    row("year_month_day", "yyyy-MM-dd", "yyyy-MM-dd", "y-M-d"),
    row("basic_week_date", "YYYY'W'wwe", "YYYY'W'wwe", "YYYY'W'wwe"),
    row("basic_week_date_time", "YYYY'W'wwe'T'HHmmss.SSSXXX", "YYYY'W'wwe'T'HHmmss%f%z", "YYYY'W'wwe'T'HHmmss%f%z"),
    row("basic_week_date_time_no_millis", "YYYY'W'wwe'T'HHmmssXXX", "YYYY'W'wwe'T'HHmmss%z", "YYYY'W'wwe'T'HHmmss%z"),
];

/// Formats with one variant: name, prints, reads.
#[rustfmt::skip]
const SINGLE_ROWS: &[(&str, &str, &str)] = &[
    ("iso8601", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "yyyy[-MM[-dd]]['T'[HH[:mm[:ss[%f]]]]][%z]"),
    ("basic_date", "yyyyMMdd", "yyyyMMdd"),
    ("basic_date_time", "yyyyMMdd'T'HHmmss.SSSXXX", "yyyyMMdd'T'HHmmss%f%z"),
    ("basic_date_time_no_millis", "yyyyMMdd'T'HHmmssXXX", "yyyyMMdd'T'HHmmss%z"),
    ("basic_ordinal_date", "yyyyDDD", "yyyyDDD"),
    ("basic_ordinal_date_time", "yyyyDDD'T'HHmmss.SSSXXX", "yyyyDDD'T'HHmmss%f%z"),
    ("basic_ordinal_date_time_no_millis", "yyyyDDD'T'HHmmssXXX", "yyyyDDD'T'HHmmss%z"),
    ("basic_time", "HHmmss.SSSXXX", "HHmmss%f%z"),
    ("basic_time_no_millis", "HHmmssXXX", "HHmmss%z"),
    ("basic_t_time", "'T'HHmmss.SSSXXX", "'T'HHmmss%f%z"),
    ("basic_t_time_no_millis", "'T'HHmmssXXX", "'T'HHmmss%z"),
];

/// The built-in format of this name; `None` when there is none, and the text is a pattern.
pub(super) fn builtin(name: &str) -> Result<Option<Builtin>> {
    match name {
        "epoch_millis" => return Ok(Some(Builtin::EpochMillis)),
        "epoch_second" => return Ok(Some(Builtin::EpochSecond)),
        _ => {}
    }
    let single = SINGLE_ROWS.iter().find(|(own, _, _)| *own == name).map(|&(_, print, parse)| (print, parse));
    let (base, is_strict) = match name.strip_prefix("strict_") {
        Some(base) => (base, true),
        None => (name, false),
    };
    let paired = || {
        let row = ROWS.iter().find(|row| row.name == base)?;
        Some((row.print, if is_strict { row.strict } else { row.lenient }))
    };
    match single.or_else(paired) {
        None => Ok(None),
        Some((print, parse)) => {
            Ok(Some(Builtin::Pattern { print: compile_builtin(print)?, parse: compile_builtin(parse)? }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_compiles() {
        for row in ROWS {
            for name in [row.name.to_owned(), format!("strict_{}", row.name)] {
                assert!(matches!(builtin(&name), Ok(Some(Builtin::Pattern { .. }))), "{name}");
            }
        }
        for (name, _, _) in SINGLE_ROWS {
            assert!(matches!(builtin(name), Ok(Some(Builtin::Pattern { .. }))), "{name}");
        }
        assert!(matches!(builtin("yyyy"), Ok(None)));
    }
}
