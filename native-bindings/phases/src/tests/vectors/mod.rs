//! The nearest vectors, and the segments that hold them.

mod knn;
mod nested_vectors;
mod vector_segments;
