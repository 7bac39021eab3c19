//! What expressions ask of documents and parameters: variables, which are linked to fields when the script runs.

use crate::env::{DocScalar, Holds};
use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::number;
use crate::run::Machine;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use quarry_base::error::{Error, ErrorCode};

const NANOS_PER_MILLI: i128 = 1_000_000;

/// One variable of an expression.
#[derive(Debug)]
pub struct Variable {
    /// As the script has it.
    pub text: Box<str>,
    pub names: Names,
    pub at: u32,
}

#[derive(Debug)]
pub enum Names {
    Parameter(Box<str>),
    /// A field by its place in the program.
    Field(u32, Member),
}

/// `.name` or `.name()` behind a field, or behind the `date` of a field.
#[derive(Debug)]
pub struct Member {
    pub name: Box<str>,
    pub is_call: bool,
    pub is_of_date: bool,
    meaning: Option<Meaning>,
}

impl Member {
    pub fn new(name: &str, is_call: bool, is_of_date: bool) -> Self {
        let meaning = match (is_of_date, is_call) {
            (true, true) => part_of(name.strip_prefix("get").map(uncapitalized).as_deref()),
            (true, false) => part_of(Some(name)),
            (false, true) => by_method(name),
            (false, false) => by_variable(name),
        };
        Member { name: name.into(), is_call, is_of_date, meaning }
    }
}

fn uncapitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Number(Number),
    /// Of the first date.
    Calendar(Part),
    /// Of the `date` of a field.
    Date(Part),
    Empty,
    Latitude,
    Longitude,
}

/// What is made of the numbers of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Min,
    Max,
    Average,
    Median,
    Sum,
    Count,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    CenturyOfEra,
    DayOfMonth,
    DayOfWeek,
    DayOfYear,
    Era,
    HourOfDay,
    MillisOfDay,
    MillisOfSecond,
    MinuteOfDay,
    MinuteOfHour,
    MonthOfYear,
    /// 0 to 11.
    MonthFromZero,
    SecondOfDay,
    SecondOfMinute,
    WeekOfWeekyear,
    Weekyear,
    Year,
    YearOfCentury,
    YearOfEra,
}

fn by_variable(name: &str) -> Option<Meaning> {
    Some(match name {
        "value" => Meaning::Number(Number::Min),
        "empty" => Meaning::Empty,
        "length" => Meaning::Number(Number::Count),
        "lat" => Meaning::Latitude,
        "lon" => Meaning::Longitude,
        _ => return None,
    })
}

fn by_method(name: &str) -> Option<Meaning> {
    Some(match name {
        "getValue" | "min" => Meaning::Number(Number::Min),
        "isEmpty" | "empty" => Meaning::Empty,
        "size" | "count" => Meaning::Number(Number::Count),
        "max" => Meaning::Number(Number::Max),
        "avg" => Meaning::Number(Number::Average),
        "median" => Meaning::Number(Number::Median),
        "sum" => Meaning::Number(Number::Sum),
        "getLat" => Meaning::Latitude,
        "getLon" => Meaning::Longitude,
        "getYear" => Meaning::Calendar(Part::YearOfEra),
        "getMonth" => Meaning::Calendar(Part::MonthFromZero),
        "getDayOfMonth" => Meaning::Calendar(Part::DayOfMonth),
        "getHourOfDay" => Meaning::Calendar(Part::HourOfDay),
        "getMinutes" => Meaning::Calendar(Part::MinuteOfHour),
        "getSeconds" => Meaning::Calendar(Part::SecondOfMinute),
        _ => return None,
    })
}

fn part_of(name: Option<&str>) -> Option<Meaning> {
    Some(Meaning::Date(match name? {
        "centuryOfEra" => Part::CenturyOfEra,
        "dayOfMonth" => Part::DayOfMonth,
        "dayOfWeek" => Part::DayOfWeek,
        "dayOfYear" => Part::DayOfYear,
        "era" => Part::Era,
        "hourOfDay" => Part::HourOfDay,
        "millisOfDay" => Part::MillisOfDay,
        "millisOfSecond" => Part::MillisOfSecond,
        "minuteOfDay" => Part::MinuteOfDay,
        "minuteOfHour" => Part::MinuteOfHour,
        "monthOfYear" => Part::MonthOfYear,
        "secondOfDay" => Part::SecondOfDay,
        "secondOfMinute" => Part::SecondOfMinute,
        "weekOfWeekyear" => Part::WeekOfWeekyear,
        "weekyear" => Part::Weekyear,
        "year" => Part::Year,
        "yearOfCentury" => Part::YearOfCentury,
        "yearOfEra" => Part::YearOfEra,
        _ => return None,
    }))
}

impl Part {
    /// Of a moment in UTC.
    fn of(self, millis: i64) -> Option<f64> {
        let local = Timestamp::from_millisecond(millis).ok()?.to_zoned(TimeZone::UTC).datetime();
        let year_of_era = if local.year() > 0 { i32::from(local.year()) } else { 1 - i32::from(local.year()) };
        let of_day = millis.rem_euclid(86_400_000) as i32;
        Some(f64::from(match self {
            Part::CenturyOfEra => year_of_era / 100,
            Part::DayOfMonth => local.day().into(),
            Part::DayOfWeek => local.weekday().to_monday_one_offset().into(),
            Part::DayOfYear => local.date().day_of_year().into(),
            Part::Era => i32::from(local.year() > 0),
            Part::HourOfDay => local.hour().into(),
            Part::MillisOfDay => of_day,
            Part::MillisOfSecond => of_day % 1_000,
            Part::MinuteOfDay => of_day / 60_000,
            Part::MinuteOfHour => local.minute().into(),
            Part::MonthOfYear => local.month().into(),
            Part::MonthFromZero => i32::from(local.month()) - 1,
            Part::SecondOfDay => of_day / 1_000,
            Part::SecondOfMinute => local.second().into(),
            Part::WeekOfWeekyear => local.date().iso_week_date().week().into(),
            Part::Weekyear => local.date().iso_week_date().year().into(),
            Part::Year => local.year().into(),
            Part::YearOfCentury => year_of_era % 100,
            Part::YearOfEra => year_of_era,
        }))
    }
}

/// The number that a variable stands for; fields without values count 0.
///
/// Errors: `link error`, because there is no such parameter, field or member.
pub fn value(machine: &mut Machine<'_>, variable: &Variable) -> Res<f64> {
    let unlinked = |code, reason: String| Fault::unlinked(&variable.text, Error::new(code, reason));
    let (field, member) = match &variable.names {
        Names::Parameter(name) => return parameter(machine, name, unlinked),
        Names::Field(field, member) => (*field, member),
    };
    let number = match machine.env.field(&machine.program.fields[field as usize]) {
        Ok(Some(number)) => number,
        Ok(None) => {
            let name = &machine.program.fields[field as usize];
            return Err(unlinked(ErrorCode::Parse, format!("Field [{name}] does not exist in mappings")));
        }
        Err(error) => return Err(Fault::unlinked(&variable.text, error)),
    };
    let holds = machine.env.holds(number);
    let meaning = member.meaning.filter(|meaning| meaning.is_of(holds, member.is_of_date));
    match meaning {
        Some(meaning) => of_field(machine, number, meaning),
        None => {
            let name = &machine.program.fields[field as usize];
            let (code, reason) = refusal(name, holds, member);
            Err(unlinked(code, reason))
        }
    }
}

fn parameter(machine: &Machine<'_>, name: &str, unlinked: impl Fn(ErrorCode, String) -> Box<Fault>) -> Res<f64> {
    let has_doc = machine.program.context.has_doc;
    let found = match machine.state.stack.first() {
        Some(Value::Ref(params)) => match machine.state.heap.get(*params) {
            Object::Map(map) => map.named(name),
            _ => None,
        },
        _ => None,
    };
    match found {
        Some(value) => match value {
            Value::Bool(_) | Value::Null | Value::Ref(_) => {
                Err(unlinked(ErrorCode::Parse, format!("Parameter [{name}] must be a numeric type")))
            }
            value => Ok(number::to_double(value).unwrap_or(0.0)),
        },
        // Parameters of pipelines are numbers of buckets; one that no path names counts 0.
        None if !has_doc => Ok(0.0),
        None => Err(unlinked(ErrorCode::Parse, format!("Unknown variable [{name}]"))),
    }
}

impl Meaning {
    fn is_of(self, holds: Holds, is_of_date: bool) -> bool {
        match self {
            Meaning::Empty => holds != Holds::Others && !(is_of_date && holds == Holds::Dates),
            Meaning::Number(_) => matches!(holds, Holds::Numbers | Holds::Dates),
            Meaning::Calendar(_) | Meaning::Date(_) => holds == Holds::Dates,
            Meaning::Latitude | Meaning::Longitude => holds == Holds::Places,
        }
    }
}

fn refusal(field: &str, holds: Holds, member: &Member) -> (ErrorCode, String) {
    let kind = match holds {
        Holds::Others => {
            return (ErrorCode::Parse, format!("Field [{field}] must be numeric, date, or geopoint"));
        }
        Holds::Numbers => "for numeric field",
        Holds::Dates if member.is_of_date => "for date object on field",
        Holds::Dates => "for date field",
        Holds::Places => "for geo field",
    };
    let what = if member.is_call { "method" } else { "variable" };
    (ErrorCode::IllegalArgument, format!("Member {what} [{}] does not exist {kind} [{field}].", member.name))
}

fn of_field(machine: &mut Machine<'_>, field: u32, meaning: Meaning) -> Res<f64> {
    let count = machine.field_length(field)?;
    match meaning {
        Meaning::Empty => Ok(f64::from(u8::from(count == 0))),
        Meaning::Number(Number::Count) => Ok(count as f64),
        _ if count == 0 => Ok(0.0),
        Meaning::Number(number) => {
            machine.work(count / 16)?;
            let values = (0..count).map(|place| Ok(as_number(&scalar(machine, field, place)?)));
            Ok(of_numbers(values.collect::<Res<Vec<f64>>>()?, number))
        }
        Meaning::Calendar(part) | Meaning::Date(part) => {
            let millis = as_number(&scalar(machine, field, 0)?) as i64;
            part.of(millis).ok_or_else(|| Fault::illegal(format!("a date beyond the calendar: {millis}")))
        }
        Meaning::Latitude | Meaning::Longitude => Ok(match scalar(machine, field, 0)? {
            DocScalar::GeoPoint { lat, .. } if meaning == Meaning::Latitude => lat,
            DocScalar::GeoPoint { lon, .. } => lon,
            _ => 0.0,
        }),
    }
}

fn scalar(machine: &mut Machine<'_>, field: u32, place: usize) -> Res<DocScalar> {
    let value = machine.env.value(field, place).map_err(Box::<Fault>::from)?;
    Ok(value.unwrap_or(DocScalar::Long(0)))
}

fn as_number(scalar: &DocScalar) -> f64 {
    match scalar {
        DocScalar::Long(number) => *number as f64,
        DocScalar::Double(number) => *number,
        DocScalar::Bool(value) => f64::from(u8::from(*value)),
        DocScalar::Nanos(nanos) => nanos.div_euclid(NANOS_PER_MILLI) as f64,
        DocScalar::Text(_) | DocScalar::GeoPoint { .. } => 0.0,
    }
}

/// Of at least one number.
fn of_numbers(mut numbers: Vec<f64>, wanted: Number) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let (count, sum) = (numbers.len(), numbers.iter().sum::<f64>());
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0.0);
    match wanted {
        Number::Min => at(0),
        Number::Max => at(count.saturating_sub(1)),
        Number::Sum => sum,
        Number::Average => sum / count as f64,
        Number::Median if count.is_multiple_of(2) => f64::midpoint(at(count / 2 - 1), at(count / 2)),
        Number::Median => at(count / 2),
        Number::Count => count as f64,
    }
}
