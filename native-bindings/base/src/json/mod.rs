//! The part of JSON that more than the kernels need: their scanner lies in their own crate.
pub mod special;
pub mod write;
