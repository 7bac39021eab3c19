//! `UUID`.

use super::{bytes_of, md5};
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::run::Machine;

/// The most significant bits above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uuid(u128);

impl Uuid {
    /// Of two longs.
    pub fn new(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Uuid> {
        let [most, least] = arguments else { return Err(Fault::illegal("a UUID is made of two longs")) };
        let (most, least) = (machine.long_of(*most)? as u64, machine.long_of(*least)? as u64);
        Ok(Uuid(u128::from(most) << 64 | u128::from(least)))
    }

    fn most(self) -> i64 {
        (self.0 >> 64) as i64
    }

    fn least(self) -> i64 {
        self.0 as i64
    }

    pub fn text(self) -> String {
        let hex = format!("{:032x}", self.0);
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    pub fn hash_code(self) -> i32 {
        let mixed = self.most() ^ self.least();
        ((mixed >> 32) ^ mixed) as i32
    }

    fn version(self) -> i32 {
        (self.most() >> 12 & 0xf) as i32
    }

    fn variant(self) -> i32 {
        match self.least() as u64 >> 61 {
            0..=3 => 0,
            4 | 5 => 2,
            other => other as i32,
        }
    }

    /// From five groups of hexadecimal digits; each counts by its last digits, as Java has it.
    fn parse(text: &str) -> Option<Uuid> {
        const BITS: [u32; 5] = [32, 16, 16, 16, 48];
        if text.len() > 36 {
            return None;
        }
        let mut groups = text.split('-');
        let mut number = 0u128;
        for bits in BITS {
            let group = groups.next().filter(|group| !group.is_empty() && !group.starts_with('+'))?;
            let group = u128::from_str_radix(group, 16).ok()?;
            number = number << bits | group & ((1 << bits) - 1);
        }
        groups.next().is_none().then_some(Uuid(number))
    }
}

pub fn call_static(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Uuid>> {
    match (name, arguments) {
        ("fromString", [text]) => {
            let text = machine.chars_of(*text)?;
            let reason = || match text.len() {
                37.. => Fault::illegal("UUID string too large"),
                _ => Fault::illegal(format!("Invalid UUID string: {text}")),
            };
            Uuid::parse(&text).map(Some).ok_or_else(reason)
        }
        ("nameUUIDFromBytes", [bytes]) => {
            let bytes = bytes_of(machine, *bytes)?;
            machine.work(bytes.len() / 16)?;
            let digest = u128::from_be_bytes(md5::digest(&bytes));
            let without_marks = digest & !(0xf << 76) & !(0b11 << 62);
            Ok(Some(Uuid(without_marks | 3 << 76 | 0b10 << 62)))
        }
        ("randomUUID", []) => {
            let reason = "UUID.randomUUID() is not available: make one of two longs of a Random with a seed";
            Err(Fault::new(Exception::Unsupported, reason))
        }
        _ => Ok(None),
    }
}

pub fn call(machine: &mut Machine<'_>, own: Uuid, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let of_time = |value: Value, wanted: &str| match own.version() {
        1 => Ok(Some(value)),
        _ => Err(Fault::new(Exception::Unsupported, wanted)),
    };
    match (name, arguments) {
        ("getMostSignificantBits", []) => Ok(Some(Value::Long(own.most()))),
        ("getLeastSignificantBits", []) => Ok(Some(Value::Long(own.least()))),
        ("version", []) => Ok(Some(Value::Int(own.version()))),
        ("variant", []) => Ok(Some(Value::Int(own.variant()))),
        ("timestamp", []) => {
            let most = own.most();
            let time = (most & 0xfff) << 48 | (most >> 16 & 0xffff) << 32 | (most as u64 >> 32) as i64;
            of_time(Value::Long(time), "Not a time-based UUID")
        }
        ("clockSequence", []) => {
            of_time(Value::Int((own.least() as u64 >> 48 & 0x3fff) as i32), "Not a time-based UUID")
        }
        ("node", []) => of_time(Value::Long(own.least() & 0xffff_ffff_ffff), "Not a time-based UUID"),
        ("compareTo", [other]) => {
            let other = uuid_of(machine, *other)?;
            // Java compares both halves as signed numbers.
            let order = (own.most(), own.least()).cmp(&(other.most(), other.least()));
            Ok(Some(Value::Int(order as i32)))
        }
        _ => Ok(None),
    }
}

fn uuid_of(machine: &Machine<'_>, value: Value) -> Res<Uuid> {
    if let Value::Ref(place) = value
        && let Object::Library(library) = machine.state.heap.get(place)
        && let super::Library::Uuid(uuid) = &**library
    {
        return Ok(*uuid);
    }
    Err(Fault::class_cast(format!("Cannot cast from [{}] to [java.util.UUID].", machine.class_of(value))))
}
