//! Documents below others: nested ones, and children of a join.

mod join;
mod nested;
