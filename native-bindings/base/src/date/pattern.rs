//! Patterns of `java.time.format.DateTimeFormatterBuilder`, compiled to elements that read and print.
//!
//! Built-in formats are written in the same language with three additions that users cannot write: `%f` (a fraction of
//! one to nine digits after a point or comma), `%n` (a fraction of three to nine digits) and `%z` (any zone or offset).

use crate::error::{Error, Result};

/// A quantity that a pattern names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Year,
    Month,
    Day,
    DayOfYear,
    Quarter,
    WeekYear,
    Week,
    WeekOfMonth,
    /// Counted in sevens from the first of the month on.
    AlignedWeekOfMonth,
    DayOfWeek,
    Hour,
    /// 1 to 24.
    ClockHour,
    /// 0 to 11.
    HalfDayHour,
    /// 1 to 12.
    HalfDayClockHour,
    Minute,
    Second,
    Nano,
    MilliOfDay,
    NanoOfDay,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    MonthShort,
    MonthFull,
    DayOfWeekShort,
    DayOfWeekFull,
    QuarterShort,
    QuarterFull,
    HalfDay,
    DayPeriod,
    DayPeriodNarrow,
    EraShort,
    EraFull,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ZoneStyle {
    /// `+HH`, `+HHmm` only where needed (`X`, `x`).
    Hours,
    /// `+HHmm` (`XX`, `xx`, `Z`).
    Minutes,
    /// `+HH:mm` (`XXX`, `xxx`, `ZZZZZ`).
    ColonMinutes,
    /// `GMT+8:30` (`O`, `OOOO`, `ZZZZ`).
    Localized,
    /// A zone id, an offset, `Z` (`VV`, `z`).
    Id,
    /// Any of them (`%z`); prints as `+HH:mm`.
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    Literal(char),
    /// `width_min..=width_max` digits. `is_padded`: with a sign there may be more digits than `width_max` (years).
    Number {
        field: Field,
        width_min: u8,
        width_max: u8,
        is_padded: bool,
    },
    /// Two digits of a year from 2000 to 2099.
    TwoDigitYear(Field),
    /// `digits_min..=digits_max` digits of the second's fraction; `mark`: with a point (or comma) before them.
    Fraction {
        digits_min: u8,
        digits_max: u8,
        mark: bool,
    },
    Text(Name),
    /// `zulu`: a zero offset is `Z`.
    Zone {
        style: ZoneStyle,
        zulu: bool,
    },
    Optional(Vec<Element>),
}

const WIDTH_MAX: u8 = 19;

/// Nesting of optional sections; patterns come from users.
const OPTIONAL_DEPTH_MAX: usize = 32;

/// Compiles a custom pattern. `IllegalArgument`, with only the fault in the reason.
pub(super) fn compile(pattern: &str) -> Result<Vec<Element>> {
    Compiler::new(pattern, false).run()
}

/// Compiles the pattern of a built-in format, which may use the additions.
pub(super) fn compile_builtin(pattern: &str) -> Result<Vec<Element>> {
    Compiler::new(pattern, true).run()
}

struct Compiler<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
    allow_additions: bool,
    /// Elements of the open optional sections, the outermost (the pattern itself) first.
    open: Vec<Vec<Element>>,
}

impl<'p> Compiler<'p> {
    fn new(pattern: &'p str, allow_additions: bool) -> Self {
        Compiler { rest: pattern.chars().peekable(), allow_additions, open: vec![Vec::new()] }
    }

    fn run(mut self) -> Result<Vec<Element>> {
        while let Some(character) = self.rest.next() {
            match character {
                'a'..='z' | 'A'..='Z' => self.letter(character)?,
                '\'' => self.quoted()?,
                '[' if self.open.len() > OPTIONAL_DEPTH_MAX => return Err(fault("Pattern nests too deeply")),
                '[' => self.open.push(Vec::new()),
                ']' => self.close()?,
                '%' if self.allow_additions => self.addition()?,
                '{' | '}' | '#' => {
                    return Err(fault(format!("Pattern includes reserved character: '{character}'")));
                }
                _ => self.push(Element::Literal(character)),
            }
        }
        // A section left open ends with the pattern.
        while self.open.len() > 1 {
            self.close()?;
        }
        Ok(self.open.pop().unwrap_or_default())
    }

    fn push(&mut self, element: Element) {
        if let Some(section) = self.open.last_mut() {
            section.push(element);
        }
    }

    fn close(&mut self) -> Result<()> {
        if self.open.len() < 2 {
            return Err(fault("Pattern invalid as it contains ] without previous ["));
        }
        let section = self.open.pop().unwrap_or_default();
        self.push(Element::Optional(section));
        Ok(())
    }

    /// A literal between apostrophes; two of them are one.
    fn quoted(&mut self) -> Result<()> {
        let mut is_empty = true;
        while let Some(character) = self.rest.next() {
            if character != '\'' {
                self.push(Element::Literal(character));
            } else if self.rest.next_if_eq(&'\'').is_some() {
                self.push(Element::Literal('\''));
            } else {
                if is_empty {
                    self.push(Element::Literal('\''));
                }
                return Ok(());
            }
            is_empty = false;
        }
        Err(fault("Pattern ends with an incomplete string literal"))
    }

    fn addition(&mut self) -> Result<()> {
        let element = match self.rest.next() {
            Some('f') => Element::Fraction { digits_min: 1, digits_max: 9, mark: true },
            Some('n') => Element::Fraction { digits_min: 3, digits_max: 9, mark: true },
            Some('z') => Element::Zone { style: ZoneStyle::Any, zulu: true },
            _ => return Err(fault("Unknown addition")),
        };
        self.push(element);
        Ok(())
    }

    fn letter(&mut self, letter: char) -> Result<()> {
        let mut count = 1u8;
        while self.rest.next_if_eq(&letter).is_some() {
            count = count.checked_add(1).ok_or_else(|| too_many(letter))?;
        }
        let element = element_of(letter, count)?;
        self.push(element);
        Ok(())
    }
}

fn fault(reason: impl Into<String>) -> Error {
    Error::illegal_argument(reason)
}

fn too_many(letter: char) -> Error {
    fault(format!("Too many pattern letters: {letter}"))
}

/// The element of `count` times `letter`.
fn element_of(letter: char, count: u8) -> Result<Element> {
    match letter {
        'u' | 'y' => Ok(year(Field::Year, count)),
        'Y' => Ok(year(Field::WeekYear, count)),
        'M' | 'L' if count > 2 => text(letter, count, Name::MonthShort, Name::MonthFull),
        'E' => text(letter, count.max(3), Name::DayOfWeekShort, Name::DayOfWeekFull),
        'e' | 'c' if count > 2 => text(letter, count, Name::DayOfWeekShort, Name::DayOfWeekFull),
        'G' => text(letter, count.max(3), Name::EraShort, Name::EraFull),
        'Q' | 'q' if count == 5 => number(letter, 1),
        'Q' | 'q' if count > 2 => text(letter, count, Name::QuarterShort, Name::QuarterFull),
        'B' => match count {
            1 | 4 => Ok(Element::Text(Name::DayPeriod)),
            5 => Ok(Element::Text(Name::DayPeriodNarrow)),
            _ => Err(fault("Wrong number of pattern letters: B")),
        },
        'a' if count == 1 => Ok(Element::Text(Name::HalfDay)),
        'S' if count <= 9 => Ok(Element::Fraction { digits_min: count, digits_max: count, mark: false }),
        'X' | 'x' | 'Z' | 'O' | 'V' | 'z' => zone(letter, count),
        _ => number(letter, count),
    }
}

fn year(field: Field, count: u8) -> Element {
    match count {
        2 => Element::TwoDigitYear(field),
        1 => Element::Number { field, width_min: 1, width_max: WIDTH_MAX, is_padded: true },
        _ => Element::Number { field, width_min: count, width_max: count.min(WIDTH_MAX), is_padded: true },
    }
}

fn text(letter: char, count: u8, short: Name, full: Name) -> Result<Element> {
    match count {
        3 => Ok(Element::Text(short)),
        4 => Ok(Element::Text(full)),
        _ => Err(too_many(letter)),
    }
}

fn zone(letter: char, count: u8) -> Result<Element> {
    let style = match (letter, count) {
        ('X' | 'x', 1) => ZoneStyle::Hours,
        ('X' | 'x', 2 | 4) | ('Z', 1..=3) => ZoneStyle::Minutes,
        ('X' | 'x', 3 | 5) | ('Z', 5) => ZoneStyle::ColonMinutes,
        ('O', 1 | 4) | ('Z', 4) => ZoneStyle::Localized,
        ('V', 2) | ('z', 1..=4) => ZoneStyle::Id,
        ('V', _) => return Err(fault("Pattern letter count must be 2: V")),
        _ => return Err(too_many(letter)),
    };
    let zulu = letter == 'X' || (letter == 'Z' && count == 5) || style == ZoneStyle::Id;
    Ok(Element::Zone { style, zulu })
}

fn number(letter: char, count: u8) -> Result<Element> {
    // Letters up to this count; one letter alone takes any width.
    let (field, count_max) = match letter {
        'M' | 'L' => (Field::Month, 2),
        'd' => (Field::Day, 2),
        'D' => (Field::DayOfYear, 3),
        'Q' | 'q' => (Field::Quarter, 2),
        'w' => (Field::Week, 2),
        'W' => (Field::WeekOfMonth, 1),
        'F' => (Field::AlignedWeekOfMonth, 1),
        'e' | 'c' => (Field::DayOfWeek, 2),
        'H' => (Field::Hour, 2),
        'k' => (Field::ClockHour, 2),
        'K' => (Field::HalfDayHour, 2),
        'h' => (Field::HalfDayClockHour, 2),
        'm' => (Field::Minute, 2),
        's' => (Field::Second, 2),
        'n' => (Field::Nano, WIDTH_MAX),
        'A' => (Field::MilliOfDay, WIDTH_MAX),
        'N' => (Field::NanoOfDay, WIDTH_MAX),
        'S' | 'a' => return Err(too_many(letter)),
        _ => return Err(fault(format!("Unknown pattern letter: {letter}"))),
    };
    if count > count_max {
        return Err(too_many(letter));
    }
    let is_fixed = count > 1 && count_max < WIDTH_MAX;
    Ok(Element::Number {
        field,
        width_min: count,
        width_max: if is_fixed { count } else { WIDTH_MAX },
        is_padded: false,
    })
}
