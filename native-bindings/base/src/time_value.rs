//! Durations as the API writes them: `10d`, `1.5h`, `500ms`.

use crate::error::{Error, Result};

const UNITS: [(&str, f64); 7] =
    [("nanos", 1.0), ("micros", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3_600e9), ("d", 86_400e9)];

/// Nanoseconds. A number without a unit is an error unless it is 0 or -1; `name` is the setting that it is of.
pub fn parse_nanos(text: &str, name: &str) -> Result<i64> {
    let normal = text.trim().to_lowercase();
    let invalid = || {
        Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{text}] as a time value: unit is missing or unrecognized"
        ))
    };
    let unit = UNITS.iter().find_map(|(unit, nanos)| Some((normal.strip_suffix(unit)?, *nanos)));
    let (number, nanos) = match unit {
        Some((number, nanos)) => (number, nanos),
        None if normal == "0" => ("0", 1.0),
        None => return Err(invalid()),
    };
    if let Ok(whole) = number.trim().parse::<i64>() {
        return Ok(whole.saturating_mul(nanos as i64));
    }
    let number: f64 = number.trim().parse().map_err(|_| invalid())?;
    Ok((number * nanos) as i64)
}

#[cfg(test)]
mod tests {
    use super::parse_nanos;

    #[test]
    fn units() {
        for (text, nanos) in [
            ("2d", 172_800_000_000_000),
            ("1.5h", 5_400_000_000_000),
            ("10ms", 10_000_000),
            ("3micros", 3_000),
            ("7nanos", 7),
            ("0", 0),
            (" 1S ", 1_000_000_000),
        ] {
            assert_eq!(parse_nanos(text, "x").unwrap(), nanos, "{text}");
        }
        assert!(parse_nanos("10", "x").is_err());
        assert!(parse_nanos("ad", "x").is_err());
    }
}
