//! What is shown of publish and take, by every history that the memory model allows up to the bounds of `loom`: `npm run check:memory-model`.
//!
//! An owner writes, makes views and shows them in the order in which the engine does it (`Shard::refresh`, `build_segment`, `take_built`); others
//! read beside it. Each promise has a test that breaks it on purpose: the checker must find the history that shows the fault.

use super::latest::{Latest, Newest};
use super::open_copies::OpenCopies;
use super::touched::{Touched, place_of};
use super::touched_ids::TouchedIds;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread::{self, JoinHandle};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Ids that have bits of their own: an id that is taken for another hides what is missed.
static IDS: LazyLock<Vec<[u8; 4]>> = LazyLock::new(|| {
    let mut ids: Vec<[u8; 4]> = Vec::new();
    for id in (0..u32::MAX).map(u32::to_le_bytes) {
        if ids.iter().all(|other| place_of(other) != place_of(&id)) {
            ids.push(id);
        }
        if ids.len() == 4 {
            break;
        }
    }
    ids
});

/// How many writes a view has. The cell tells the checker of a reader who sees a view before it was made.
struct View(UnsafeCell<usize>);

impl View {
    fn of(writes: usize) -> Self {
        View(UnsafeCell::new(writes))
    }

    fn writes(&self) -> usize {
        // SAFETY: nobody writes it after it was made.
        self.0.with(|writes| unsafe { *writes })
    }
}

// SAFETY: nobody writes it after it was made, and the checker watches that.
unsafe impl Sync for View {}

type Copy = Latest<View>;

/// The shard as its owner has it, and what clients were told.
struct Owner {
    latest: Arc<Copy>,
    touched: TouchedIds,
    written: usize,
    acknowledged: Arc<AtomicUsize>,
}

impl Owner {
    fn new() -> Self {
        let touched = TouchedIds::default();
        let latest = Arc::new(Latest::new(View::of(0), Some(touched.since_view())));
        Owner { latest, touched, written: 0, acknowledged: Arc::new(AtomicUsize::new(0)) }
    }

    fn note(&mut self) {
        self.touched.note(&IDS[self.written]);
        self.written += 1;
    }

    /// Whoever learns of it began after it.
    fn acknowledge(&self, writes: usize) {
        self.acknowledged.store(writes, Ordering::Release);
    }

    fn write(&mut self) {
        self.note();
        self.acknowledge(self.written);
    }

    /// A reader of documents by their ids: what was acknowledged is in the view, or the reader is sent to the owner.
    fn reader(&self, reads: usize) -> JoinHandle<()> {
        let (latest, acknowledged) = (Arc::clone(&self.latest), Arc::clone(&self.acknowledged));
        thread::spawn(move || {
            let mut last = 0;
            for _ in 0..reads {
                let told = acknowledged.load(Ordering::Acquire);
                let seen = latest.read(|newest| {
                    (0..told).for_each(|write| assert!(knows(newest, write), "a write was missed"));
                    Some(newest.view.writes())
                });
                let seen = seen.expect("nobody closed the copy");
                assert!(seen >= last, "a view came back");
                last = seen;
            }
        })
    }
}

fn knows(newest: &Newest<View>, write: usize) -> bool {
    write < newest.view.writes() || !newest.is_newest_of(&IDS[write])
}

fn check(model: impl Fn() + Sync + Send + 'static) {
    LazyLock::force(&IDS);
    loom::model(model);
}

#[test]
fn a_write_is_in_the_view_or_the_reader_is_told() {
    check(|| {
        let mut owner = Owner::new();
        let reader = owner.reader(2);
        owner.write();
        owner.touched.show_all(&owner.latest, View::of(1));
        owner.write();
        reader.join().unwrap();
    });
}

#[test]
fn readers_do_not_keep_each_other_from_seeing_a_write() {
    check(|| {
        let mut owner = Owner::new();
        let readers = [owner.reader(1), owner.reader(1)];
        owner.write();
        owner.touched.show_all(&owner.latest, View::of(1));
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

#[test]
fn a_write_beside_the_making_of_a_segment_is_not_missed() {
    check(|| {
        let mut owner = Owner::new();
        let reader = owner.reader(2);
        owner.write();
        owner.touched.freeze();
        owner.write();
        owner.touched.show_frozen(&owner.latest, View::of(1));
        owner.write();
        owner.touched.show_all(&owner.latest, View::of(3));
        reader.join().unwrap();
    });
}

#[test]
fn a_change_of_the_mapping_beside_the_making_of_a_segment_hides_no_write() {
    check(|| {
        let mut owner = Owner::new();
        owner.touched.freeze();
        let reader = owner.reader(1);
        owner.write();
        owner.touched.show_again(&owner.latest, View::of(0));
        owner.touched.show_frozen(&owner.latest, View::of(0));
        reader.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "a write was missed")]
fn a_note_after_the_acknowledgement_is_found() {
    check(|| {
        let mut owner = Owner::new();
        let reader = owner.reader(1);
        owner.acknowledge(1);
        owner.note();
        reader.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "a write was missed")]
fn a_part_that_begins_after_a_write_that_the_view_lacks_is_found() {
    check(|| {
        let mut owner = Owner::new();
        let reader = owner.reader(1);
        let view = View::of(0);
        owner.write();
        owner.touched.show_all(&owner.latest, view);
        reader.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "a write was missed")]
fn a_part_that_does_not_follow_is_found() {
    check(|| {
        let mut owner = Owner::new();
        let reader = owner.reader(1);
        owner.touched.newest = Some(Arc::<Touched>::default());
        owner.write();
        owner.touched.show_frozen(&owner.latest, View::of(0));
        reader.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "a write was missed")]
fn an_acknowledgement_that_orders_nothing_is_found() {
    check(|| {
        let mut owner = Owner::new();
        let reader = owner.reader(1);
        owner.note();
        owner.acknowledged.store(1, Ordering::Relaxed);
        reader.join().unwrap();
    });
}

/// The owner of an idle copy catches up by a view of one write and tells of it, in one order or the other; others search meanwhile.
fn catches_up(catch_up: fn(&Owner)) {
    check(move || {
        let mut owner = Owner::new();
        owner.latest.set_idle(true);
        owner.write();
        let (latest, acknowledged) = (Arc::clone(&owner.latest), Arc::clone(&owner.acknowledged));
        let searching = thread::spawn(move || {
            let told = acknowledged.load(Ordering::Acquire);
            let Some(view) = latest.take() else { return };
            assert!(view.writes() >= told, "an old view of an idle copy was searched");
        });
        catch_up(&owner);
        searching.join().unwrap();
    });
}

#[test]
fn an_idle_copy_is_searched_only_after_it_has_caught_up() {
    catches_up(|owner| {
        owner.latest.show(View::of(1), Some(owner.touched.since_view()));
        owner.latest.set_idle(false);
    });
}

#[test]
#[should_panic(expected = "an old view of an idle copy was searched")]
fn an_idle_copy_that_tells_too_soon_is_found() {
    catches_up(|owner| {
        owner.latest.set_idle(false);
        owner.latest.show(View::of(1), Some(owner.touched.since_view()));
    });
}

/// Two looks of the owner, and a search beside them: `look` is how the owner looks.
fn is_noticed(look: fn(&Copy) -> bool) {
    check(move || {
        let owner = Owner::new();
        // A search before all looks left its mark.
        drop(owner.latest.take());
        let looks = Arc::new(AtomicUsize::new(0));
        let searching = {
            let (latest, looks) = (Arc::clone(&owner.latest), Arc::clone(&looks));
            thread::spawn(move || {
                let looks_before = looks.load(Ordering::Acquire);
                (latest.take().is_some(), looks_before)
            })
        };
        let first = look(&owner.latest);
        looks.store(1, Ordering::Release);
        owner.latest.set_idle(!first);
        let second = look(&owner.latest);
        looks.store(2, Ordering::Release);
        let (has_searched, looks_before) = searching.join().unwrap();
        let last = look(&owner.latest);
        let is_seen = [first, second, last].iter().skip(looks_before).any(|&seen| seen);
        assert!(is_seen || !has_searched, "a search was not noticed");
    });
}

#[test]
fn a_search_is_noticed_by_a_look_that_did_not_end_before_it() {
    is_noticed(Latest::take_searched);
}

#[test]
#[should_panic(expected = "a search was not noticed")]
fn a_look_in_two_steps_is_found() {
    is_noticed(|latest| {
        let was_searched = latest.was_searched.load(Ordering::Relaxed);
        latest.was_searched.store(false, Ordering::Relaxed);
        was_searched
    });
}

#[test]
fn a_search_that_began_after_the_copy_was_idle_asks_its_owner() {
    check(|| {
        let mut owner = Owner::new();
        let (latest, acknowledged) = (Arc::clone(&owner.latest), Arc::clone(&owner.acknowledged));
        let searching = thread::spawn(move || {
            let told = acknowledged.load(Ordering::Acquire);
            assert!(told == 0 || latest.take().is_none(), "the owner would not refresh for it");
        });
        owner.latest.set_idle(true);
        owner.write();
        searching.join().unwrap();
    });
}

const DIRECTORY: &str = "/data/0";

#[test]
fn nobody_takes_a_view_after_the_end() {
    check(|| {
        let owner = Owner::new();
        let has_ended = Arc::clone(&owner.acknowledged);
        let latest = Arc::clone(&owner.latest);
        let taking = thread::spawn(move || {
            let has_ended = has_ended.load(Ordering::Acquire) == 1;
            let taken = latest.take();
            // One that was taken before stays whole.
            assert!(taken.is_none_or(|view| view.writes() == 0 && !has_ended), "a closed copy was searched");
            assert!(!has_ended || latest.newest().is_none(), "a closed copy has a view");
        });
        owner.latest.end();
        owner.acknowledge(1);
        taking.join().unwrap();
        assert!(owner.latest.take().is_none() && owner.latest.newest().is_none());
    });
}

#[test]
fn who_looks_after_a_copy_was_opened_finds_it_and_none_before_it() {
    check(|| {
        let open = Arc::new(OpenCopies::<Copy>::default());
        let opened = Arc::new(AtomicUsize::new(0));
        let finding = {
            let (open, opened) = (Arc::clone(&open), Arc::clone(&opened));
            thread::spawn(move || {
                let opened = opened.load(Ordering::Acquire);
                let taken = open.find(Path::new(DIRECTORY)).and_then(|copy| copy.newest());
                match taken {
                    Some(view) => assert!(view.writes() >= opened, "a copy before it was found"),
                    None => assert!(opened < 2, "an open copy was not found"),
                }
            })
        };
        // The same directory, closed and opened anew: the view tells which.
        let first = Arc::new(Latest::new(View::of(1), None));
        open.register(Path::new(DIRECTORY), &first);
        opened.store(1, Ordering::Release);
        first.end();
        drop(first);
        let second = Arc::new(Latest::new(View::of(2), None));
        open.register(Path::new(DIRECTORY), &second);
        opened.store(2, Ordering::Release);
        finding.join().unwrap();
        second.end();
    });
}
