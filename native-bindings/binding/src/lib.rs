//! The napi surface of the kernels: thin, no logic of its own. `src/native/raw-addon.ts` is the same in TypeScript.
//!
//! Every entry catches panics and turns errors into JavaScript errors whose message is JSON (`type`, `reason`,
//! `caused_by`). What waits for a disk or takes long runs on a thread of its own and answers with a promise.
// Tested through JavaScript (test/native): a test build does not register the entries, which leaves them unused.
#![cfg_attr(test, allow(dead_code))]

mod adoption;
mod allocator;
mod background;
mod blocks;
mod effort;
mod failure;
mod items;
mod merge;
mod published;
mod raft;
mod replica;
mod replication;
mod script;
mod searcher;
mod searches;
mod shard;
mod stack;
mod tools;

use quarry_base::allocation::Counting;

/// Of the kernels.
#[global_allocator]
static ALLOCATOR: Counting<allocator::BySize> = Counting(allocator::BySize);
