//! `min_hash`: the least hashes of a text's tokens, by which texts that share most of them are found.

use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;
use quarry_base::murmur3_128::murmur3_128;
use std::collections::BTreeSet;

/// Hashes that one text may become.
const HASHES_MAX: usize = 1 << 16;
/// Hashes that are made of all tokens of one text, each by every function.
const HASHED_MAX: usize = 1 << 26;

/// Halves of a hash of 128 bits, the higher first.
type Hash = (u64, u64);

#[derive(Debug)]
pub struct MinHash {
    hash_count: usize,
    bucket_count: usize,
    /// The least of a bucket that are kept.
    hash_set_size: usize,
    /// A bucket without a hash takes that of the next one that has some.
    with_rotation: bool,
    /// What tells the hash functions apart.
    seeds: Vec<Hash>,
}

impl MinHash {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let count = |key: &'static str, name: &str, default: i64| -> Result<usize> {
            let number = params.number(key, default)?;
            let positive = usize::try_from(number).ok().filter(|&number| number > 0);
            positive.ok_or_else(|| wrong(format!("{name} must be greater than zero")))
        };
        let hash_count = count("hash_count", "hashCount", 1)?;
        let bucket_count = count("bucket_count", "bucketCount", 512)?;
        let hash_set_size = count("hash_set_size", "hashSetSize", 1)?;
        let hashes = hash_count.checked_mul(bucket_count).and_then(|buckets| buckets.checked_mul(hash_set_size));
        if hashes.is_none_or(|hashes| hashes > HASHES_MAX) {
            return Err(wrong(format!(
                "filter [{}]: [hash_count], [bucket_count] and [hash_set_size] ask for more than [{HASHES_MAX}] hashes",
                params.name
            )));
        }
        let seed = |number: usize| halves(murmur3_128(&(number as u32).to_be_bytes()));
        Ok(MinHash {
            hash_count,
            bucket_count,
            hash_set_size,
            with_rotation: params.flag("with_rotation", bucket_count > 1)?,
            seeds: (0..hash_count).map(seed).collect(),
        })
    }

    /// The hashes that are kept of one function, by bucket.
    fn buckets(&self, hashes: &[Hash], seed: Hash) -> Vec<BTreeSet<Hash>> {
        let width = (1u64 << 32).div_ceil(self.bucket_count as u64);
        let mut buckets = vec![BTreeSet::new(); self.bucket_count];
        for hash in hashes {
            let combine = |hash: u64, seed: u64| hash.wrapping_mul(37).wrapping_add(seed);
            let hash = (combine(hash.0, seed.0), combine(hash.1, seed.1));
            let bucket = &mut buckets[((hash.0 >> 32) / width) as usize];
            bucket.insert(hash);
            if bucket.len() > self.hash_set_size {
                bucket.pop_last();
            }
        }
        if self.with_rotation && self.hash_set_size == 1 {
            rotate(&mut buckets);
        }
        buckets
    }
}

/// Fills each empty bucket from the next one with a hash, from the first bucket on.
fn rotate(buckets: &mut [BTreeSet<Hash>]) {
    let count = buckets.len();
    // Behind the last bucket the first follows, which has been filled by then.
    let Some(first_filled) = buckets.iter().position(|bucket| !bucket.is_empty()) else { return };
    let mut next = buckets[first_filled].clone();
    for at in (0..count).rev() {
        if buckets[at].is_empty() {
            buckets[at].clone_from(&next);
        } else {
            next.clone_from(&buckets[at]);
        }
    }
}

/// The value of the hash as two halves, the one that orders hashes first.
fn halves(hash: (u64, u64)) -> Hash {
    (hash.1, hash.0)
}

/// A hash as a text of UTF-16 code units: with several functions the number of this one, and 96 bits of the hash.
fn text(hash: Hash, function: Option<usize>) -> String {
    let units = |number: u64| [(number >> 48) as u16, (number >> 32) as u16, (number >> 16) as u16, number as u16];
    let mut text = Vec::with_capacity(8);
    if let Some(function) = function {
        text.extend([(function >> 16) as u16, function as u16]);
    }
    text.extend(units(hash.0));
    text.extend(&units(hash.1)[..if function.is_some() { 2 } else { 4 }]);
    String::from_utf16_lossy(&text)
}

impl StreamFilter for MinHash {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let Some(last) = stream.tokens.last() else { return Ok(()) };
        if stream.tokens.len().saturating_mul(self.hash_count) > HASHED_MAX {
            return Err(wrong(format!(
                "[hash_count] [{}] asks for more than [{HASHED_MAX}] hashes of a text of [{}] tokens",
                self.hash_count,
                stream.tokens.len()
            )));
        }
        let (end_offset, trailing) = (last.end_offset, stream.trailing());
        let hash = |token: &Token| {
            let bytes: Vec<u8> = token.text().encode_utf16().flat_map(u16::to_le_bytes).collect();
            halves(murmur3_128(&bytes))
        };
        let hashes: Vec<Hash> = stream.tokens.iter().map(hash).collect();
        stream.tokens.clear();
        for (number, seed) in self.seeds.iter().enumerate() {
            let function = (self.hash_count > 1).then_some(number);
            let made = self.buckets(&hashes, *seed).into_iter().flatten().map(|hash| Token {
                term: text(hash, function).into_bytes(),
                end_offset,
                kind: "MIN_HASH",
                ..Token::word()
            });
            stream.tokens.extend(made);
        }
        stream.positions = 1 + trailing;
        Ok(())
    }
}
