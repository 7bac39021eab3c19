//! `bucket_sort`: another order of the buckets, and a page of them.

use super::input;
use crate::buckets::keys;
use crate::partial::Partial;
use crate::plan::{Aggregation, BucketSort, BucketSortKey};
use quarry_base::error::Result;
use std::cmp::Ordering;

/// Places of the buckets that remain, in their new order.
pub fn places(of: &BucketSort, plan: &Aggregation, partial: &Partial) -> Result<Vec<usize>> {
    let count = partial.buckets().len();
    let columns = of.sort.iter().map(|key| Column::new(of, key, plan, partial)).collect::<Result<Vec<_>>>()?;
    let mut places: Vec<usize> = (0..count).collect();
    if !columns.is_empty() {
        // A bucket that has none of the values has no place in the order.
        places.retain(|&place| columns.iter().any(|column| column.has(place)));
        places.sort_by(|&a, &b| {
            let compared = columns.iter().map(|column| column.compare(a, b));
            compared.fold(Ordering::Equal, Ordering::then)
        });
    }
    let size = of.size.map_or(usize::MAX, |size| size as usize);
    Ok(places.into_iter().skip(of.from as usize).take(size).collect())
}

/// What one key of the order compares, bucket by bucket.
struct Column {
    values: Values,
    ascending: bool,
}

enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Column {
    fn new(of: &BucketSort, key: &BucketSortKey, plan: &Aggregation, partial: &Partial) -> Result<Self> {
        let is_key = matches!(key.path.as_slice(), [only] if only == "_key");
        let values = if is_key {
            let numbers = keys::numbers(plan, partial);
            if numbers.is_empty() { Values::Texts(keys::texts(plan, partial)?) } else { Values::Numbers(numbers) }
        } else {
            let values = input::values_at(&key.path, of.gaps, plan, partial)?;
            Values::Numbers(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
        };
        Ok(Column { values, ascending: key.ascending })
    }

    fn has(&self, place: usize) -> bool {
        match &self.values {
            Values::Numbers(numbers) => numbers.get(place).is_some_and(|number| !number.is_nan()),
            Values::Texts(texts) => place < texts.len(),
        }
    }

    /// Buckets without a value come last, whichever way the order goes.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        match (self.has(a), self.has(b)) {
            (true, true) => {}
            (has_a, has_b) => return has_b.cmp(&has_a),
        }
        let compared = match &self.values {
            Values::Numbers(numbers) => numbers[a].total_cmp(&numbers[b]),
            Values::Texts(texts) => texts[a].cmp(&texts[b]),
        };
        if self.ascending { compared } else { compared.reverse() }
    }
}
