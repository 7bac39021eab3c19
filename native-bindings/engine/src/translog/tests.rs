use super::*;
use proptest::prelude::*;
use quarry_base::error::{ErrorCode, Result};
use quarry_testing::directory::TestDirectory;
use std::fs;

const HISTORY: HistoryId = *b"0123456789abcdef";

/// What an operation was, owned: sequence number, version, id, source (none for a delete), routing.
type Seen = (u64, u64, Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>);

fn seen(operation: &Operation<'_>) -> Seen {
    let (source, routing) = match operation.kind {
        OperationKind::Index { source, routing, .. } => (Some(source.to_vec()), routing.map(<[u8]>::to_vec)),
        OperationKind::Delete => (None, None),
    };
    (operation.seq_no, operation.version, operation.id.to_vec(), source, routing)
}

fn batch(operations: &[Seen]) -> BatchWriter {
    let mut writer = BatchWriter::default();
    for (seq_no, version, id, source, routing) in operations {
        let kind = match source {
            Some(source) => OperationKind::Index { source, routing: routing.as_deref(), queries: &[] },
            None => OperationKind::Delete,
        };
        writer.add(&Operation { seq_no: *seq_no, primary_term: 3, version: *version, id, kind });
    }
    writer
}

fn replay(directory: &TestDirectory, from: u64) -> Result<(Vec<Seen>, Recovered)> {
    let mut operations = Vec::new();
    let recovered = recover(directory.path(), HISTORY, LogBounds { needed: from, kept: from })?;
    recovered.replay.run(|operation| {
        assert_eq!(operation.primary_term, 3);
        operations.push(seen(&operation));
        Ok(())
    })?;
    Ok((operations, recovered))
}

fn simple(seq_no: u64) -> Seen {
    (seq_no, 1, format!("id{seq_no}").into_bytes(), Some(vec![b'x'; 30]), None)
}

/// Three synced batches of one operation, one more that is not.
fn three_synced_one_not(directory: &TestDirectory) -> u64 {
    let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
    for seq_no in 0..3 {
        translog.append(&mut batch(&[simple(seq_no)]), 3).unwrap();
    }
    translog.sync_state().sync_now().unwrap();
    let synced = translog.generation_bytes();
    translog.append(&mut batch(&[simple(3)]), 3).unwrap();
    synced
}

#[test]
fn generations_are_replayed_in_order_and_trimmed() {
    let directory = TestDirectory::new();
    let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
    translog.append(&mut batch(&[simple(0), simple(1)]), 3).unwrap();
    assert_eq!(translog.roll().unwrap(), 2);
    translog.append(&mut batch(&[simple(2)]), 3).unwrap();
    assert_eq!(translog.operations(), 3);
    drop(translog);
    let (operations, recovered) = replay(&directory, 1).unwrap();
    assert_eq!(operations, [simple(0), simple(1), simple(2)]);
    let mut translog = recovered.translog;
    assert_eq!((translog.generation(), translog.operations()), (3, 3));
    translog.trim(2).unwrap();
    drop(translog);
    assert!(!generation_path(directory.path(), 1).exists());
    assert_eq!(replay(&directory, 2).unwrap().0, [simple(2)]);
}

/// A roll while a record is being written leaves nobody waiting who reads back what was appended.
#[test]
fn history_can_be_read_right_after_a_roll() {
    let directory = TestDirectory::new();
    let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
    for seq_no in 0..200 {
        translog.append(&mut batch(&[simple(seq_no)]), 3).unwrap();
        translog.roll().unwrap();
        assert_eq!(translog.read_history(seq_no, 1).unwrap().run().unwrap().last_seq_no, seq_no as i64);
    }
}

/// Names and contents of all files.
fn files(directory: &TestDirectory) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn a_recovery_after_which_nothing_was_appended_is_repeated_without_a_write() {
    let directory = TestDirectory::new();
    three_synced_one_not(&directory);
    drop(replay(&directory, 1).unwrap());
    let before = files(&directory);
    for _ in 0..3 {
        let (operations, recovered) = replay(&directory, 1).unwrap();
        assert_eq!((operations.len(), recovered.translog.generation()), (4, 2));
    }
    assert_eq!(files(&directory), before);
    let mut translog = replay(&directory, 1).unwrap().1.translog;
    translog.append(&mut batch(&[simple(4)]), 3).unwrap();
    translog.sync_state().sync_now().unwrap();
    drop(translog);
    assert_eq!(synced_extent(directory.path()), (2, fs::metadata(generation_path(directory.path(), 2)).unwrap().len()));
    let (operations, recovered) = replay(&directory, 1).unwrap();
    assert_eq!((operations.len(), recovered.translog.generation()), (5, 3));
}

/// What the checkpoint does not say to be on disk is synced, and followed by a generation of its own.
#[test]
fn an_empty_generation_that_was_not_synced_is_not_used_again() {
    let directory = TestDirectory::new();
    three_synced_one_not(&directory);
    let mut translog = replay(&directory, 1).unwrap().1.translog;
    translog.roll().unwrap();
    drop(translog);
    assert_eq!(synced_extent(directory.path()), (2, HEADER_BYTES));
    let (operations, recovered) = replay(&directory, 1).unwrap();
    assert_eq!((operations.len(), recovered.translog.generation()), (4, 4));
}

#[test]
fn half_a_record_behind_an_empty_generation_is_cut_off() {
    let directory = TestDirectory::new();
    three_synced_one_not(&directory);
    drop(replay(&directory, 1).unwrap());
    let path = generation_path(directory.path(), 2);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend([1; 5]);
    fs::write(&path, bytes).unwrap();
    let (operations, recovered) = replay(&directory, 1).unwrap();
    assert_eq!((operations.len(), recovered.dropped_bytes, recovered.translog.generation()), (4, 5, 3));
    assert_eq!(fs::metadata(&path).unwrap().len(), HEADER_BYTES);
}

#[test]
fn an_unacknowledged_torn_end_is_dropped() {
    let directory = TestDirectory::new();
    let synced = three_synced_one_not(&directory);
    let path = generation_path(directory.path(), 1);
    let length = fs::metadata(&path).unwrap().len();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 5).unwrap();
    let (operations, recovered) = replay(&directory, 1).unwrap();
    assert_eq!(operations.len(), 3);
    assert_eq!(recovered.dropped_bytes, length - 5 - synced);
    // What was cut off stays away.
    drop(recovered);
    assert_eq!(replay(&directory, 1).unwrap().0.len(), 3);
}

#[test]
fn an_acknowledged_record_that_is_gone_or_damaged_is_refused_by_name() {
    for cut in [true, false] {
        let directory = TestDirectory::new();
        let synced = three_synced_one_not(&directory);
        let path = generation_path(directory.path(), 1);
        if cut {
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(synced - 1).unwrap();
        } else {
            let mut bytes = fs::read(&path).unwrap();
            bytes[synced as usize - 10] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
        let error = replay(&directory, 1).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt);
        assert!(error.reason.contains("translog-1.tlog") && error.reason.contains("byte"), "{error}");
    }
}

#[test]
fn a_missing_generation_or_checkpoint_is_refused_by_name() {
    let directory = TestDirectory::new();
    let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
    translog.append(&mut batch(&[simple(0)]), 3).unwrap();
    translog.roll().unwrap();
    translog.sync_state().sync_now().unwrap();
    let first = generation_path(directory.path(), 1);
    let kept = fs::read(&first).unwrap();
    fs::remove_file(&first).unwrap();
    assert!(replay(&directory, 1).unwrap_err().reason.contains("translog-1.tlog"));
    // One whole record less: only the next generation's header can tell.
    fs::write(&first, &kept[..HEADER_BYTES as usize]).unwrap();
    assert!(replay(&directory, 1).unwrap_err().reason.contains("translog-1.tlog"));
    fs::write(&first, &kept).unwrap();
    fs::remove_file(checkpoint_path(directory.path())).unwrap();
    assert!(replay(&directory, 1).unwrap_err().reason.contains("translog.ckp"));
}

#[test]
fn a_log_of_another_shard_is_refused() {
    let directory = TestDirectory::new();
    drop(Translog::create(directory.path(), HISTORY).unwrap());
    let error = recover(directory.path(), [7; 16], LogBounds { needed: 1, kept: 1 }).unwrap_err();
    assert!(error.reason.contains("another shard"));
}

#[test]
fn waiters_share_syncs_and_are_all_called() {
    let directory = TestDirectory::new();
    let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    for seq_no in 0..50 {
        let location = translog.append(&mut batch(&[simple(seq_no)]), 3).unwrap();
        if seq_no == 20 {
            translog.roll().unwrap();
        }
        let sender = sender.clone();
        let state = std::sync::Arc::clone(translog.sync_state());
        let when_called = std::sync::Arc::clone(&state);
        state.when_synced(
            location,
            Box::new(move |result| {
                result.unwrap();
                assert!(when_called.synced() >= location);
                sender.send(seq_no).unwrap();
            }),
        );
    }
    drop(sender);
    let mut called: Vec<u64> = receiver.iter().collect();
    called.sort_unstable();
    assert_eq!(called, (0..50).collect::<Vec<_>>());
}

/// Twice: the first time it was written to since it was asked before.
fn rests(translog: &Translog) -> bool {
    let state = translog.sync_state();
    state.try_rest() || state.try_rest()
}

#[test]
fn files_rest_once_all_is_on_disk_and_the_next_write_opens_them() {
    let directory = TestDirectory::new();
    let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
    let mut written = Vec::new();
    assert!(rests(&translog));
    for seq_no in 0..6 {
        if seq_no == 3 {
            translog.roll().unwrap();
            assert!(!rests(&translog), "the header is not on disk");
        }
        translog.append(&mut batch(&[simple(seq_no)]), 3).unwrap();
        translog.sync_state().wait_for_queue();
        assert!(!rests(&translog), "nobody asked for a sync");
        translog.sync_state().sync_now().unwrap();
        assert!(!translog.sync_state().try_rest(), "it was used since it was asked before");
        assert!(translog.sync_state().try_rest());
        assert!(translog.sync_state().rests());
        written.push(simple(seq_no));
    }
    drop(translog);
    assert_eq!(replay(&directory, 1).unwrap().0, written);
}

#[test]
fn files_that_are_gone_when_they_are_opened_again_are_an_error_that_stays() {
    let directory = TestDirectory::new();
    let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
    assert!(rests(&translog));
    fs::remove_file(generation_path(directory.path(), 1)).unwrap();
    translog.append(&mut batch(&[simple(0)]), 3).unwrap();
    assert_eq!(translog.sync_state().sync_now().unwrap_err().code, ErrorCode::Io);
    assert!(translog.append(&mut batch(&[simple(1)]), 3).is_err());
    assert!(!rests(&translog));
}

#[test]
fn no_more_translogs_than_allowed_have_their_files_open() {
    let open = open_logs::OpenLogs::new(3);
    let directories: Vec<_> = (0..8).map(|_| TestDirectory::new()).collect();
    let translogs: Vec<_> =
        directories.iter().map(|directory| Translog::create(directory.path(), HISTORY).unwrap()).collect();
    let resting = || translogs.iter().map(|translog| translog.sync_state().rests()).collect::<Vec<_>>();
    translogs[..3].iter().for_each(|translog| open.opened(translog.sync_state()));
    assert_eq!((open.count(), resting()), (3, vec![false; 8]));
    // The oldest with nothing to do.
    translogs[3..].iter().for_each(|translog| open.opened(translog.sync_state()));
    assert_eq!((open.count(), resting()), (3, [vec![true; 5], vec![false; 3]].concat()));
    drop(translogs);
    // Those that are gone count no more.
    let last = TestDirectory::new();
    let translog = Translog::create(last.path(), HISTORY).unwrap();
    open.opened(translog.sync_state());
    assert_eq!(open.count(), 3);
    (0..3).for_each(|_| open.opened(translog.sync_state()));
    assert_eq!(open.count(), 3);
}

#[test]
fn translogs_that_have_something_to_do_stay_open_beyond_the_limit() {
    let open = open_logs::OpenLogs::new(1);
    let directories: Vec<_> = (0..3).map(|_| TestDirectory::new()).collect();
    let mut translogs: Vec<_> =
        directories.iter().map(|directory| Translog::create(directory.path(), HISTORY).unwrap()).collect();
    for translog in &mut translogs {
        translog.append(&mut batch(&[simple(0)]), 3).unwrap();
        translog.sync_state().wait_for_queue();
    }
    translogs.iter().for_each(|translog| open.opened(translog.sync_state()));
    assert_eq!(open.count(), 3);
    for translog in &translogs {
        translog.sync_state().sync_now().unwrap();
        translog.sync_state().try_rest();
    }
    open.opened(translogs[2].sync_state());
    assert_eq!(open.count(), 1);
}

fn operations() -> impl Strategy<Value = Vec<Vec<Seen>>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    let operation = (any::<u64>(), any::<u64>(), bytes(), prop::option::of(bytes()), prop::option::of(bytes()))
        .prop_map(|(seq_no, version, id, source, routing)| {
            let routing = routing.filter(|_| source.is_some());
            (seq_no, version, id, source, routing)
        });
    prop::collection::vec(prop::collection::vec(operation, 1..4), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any cut after the synced place keeps exactly the whole batches before it; any cut before it is refused.
    #[test]
    fn a_cut_anywhere_keeps_whole_batches_or_is_refused(batches in operations(), synced in 0usize..8, cut: prop::sample::Index) {
        let directory = TestDirectory::new();
        let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
        let mut ends = vec![HEADER_BYTES];
        let mut synced_length = HEADER_BYTES;
        for (at, operations) in batches.iter().enumerate() {
            translog.append(&mut batch(operations), 3).unwrap();
            ends.push(translog.generation_bytes());
            if at == synced {
                translog.sync_state().sync_now().unwrap();
                synced_length = translog.generation_bytes();
            }
        }
        drop(translog);
        let path = generation_path(directory.path(), 1);
        let length = cut.index(*ends.last().unwrap() as usize + 1) as u64;
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
        match replay(&directory, 1) {
            Ok((operations, _)) => {
                prop_assert!(length >= synced_length);
                let whole = ends.iter().filter(|end| **end <= length).count() - 1;
                prop_assert_eq!(operations, batches[..whole].concat());
            }
            Err(error) => {
                prop_assert!(length < synced_length);
                prop_assert_eq!(error.code, ErrorCode::Corrupt);
            }
        }
    }

    /// Whatever was rolled, trimmed, forgotten, rolled back or read again from disk: from any number on that is kept, the
    /// operations are those that were appended.
    #[test]
    fn history_is_what_was_appended(steps in prop::collection::vec((0u8..9, 0u64..40, 1usize..400), 1..40)) {
        let directory = TestDirectory::new();
        let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
        translog.operations_in_memory(0, 0).unwrap();
        let mut log: Vec<Seen> = Vec::new();
        for &(kind, number, max_bytes) in &steps {
            let next = log.len() as u64;
            match kind {
                0..=2 => {
                    let added: Vec<Seen> = (next..next + 1 + number % 4).map(simple).collect();
                    translog.append(&mut batch(&added), 3).unwrap();
                    log.extend(added);
                }
                3 => drop(translog.roll().unwrap()),
                4 => translog.retain_from(next.saturating_sub(number), max_bytes as u64 * 4).unwrap(),
                5 => translog.tail.forget_below(number, drop),
                // Twice: the second time nothing was appended since.
                8 => for _ in 0..2 {
                    drop(translog);
                    translog = recover(directory.path(), HISTORY, LogBounds { needed: 1, kept: 1 }).unwrap().translog;
                },
                6 => {
                    drop(translog);
                    let bounds = LogBounds { needed: 1, kept: 1 };
                    let kept = number as i64 - 1;
                    roll_back(directory.path(), HISTORY, bounds, kept).unwrap();
                    translog = recover(directory.path(), HISTORY, bounds).unwrap().translog;
                    log.truncate(number as usize);
                }
                _ => {
                    translog.sync_state().sync_now().unwrap();
                    prop_assert_eq!(translog.sync_state().synced_seq_no(), next as i64 - 1);
                }
            }
            translog.sync_state().try_rest();
            prop_assert_eq!(translog.next_seq_no(), log.len() as u64);
            let (mut from, mut read) = (number.min(log.len() as u64), Vec::new());
            let wanted = log[from as usize..].to_vec();
            while from < log.len() as u64 {
                let found = translog.operations_in_memory(from, max_bytes).unwrap();
                let found = found.map_or_else(|| translog.read_history(from, max_bytes).unwrap().run(), Ok).unwrap();
                prop_assert!(found.last_seq_no >= from as i64);
                let fresh = WireOperations::read(&found.bytes).unwrap().from(from).unwrap();
                let mut at = 0;
                for (_, length) in &fresh.records {
                    let payload = &fresh.bytes[at + RECORD_HEADER_BYTES..at + *length as usize];
                    operation::read_operations(payload, |operation| { read.push(seen(&operation)); Ok(()) }).unwrap();
                    at += *length as usize;
                }
                from = found.last_seq_no as u64 + 1;
            }
            prop_assert_eq!(read, wanted);
        }
    }

    /// A trim keeps what was asked for, within its bound.
    #[test]
    fn no_more_history_is_kept_than_told(batches in prop::collection::vec(1u64..4, 1..20), from in 0u64..40, max_bytes in 0u64..2_000) {
        let directory = TestDirectory::new();
        let mut translog = Translog::create(directory.path(), HISTORY).unwrap();
        let mut next = 0;
        for count in batches {
            translog.append(&mut batch(&(next..next + count).map(simple).collect::<Vec<_>>()), 3).unwrap();
            next += count;
            translog.roll().unwrap();
        }
        translog.retain_from(from, max_bytes).unwrap();
        prop_assert_eq!(translog.history_start(), 0);
        let is_bounded = translog.bytes() > max_bytes;
        translog.trim(translog.generation()).unwrap();
        let start = translog.history_start();
        prop_assert!(translog.history_bytes() <= max_bytes);
        prop_assert!(translog.operations_in_memory(start, 1).is_ok());
        if start < next {
            prop_assert_eq!(translog.read_history(start, 1).unwrap().run().unwrap().last_seq_no >= start as i64, true);
        }
        let files = fs::read_dir(directory.path()).unwrap().count() as u64;
        prop_assert_eq!(files, translog.generation() - translog.oldest_generation() + 2);
        prop_assert!(is_bounded || start <= from, "operation {from} was dropped without need");
        // A generation is kept or dropped as a whole.
        prop_assert!(start + 3 > from.min(next), "operation {start} was kept without need");
    }

    #[test]
    fn no_bytes_of_another_copy_make_it_panic(bytes: Vec<u8>) {
        let _ = WireOperations::read(&bytes);
    }

    #[test]
    fn no_payload_makes_it_panic(payload: Vec<u8>) {
        let _ = operation::read_operations(&payload, |_| Ok(()));
    }
}
