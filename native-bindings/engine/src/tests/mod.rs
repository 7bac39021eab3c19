//! Tests of the open shard: answers to writes, reads, what survives a crash, and random operations against a model.

mod crash;
mod documents;
mod harness;
mod model;
mod parts;
mod replication;
mod room;
mod stored_queries;
