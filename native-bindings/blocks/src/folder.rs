//! The files of one shard that lie elsewhere, and the table in which readers of segments find them.

use crate::cache;
use crate::file::{Described, RemoteFile};
use crate::requests::Requests;
use quarry_base::error::Result;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

static FOLDERS: LazyLock<RwLock<HashMap<PathBuf, Arc<Folder>>>> = LazyLock::new(RwLock::default);

/// Its files are found for as long as it is open, and those that were found can be read until then.
#[derive(Debug)]
pub struct Folder {
    directory: PathBuf,
    files: HashMap<String, Arc<RemoteFile>>,
    requests: Arc<Requests>,
}

impl Folder {
    /// In the place of another one of this directory, which is closed. Errors: see [`RemoteFile`]; `IllegalState` without a cache.
    pub fn open(directory: &Path, files: Vec<Described>) -> Result<Arc<Self>> {
        let (cache, requests) = (cache::shared()?, Arc::<Requests>::default());
        let opened = files.into_iter().map(|file| {
            let path = directory.join(&file.name);
            Ok((file.name.clone(), RemoteFile::new(&path, file, Arc::clone(&cache), Arc::clone(&requests))?))
        });
        let files = opened.collect::<Result<HashMap<_, _>>>()?;
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
