//! Plans of searches that came before in the same bytes, as they were read: reading one takes longer than a small search does. Of each thread.

use super::from_json;
use super::request::SearchPlan;
use quarry_base::cache_statistics::CacheStatistics;
use quarry_base::error::Result;
use rapidhash::v3::rapidhash_v3;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Plans of a thread.
const PLANS_MAX: usize = 64;
/// What is read takes some times the bytes of a plan: all that a thread keeps is less than 4 MiB, and some 100 KiB commonly.
const PLAN_BYTES_MAX: usize = 2 << 10;

/// Of all threads: plans that were read, that were there already, that went for others, and the bytes that those that are kept were read from.
static BUILT: AtomicU64 = AtomicU64::new(0);
static HITS: AtomicU64 = AtomicU64::new(0);
static EVICTIONS: AtomicU64 = AtomicU64::new(0);
static KEPT_BYTES: AtomicU64 = AtomicU64::new(0);

pub fn statistics() -> CacheStatistics {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    CacheStatistics {
        built: read(&BUILT),
        hits: read(&HITS),
        evictions: read(&EVICTIONS),
        memory_size_in_bytes: read(&KEPT_BYTES),
    }
}

thread_local! {
    static KEPT: RefCell<KeptPlans> = RefCell::default();
}

/// The plan of these bytes: all phases of a search read theirs here.
pub fn search_plan(json: &[u8]) -> Result<Rc<SearchPlan>> {
    if json.len() > PLAN_BYTES_MAX {
        return from_json(json).map(Rc::new);
    }
    KEPT.with_borrow_mut(|kept| kept.get(json))
}

#[derive(Default)]
struct KeptPlans {
    /// By what the bytes hash to.
    places: Vec<Place>,
}

#[derive(Default)]
struct Place {
    /// Of the plan that was read last.
    hash: u64,
    /// One that was read twice without another in between: most plans hold a moment, and never come again.
    kept: Option<(Box<[u8]>, Rc<SearchPlan>)>,
}

impl KeptPlans {
    fn get(&mut self, json: &[u8]) -> Result<Rc<SearchPlan>> {
        self.places.resize_with(PLANS_MAX, Place::default);
        let hash = rapidhash_v3(json);
        let place = &mut self.places[hash as usize % PLANS_MAX];
        if let Some((_, plan)) = place.kept.as_ref().filter(|(bytes, _)| **bytes == *json) {
            HITS.fetch_add(1, Ordering::Relaxed);
            return Ok(Rc::clone(plan));
        }
        let plan = Rc::new(from_json(json)?);
        BUILT.fetch_add(1, Ordering::Relaxed);
        if std::mem::replace(&mut place.hash, hash) == hash {
            KEPT_BYTES.fetch_add(json.len() as u64, Ordering::Relaxed);
            if let Some((bytes, _)) = place.kept.replace((json.into(), Rc::clone(&plan))) {
                EVICTIONS.fetch_add(1, Ordering::Relaxed);
                forget(&bytes);
            }
        }
        Ok(plan)
    }
}

fn forget(bytes: &[u8]) {
    KEPT_BYTES.fetch_sub(bytes.len() as u64, Ordering::Relaxed);
}

/// A thread ends.
impl Drop for KeptPlans {
    fn drop(&mut self) {
        self.places.iter().filter_map(|place| place.kept.as_ref()).for_each(|(bytes, _)| forget(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(size: usize) -> Vec<u8> {
        format!(r#"{{"query":{{"match_all":{{}}}},"size":{size},"track_total_hits":"disabled","now_ms":0,"fetch":{{"source":{{"enabled":true,"includes":[],"excludes":[]}}}}}}"#).into()
    }

    #[test]
    fn are_read_once_where_they_come_again() {
        let mut kept = KeptPlans::default();
        let plans: Vec<_> = (0..4).map(|_| kept.get(&json(3)).unwrap()).collect();
        assert!(!Rc::ptr_eq(&plans[0], &plans[1]));
        assert!(Rc::ptr_eq(&plans[1], &plans[2]) && Rc::ptr_eq(&plans[2], &plans[3]));
        assert_eq!(*plans[0], *plans[3]);
    }

    #[test]
    fn are_counted() {
        let before = statistics();
        let mut kept = KeptPlans::default();
        (0..5).for_each(|_| drop(kept.get(&json(11)).unwrap()));
        let after = statistics();
        assert!(after.built >= before.built + 2 && after.hits >= before.hits + 3);
        assert!(after.memory_size_in_bytes >= json(11).len() as u64);
    }

    #[test]
    fn stay_when_others_come_once() {
        let mut kept = KeptPlans::default();
        let plans: Vec<_> = (0..3).map(|_| kept.get(&json(3)).unwrap()).collect();
        (1_000..2_000).for_each(|size| drop(kept.get(&json(size)).unwrap()));
        assert!(Rc::ptr_eq(&plans[2], &kept.get(&json(3)).unwrap()));
    }

    #[test]
    fn long_ones_are_read_each_time() {
        let mut long = json(3);
        long.resize(PLAN_BYTES_MAX + 1, b' ');
        let plans: Vec<_> = (0..3).map(|_| search_plan(&long).unwrap()).collect();
        assert!(!Rc::ptr_eq(&plans[1], &plans[2]) && plans[1] == plans[2]);
        let short: Vec<_> = (0..3).map(|_| search_plan(&json(4)).unwrap()).collect();
        assert!(Rc::ptr_eq(&short[1], &short[2]));
    }

    #[test]
    fn are_what_their_bytes_say_whatever_came_before() {
        let mut kept = KeptPlans::default();
        for turn in 0..3 {
            for size in 0..1_000 {
                let size = if size % 3 == 0 { 7 } else { size };
                assert_eq!(kept.get(&json(size)).unwrap().size, size as u32, "turn {turn}");
            }
        }
        assert_eq!(kept.places.len(), PLANS_MAX);
        assert!(kept.get(b"{").is_err());
    }
}
