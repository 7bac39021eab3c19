//! `String.format` with the common conversions: `%s %d %f %x %c %b %e %n %%`, width, precision, `-`, `0`, `+`, `,`.

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::number;
use crate::run::Machine;

/// Width and precision of one conversion.
const WIDTH_MAX: usize = 1_000;

#[derive(Default)]
struct Flags {
    left: bool,
    zero: bool,
    plus: bool,
    grouped: bool,
    width: usize,
    precision: Option<usize>,
}

pub fn format(machine: &mut Machine<'_>, first: Value, rest: &[Value]) -> Res<Value> {
    // A locale may come first.
    let is_locale = |value: Value| match value {
        Value::Ref(place) => matches!(machine.state.heap.get(place), Object::Library(_)),
        other => matches!(other, Value::Null),
    };
    let (pattern, mut rest) = match (first, rest) {
        (first, [pattern, rest @ ..]) if is_locale(first) => (*pattern, rest),
        (pattern, rest) => (pattern, rest),
    };
    let pattern = machine.chars_of(pattern)?;
    let items = match rest {
        [only] if machine.state.heap.as_list(*only).is_some() => machine.items_of(*only)?,
        _ => Vec::new(),
    };
    if !items.is_empty() {
        rest = &items;
    }
    let mut values = rest.iter();
    let mut out = String::new();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let mut flags = Flags::default();
        let conversion = read(&mut letters, &mut flags)?;
        match conversion {
            '%' => out.push('%'),
            'n' => out.push('\n'),
            conversion => {
                let value = values.next().ok_or_else(|| Fault::illegal(format!("Format specifier '%{conversion}'")))?;
                let text = one(machine, conversion, &flags, *value)?;
                pad(&mut out, &text, &flags);
            }
        }
        machine.state.heap.charge(WIDTH_MAX.min(flags.width + 16))?;
        machine.work(1)?;
    }
    machine.state.heap.text(out)
}

fn read(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, flags: &mut Flags) -> Res<char> {
    while let Some(&letter) = letters.peek() {
        match letter {
            '-' => flags.left = true,
            '0' if flags.width == 0 && flags.precision.is_none() => flags.zero = true,
            '+' => flags.plus = true,
            ',' => flags.grouped = true,
            '.' => flags.precision = Some(0),
            digit if digit.is_ascii_digit() => {
                let digit = digit as usize - '0' as usize;
                let number = flags.precision.as_mut().unwrap_or(&mut flags.width);
                *number = (*number * 10 + digit).min(WIDTH_MAX);
            }
            _ => break,
        }
        letters.next();
    }
    letters.next().ok_or_else(|| Fault::illegal("Conversion = '%'"))
}

fn one(machine: &mut Machine<'_>, conversion: char, flags: &Flags, value: Value) -> Res<String> {
    let wrong = |machine: &Machine<'_>| {
        let class = machine.class_of(value);
        Fault::illegal(format!("{conversion} != {class}"))
    };
    Ok(match conversion {
        's' | 'S' => {
            let text = machine.text_of(value)?;
            let text: String = text.chars().take(flags.precision.unwrap_or(usize::MAX)).collect();
            if conversion == 'S' { text.to_uppercase() } else { text }
        }
        _ if matches!(value, Value::Null) => "null".into(),
        'd' => {
            let whole = !matches!(value, Value::Double(_) | Value::Float(_));
            let number = number::to_long(value).filter(|_| whole).ok_or_else(|| wrong(machine))?;
            signed(number < 0, grouped(number.unsigned_abs().to_string(), flags), flags)
        }
        'x' | 'X' => {
            let text = match value {
                Value::Long(number) => format!("{number:x}"),
                other => format!("{:x}", number::to_int(other).ok_or_else(|| wrong(machine))?),
            };
            if conversion == 'X' { text.to_uppercase() } else { text }
        }
        'f' | 'e' => {
            let number = number::to_double(value).ok_or_else(|| wrong(machine))?;
            if !number.is_finite() {
                return Ok(number::double_text(number));
            }
            let precision = flags.precision.unwrap_or(6);
            if conversion == 'e' {
                scientific(number, precision)
            } else {
                signed(number.is_sign_negative(), grouped(format!("{:.precision$}", number.abs()), flags), flags)
            }
        }
        'c' => machine.text_of(value)?.to_string(),
        'b' => machine.text_of(value)?.to_string(),
        other => return Err(Fault::illegal(format!("Conversion = '{other}'"))),
    })
}

fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

fn signed(is_negative: bool, digits: String, flags: &Flags) -> String {
    match (is_negative, flags.plus) {
        (true, _) => format!("-{digits}"),
        (false, true) => format!("+{digits}"),
        (false, false) => digits,
    }
}

fn grouped(digits: String, flags: &Flags) -> String {
    if !flags.grouped {
        return digits;
    }
    let (whole, fraction) = digits.split_once('.').map_or((&*digits, None), |(whole, rest)| (whole, Some(rest)));
    let mut out = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

fn pad(out: &mut String, text: &str, flags: &Flags) {
    let missing = flags.width.saturating_sub(text.chars().count());
    if flags.left {
        out.push_str(text);
        out.extend(std::iter::repeat_n(' ', missing));
    } else if flags.zero {
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
        out.push_str(sign);
        out.extend(std::iter::repeat_n('0', missing));
        out.push_str(digits);
    } else {
        out.extend(std::iter::repeat_n(' ', missing));
        out.push_str(text);
    }
}
