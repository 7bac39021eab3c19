//! Lists and tables of buckets that grow as documents come, and the documents that are kept for them.

pub mod bucket_table;
pub mod deferred;
pub mod keyed_buckets;
pub mod recent_buckets;
pub mod replay;

/// The entry of `owner`, with the list grown to hold it.
pub(super) fn entry<T: Default + Clone>(list: &mut Vec<T>, owner: u32) -> &mut T {
    let owner = owner as usize;
    if owner >= list.len() {
        list.resize(owner + 1, T::default());
    }
    &mut list[owner]
}
