//! Every fixed bound of the kernels in one place, with the relations between them checked at compile time.

/// Documents of one segment or shard buffer; document ids are `u32` and the last value is "none".
pub const DOCUMENTS_MAX: u32 = i32::MAX as u32;
/// Documents that writes may bring a shard to (the API's limit): nested ones, and deleted ones that no merge has left out.
pub const SHARD_DOCUMENTS_MAX: u32 = 2_147_483_519;
const _: () = assert!(SHARD_DOCUMENTS_MAX < DOCUMENTS_MAX, "a view of all that was accepted can be made");
/// Nesting of a JSON document or body.
pub const JSON_DEPTH_MAX: usize = 1_000;
/// UTF-8 bytes of one indexed term (the API's limit for keywords).
pub const TERM_BYTES_MAX: usize = 32_766;
/// UTF-8 bytes of `_id`.
pub const ID_BYTES_MAX: usize = 512;
/// Characters of one token of the standard tokenizer; longer ones are split there.
pub const TOKEN_CHARS_MAX: usize = 255;
/// Stack that kernels run on, whatever thread calls them. The deepest of what nests takes a tenth of it in a release build.
pub const KERNEL_STACK_BYTES: usize = 64 << 20;
