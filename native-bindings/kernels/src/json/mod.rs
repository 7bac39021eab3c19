//! The JSON scanner: on demand, over 64-byte masks, strict about UTF-8, numbers, duplicate keys and depth.
