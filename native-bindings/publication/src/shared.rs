//! What threads share is made of these. In the model they are those of `loom`, which tries the histories that the memory model allows.

#[cfg(not(loom))]
pub use arc_swap::ArcSwapOption;
#[cfg(not(loom))]
pub use std::sync::{
    OnceLock, PoisonError, RwLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

#[cfg(loom)]
pub use self::stand_ins::{ArcSwapOption, OnceLock};
#[cfg(loom)]
pub use loom::sync::{
    RwLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
#[cfg(loom)]
pub use std::sync::PoisonError;

/// For what `loom` lacks.
#[cfg(loom)]
mod stand_ins {
    use loom::cell::UnsafeCell;
    use loom::sync::Mutex;
    use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::ops::Deref;
    use std::sync::Arc;

    /// One atomic word that says which value is the newest. `arc-swap` promises more: that all its operations have one order. How it counts
    /// references is checked where it is made.
    #[derive(Debug)]
    pub struct ArcSwapOption<T> {
        newest: AtomicUsize,
        /// All there ever were. No part of the model: what makes a value visible is `newest`.
        values: std::sync::Mutex<Vec<Option<Arc<T>>>>,
    }

    pub struct Loaded<T>(Option<Arc<T>>);

    impl<T> Deref for Loaded<T> {
        type Target = Option<Arc<T>>;
        fn deref(&self) -> &Option<Arc<T>> {
            &self.0
        }
    }

    impl<T> From<Option<Arc<T>>> for ArcSwapOption<T> {
        fn from(first: Option<Arc<T>>) -> Self {
            ArcSwapOption { newest: AtomicUsize::new(0), values: std::sync::Mutex::new(vec![first]) }
        }
    }

    impl<T> ArcSwapOption<T> {
        pub fn load(&self) -> Loaded<T> {
            let newest = self.newest.load(Ordering::Acquire);
            Loaded(self.values.lock().unwrap()[newest].clone())
        }

        pub fn store(&self, value: Option<Arc<T>>) {
            let place = {
                let mut values = self.values.lock().unwrap();
                values.push(value);
                values.len() - 1
            };
            self.newest.store(place, Ordering::Release);
        }
    }

    /// As that of the standard library.
    #[derive(Debug)]
    pub struct OnceLock<T> {
        is_set: AtomicBool,
        value: UnsafeCell<Option<T>>,
        setting: Mutex<()>,
    }

    // SAFETY: the value is written once, by who holds `setting` and before `is_set`; it is read only after that.
    unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

    impl<T> Default for OnceLock<T> {
        fn default() -> Self {
            OnceLock { is_set: AtomicBool::new(false), value: UnsafeCell::new(None), setting: Mutex::new(()) }
        }
    }

    impl<T> OnceLock<T> {
        pub fn get(&self) -> Option<&T> {
            if !self.is_set.load(Ordering::Acquire) {
                return None;
            }
            // SAFETY: it is set, and nobody changes it but who has the lock to himself.
            self.value.with(|value| unsafe { (*value).as_ref() })
        }

        pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
            let setting = self.setting.lock().unwrap();
            if !self.is_set.load(Ordering::Relaxed) {
                let value = init();
                // SAFETY: nobody reads it before it is set, and nobody else sets it meanwhile.
                self.value.with_mut(|place| unsafe { *place = Some(value) });
                self.is_set.store(true, Ordering::Release);
            }
            drop(setting);
            self.get().expect("it was set just now")
        }

        pub fn take(&mut self) -> Option<T> {
            // SAFETY: nobody else has the lock.
            self.value.with_mut(|place| unsafe { (*place).take() })
        }
    }
}
