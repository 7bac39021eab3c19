//! Number patterns of `format`: the part of Java's DecimalFormat that search requests use.
//!
//! `prefix#,##0.00suffix`: `0` a digit always shown, `#` one shown where significant, `,` groups, `%` multiplies by 100;
//! text around the number is printed as it is, `'` quotes. Rounding is half-even, as Java's.

use quarry_base::error::{Error, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecimalPattern {
    prefix: String,
    suffix: String,
    integer_digits_min: usize,
    fraction_digits_min: usize,
    fraction_digits_max: usize,
    grouping: Option<usize>,
    percent: bool,
}

impl DecimalPattern {
    /// `IllegalArgument` when the pattern has no digit or uses a part that is not supported (exponents, negative patterns).
    pub fn new(pattern: &str) -> Result<Self> {
        let invalid = |why: &str| Error::illegal_argument(format!("Invalid format: [{pattern}]: {why}"));
        let is_number = |c: char| matches!(c, '#' | '0' | ',' | '.');
        let (prefix, rest) = take_literal(pattern, is_number);
        let end = rest.find(|c: char| !is_number(c)).unwrap_or(rest.len());
        let (number, rest) = rest.split_at(end);
        if !number.contains(['#', '0']) {
            return Err(invalid("the pattern has no digits"));
        }
        if rest.starts_with('E') || rest.contains(';') {
            return Err(invalid("exponents and negative patterns are not supported"));
        }
        let (suffix, _) = take_literal(rest, |_| false);
        let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains(['.', ',']) {
            return Err(invalid("unexpected character in the fraction"));
        }
        let percent = prefix.contains('%') || suffix.contains('%');
        Ok(DecimalPattern {
            prefix,
            suffix,
            integer_digits_min: integer.matches('0').count(),
            fraction_digits_min: fraction.matches('0').count(),
            fraction_digits_max: fraction.len(),
            grouping: integer.rfind(',').map(|comma| integer.len() - comma - 1).filter(|&digits| digits > 0),
            percent,
        })
    }

    /// Appends the number as the pattern prints it.
    pub fn format(&self, value: f64, out: &mut String) {
        let scaled = if self.percent { value * 100.0 } else { value };
        let digits = format!("{:.*}", self.fraction_digits_max, scaled.abs());
        let (integer, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
        let fraction = trim_zeros(fraction, self.fraction_digits_min);
        let integer = integer.trim_start_matches('0');
        // Java keeps the sign of what is rounded to nothing.
        if scaled < 0.0 {
            out.push('-');
        }
        out.push_str(&self.prefix);
        self.push_integer(integer, out);
        if !fraction.is_empty() {
            out.push('.');
            out.push_str(fraction);
        }
        out.push_str(&self.suffix);
    }

    fn push_integer(&self, integer: &str, out: &mut String) {
        let padded = format!("{integer:0>width$}", width = self.integer_digits_min);
        for (place, digit) in padded.chars().enumerate() {
            let left = padded.len() - place;
            if place > 0 && self.grouping.is_some_and(|group| left % group == 0) {
                out.push(',');
            }
            out.push(digit);
        }
    }
}

/// Text up to the first unquoted character that `stop` accepts, without its quotes, and what follows.
fn take_literal(text: &str, stop: impl Fn(char) -> bool) -> (String, &str) {
    let mut literal = String::new();
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            c if !quoted && stop(c) => return (literal, &text[at..]),
            c => literal.push(c),
        }
    }
    (literal, "")
}

fn trim_zeros(fraction: &str, keep: usize) -> &str {
    let significant = fraction.trim_end_matches('0').len();
    &fraction[..significant.max(keep).min(fraction.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(pattern: &str, value: f64) -> String {
        let mut out = String::new();
        DecimalPattern::new(pattern).unwrap().format(value, &mut out);
        out
    }

    #[test]
    fn prints_as_java_does() {
        for (pattern, value, expected) in [
            ("Value is ##0.0", 50.0, "Value is 50.0"),
            ("Value is ##0.0", 0.0, "Value is 0.0"),
            ("0.00", -1.005, "-1.00"),
            ("#,##0.##", 1_234_567.891, "1,234,567.89"),
            ("#", 0.4, ""),
            ("0", -0.4, "-0"),
            ("000", 7.0, "007"),
            ("0%", 0.256, "26%"),
            ("$#,##0", 1e6, "$1,000,000"),
            ("'#'0", 3.0, "#3"),
        ] {
            assert_eq!(print(pattern, value), expected, "{pattern} {value}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_print() {
        assert!(DecimalPattern::new("abc").is_err());
        assert!(DecimalPattern::new("0.##E0").is_err());
        assert!(DecimalPattern::new("0;(0)").is_err());
    }
}
