//! Plans of searches that came before in the same bytes, as they were read: reading one takes longer than a small search does. Of each thread.

use super::from_json;
use super::request::SearchPlan;
use quarry_base::error::Result;
use rapidhash::v3::rapidhash_v3;
use std::cell::RefCell;
use std::rc::Rc;

/// Plans of a thread.
const PLANS_MAX: usize = 64;
/// What is read takes some times the bytes of a plan: all that a thread keeps is less than 4 MiB, and some 100 KiB commonly.
const PLAN_BYTES_MAX: usize = 2 << 10;

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
            return Ok(Rc::clone(plan));
        }
        let plan = Rc::new(from_json(json)?);
        if std::mem::replace(&mut place.hash, hash) == hash {
            place.kept = Some((json.into(), Rc::clone(&plan)));
        }
        Ok(plan)
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
