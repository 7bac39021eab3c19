//! The language `expression`, over a document with fields of each kind.

use super::*;
use crate::env::{DocScalar, Holds};

/// Each field with what it holds.
struct Document(Vec<(&'static str, Holds, Vec<DocScalar>)>);

impl Env for Document {
    fn field(&mut self, name: &str) -> Result<Option<u32>> {
        Ok(self.0.iter().position(|(known, ..)| *known == name).map(|place| place as u32))
    }

    fn holds(&self, field: u32) -> Holds {
        self.0[field as usize].1
    }

    fn count(&mut self, field: u32) -> Result<usize> {
        Ok(self.0[field as usize].2.len())
    }

    fn value(&mut self, field: u32, place: usize) -> Result<Option<DocScalar>> {
        Ok(self.0[field as usize].2.get(place).cloned())
    }
}

fn document() -> Document {
    // 2024-02-29T23:59:58.123Z
    let moment = DocScalar::Nanos(1_709_251_198_123_000_000);
    Document(vec![
        ("n", Holds::Numbers, vec![DocScalar::Long(2), DocScalar::Long(4), DocScalar::Double(9.0)]),
        ("none", Holds::Numbers, vec![]),
        ("yes", Holds::Numbers, vec![DocScalar::Bool(true)]),
        ("at", Holds::Dates, vec![moment]),
        ("never", Holds::Dates, vec![]),
        ("place", Holds::Places, vec![DocScalar::GeoPoint { lat: 52.5, lon: 13.4 }]),
        ("word", Holds::Others, vec![DocScalar::Text("x".into())]),
    ])
}

fn value(source: &str) -> Result<f64> {
    let program = Arc::new(cache::compiled("expression", source, context("field")?, RegexUse::Disabled)?);
    let mut instance = Instance::new(program, &serde_json::json!({ "p": 5, "text": "no" }))?;
    instance.run_double(&mut document())
}

#[test]
fn numbers_of_fields() {
    for (source, expected) in [
        ("doc['n'] + doc['n'].value + doc['n'].getValue()", 6.0),
        ("doc['n'].length + doc['n'].size() * 10 + doc['n'].count() * 100", 333.0),
        ("doc['n'].max() - doc['n'].avg() + doc['n'].median() + doc['n'].sum()", 23.0),
        ("doc['none'].value + doc['none'].sum() + doc['none'].avg() + doc['none'].length", 0.0),
        ("doc['none'].empty + doc['none'].isEmpty() * 2 + doc['n'].empty", 3.0),
        ("doc['yes'].value * p", 5.0),
        ("(5 & 6) + (5 | 6) * 10 + (5 ^ 6) * 100 + (1 << 4) * 1000 + (~0 + 1)", 16_374.0),
        ("logn(2, 8) + acosh(1) + asinh(0) + atanh(0)", 3.0),
        ("p > 4 && doc['n'].value < 3 ? 7 : 8", 7.0),
    ] {
        assert_eq!(value(source).unwrap(), expected, "{source}");
    }
}

#[test]
fn parts_of_dates() {
    for (source, expected) in [
        ("doc['at'].value", 1_709_251_198_123.0),
        ("doc['at'].getYear() * 100 + doc['at'].getMonth()", 202_401.0),
        (
            "doc['at'].getDayOfMonth() + doc['at'].getHourOfDay() + doc['at'].getMinutes() + doc['at'].getSeconds()",
            169.0,
        ),
        ("doc['at'].date.year + doc['at'].date.getMonthOfYear()", 2_026.0),
        ("doc['at'].getDate().dayOfYear", 60.0),
        ("doc['at'].date.dayOfWeek", 4.0),
        ("doc['at'].date.millisOfSecond + doc['at'].date.secondOfDay", 86_521.0),
        ("doc['at'].date.millisOfDay", 86_398_123.0),
        ("doc['at'].date.minuteOfDay + doc['at'].date.minuteOfHour", 1_498.0),
        ("doc['at'].date.weekOfWeekyear + doc['at'].date.weekyear", 2_033.0),
        (
            "doc['at'].date.era + doc['at'].date.centuryOfEra + doc['at'].date.yearOfCentury + doc['at'].date.yearOfEra",
            2_069.0,
        ),
        ("doc['never'].date.year + doc['never'].getMonth() + doc['never'].empty", 1.0),
    ] {
        assert_eq!(value(source).unwrap(), expected, "{source}");
    }
}

#[test]
fn places() {
    assert_eq!(value("doc['place'].lat + doc['place'].getLon()").unwrap(), 65.9);
    assert_eq!(value("doc['place'].empty").unwrap(), 0.0);
    let kilometres = value("haversin(doc['place'].lat, doc['place'].lon, 48.9, 2.4)").unwrap();
    assert!((kilometres - 875.0).abs() < 10.0, "{kilometres}");
}

#[test]
fn variables_that_stand_for_nothing_are_named() {
    for (source, variable, cause) in [
        ("1 + nothing", "nothing", "parse_exception: Unknown variable [nothing]"),
        ("text * 2", "text", "parse_exception: Parameter [text] must be a numeric type"),
        ("doc['gone'].max()", "doc['gone'].max()", "parse_exception: Field [gone] does not exist in mappings"),
        ("doc['word']", "doc['word']", "parse_exception: Field [word] must be numeric, date, or geopoint"),
        (
            "doc['n'].lat",
            "doc['n'].lat",
            "illegal_argument_exception: Member variable [lat] does not exist for numeric field [n].",
        ),
        (
            "doc['n'].getYear()",
            "doc['n'].getYear()",
            "illegal_argument_exception: Member method [getYear] does not exist for numeric field [n].",
        ),
        (
            "doc['at'].date.value",
            "doc['at'].date.value",
            "illegal_argument_exception: Member variable [value] does not exist for date object on field [at].",
        ),
        (
            "doc['place'].value",
            "doc['place'].value",
            "illegal_argument_exception: Member variable [value] does not exist for geo field [place].",
        ),
    ] {
        let error = value(source).unwrap_err();
        assert_eq!((error.code, error.reason.as_str()), (quarry_base::error::ErrorCode::Script, "link error"));
        assert_eq!(error.script.as_ref().unwrap().stack[0], variable);
        let inner = error.caused_by.unwrap();
        assert_eq!(format!("{}: {}", inner.code.as_str(), inner.reason), cause);
    }
}
