//! Filters that hold analyzers or other filters, and graphs of the tokens that they make.

pub mod flatten_graph;
pub mod multiplexer;
pub mod scripted;
pub mod synonym;
