//! What the tests of several files of this room share.

use quarry_base::error::{Error, ErrorCode};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory of its own, removed at the end.
pub(crate) struct TestDirectory {
    path: PathBuf,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl TestDirectory {
    pub(crate) fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("quarry-segment-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        TestDirectory { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Flips a bit in every `step`-th byte and cuts the file there, one damage at a time; `open` must report each of them as
/// corruption of that file. The file is whole again at the end.
pub(crate) fn expect_damage_reported(path: &Path, step: usize, open: impl Fn() -> Option<Error>) {
    let whole = fs::read(path).unwrap();
    assert!(open().is_none(), "the undamaged file must open");
    let name = path.file_name().unwrap().to_str().unwrap();
    let expect = |what: &str, place: usize| {
        let error = open().unwrap_or_else(|| panic!("{what} at byte {place} of {name} went unnoticed"));
        assert_eq!(error.code, ErrorCode::Corrupt, "{what} at byte {place}: {error}");
        assert!(error.reason.contains(name), "{what} at byte {place} does not name the file: {error}");
    };
    for place in (0..whole.len()).step_by(step).chain([whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(path, &damaged).unwrap();
        expect("a flipped bit", place);
        fs::write(path, &whole[..place]).unwrap();
        expect("the end", place);
    }
    fs::write(path, whole).unwrap();
}
