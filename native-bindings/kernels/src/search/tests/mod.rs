//! Searches over real segments: scenes with known answers, and random ones against a slow reference.
mod differential;
mod explain;
mod fixture;
mod reference;
mod requests;
mod sorting;
