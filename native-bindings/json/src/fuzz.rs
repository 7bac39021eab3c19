//! Damaged JSON by the million: serde_json's verdict, and nothing else than JSON comes out. See `quarry_testing::fuzz`.

use super::tests::{assert_same_verdict, rebuild};
use super::*;
use quarry_testing::Dice;
use quarry_testing::fuzz::{damage, fuzz, pick};

const TEXTS: &[&str] = &[
    r#"{"title":"a film","year":1999,"tags":["x","y"],"rating":{"stars":4.5,"by":null},"seen":true}"#,
    r#"{"query":{"bool":{"must":[{"match":{"body":{"query":"red \"fox\"","boost":1.5e-3}}}],"filter":[]}},"size":10}"#,
    r#"[[[1,2,[3]],{"a":{"b":{"c":[{}]}}}],-0,0.0,1E+400,12345678901234567890,-9223372036854775808]"#,
    "{\"\\u0061\":\"\\ud83d\\ude00\",\"b\":\"\\n\\t\\\\\\/\",\"grün\":\"ä€😀\u{7f}\"}",
    " \n\t{ \"spaced\" : [ 1 , 2 , { \"k\" : \"v\" } ] , \"end\" : false }\r\n",
    r#""#,
];

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "\\ude00",
    "\\u0000",
    "\\x",
    "true",
    "false",
    "null",
    "nul",
    "0",
    "-",
    "1e",
    "1e400",
    "0.1",
    "00",
    "-0",
    "123456789012345678901234567890",
    "\"a\":",
    "\"a\":1,",
    "\u{0}",
    "\u{1f}",
    "\u{feff}",
    "é",
    "😀",
    " ",
    "\n",
    "NaN",
    "Infinity",
    "'",
    "/*",
    "{\"a\":",
    "[[[[[[[[",
    "]]]]]]]]",
    "}}}}}}",
];

fn damaged(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = pick(dice, TEXTS).as_bytes().to_vec();
    damage(dice, &mut bytes, PIECES);
    bytes
}

#[test]
fn damaged_json_gets_serdes_verdict() {
    let pruners = [
        Pruner::new(&["a*", "title", "rating.*"], &[]),
        Pruner::new(&[], &["*.by", "query.bool.must", "b"]),
        Pruner::new(&["*"], &["*a*b*"]),
    ];
    let mut out = Vec::new();
    fuzz("JSON of kernels", |dice| {
        let bytes = damaged(dice);
        assert_same_verdict(&bytes);
        if let Ok(text) = utf8(&bytes) {
            let mut scanner = Scanner::new(text);
            let is_whole = rebuild(&mut scanner).is_ok() && scanner.finish().is_ok();
            assert!(is_whole || validate(&bytes).is_err(), "{text:?}");
        }
        let pruner = pick(dice, &pruners);
        out.clear();
        if pruner.apply(&bytes, &mut out).is_ok() && validate(&bytes).is_ok() {
            assert!(
                validate(&out).is_ok(),
                "{:?} became {:?}",
                String::from_utf8_lossy(&bytes),
                String::from_utf8_lossy(&out)
            );
        }
        if let Err(fault) = validate(&bytes) {
            let error = fault.into_error(&bytes);
            assert!(!error.reason.is_empty());
        }
    });
}
