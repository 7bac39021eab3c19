//! The scanner against serde_json, on generated values, on damaged texts and on noise.

use super::*;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Rebuilds a value through every method of the scanner.
pub(super) fn rebuild(scanner: &mut Scanner<'_>) -> Scan<Value> {
    let mut buffer = String::new();
    Ok(match scanner.peek()? {
        Token::Null => {
            scanner.null()?;
            Value::Null
        }
        Token::True | Token::False => Value::Bool(scanner.boolean()?),
        Token::String => Value::String(scanner.string()?.decode(&mut buffer).to_owned()),
        Token::Number => {
            let number = scanner.number()?;
            match (number.as_i64, number.text.parse::<u64>()) {
                (Some(value), _) if number.text != "-0" => Value::from(value),
                (None, Ok(value)) if number.is_integer => Value::from(value),
                _ => Value::from(number.text.parse::<f64>().unwrap()),
            }
        }
        Token::Array => {
            let mut elements = Vec::new();
            let mut more = scanner.enter_array()?;
            while more {
                elements.push(rebuild(scanner)?);
                more = scanner.next_element()?;
            }
            Value::Array(elements)
        }
        Token::Object => {
            let mut members = Map::new();
            let mut more = scanner.enter_object()?;
            while more {
                let (key, _) = scanner.key()?;
                let key = key.decode(&mut buffer).to_owned();
                members.insert(key, rebuild(scanner)?);
                more = scanner.next_member()?;
            }
            Value::Object(members)
        }
    })
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[\u{0}-\u{7f}]{0,70}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..20)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Whether serde_json takes the text, and `None` where the two are known to differ by design.
fn serde_accepts(bytes: &[u8]) -> Option<bool> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(_) => Some(true),
        Err(error) => {
            let message = error.to_string();
            // serde_json bounds numbers to finite doubles; here the field's type decides.
            if message.contains("out of range") || message.contains("recursion limit") { None } else { Some(false) }
        }
    }
}

pub(super) fn assert_same_verdict(bytes: &[u8]) {
    let ours = validate(bytes);
    let is_duplicate = matches!(&ours, Err(fault) if fault.message().starts_with("Duplicate field"));
    if is_duplicate {
        return;
    }
    if let Some(accepted) = serde_accepts(bytes) {
        assert_eq!(ours.is_ok(), accepted, "{:?}: {ours:?}", String::from_utf8_lossy(bytes));
    }
    if let Err(fault) = ours {
        assert!(fault.offset() <= bytes.len());
    }
}

proptest! {
    #[test]
    fn values_survive(value in json_value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert!(validate(text.as_bytes()).is_ok());
        let mut scanner = Scanner::new(&text);
        prop_assert_eq!(rebuild(&mut scanner).unwrap(), value);
        prop_assert!(scanner.finish().is_ok());
    }

    #[test]
    fn damaged_texts_get_serdes_verdict(value in json_value(), at: prop::sample::Index, byte: u8, cut: bool) {
        let mut bytes = serde_json::to_vec(&value).unwrap();
        let place = at.index(bytes.len());
        if cut { bytes.truncate(place); } else { bytes[place] = byte; }
        assert_same_verdict(&bytes);
    }

    #[test]
    fn noise_gets_serdes_verdict(text in r#"[\[\]{}",:0-9eE+\-.\\ua-dtrfnls \n]{0,24}"#, noise: Vec<u8>) {
        assert_same_verdict(text.as_bytes());
        assert_same_verdict(&noise);
    }

    #[test]
    fn number_noise_gets_serdes_verdict(text in r"-?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9]{0,3})?") {
        assert_same_verdict(text.as_bytes());
    }

    #[test]
    fn escape_noise_gets_serdes_verdict(text in r#""(\\u[dD][8-9a-fA-F][0-9a-f]{2}|\\[a-z]|\\u[0-9a-f]{3,4}|[ -~]){0,4}""#) {
        assert_same_verdict(text.as_bytes());
    }
}

#[test]
fn duplicate_keys_are_refused_at_any_depth_and_however_written() {
    for text in [r#"{"a":1,"b":2,"a":3}"#, r#"[{"x":{"a":1,"\u0061":2}}]"#] {
        assert_eq!(validate(text.as_bytes()).unwrap_err().message(), "Duplicate field 'a'");
    }
    assert!(validate(br#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#).is_ok());
    let mut many: Vec<String> = (0..500).map(|key| format!("\"k{key}\":{key}")).collect();
    assert!(validate(format!("{{{}}}", many.join(",")).as_bytes()).is_ok());
    many.push("\"k250\":0".into());
    let text = format!("{{{}}}", many.join(","));
    let fault = validate(text.as_bytes()).unwrap_err();
    assert_eq!(fault.message(), "Duplicate field 'k250'");
    assert_eq!(fault.offset(), text.rfind("k250").unwrap());
}

#[test]
fn depth_is_bounded() {
    let depth = quarry_base::limits::JSON_DEPTH_MAX;
    let nested = |count: usize| format!("{}{}", "[".repeat(count), "]".repeat(count));
    assert!(validate(nested(depth).as_bytes()).is_ok());
    let fault = validate(nested(depth + 1).as_bytes()).unwrap_err();
    assert!(fault.message().starts_with("Document nesting depth (1001)"), "{fault:?}");
    assert_eq!(fault.offset(), depth);
}

#[test]
fn faults_name_the_place() {
    let place = |text: &[u8]| validate(text).unwrap_err().into_error(text).reason;
    assert_eq!(
        place(b"{\"a\":1,\n x}"),
        "[2:2] Unexpected character ('x' (code 120)): was expecting double-quote to start field name (byte 9)"
    );
    assert_eq!(place(b"{\"a\":\"\xff\"}"), "[1:7] Invalid UTF-8 start byte 0xff (byte 6)");
    assert_eq!(
        place(b"{} {"),
        "[1:4] Unexpected character ('{' (code 123)): was expecting the end of the content (byte 3)"
    );
    assert_eq!(place(b"01"), "[1:1] Invalid numeric value: Leading zeroes not allowed (byte 0)");
    assert_eq!(place(b""), "[1:1] Unexpected end-of-input (byte 0)");
}
