//! Files that are copied: readers and whoever copies fetch each part once, and the copy is what the file is.

use super::{PAGE, contents, patiently, serve};
use crate::file::{Described, Keep, copying_path, named_in};
use crate::folder::{Folder, find};
use crate::reading::{Patience, reading};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_testing::directory::TestDirectory;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct Fixture {
    directory: TestDirectory,
    folder: Arc<Folder>,
    contents: Vec<Vec<u8>>,
    fetched: Arc<AtomicU64>,
}

impl Fixture {
    fn new(lengths: &[usize], part: usize) -> Self {
        let directory = TestDirectory::new();
        let contents: Vec<Vec<u8>> = lengths.iter().map(|&length| contents(length, length as u64)).collect();
        let described = contents.iter().zip(0..).map(|(bytes, number)| Described {
            name: name(number),
            length: bytes.len() as u64,
            part_bytes: part as u32,
            checksums: bytes.chunks(part).map(crc32c::crc32c).collect(),
        });
        let folder = Folder::open(directory.path(), described.collect(), &Keep::Copied).unwrap();
        let fetched = Arc::<AtomicU64>::default();
        if let Some(first) = contents.first() {
            // Readers are of the first file only.
            serve(Arc::clone(&folder), first.clone(), Arc::default(), Arc::clone(&fetched));
        }
        Fixture { directory, folder, contents, fetched }
    }

    fn path(&self, number: usize) -> PathBuf {
        self.directory.path().join(name(number))
    }

    /// Copies what is missing, piece by piece. The bytes of its pieces.
    fn copy(&self) -> Result<u64> {
        let mut copied = 0;
        while let Some((file, range)) = self.folder.take_missing(1 << 20) {
            let number = (0..self.contents.len()).find(|&number| name(number) == file.name()).unwrap();
            file.supply(&range, Ok(&self.contents[number][range.clone()]))?;
            copied += range.len() as u64;
        }
        Ok(copied)
    }

    fn on_disk(&self, number: usize) -> Vec<u8> {
        std::fs::read(copying_path(&self.path(number))).unwrap()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.folder.close();
    }
}

fn name(number: usize) -> String {
    format!("_{number}.seg")
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]
    #[test]
    fn what_is_read_meanwhile_is_fetched_once(
        length in 1usize..3_000_000,
        part in proptest::sample::select(vec![PAGE / 2, PAGE, 3 * PAGE, 64 * PAGE]),
        seed in 1u64..1_000_000,
    ) {
        let fixture = Fixture::new(&[length, 5_000], part);
        let file = find(&fixture.path(0)).unwrap();
        let all = Arc::new(fixture.contents[0].clone());
        let readers: Vec<_> = (0..3).map(|thread| {
            let (file, all) = (Arc::clone(&file), Arc::clone(&all));
            std::thread::spawn(move || {
                for pair in contents(60, seed + thread).chunks(2) {
                    let start = usize::from(pair[0]) * length / 256;
                    let end = (start + usize::from(pair[1]) * 40).min(length);
                    let read = patiently(|| Ok(file.bytes(start..end).to_vec()));
                    assert_eq!(read.unwrap(), &all[start..end]);
                }
            })
        }).collect();
        let mut copied = fixture.copy().unwrap();
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        // What a reader had in flight when nothing else was missing is there now.
        copied += fixture.copy().unwrap();
        proptest::prop_assert!(fixture.folder.files().all(|file| file.is_complete()));
        proptest::prop_assert_eq!(copied + fixture.fetched.load(Ordering::Relaxed), length as u64 + 5_000);
        for number in 0..2 {
            proptest::prop_assert!(fixture.on_disk(number) == fixture.contents[number]);
        }
    }
}

#[test]
fn more_than_any_cache_has_room_for_is_read_at_once() {
    let fixture = Fixture::new(&[200 * PAGE], PAGE);
    let file = find(&fixture.path(0)).unwrap();
    assert_eq!(patiently(|| Ok(file.bytes(0..200 * PAGE).to_vec())).unwrap(), fixture.contents[0]);
    assert!(file.is_complete() && fixture.folder.take_missing(PAGE).is_none());
    let figures = file.figures();
    assert_eq!((figures.bytes_cached, figures.evictions), (200 * PAGE as u64, 0));
    // A copy is no cache.
    file.clear().unwrap();
    assert!(file.is_complete());
}

#[test]
fn who_may_not_wait_is_told_what_is_missing_and_not_of_what_is_there() {
    let fixture = Fixture::new(&[9 * PAGE], 2 * PAGE);
    let file = find(&fixture.path(0)).unwrap();
    let ask = |at: usize| reading(&Patience::Never, || Ok(file.bytes(at..at + 1)[0]));
    let error = ask(5 * PAGE).unwrap_err();
    assert_eq!(error.code, ErrorCode::BlocksAbsent);
    assert_eq!(named_in(&error.reason).unwrap().1, 4 * PAGE..6 * PAGE);
    fixture.copy().unwrap();
    assert_eq!(ask(5 * PAGE).unwrap(), fixture.contents[0][5 * PAGE]);
    assert_eq!(fixture.fetched.load(Ordering::Relaxed), 0);
}

#[test]
fn damage_and_failures_leave_the_part_missing() {
    let fixture = Fixture::new(&[3 * PAGE], PAGE);
    let file = find(&fixture.path(0)).unwrap();
    let take = || -> Range<usize> { fixture.folder.take_missing(9 * PAGE).unwrap().1 };
    let range = take();
    assert_eq!(range, 0..3 * PAGE);
    assert!(fixture.folder.take_missing(1).is_none());
    let error = file.supply(&range, Ok(&vec![0; range.len()])).unwrap_err();
    assert!(error.code == ErrorCode::Corrupt && error.reason.contains("_0.seg]: bytes 0 to 4096"), "{error}");
    let failed = Error::new(ErrorCode::Io, "the store is gone");
    assert_eq!(file.supply(&take(), Err(failed)).unwrap_err().code, ErrorCode::Io);
    let short = file.supply(&take(), Ok(&fixture.contents[0][..PAGE])).unwrap_err();
    assert_eq!(short.code, ErrorCode::Corrupt);
    assert!(!file.is_complete());
    fixture.copy().unwrap();
    assert!(file.is_complete());
    assert_eq!(file.figures().damaged, 3);
}

#[test]
fn one_damaged_part_keeps_nothing_else_from_coming() {
    let fixture = Fixture::new(&[5 * PAGE, 2 * PAGE], PAGE);
    let damaged = |number: usize, range: &Range<usize>| {
        let mut bytes = fixture.contents[number].clone();
        if number == 0 {
            bytes[2 * PAGE] ^= 1;
        }
        bytes[range.clone()].to_vec()
    };
    let mut failures = 0;
    // As a copier does that begins anew after each failure.
    for _ in 0..4 {
        while let Some((file, range)) = fixture.folder.take_missing(2 * PAGE) {
            let number = usize::from(file.name() != name(0));
            if file.supply(&range, Ok(&damaged(number, &range))).is_err() {
                failures += 1;
                break;
            }
        }
    }
    assert_eq!(failures, 4);
    let [first, second] = [0, 1].map(|number| find(&fixture.path(number)).unwrap());
    assert!(second.is_complete() && !first.is_complete());
    assert_eq!(first.figures().bytes_cached, 4 * PAGE as u64);
    assert_eq!(fixture.folder.take_missing(9 * PAGE).unwrap().1, 2 * PAGE..3 * PAGE);
}

#[test]
fn who_waits_for_what_others_took_is_told_when_the_files_are_closed() {
    let fixture = Fixture::new(&[3 * PAGE], PAGE);
    let file = find(&fixture.path(0)).unwrap();
    fixture.folder.take_missing(PAGE).unwrap();
    let waiting = {
        let file = Arc::clone(&file);
        std::thread::spawn(move || patiently(|| Ok(file.bytes(0..1)[0])))
    };
    fixture.folder.close();
    assert_eq!(waiting.join().unwrap().unwrap_err().code, ErrorCode::IllegalState);
}

#[test]
fn a_file_without_bytes_is_complete() {
    let fixture = Fixture::new(&[0], PAGE);
    assert!(find(&fixture.path(0)).unwrap().is_complete());
    assert!(fixture.folder.take_missing(PAGE).is_none());
}
