//! Which documents match, with which scores and why.

pub mod differential;
mod explain;
mod reference;
mod statistics;
