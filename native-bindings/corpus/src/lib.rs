//! Measures the kernels in process on a file of JSON lines: `index_corpus` and `query_corpus`, run by the bench suite `in-process`.
pub mod field;
pub mod report;
