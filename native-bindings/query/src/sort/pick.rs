//! The one value of several by which a document sorts.

use quarry_codec::sortable;
use quarry_mapping::format::ValueType;
use quarry_plan::request::SortMode;

/// The value of several (ascending, in sortable form) that the mode compares; `None` without values.
///
/// Sums of whole numbers wrap around as 64-bit integers do, and means of them round half up, as the reference has it.
pub(super) fn pick_number(values: &[i64], mode: SortMode, value_type: ValueType) -> Option<i64> {
    let last = *values.last()?;
    if values.len() == 1 {
        return Some(last);
    }
    match mode {
        SortMode::Min => values.first().copied(),
        SortMode::Max => Some(last),
        SortMode::Sum => Some(mean(values, 1, value_type)),
        SortMode::Avg => Some(mean(values, values.len() as u64, value_type)),
        SortMode::Median => {
            let middle = values.len() / 2;
            if values.len() % 2 == 1 {
                return Some(values[middle]);
            }
            Some(mean(&values[middle - 1..=middle], 2, value_type))
        }
    }
}

/// The sum of the values divided by `count`.
fn mean(values: &[i64], count: u64, value_type: ValueType) -> i64 {
    match value_type {
        ValueType::Double => {
            let sum: f64 = values.iter().map(|&value| sortable::to_f64(value)).sum();
            sortable::from_f64(sum / count as f64)
        }
        ValueType::Float => {
            let sum: f64 = values.iter().map(|&value| f64::from(sortable::to_f32(value))).sum();
            sortable::from_f32((sum / count as f64) as f32)
        }
        ValueType::UnsignedLong => {
            let sum = values.iter().fold(0u64, |sum, &value| sum.wrapping_add(sortable::to_u64(value)));
            let (quotient, rest) = (sum / count, sum % count);
            sortable::from_u64(quotient + u64::from(rest * 2 >= count))
        }
        _ => {
            let sum = values.iter().fold(0i64, |sum, &value| sum.wrapping_add(value));
            if count == 1 { sum } else { (sum as f64 / count as f64 + 0.5).floor() as i64 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsigned(values: &[u64], mode: SortMode) -> u64 {
        let mut column: Vec<i64> = values.iter().map(|&value| sortable::from_u64(value)).collect();
        column.sort_unstable();
        sortable::to_u64(pick_number(&column, mode, ValueType::UnsignedLong).unwrap())
    }

    #[test]
    fn unsigned_sums_wrap_and_means_round_half_up() {
        let large = 13_835_058_055_282_163_712;
        assert_eq!(unsigned(&[large + 1, large + 2], SortMode::Sum), 9_223_372_036_854_775_811);
        assert_eq!(unsigned(&[large + 1, large + 2], SortMode::Median), 4_611_686_018_427_387_906);
        assert_eq!(unsigned(&[large + 5, large + 6, large + 7], SortMode::Avg), 1_537_228_672_809_129_307);
        assert_eq!(unsigned(&[large + 3, large + 4, 2], SortMode::Avg), 3_074_457_345_618_258_606);
        assert_eq!(unsigned(&[large + 3, large + 4, 2], SortMode::Median), large + 3);
    }

    #[test]
    fn long_sums_are_exact() {
        let large = (1 << 53) + 1;
        assert_eq!(pick_number(&[large, large], SortMode::Sum, ValueType::Long), Some(2 * large));
        assert_eq!(pick_number(&[i64::MAX, i64::MAX], SortMode::Sum, ValueType::Long), Some(-2));
    }

    #[test]
    fn means_of_signed_numbers_round_half_up() {
        assert_eq!(pick_number(&[-2, -1], SortMode::Avg, ValueType::Long), Some(-1));
        assert_eq!(pick_number(&[1, 2], SortMode::Median, ValueType::Long), Some(2));
    }

    #[test]
    fn real_numbers_do_not_round() {
        let column = [1.0, 2.5].map(sortable::from_f64);
        let mean = pick_number(&column, SortMode::Avg, ValueType::Double).unwrap();
        assert_eq!(sortable::to_f64(mean), 1.75);
    }

    #[test]
    fn a_document_without_values_has_none() {
        assert_eq!(pick_number(&[], SortMode::Sum, ValueType::Long), None);
    }
}
