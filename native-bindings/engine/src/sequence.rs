//! Sequence numbers: every operation of a shard has its own, counted from 0, and none is used twice.

use std::collections::BTreeSet;

/// The number that follows; -1 stands for none.
pub fn next_after(seq_no: i64) -> u64 {
    u64::try_from(seq_no.saturating_add(1)).unwrap_or(0)
}

/// Hands out numbers and knows up to which one all operations are done (the local checkpoint).
#[derive(Debug, Clone, Default)]
pub struct SequenceNumbers {
    next: u64,
    /// Numbers up to (excluding) this one are done.
    done_below: u64,
    /// Done, but not all before them.
    done_later: BTreeSet<u64>,
}

impl SequenceNumbers {
    /// Everything up to `local_checkpoint` is done, nothing after it; -1 for an empty shard.
    pub fn resume(local_checkpoint: i64, max_seq_no: i64) -> Self {
        let done_below = next_after(local_checkpoint);
        SequenceNumbers { next: next_after(max_seq_no).max(done_below), done_below, done_later: BTreeSet::new() }
    }

    /// The number that the next operation will have.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The operation with this number is done: of this shard, or replayed.
    pub fn done(&mut self, seq_no: u64) {
        self.next = self.next.max(seq_no.saturating_add(1));
        if seq_no != self.done_below {
            if seq_no > self.done_below {
                self.done_later.insert(seq_no);
            }
            return;
        }
        self.done_below += 1;
        while self.done_later.remove(&self.done_below) {
            self.done_below += 1;
        }
    }

    /// -1 when there was no operation.
    pub fn max_seq_no(&self) -> i64 {
        self.next as i64 - 1
    }

    /// All operations up to this number are done; -1 for none.
    pub fn local_checkpoint(&self) -> i64 {
        self.done_below as i64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_checkpoint_is_the_end_of_the_first_unbroken_run(order in Just((0u64..30).collect::<Vec<_>>()).prop_shuffle(), count in 0usize..30) {
            let mut numbers = SequenceNumbers::resume(-1, -1);
            for &seq_no in &order[..count] {
                numbers.done(seq_no);
            }
            let unbroken = (0..30).take_while(|seq_no| order[..count].contains(seq_no)).count() as i64;
            prop_assert_eq!(numbers.local_checkpoint(), unbroken - 1);
            prop_assert_eq!(numbers.max_seq_no(), order[..count].iter().max().map_or(-1, |&max| max as i64));
        }
    }
}
