//! What holds itself is read as deep as results may be, on the stack that kernels have, and no deeper.

use super::{Bucket, Partial, TermKey};
use crate::profile::{AggregationProfile, Breakdown};
use quarry_base::limits::KERNEL_STACK_BYTES;
use quarry_base::wire::{LEVELS_MAX, decode, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// `above`: the same with a level more.
fn is_read_to_the_limit<T: Serialize + DeserializeOwned>(leaf: T, above: impl Fn(T) -> T) {
    let deepest = (1..LEVELS_MAX).fold(leaf, |below, _| above(below));
    let mut bytes = Vec::new();
    encode("a result", &deepest, &mut bytes).unwrap();
    assert!(decode::<T>("a result", &bytes).is_ok());
    bytes.clear();
    encode("a result", &above(deepest), &mut bytes).unwrap();
    assert!(decode::<T>("a result", &bytes).is_err());
}

fn on_the_stack_of_kernels(work: fn()) {
    std::thread::Builder::new().stack_size(KERNEL_STACK_BYTES).spawn(work).unwrap().join().unwrap();
}

#[test]
fn buckets_below_buckets() {
    on_the_stack_of_kernels(|| {
        let level = |aggs| Partial::Single(Bucket { doc_count: 1, aggs });
        is_read_to_the_limit(level(Vec::new()), |below| level(vec![below]));
    });
}

#[test]
fn keys_of_keys() {
    on_the_stack_of_kernels(|| is_read_to_the_limit(TermKey::Tuple(Vec::new()), |below| TermKey::Tuple(vec![below])));
}

#[test]
fn profiles_below_profiles() {
    on_the_stack_of_kernels(|| {
        let level = |children| AggregationProfile {
            kind: "filter".to_owned(),
            name: "below".to_owned(),
            breakdown: Breakdown::default(),
            debug: [("built".to_owned(), 1.into())].into_iter().collect(),
            children,
        };
        is_read_to_the_limit(level(Vec::new()), |below| level(vec![below]));
    });
}
