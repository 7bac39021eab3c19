//! `Random`, with the sequence that Java's documentation prescribes for each seed.

use crate::fault::{Exception, Fault, Res};
use crate::heap::object::Object;
use crate::heap::{Ref, Value};
use crate::run::Machine;

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
/// The state has 48 bits.
const MASK: u64 = (1 << 48) - 1;

/// A linear congruential generator.
#[derive(Debug, Clone, Copy)]
pub struct Random {
    state: u64,
    /// Normally distributed numbers are made in pairs: the second one, until it is asked for.
    second_gaussian: Option<f64>,
}

impl Random {
    /// `Unsupported` without a seed.
    pub fn new(machine: &Machine<'_>, arguments: &[Value]) -> Res<Self> {
        let seed = arguments
            .first()
            .ok_or_else(|| Fault::new(Exception::Unsupported, "a Random without a seed is not available: pass one"))?;
        Ok(Random::of_seed(machine.long_of(*seed)?))
    }

    fn of_seed(seed: i64) -> Self {
        Random { state: (seed as u64 ^ MULTIPLIER) & MASK, second_gaussian: None }
    }

    /// The high bits of the next state, at most 32, as a signed number.
    fn next(&mut self, bits: u32) -> i32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        (self.state >> (48 - bits)) as i32
    }

    /// Below `bound`, which is positive.
    fn next_below(&mut self, bound: i32) -> i32 {
        let mut bits = self.next(31);
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(bits)) >> 31) as i32;
        }
        loop {
            let number = bits % bound;
            // Numbers of the last stretch, which has not all remainders, are not taken.
            if bits.checked_sub(number).and_then(|begin| begin.checked_add(bound - 1)).is_some() {
                return number;
            }
            bits = self.next(31);
        }
    }

    fn next_long(&mut self) -> i64 {
        let high = i64::from(self.next(32)) << 32;
        high.wrapping_add(self.next(32).into())
    }

    fn next_double(&mut self) -> f64 {
        let high = i64::from(self.next(26)) << 27;
        (high + i64::from(self.next(27))) as f64 / (1u64 << 53) as f64
    }

    fn next_float(&mut self) -> f32 {
        self.next(24) as f32 / (1 << 24) as f32
    }

    /// By the polar method of Marsaglia.
    fn next_gaussian(&mut self) -> f64 {
        if let Some(number) = self.second_gaussian.take() {
            return number;
        }
        loop {
            let (x, y) = (2.0 * self.next_double() - 1.0, 2.0 * self.next_double() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.second_gaussian = Some(y * scale);
                return x * scale;
            }
        }
    }
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let number = match arguments {
        [] => None,
        [number] if name == "setSeed" => Some(machine.long_of(*number)?),
        [number] if name == "nextInt" => match machine.int_of(*number)? {
            bound if bound > 0 => Some(bound.into()),
            _ => return Err(Fault::new(Exception::IllegalArgument, "bound must be positive")),
        },
        _ => return Ok(None),
    };
    let Object::Library(library) = machine.state.heap.get_mut(place) else { return Ok(None) };
    let super::Library::Random(own) = &mut **library else { return Ok(None) };
    Ok(Some(match (name, number) {
        ("nextInt", None) => Value::Int(own.next(32)),
        ("nextInt", Some(bound)) => Value::Int(own.next_below(bound as i32)),
        ("nextLong", None) => Value::Long(own.next_long()),
        ("nextBoolean", None) => Value::Bool(own.next(1) != 0),
        ("nextDouble", None) => Value::Double(own.next_double()),
        ("nextFloat", None) => Value::Float(own.next_float()),
        ("nextGaussian", None) => Value::Double(own.next_gaussian()),
        ("setSeed", Some(seed)) => {
            *own = Random::of_seed(seed);
            Value::Null
        }
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_as_likely_as_each_other() {
        let mut random = Random::of_seed(7);
        for bound in [1, 2, 3, 10, 1 << 30, (1 << 30) + 1, i32::MAX] {
            let numbers: Vec<i32> = (0..4_000).map(|_| random.next_below(bound)).collect();
            assert!(numbers.iter().all(|number| (0..bound).contains(number)), "{bound}");
            let mean = numbers.iter().map(|&number| f64::from(number)).sum::<f64>() / 4_000.0;
            assert!((mean - f64::from(bound - 1) / 2.0).abs() <= f64::from(bound) * 0.03, "{bound} {mean}");
        }
    }
}
