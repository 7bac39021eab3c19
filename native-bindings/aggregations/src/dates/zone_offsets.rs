//! The stretches of time in which the clocks of a zone have one offset.

use jiff::Timestamp;
use jiff::tz::TimeZone;

const SECOND_MS: i64 = 1_000;
/// 1970-01-01 and 2050-01-01: the periods between are held, others are asked for.
const HELD: (i64, i64) = (0, 2_524_608_000_000);

/// From one change of clocks to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetPeriod {
    /// The first instant, in milliseconds; `i64::MIN` where no change came before.
    pub start: i64,
    /// The first instant of the next period; `i64::MAX` where no change follows.
    pub end: i64,
    /// Local time less UTC, in milliseconds.
    pub offset_ms: i64,
}

impl OffsetPeriod {
    pub fn local(&self, instant: i64) -> i64 {
        instant.saturating_add(self.offset_ms)
    }

    pub fn instant(&self, local: i64) -> i64 {
        local.saturating_sub(self.offset_ms)
    }
}

/// A zone, and its periods in the years that most instants are of.
#[derive(Debug, Clone)]
pub struct ZoneOffsets {
    zone: TimeZone,
    /// Ascending and without gaps.
    held: Vec<OffsetPeriod>,
}

impl ZoneOffsets {
    pub fn new(zone: TimeZone) -> Self {
        let mut held = vec![asked(&zone, HELD.0)];
        while let Some(last) = held.last().filter(|last| last.end < HELD.1) {
            held.push(asked(&zone, last.end));
        }
        ZoneOffsets { zone, held }
    }

    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The offset of a zone whose clocks never change.
    pub fn fixed_ms(&self) -> Option<i64> {
        self.held.first().filter(|period| (period.start, period.end) == (i64::MIN, i64::MAX)).map(|only| only.offset_ms)
    }

    /// The period that the instant is in.
    pub fn period_at(&self, instant: i64) -> OffsetPeriod {
        let after = self.held.partition_point(|period| period.start <= instant);
        match after.checked_sub(1).map(|place| self.held[place]) {
            Some(period) if instant < period.end => period,
            _ => asked(&self.zone, instant),
        }
    }

    /// The period before this one; `None` before the first.
    pub fn before(&self, period: &OffsetPeriod) -> Option<OffsetPeriod> {
        (period.start > i64::MIN).then(|| self.period_at(period.start - 1))
    }

    /// The period behind this one; `None` behind the last.
    pub fn behind(&self, period: &OffsetPeriod) -> Option<OffsetPeriod> {
        (period.end < i64::MAX).then(|| self.period_at(period.end))
    }
}

/// Reads the period from the rules of the zone. Instants that calendars do not count are in their first or last period.
fn asked(zone: &TimeZone, instant: i64) -> OffsetPeriod {
    let (least, most) = (Timestamp::MIN.as_millisecond(), Timestamp::MAX.as_millisecond());
    let at = Timestamp::from_millisecond(instant.clamp(least, most)).unwrap_or(Timestamp::UNIX_EPOCH);
    // Changes come at whole seconds: the nanosecond lets a change at this very instant be one before it.
    let just_behind = at.checked_add(jiff::SignedDuration::from_nanos(1)).unwrap_or(at);
    OffsetPeriod {
        start: zone.preceding(just_behind).next().map_or(i64::MIN, |change| change.timestamp().as_millisecond()),
        end: zone.following(at).next().map_or(i64::MAX, |change| change.timestamp().as_millisecond()),
        offset_ms: i64::from(zone.to_offset(at).seconds()) * SECOND_MS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_those_of_the_rules() {
        for name in ["Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Tokyo"] {
            let offsets = ZoneOffsets::new(TimeZone::get(name).unwrap());
            let mut dice = quarry_testing::Dice::new(7);
            for _ in 0..2_000 {
                let instant = dice.below(8_000_000_000_000) as i64 - 4_000_000_000_000;
                let period = offsets.period_at(instant);
                assert_eq!(period.offset_ms, asked(offsets.zone(), instant).offset_ms, "{name} {instant}");
                assert!(period.start <= instant && instant < period.end, "{name} {instant} {period:?}");
                assert_eq!(offsets.behind(&period).map_or(i64::MAX, |next| next.start), period.end, "{name} {instant}");
                assert_eq!(offsets.before(&period).map_or(i64::MIN, |last| last.end), period.start, "{name} {instant}");
            }
        }
    }

    #[test]
    fn fixed_zones_have_one_period() {
        let offsets = ZoneOffsets::new(TimeZone::fixed(jiff::tz::offset(-3)));
        assert_eq!(offsets.fixed_ms(), Some(-10_800_000));
        assert_eq!(offsets.period_at(i64::MIN).offset_ms, -10_800_000);
        assert_eq!(ZoneOffsets::new(TimeZone::UTC).fixed_ms(), Some(0));
        assert_eq!(ZoneOffsets::new(TimeZone::get("Europe/Berlin").unwrap()).fixed_ms(), None);
    }
}
