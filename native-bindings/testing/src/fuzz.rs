//! Inputs made by chance, as many as there is time for: tests of what reads bytes that others made.
//!
//! `QUARRY_FUZZ_INPUTS` says how many inputs are tried, `QUARRY_FUZZ_SEED` and `QUARRY_FUZZ_FROM` which: an input that fails is told
//! with the numbers that make it again.

use crate::Dice;
use std::time::{Duration, Instant};

/// Where nobody says how many inputs are tried.
const USUAL: Duration = Duration::from_secs(8);
/// An input that takes longer is taken for one that hangs.
const INPUT_MAX: Duration = Duration::from_secs(60);
/// Fewer inputs do not tell whether memory grows.
const JUDGED_INPUTS_MIN: u64 = 1_000_000;
const GROWTH_BYTES_MAX: u64 = 64 << 20;
/// Of the kernel's pages.
const PAGE_BYTES: u64 = 4096;

/// Tries one input after the other. `one` panics where something is wrong with what an input does.
pub fn fuzz(what: &str, mut one: impl FnMut(&mut Dice)) {
    let inputs = given("QUARRY_FUZZ_INPUTS");
    let seed = given("QUARRY_FUZZ_SEED").unwrap_or(1);
    let from = given("QUARRY_FUZZ_FROM").unwrap_or(0);
    let started = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut warm_bytes = 0;
    let mut done = 0;
    while inputs.map_or(started.elapsed() < USUAL, |inputs| done < inputs) {
        let place = Place { what, seed, number: from + done };
        let before = Instant::now();
        one(&mut Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(place.number)));
        let took = before.elapsed();
        assert!(took < INPUT_MAX, "an input took {took:?}");
        slowest = slowest.max(took);
        done += 1;
        if done == inputs.unwrap_or(0) / 4 {
            warm_bytes = resident_bytes();
        }
    }
    let seconds = started.elapsed().as_secs();
    println!("{what}: {done} inputs in {seconds} s, seed {seed} from {from}, the slowest took {slowest:?}");
    if inputs.is_some_and(|inputs| inputs >= JUDGED_INPUTS_MIN) {
        let growth = resident_bytes().saturating_sub(warm_bytes);
        println!("{what}: memory grew by {growth} bytes over the last three quarters");
        assert!(growth < GROWTH_BYTES_MAX, "memory grew by {growth} bytes");
    }
}

fn given(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("[{name}] is no number: [{text}]")))
}

/// Of this process; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * PAGE_BYTES
}

/// Which input is tried: told where it panics.
struct Place<'a> {
    what: &'a str,
    seed: u64,
    number: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Place { what, seed, number } = self;
            eprintln!("{what}: QUARRY_FUZZ_SEED={seed} QUARRY_FUZZ_FROM={number} QUARRY_FUZZ_INPUTS=1");
        }
    }
}

/// One of these.
pub fn pick<'a, T>(dice: &mut Dice, choices: &'a [T]) -> &'a T {
    &choices[dice.below(choices.len() as u64) as usize]
}

/// Where counts, lengths and offsets go wrong.
const EDGES: &[u64] = &[
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x100,
    0xfff,
    0x1000,
    0x7fff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// Changes one to four places; the length stays.
pub fn overwrite(dice: &mut Dice, bytes: &mut [u8]) {
    for _ in 0..=dice.below(4) {
        overwrite_once(dice, bytes);
    }
}

fn overwrite_once(dice: &mut Dice, bytes: &mut [u8]) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    let at = dice.below(length as u64) as usize;
    let width = |most: usize| most.min(length - at);
    match dice.below(6) {
        0 => bytes[at] ^= 1 << dice.below(8),
        1 => bytes[at] = dice.below(256) as u8,
        2 => {
            let width = width(4);
            bytes[at..at + width].copy_from_slice(&pick(dice, EDGES).to_le_bytes()[..width]);
        }
        3 => {
            let width = width(8);
            bytes[at..at + width].copy_from_slice(&pick(dice, EDGES).to_le_bytes()[..width]);
        }
        4 => {
            let width = width(1 + dice.below(64) as usize);
            bytes[at..at + width].fill(*pick(dice, &[0, 0xff, 0x80, 1]));
        }
        _ => {
            let from = dice.below(length as u64) as usize;
            let width = width(1 + dice.below(64) as usize).min(length - from);
            bytes.copy_within(from..from + width, at);
        }
    }
}

/// Changes one to six places of a text, whose length may change; `pieces` are put in now and then.
pub fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, pieces: &[&str]) {
    for _ in 0..=dice.below(6) {
        let at = dice.below(bytes.len() as u64 + 1) as usize;
        let end = at + (dice.below(12) as usize).min(bytes.len() - at);
        match dice.below(7) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            3 | 4 => drop(bytes.splice(at..at, pick(dice, pieces).bytes())),
            5 => drop(bytes.splice(at..end, pick(dice, pieces).bytes())),
            _ => overwrite_once(dice, bytes),
        }
    }
}
