//! The files of one shard that lie elsewhere, and the table in which readers of segments find them.

use crate::file::{Described, Keep, RemoteFile};
use crate::requests::Requests;
use quarry_base::error::{Error, Result};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

static FOLDERS: LazyLock<RwLock<HashMap<PathBuf, Arc<Folder>>>> = LazyLock::new(RwLock::default);

/// Its files are found for as long as it is open, and those that were found can be read until then.
#[derive(Debug)]
pub struct Folder {
    directory: PathBuf,
    files: BTreeMap<String, Arc<RemoteFile>>,
    requests: Arc<Requests>,
}

impl Folder {
    /// In the place of another one of this directory, which is closed. Errors: see [`RemoteFile`].
    pub fn open(directory: &Path, files: Vec<Described>, keep: &Keep) -> Result<Arc<Self>> {
        let requests = Arc::<Requests>::default();
        let opened = files.into_iter().map(|file| {
            let path = directory.join(&file.name);
            Ok((file.name.clone(), RemoteFile::new(&path, file, keep, Arc::clone(&requests))?))
        });
        let files = opened.collect::<Result<BTreeMap<_, _>>>()?;
        let folder = Arc::new(Folder { directory: directory.to_owned(), files, requests });
        let mut folders = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        let former = folders.insert(directory.to_owned(), Arc::clone(&folder));
        drop(folders);
        if let Some(former) = former {
            former.requests.close();
        }
        Ok(folder)
    }

    /// Whoever waits for a file of it fails.
    pub fn close(&self) {
        self.requests.close();
        let mut folders = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        if folders.get(&self.directory).is_some_and(|folder| std::ptr::eq(&raw const **folder, self)) {
            folders.remove(&self.directory);
        }
    }

    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Of files that are copied, what is to be fetched next: see [`RemoteFile::take_missing`].
    /// Each is taken once before one that failed is taken again.
    pub fn take_missing(&self, bytes: usize) -> Option<(Arc<RemoteFile>, Range<usize>)> {
        self.take_next(bytes).or_else(|| {
            self.files.values().for_each(|file| file.take_from_front());
            self.take_next(bytes)
        })
    }

    fn take_next(&self, bytes: usize) -> Option<(Arc<RemoteFile>, Range<usize>)> {
        self.files.values().find_map(|file| Some((Arc::clone(file), file.take_missing(bytes)?)))
    }

    /// Errors: `IllegalArgument` for a name that it has no file of.
    pub fn file(&self, name: &str) -> Result<&Arc<RemoteFile>> {
        self.files.get(name).ok_or_else(|| Error::illegal_argument(format!("no file [{name}] lies elsewhere")))
    }

    pub fn files(&self) -> impl Iterator<Item = &Arc<RemoteFile>> {
        self.files.values()
    }
}

/// The file that lies elsewhere instead of at this path; `None`: it is where it should be.
pub fn find(path: &Path) -> Option<Arc<RemoteFile>> {
    let folders = FOLDERS.read().unwrap_or_else(PoisonError::into_inner);
    let folder = folders.get(path.parent()?)?;
    folder.files.get(path.file_name()?.to_str()?).cloned()
}
