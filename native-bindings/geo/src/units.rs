//! Lengths as text: `12km`, `3 mi`, `100`.

use quarry_base::error::{Error, ErrorCode, Result};

/// Endings and their metres; where one ends like another, the longer comes first.
const UNITS: [(&str, f64); 19] = [
    ("inch", 0.0254),
    ("in", 0.0254),
    ("yards", 0.9144),
    ("yd", 0.9144),
    ("feet", 0.3048),
    ("ft", 0.3048),
    ("kilometers", 1000.0),
    ("km", 1000.0),
    ("nauticalmiles", 1852.0),
    ("nmi", 1852.0),
    ("NM", 1852.0),
    ("millimeters", 0.001),
    ("mm", 0.001),
    ("centimeters", 0.01),
    ("cm", 0.01),
    ("miles", 1609.344),
    ("mi", 1609.344),
    ("meters", 1.0),
    ("m", 1.0),
];

/// Metres; a number alone is metres.
///
/// Errors: `NumberFormat`.
pub fn parse_metres(text: &str) -> Result<f64> {
    let text = text.trim();
    let unit = UNITS.iter().find_map(|&(name, metres)| Some((text.strip_suffix(name)?, metres)));
    let (number, metres) = unit.unwrap_or((text, 1.0));
    match number.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number * metres),
        _ => Err(Error::new(ErrorCode::NumberFormat, format!("For input string: \"{}\"", number.trim()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        for (text, metres) in [("12km", 12_000.0), ("3 mi", 4828.032), ("1nmi", 1852.0), ("7", 7.0), ("5cm", 0.05)] {
            assert_eq!(parse_metres(text).unwrap(), metres, "{text}");
        }
        for text in ["", "km", "one km", "1 parsec", "infinity"] {
            assert!(parse_metres(text).is_err(), "{text}");
        }
    }
}
