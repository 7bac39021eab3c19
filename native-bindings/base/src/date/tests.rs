//! Formats read and print what `java.time` does; short cut and general parser agree.

use super::*;
use jiff::tz::TimeZone;
use proptest::prelude::*;

fn millis(format: &str, text: &str) -> i64 {
    DateFormat::new(format).unwrap().parse(text).unwrap_or_else(|error| panic!("{error}")).millis()
}

fn fails(format: &str, text: &str) -> bool {
    DateFormat::new(format).unwrap().parse(text).is_err()
}

fn printed(format: &str, ms: i64, zone: &str) -> String {
    let mut out = String::new();
    DateFormat::new(format).unwrap().format(Moment::from_millis(ms), &parse_time_zone(zone).unwrap(), &mut out);
    out
}

/// 2014-11-18T09:20:30.123Z
const SAMPLE: i64 = 1_416_302_430_123;

#[test]
fn iso_texts() {
    let default = "strict_date_optional_time||epoch_millis";
    for (text, expected) in [
        ("2014-11-18T09:20:30.123Z", SAMPLE),
        ("2014-11-18T09:20:30.123", SAMPLE),
        ("2014-11-18T09:20:30,123Z", SAMPLE),
        ("2014-11-18T10:20:30.123+01:00", SAMPLE),
        ("2014-11-18T10:20:30.123+0100", SAMPLE),
        ("2014-11-18T10:20:30.123+01", SAMPLE),
        ("2014-11-18T10:20:30.123Europe/Paris", SAMPLE),
        ("2014-11-18T09:20:30.123456789Z", SAMPLE),
        ("2014-11-18T09:20:30Z", SAMPLE - 123),
        ("2014-11-18T09:20Z", 1_416_302_400_000),
        ("2014-11-18T09", 1_416_301_200_000),
        ("2014-11-18T", 1_416_268_800_000),
        ("2014-11-18", 1_416_268_800_000),
        ("2014-11", 1_414_800_000_000),
        ("2014", 1_388_534_400_000),
        ("-0001-01-01", -62_198_755_200_000),
        ("+12014-01-01", 316_958_054_400_000),
        ("1416302430123", SAMPLE),
        ("-1", -1),
    ] {
        assert_eq!(millis(default, text), expected, "{text}");
    }
    for text in ["", "abc", "2014-1-1", "2014-13-01", "2014-02-30", "2014-11-18 09:20", "2014-11-18T25", "20145-01-01"]
    {
        assert!(fails(default, text), "{text}");
    }
    assert_eq!(
        DateFormat::new(default).unwrap().parse("abc").unwrap_err().reason,
        "failed to parse date field [abc] with format [strict_date_optional_time||epoch_millis]"
    );
}

#[test]
fn built_in_names() {
    let day = 1_416_268_800_000;
    for (format, text, expected) in [
        ("date_optional_time", "2014-1-5", 1_388_880_000_000),
        ("epoch_second", "1416302430.123", SAMPLE),
        ("epoch_second", "-1.5", -1_500),
        ("epoch_millis", "1416302430123.75", SAMPLE),
        ("strict_date", "2014-11-18", day),
        ("basic_date", "20141118", day),
        ("basic_date_time", "20141118T092030.123Z", SAMPLE),
        ("basic_date_time_no_millis", "20141118T102030+0100", SAMPLE - 123),
        ("basic_ordinal_date", "2014322", day),
        ("ordinal_date", "2014-322", day),
        ("date_hour_minute_second", "2014-11-18T09:20:30", SAMPLE - 123),
        ("date_hour_minute_second_millis", "2014-11-18T09:20:30.123", SAMPLE),
        ("strict_date_time", "2014-11-18T09:20:30.123Z", SAMPLE),
        ("date_time_no_millis", "2014-11-18T09:20:30Z", SAMPLE - 123),
        ("week_date", "2014-W47-2", day),
        ("basic_week_date", "2014W472", day),
        ("weekyear_week", "2014-W47", day - 86_400_000),
        ("year_month", "2014-11", 1_414_800_000_000),
        ("hour_minute", "09:20", 33_600_000),
        ("t_time_no_millis", "T09:20:30Z", 33_630_000),
    ] {
        assert_eq!(millis(format, text), expected, "{format} {text}");
    }
    assert!(fails("strict_date_time", "2014-11-18T09:20:30.123"));
    assert!(fails("strict_date_time_no_millis", "2014-11-18T09:20:30.123Z"));
    assert!(fails("epoch_second", "1e3"));
    assert!(fails("strict_date", "2014-1-5"));
}

#[test]
fn custom_patterns() {
    for (format, text, expected) in [
        ("yyyy-MM-dd HH:mm:ss.SSS", "2014-11-18 09:20:30.123", SAMPLE),
        ("yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis", "2014/11/18", 1_416_268_800_000),
        ("dd/MMM/yyyy:HH:mm:ss Z", "18/Nov/2014:10:20:30 +0100", SAMPLE - 123),
        ("EEE, d MMMM yyyy h:mm a", "Tue, 18 November 2014 9:20 PM", 1_416_345_600_000),
        ("yyyy-MM-dd'T'HH:mm:ssXXX", "2014-11-18T10:20:30+01:00", SAMPLE - 123),
        ("yyyy-MM-dd HH:mm VV", "2014-07-18 10:20 Europe/Paris", 1_405_671_600_000),
        ("yyyyMMddHHmmss", "20141118092030", SAMPLE - 123),
        ("dd.MM.yy", "18.11.14", 1_416_268_800_000),
        ("yyyy-MM-dd[ HH:mm]", "2014-11-18", 1_416_268_800_000),
        ("yyyy-MM-dd[ HH:mm]", "2014-11-18 09:20", 1_416_302_400_000),
        ("yyyy''MM", "2014'11", 1_414_800_000_000),
    ] {
        assert_eq!(millis(format, text), expected, "{format} {text}");
    }
    assert!(fails("EEE yyyy-MM-dd", "Mon 2014-11-18"));
    for (format, reason) in [
        ("yyyy-bb", "Invalid format: [yyyy-bb]: Unknown pattern letter: b"),
        ("yyyy]", "Invalid format: [yyyy]]: Pattern invalid as it contains ] without previous ["),
        ("'open", "Invalid format: ['open]: Pattern ends with an incomplete string literal"),
        ("mmm", "Invalid format: [mmm]: Too many pattern letters: m"),
    ] {
        assert_eq!(DateFormat::new(format).unwrap_err().reason, reason);
    }
}

#[test]
fn printing() {
    for (format, zone, expected) in [
        ("strict_date_optional_time||epoch_millis", "UTC", "2014-11-18T09:20:30.123Z"),
        ("strict_date_optional_time", "+05:30", "2014-11-18T14:50:30.123+05:30"),
        ("strict_date_optional_time_nanos", "America/New_York", "2014-11-18T04:20:30.123-05:00"),
        ("epoch_millis", "Europe/Paris", "1416302430123"),
        ("epoch_second", "UTC", "1416302430.123"),
        ("yyyy-MM-dd HH:mm:ss", "UTC", "2014-11-18 09:20:30"),
        ("dd/MMM/yyyy h a", "UTC", "18/Nov/2014 9 AM"),
        ("yyyy-MM-dd VV", "Europe/Paris", "2014-11-18 Europe/Paris"),
        ("basic_week_date", "UTC", "2014W472"),
        ("EEEE yy", "UTC", "Tuesday 14"),
        ("HH:mm Z", "-02:30", "06:50 -0230"),
        ("H X", "+01:00", "10 +01"),
        ("ordinal_date", "UTC", "2014-322"),
    ] {
        assert_eq!(printed(format, SAMPLE, zone), expected, "{format}");
    }
    assert_eq!(printed("strict_date", -62_198_755_200_000, "UTC"), "-0001-01-01");
    assert_eq!(printed("strict_date", 316_958_054_400_000, "UTC"), "+12014-01-01");
    assert_eq!(printed("epoch_second", -1_500, "UTC"), "-1.5");
}

#[test]
fn nanoseconds() {
    let format = DateFormat::new("strict_date_optional_time_nanos").unwrap();
    let moment = format.parse("2018-10-29T12:12:12.123456789Z").unwrap();
    assert_eq!(moment.nanos_since_epoch().unwrap(), 1_540_815_132_123_456_789);
    assert_eq!(Moment::from_nanos(1_540_815_132_123_456_789), moment);
    assert_eq!(moment.to_string(), "2018-10-29T12:12:12.123456789Z");
    let early = format.parse("1969-12-31").unwrap().nanos_since_epoch().unwrap_err();
    assert!(early.reason.contains("is before the epoch in 1970"), "{early}");
    let late = format.parse("2300-01-01").unwrap().nanos_since_epoch().unwrap_err();
    assert!(late.reason.contains("is after 2262-04-11T23:47:16.854775807"), "{late}");
}

#[test]
fn ends_of_periods() {
    let format = DateFormat::new("strict_date_optional_time||epoch_millis").unwrap();
    for (text, expected) in [
        ("2014-11-18", "2014-11-18T23:59:59.999Z"),
        ("2014-11-18T09:20", "2014-11-18T09:20:59.999Z"),
        ("2014-11", "2014-11-01T23:59:59.999Z"),
        ("2014-11-18T09:20:30.1Z", "2014-11-18T09:20:30.100Z"),
    ] {
        let moment = format.parse_in(text, Round::Up, &TimeZone::UTC).unwrap();
        assert_eq!(printed("strict_date_optional_time", moment.millis(), "UTC"), expected, "{text}");
    }
}

#[test]
fn local_times_in_gaps_and_folds() {
    let paris = parse_time_zone("Europe/Paris").unwrap();
    let format = DateFormat::new("strict_date_optional_time").unwrap();
    let instant = |text: &str| {
        let moment = format.parse_in(text, Round::Down, &paris).unwrap();
        printed("strict_date_optional_time", moment.millis(), "UTC")
    };
    assert_eq!(instant("2024-03-31T02:30:00"), "2024-03-31T01:30:00.000Z");
    assert_eq!(instant("2024-10-27T02:30:00"), "2024-10-27T00:30:00.000Z");
    assert_eq!(instant("2024-07-01T00:00:00"), "2024-06-30T22:00:00.000Z");
}

#[test]
fn zones() {
    for text in ["UTC", "Z", "+02:00", "-0530", "GMT+1", "Europe/Paris", "+1"] {
        assert!(parse_time_zone(text).is_ok(), "{text}");
    }
    for text in ["", "Nowhere/City", "+25:00", "Europe/Paris "] {
        let reason = parse_time_zone(text).unwrap_err().reason;
        assert_eq!(reason, format!("Unknown time-zone ID: {text}"));
    }
}

proptest! {
    #[test]
    fn short_cut_agrees_with_the_elements(text in r"[12][09][0-9]{2}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,10})?(Z|[+-][01][0-9]:[0-6][0-9])?)?") {
        let names = ["strict_date_optional_time", "date_optional_time", "iso8601"];
        for name in names {
            let Ok(Some(names::Builtin::Pattern { parse: elements, .. })) = names::builtin(name) else { unreachable!() };
            let general = parse::parse(&elements, &text)
                .and_then(|parts| resolve::resolve(&parts, Round::Down, &TimeZone::UTC));
            if let Some(moment) = iso::parse(&text) {
                prop_assert_eq!(Some(moment), general);
            }
        }
    }

    #[test]
    fn what_is_printed_reads_back(ms in -60_000_000_000_000i64..200_000_000_000_000, zone in prop::sample::select(vec!["UTC", "+05:45", "-03:00"])) {
        for format in [
            "strict_date_optional_time", "date_optional_time", "strict_date_optional_time_nanos", "epoch_millis", "epoch_second",
            "basic_date_time", "week_date_time", "basic_week_date_time", "ordinal_date_time", "basic_ordinal_date_time", "date_time",
            "yyyy-MM-dd HH:mm:ss.SSS Z", "EEE, dd MMM yyyy hh:mm:ss.SSS a XXX",
        ] {
            let text = printed(format, ms, zone);
            prop_assert_eq!(millis(format, &text), ms, "{} {}", format, text);
        }
    }

    #[test]
    fn no_text_or_pattern_panics(pattern: String, letters in "[a-zA-Z'\\[\\]:. -]{0,12}", text: String, digits in "[-+0-9T:.Z/a-zW ]{0,30}") {
        for pattern in [pattern.as_str(), letters.as_str(), "date_optional_time", "epoch_second", "week_date"] {
            if let Ok(format) = DateFormat::new(pattern) {
                for text in [&text, &digits] {
                    if let Ok(moment) = format.parse(text) {
                        format.format(moment, &TimeZone::UTC, &mut String::new());
                    }
                }
            }
        }
    }
}

#[test]
fn quarters_weeks_of_months_and_parts_of_days() {
    let day = 1_724_284_800_000; // 2024-08-22, a Thursday
    let at = |hour: i64, minute: i64| day + (hour * 60 + minute) * 60_000;
    for (format, ms, text) in [
        ("QQQ QQQQ QQQQQ Q QQ qqq q", day, "Q3 3rd quarter 3 3 03 Q3 3"),
        ("W F", day, "4 4"),
        ("yyyy-MM W e", 1_725_148_800_000, "2024-09 0 7"),
        ("B h:mm", at(17, 27), "in the afternoon 5:27"),
        ("h B", at(0, 0), "12 midnight"),
        ("h B", at(12, 0), "12 noon"),
        ("h:mm B", at(12, 1), "12:01 in the afternoon"),
        ("H BBBB", at(23, 0), "23 at night"),
        ("H BBBBB", at(0, 0), "0 mi"),
        ("VV z XXX X xxx O", day, "Z Z Z Z +00:00 GMT"),
        ("8yyyy-MM-dd", day, "2024-08-22"),
        ("8strict_date", day, "2024-08-22"),
    ] {
        assert_eq!(printed(format, ms, "UTC"), text, "{format}");
    }
    for (format, text, ms) in [
        ("8yyyy-MM-dd", "2024-08-22", day),
        ("yyyy QQQ", "2024 Q3", 1_719_792_000_000),
        ("yyyy-MM-dd QQQQ", "2024-08-22 3rd quarter", day),
        ("yyyy-MM W e", "2024-08 4 4", day),
        ("yyyy-MM-dd W F", "2024-08-22 4 4", day),
        ("yyyy-MM-dd h:mm B", "2024-08-22 5:27 in the afternoon", at(17, 27)),
        ("yyyy-MM-dd h B", "2024-08-22 5 at night", at(5, 0)),
        ("yyyy-MM-dd h B", "2024-08-22 11 at night", at(23, 0)),
        ("yyyy-MM-dd h B", "2024-08-22 12 noon", at(12, 0)),
        ("yyyy-MM-dd B", "2024-08-22 in the morning", at(9, 0)),
        ("yyyy-MM-dd B", "2024-08-22 at night", at(1, 30)),
    ] {
        assert_eq!(millis(format, text), ms, "{format} {text}");
    }
    for (format, text) in [
        ("yyyy-MM-dd QQQ", "2024-08-22 Q2"),
        ("yyyy-MM-dd W", "2024-08-22 3"),
        ("yyyy-MM-dd F", "2024-08-22 3"),
        ("yyyy-MM W e", "2024-08 5 7"),
        ("yyyy-MM-dd H B", "2024-08-22 5 noon"),
        ("yyyy-MM-dd h B", "2024-08-22 3 in the evening"),
    ] {
        assert!(fails(format, text), "{format} {text}");
    }
    for pattern in ["WW", "FF", "BB", "QQQQQQ"] {
        assert!(DateFormat::new(pattern).is_err(), "{pattern}");
    }
}
