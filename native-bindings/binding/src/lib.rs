//! The napi surface of the kernels: thin, no logic of its own.
