//! Work that finds all regions of the cache held.

use super::{Fixture, PAGE, patiently};
use crate::cache::shared;
use crate::file::named_in;
use crate::reading::{Patience, in_turn, reading};
use quarry_base::error::ErrorCode;
use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, Barrier};

fn page(number: usize) -> Range<usize> {
    number * PAGE..(number + 1) * PAGE
}

fn refused() -> u64 {
    shared().unwrap().figures().refused
}

#[test]
fn who_may_not_wait_leaves_it_to_others() {
    let fixture = Fixture::new(20 * PAGE, PAGE, 3, PAGE);
    let file = fixture.file();
    let ask = || reading(&Patience::Never, || Ok(file.bytes(page(9))[0]));
    patiently(|| {
        file.bytes(0..3 * PAGE);
        let error = std::thread::scope(|scope| scope.spawn(ask).join()).unwrap().unwrap_err();
        assert_eq!(error.code, ErrorCode::BlocksAbsent);
        assert_eq!(named_in(&error.reason).unwrap(), (file.path(), page(9)));
        Ok(())
    })
    .unwrap();
    patiently(|| file.hold(&page(9))).unwrap();
    assert_eq!((ask().unwrap(), refused()), (fixture.contents[9 * PAGE], 0));
}

#[test]
fn who_holds_nothing_waits_for_longer_than_others_may_hold() {
    let fixture = Fixture::new(20 * PAGE, PAGE, 3, PAGE);
    let file = fixture.file();
    std::thread::scope(|scope| {
        let reader = patiently(|| {
            file.bytes(0..3 * PAGE);
            let reader = scope.spawn(|| fixture.read(page(7)));
            std::thread::sleep(std::time::Duration::from_millis(1_500));
            Ok(reader)
        });
        assert_eq!(reader.unwrap().join().unwrap().unwrap(), &fixture.contents[page(7)]);
    });
    assert_eq!(refused(), 0);
}

#[test]
fn those_who_hold_what_others_wait_for_are_done_one_after_the_other() {
    let fixture = Fixture::new(20 * PAGE, PAGE, 4, PAGE);
    let both_hold = Barrier::new(2);
    std::thread::scope(|scope| {
        for first in [0, 10] {
            let (file, contents, both_hold) = (fixture.file(), &fixture.contents, &both_hold);
            scope.spawn(move || {
                let is_first = Cell::new(true);
                let read = || {
                    let held = file.bytes(first * PAGE..(first + 2) * PAGE);
                    if is_first.replace(false) {
                        both_hold.wait();
                    }
                    // Neither has room for it as long as both hold what they have.
                    let more = file.bytes(page(first + 5));
                    assert_eq!((held[0], more[0]), (contents[first * PAGE], contents[(first + 5) * PAGE]));
                    Ok(())
                };
                patiently(|| in_turn(read)).unwrap();
            });
        }
    });
    assert_eq!(refused(), 0);
}

#[test]
fn many_with_less_room_than_each_needs_all_get_it() {
    let fixture = Fixture::new(60 * PAGE, PAGE, 4, PAGE);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (file, contents) = (fixture.file(), &fixture.contents);
            scope.spawn(move || {
                for round in 0..20 {
                    let pages = [0, 7, 19].map(|step| (thread * 11 + round * 5 + step) % 60);
                    let read = || Ok(pages.map(|number| file.bytes(page(number))[17]));
                    assert_eq!(patiently(|| in_turn(read)).unwrap(), pages.map(|number| contents[number * PAGE + 17]));
                }
            });
        }
    });
    assert_eq!(refused(), 0);
}

#[test]
fn what_needs_all_and_more_is_refused_at_once_and_counted_once() {
    let fixture = Fixture::new(20 * PAGE, PAGE, 3, PAGE);
    let file = fixture.file();
    let tries = Cell::new(0);
    let read = || {
        tries.set(tries.get() + 1);
        Ok(file.bytes(0..4 * PAGE).len())
    };
    let error = patiently(|| in_turn(read)).unwrap_err();
    assert_eq!((error.code, tries.get(), refused()), (ErrorCode::CircuitBreaking, 2, 1));
    let alone = reading(&Patience::Never, || Ok(file.bytes(0..4 * PAGE).len())).unwrap_err();
    assert!(matches!(alone.code, ErrorCode::BlocksAbsent | ErrorCode::CircuitBreaking));
    assert_eq!(fixture.read(page(8)).unwrap(), &fixture.contents[page(8)]);
}

#[test]
fn a_raised_flag_ends_the_wait_for_a_turn() {
    let fixture = Fixture::new(20 * PAGE, PAGE, 3, PAGE);
    let (file, flag) = (fixture.file(), Arc::<std::sync::atomic::AtomicBool>::default());
    let cache = shared().unwrap();
    patiently(|| {
        let turn = cache.turn(std::time::Duration::ZERO, || Ok(()))?;
        assert!(turn.is_some());
        let waiting = std::thread::scope(|scope| {
            let reader =
                scope.spawn(|| reading(&Patience::Until(Arc::clone(&flag)), || in_turn(|| Ok(file.bytes(page(1))[0]))));
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
            reader.join().unwrap()
        });
        assert_eq!(waiting.unwrap_err().code, ErrorCode::TaskCancelled);
        drop(turn);
        Ok(())
    })
    .unwrap();
    assert_eq!(fixture.read(page(1)).unwrap(), &fixture.contents[page(1)]);
}
