//! Graphs in which each vector knows some that are near to it: who follows the nearest neighbour comes close to any query in
//! few steps. Above the graph of all vectors are graphs of fewer and fewer, which bring a walk to the right region
//! (hierarchical navigable small worlds, Malkov and Yashunin).
//!
//! | file | what it holds |
//! | --- | --- |
//! | [`layout`] | the words that a graph is |
//! | [`build`] | vectors to a graph, or into one |
//! | [`select`] | which neighbours a vector keeps |
//! | [`walk`] | what is near to a query |
//!
//! A graph depends on nothing but its vectors and parameters: levels are drawn from the vectors' numbers.
pub mod build;
pub mod layout;
#[cfg(test)]
pub(crate) mod samples;
mod select;
#[cfg(test)]
mod tests;
pub mod walk;

/// How a graph is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    /// Neighbours of a vector above the lowest level; twice as many there.
    pub m: u32,
    /// How many are looked at for the neighbours of a new vector.
    pub ef_construction: u32,
}
