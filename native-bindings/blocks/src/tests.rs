//! Against a vector: whatever is read of a file through a small cache is what the file has.

mod copies;
mod room;

use crate::cache::{configure, shared};
use crate::file::{Described, Keep, RemoteFile, named_in};
use crate::folder::{Folder, find};
use crate::reading::{Patience, piece, reading};
use quarry_base::error::{Error, ErrorCode, Result};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The cache is of the process: one test at a time has it.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
static NEXT: AtomicU64 = AtomicU64::new(0);

const PAGE: usize = 4_096;

struct Fixture {
    directory: PathBuf,
    folder: Arc<Folder>,
    contents: Vec<u8>,
    is_damaged: Arc<AtomicBool>,
    fetched: Arc<AtomicU64>,
    _turn: MutexGuard<'static, ()>,
}

fn contents(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

impl Fixture {
    fn new(length: usize, part: usize, regions: usize, region: usize) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("quarry-blocks-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir(&directory).unwrap();
        configure(&directory.join("cache"), (regions * region) as u64, region as u64).unwrap();
        let contents = contents(length, length as u64);
        let checksums = contents.chunks(part).map(crc32c::crc32c).collect();
        let described = Described { name: "_0.seg".into(), length: length as u64, part_bytes: part as u32, checksums };
        let folder = Folder::open(&directory, vec![described], &Keep::Cached(shared().unwrap())).unwrap();
        let (is_damaged, fetched) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        serve(Arc::clone(&folder), contents.clone(), Arc::clone(&is_damaged), Arc::clone(&fetched));
        Fixture { directory, folder, contents, is_damaged, fetched, _turn: turn }
    }

    fn file(&self) -> Arc<RemoteFile> {
        find(&self.directory.join("_0.seg")).unwrap()
    }

    fn read(&self, range: Range<usize>) -> Result<Vec<u8>> {
        let file = self.file();
        patiently(|| Ok(file.bytes(range).to_vec()))
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.folder.close();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn patiently<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    reading(&Patience::Until(Arc::default()), work)
}

/// Answers as a repository would, from another thread.
fn serve(folder: Arc<Folder>, contents: Vec<u8>, is_damaged: Arc<AtomicBool>, fetched: Arc<AtomicU64>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        loop {
            let sender = sender.clone();
            folder.requests().take_next(Box::new(move |request| drop(sender.send(request))));
            let Ok(Some(request)) = receiver.recv() else { return };
            let start = request.offset as usize;
            let mut bytes = contents[start..start + request.length as usize].to_vec();
            fetched.fetch_add(request.length, Ordering::Relaxed);
            if is_damaged.load(Ordering::Relaxed) {
                bytes[0] ^= 1;
            }
            folder.requests().answer(request.number, Ok(bytes));
        }
    });
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]
    #[test]
    fn reads_what_the_file_has(
        length in 1usize..200_000,
        part in proptest::sample::select(vec![PAGE / 2, PAGE, 3 * PAGE, 8 * PAGE]),
        region in proptest::sample::select(vec![PAGE, 2 * PAGE, 5 * PAGE]),
        reads in proptest::collection::vec((0.0f64..1.0, 1usize..9_000), 1..60),
    ) {
        let fixture = Fixture::new(length, part, 16, region);
        for (start, count) in reads {
            let start = (start * length as f64) as usize;
            let range = start..(start + count).min(length);
            proptest::prop_assert_eq!(fixture.read(range.clone()).unwrap(), &fixture.contents[range]);
        }
        let figures = crate::cache::shared().unwrap().figures();
        proptest::prop_assert!(figures.regions_used <= 16 && figures.regions == 16);
    }

    #[test]
    fn several_threads_read_what_the_file_has(seed in 1u64..1_000_000) {
        let length = 40 * PAGE + 77;
        let fixture = Fixture::new(length, PAGE, 12, 2 * PAGE);
        let (file, all) = (fixture.file(), Arc::new(fixture.contents.clone()));
        let readers: Vec<_> = (0..4).map(|thread| {
            let (file, all) = (Arc::clone(&file), Arc::clone(&all));
            std::thread::spawn(move || {
                let places = contents(120, seed + thread);
                for pair in places.chunks(2) {
                    let start = usize::from(pair[0]) * length / 256;
                    let end = (start + usize::from(pair[1]) * 40).min(length);
                    let read = patiently(|| Ok(file.bytes(start..end).to_vec()));
                    assert_eq!(read.unwrap(), &all[start..end]);
                }
            })
        }).collect();
        for reader in readers {
            reader.join().unwrap();
        }
    }
}

#[test]
fn what_is_held_stays_while_others_go() {
    let fixture = Fixture::new(20 * PAGE, PAGE, 3, PAGE);
    let file = fixture.file();
    patiently(|| {
        let first = file.bytes(10..PAGE);
        for page in 1..20 {
            let range = page * PAGE..(page + 1) * PAGE;
            let read = piece(|| Ok(file.bytes(range.clone()).to_vec()))?;
            assert_eq!(read, &fixture.contents[range]);
        }
        assert_eq!(first, &fixture.contents[10..PAGE]);
        Ok(())
    })
    .unwrap();
    let figures = file.figures();
    assert_eq!((figures.fetched.count, figures.evictions), (20, 17));
}

#[test]
fn more_than_there_is_room_for_is_refused() {
    let fixture = Fixture::new(20 * PAGE, PAGE, 3, PAGE);
    assert_eq!(fixture.read(0..3 * PAGE).unwrap(), &fixture.contents[..3 * PAGE]);
    let error = fixture.read(0..3 * PAGE + 1).unwrap_err();
    assert_eq!(error.code, ErrorCode::CircuitBreaking);
    assert!(error.reason.contains("[3] regions of [4096] bytes"), "{error}");
    assert_eq!(crate::cache::shared().unwrap().figures().refused, 1);
    // And nothing is lost by that.
    assert_eq!(fixture.read(17 * PAGE..20 * PAGE).unwrap(), &fixture.contents[17 * PAGE..]);
}

#[test]
fn who_may_not_wait_is_told_what_is_missing() {
    let fixture = Fixture::new(9 * PAGE, 2 * PAGE, 8, PAGE);
    let file = fixture.file();
    let ask = || reading(&Patience::Never, || Ok(file.bytes(5 * PAGE..5 * PAGE + 1)[0]));
    let error = ask().unwrap_err();
    assert_eq!(error.code, ErrorCode::BlocksAbsent);
    let (path, range) = named_in(&error.reason).unwrap();
    assert_eq!((path, range.clone()), (file.path(), 4 * PAGE..6 * PAGE));
    patiently(|| file.hold(&range)).unwrap();
    assert_eq!(ask().unwrap(), fixture.contents[5 * PAGE]);
    assert_eq!(fixture.fetched.load(Ordering::Relaxed), 2 * PAGE as u64);
}

#[test]
fn damage_is_told_by_file_and_place_and_can_go_away() {
    let fixture = Fixture::new(9 * PAGE, PAGE, 8, PAGE);
    fixture.is_damaged.store(true, Ordering::Relaxed);
    let error = fixture.read(2 * PAGE..2 * PAGE + 9).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.reason.contains("_0.seg]: bytes 8192 to 12288"), "{error}");
    fixture.is_damaged.store(false, Ordering::Relaxed);
    assert_eq!(fixture.read(2 * PAGE..3 * PAGE).unwrap(), &fixture.contents[2 * PAGE..3 * PAGE]);
    assert_eq!(fixture.file().figures().damaged, 1);
}

#[test]
fn who_reads_on_and_on_fetches_more_at_once() {
    let fixture = Fixture::new(64 * PAGE, PAGE, 2, 32 * PAGE);
    let file = fixture.file();
    patiently(|| {
        (0..32).for_each(|page| assert_eq!(file.bytes(page * PAGE..page * PAGE + 1)[0], fixture.contents[page * PAGE]));
        Ok(())
    })
    .unwrap();
    assert!(file.figures().fetched.count < 8, "{:?}", file.figures());
}

#[test]
fn several_ranges_are_fetched_at_once() {
    let fixture = Fixture::new(64 * PAGE, PAGE, 16, PAGE);
    let file = fixture.file();
    file.fetch_ahead(std::slice::from_ref(&(0..PAGE)));
    assert_eq!(file.figures().fetched.count, 0);
    patiently(|| {
        file.fetch_ahead(&[
            3 * PAGE..3 * PAGE + 9,
            20 * PAGE - 1..20 * PAGE + 1,
            3 * PAGE..4 * PAGE,
            40 * PAGE..40 * PAGE,
        ]);
        assert_eq!((file.figures().fetched.count, file.figures().fetched.sum), (2, 3 * PAGE as u64));
        assert_eq!(file.bytes(19 * PAGE..21 * PAGE), &fixture.contents[19 * PAGE..21 * PAGE]);
        assert_eq!(file.figures().fetched.count, 2);
        Ok(())
    })
    .unwrap();
    fixture.is_damaged.store(true, Ordering::Relaxed);
    patiently(|| {
        file.fetch_ahead(std::slice::from_ref(&(50 * PAGE..51 * PAGE)));
        Ok(())
    })
    .unwrap();
    assert_eq!(file.figures().damaged, 1);
}

#[test]
fn cleared_files_are_fetched_again() {
    let fixture = Fixture::new(4 * PAGE, PAGE, 8, PAGE);
    fixture.read(0..4 * PAGE).unwrap();
    fixture.file().clear().unwrap();
    assert_eq!(fixture.file().figures().bytes_cached, 0);
    assert_eq!(fixture.read(0..4 * PAGE).unwrap(), fixture.contents);
    assert_eq!(fixture.fetched.load(Ordering::Relaxed), 8 * PAGE as u64);
}

#[test]
fn a_closed_folder_has_no_files_and_answers_nobody() {
    let fixture = Fixture::new(4 * PAGE, PAGE, 8, PAGE);
    let file = fixture.file();
    fixture.folder.close();
    assert!(find(&fixture.directory.join("_0.seg")).is_none());
    let error = patiently(|| Ok(file.bytes(0..1)[0])).unwrap_err();
    assert_eq!(error.code, ErrorCode::IllegalState);
}

#[test]
fn a_raised_flag_ends_the_wait() {
    let fixture = Fixture::new(4 * PAGE, PAGE, 8, PAGE);
    let file = fixture.file();
    let raised = Arc::new(AtomicBool::new(true));
    let error = reading(&Patience::Until(raised), || Ok(file.bytes(0..1)[0])).unwrap_err();
    assert_eq!(error.code, ErrorCode::TaskCancelled);
}

#[test]
fn outside_of_work_nothing_is_read() {
    let fixture = Fixture::new(4 * PAGE, PAGE, 8, PAGE);
    let file = fixture.file();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| file.bytes(0..1)[0]));
    assert!(caught.is_err());
    assert!(reading(&Patience::Never, || Err::<(), Error>(Error::internal("own"))).is_err());
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let path = Path::new("/nowhere/cache");
    for (bytes, region) in [(0, 4_096), (4_096, 0), (8_192, 5_000), (4_096 * 32_769, 4_096)] {
        assert_eq!(configure(path, bytes, region).unwrap_err().code, ErrorCode::IllegalArgument, "{bytes} {region}");
    }
}
