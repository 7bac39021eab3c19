//! Which hits come first, and on which page.

mod bounds;
mod pages;
mod sorted_index;
mod sorting;
