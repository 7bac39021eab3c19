//! Documents by their ids, read by any thread from the newest view.

use super::counters::Counted;
use super::{Published, PublishedView};
use crate::reads::get::{GetOptions, GetResult, get_refreshed};
use quarry_base::error::Result;
use quarry_base::threads::major_faults;
use quarry_blocks::reading::{Patience, reading};
use quarry_publication::latest::Newest;
use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is decompressed for a reader that others wait for, at most.
const NEAR_RAW_BYTES_MAX: usize = 64 << 10;
/// A read that takes longer may have been one of the disk: others may be as well.
const NEAR_TIME_MAX: Duration = Duration::from_millis(1);
/// So long the owner is asked then.
const NEAR_REST: Duration = Duration::from_secs(1);

/// Which documents a reader takes; the owner is asked for others.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// Others wait for it: it reads what is small, and known to be read fast.
    pub is_near: bool,
    pub body_bytes_max: usize,
}

impl Reader {
    /// One that takes all.
    pub const ANY: Reader = Reader { is_near: false, body_bytes_max: usize::MAX };

    fn raw_bytes_max(self) -> usize {
        if self.is_near { NEAR_RAW_BYTES_MAX } else { usize::MAX }
    }
}

/// Whether those whom others wait for may read.
#[derive(Debug, Default)]
pub(super) struct NearReads {
    /// Nanoseconds since [`STARTED`] until which they do not.
    rests_until: AtomicU64,
}

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

fn nanos_until(moment: Instant) -> u64 {
    u64::try_from(moment.saturating_duration_since(*STARTED).as_nanos()).unwrap_or(u64::MAX)
}

impl NearReads {
    fn rests(&self, now: Instant) -> bool {
        nanos_until(now) < self.rests_until.load(Ordering::Relaxed)
    }

    /// `has_waited`: for the disk. What took long for another reason, as a thread that another one keeps from its processor, says nothing of the
    /// next read.
    fn note(&self, began: Instant, took: Duration, has_waited: impl FnOnce() -> bool) {
        if took > NEAR_TIME_MAX && has_waited() {
            self.rests_until.store(nanos_until(began + took + NEAR_REST), Ordering::Relaxed);
        }
    }
}

thread_local! {
    static FAULTS_BEFORE: Cell<u64> = const { Cell::new(0) };
}

/// Whether this thread has waited for a file since it was asked last; where nobody knows it has.
fn has_waited_for_disk() -> bool {
    major_faults().is_none_or(|faults| FAULTS_BEFORE.replace(faults) != faults)
}

impl Published {
    /// As [`crate::Shard::get`]. `None` where the owner is to be asked: the copy is closed, it is a replica's and the newest is asked for,
    /// the id may have been written since the view was made, the reader does not take the document, or the answer is an error, which the owner
    /// tells with its name.
    pub fn get(&self, id: &str, options: &GetOptions, reader: Reader) -> Option<GetResult> {
        self.get_all(&[(id, options)], reader)?.pop()
    }

    /// All of them, or none: then none is counted either, because the owner counts them.
    pub fn get_all(&self, wanted: &[(&str, &GetOptions)], reader: Reader) -> Option<Vec<GetResult>> {
        self.latest.read(|newest| self.get_from(newest, wanted, reader))
    }

    fn get_from(
        &self,
        newest: &Newest<PublishedView>,
        wanted: &[(&str, &GetOptions)],
        reader: Reader,
    ) -> Option<Vec<GetResult>> {
        let mut started = Instant::now();
        if reader.is_near && self.near.rests(started) {
            return None;
        }
        let mut read = Vec::with_capacity(wanted.len());
        for (id, options) in wanted {
            let get = || get_one(newest, id, options, reader.raw_bytes_max());
            // What is not here yet is fetched by the owner.
            let result = reading(&Patience::Never, get);
            let took = started.elapsed();
            if reader.is_near {
                self.near.note(started, took, has_waited_for_disk);
            }
            let result = result.ok()??;
            if result.body.len() > reader.body_bytes_max {
                return None;
            }
            read.push((result, took));
            started += took;
        }
        let counted = |(result, took): (GetResult, Duration)| {
            self.reads.add(Counted::of_get(result.found), took);
            result
        };
        Some(read.into_iter().map(counted).collect())
    }
}

fn get_one(
    newest: &Newest<PublishedView>,
    id: &str,
    options: &GetOptions,
    raw_bytes_max: usize,
) -> Result<Option<GetResult>> {
    if options.realtime && !newest.is_newest_of(id.as_bytes()) {
        return Ok(None);
    }
    get_refreshed(&newest.view.view, id, options, raw_bytes_max)
}

#[cfg(test)]
mod tests {
    use super::super::Publication;
    use super::*;
    use quarry_publication::touched_ids::TouchedIds;
    use quarry_shards::{TestShard, mapping};
    use quarry_testing::mapping::field;
    use serde_json::json;

    fn shard() -> TestShard {
        // The large one is first: a block ends with a document that fills it.
        let documents = [json!({"k": "word ".repeat(20_000)}), json!({"k": "small"})];
        TestShard::new(mapping(vec![field("k", "text", json!({}))]), &[documents.to_vec()], &[])
    }

    fn options() -> GetOptions {
        serde_json::from_value(json!({})).unwrap()
    }

    const LARGE: &str = "0";
    const SMALL: &str = "1";
    const NEAR: Reader = Reader { is_near: true, body_bytes_max: usize::MAX };

    fn counted(of: &Published) -> u64 {
        of.reads.sum(Counted::GetFound).total + of.reads.sum(Counted::GetMissing).total
    }

    #[test]
    fn who_is_waited_for_reads_what_is_small_and_fast() {
        let shard = shard();
        let publication = Publication::new(&shard.view, Some(TouchedIds::default().since_view()));
        let (of, options) = (publication.published(), options());
        let found = |id: &str, reader| of.get(id, &options, reader).map(|result| result.found);
        assert_eq!([LARGE, SMALL].map(|id| found(id, Reader::ANY)), [Some(true); 2]);
        assert_eq!([LARGE, SMALL].map(|id| found(id, NEAR)), [None, Some(true)]);
        of.near.note(Instant::now(), Duration::from_secs(9), || true);
        assert_eq!([NEAR, Reader::ANY].map(|reader| found(SMALL, reader)), [None, Some(true)]);
    }

    #[test]
    fn after_a_slow_read_there_is_a_rest() {
        let (near, now) = (NearReads::default(), Instant::now());
        near.note(now, NEAR_TIME_MAX, || true);
        assert!(!near.rests(now));
        near.note(now, 2 * NEAR_TIME_MAX, || false);
        assert!(!near.rests(now));
        near.note(now, 2 * NEAR_TIME_MAX, || true);
        assert!(near.rests(now + NEAR_REST) && !near.rests(now + NEAR_REST + 2 * NEAR_TIME_MAX));
    }

    #[test]
    fn what_the_owner_is_asked_for_is_not_counted() {
        let shard = shard();
        let touched = TouchedIds::default();
        let publication = Publication::new(&shard.view, Some(touched.since_view()));
        let (of, options) = (publication.published(), options());
        touched.note(b"written");
        let short = Reader { body_bytes_max: 1_000, ..Reader::ANY };
        assert!(of.get_all(&[(SMALL, &options), ("written", &options)], Reader::ANY).is_none());
        assert!(of.get_all(&[(SMALL, &options), (LARGE, &options)], short).is_none());
        assert_eq!(counted(of), 0);
        assert!(of.get_all(&[(SMALL, &options), ("none", &options)], short).is_some());
        assert_eq!(counted(of), 2);
    }
}
