//! What scripts of searches choose and where they run.

mod interval_scripts;
mod scopes;
