//! What segments leave behind, and what damage to their files does.

mod closing;
mod damaged_segments;
