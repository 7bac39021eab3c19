//! A disk in memory for simulations: it loses what was not synced, is full, or fails, when it is told to.
//!
//! A kill of the process leaves everything that was written. After a power cut each sector of 512 bytes that was written and not
//! synced is as it was or as it became; what is missing between them is zeros. A file that was renamed and whose directory
//! was not synced is the old or the new one; a file that was removed may be back.

use super::disk::{Disk, OpenFile};
use super::mixed;
use quarry_base::error::{Error, Result};
use quarry_base::files;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const SECTOR_BYTES: usize = 512;

/// Clones are the same disk.
#[derive(Debug, Clone)]
pub struct SimulatedDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// Chooses what survives.
    dice: u64,
    files: BTreeMap<String, Content>,
    /// Names that were removed since the directory was synced, with what they stood for.
    removed: BTreeMap<String, Vec<u8>>,
    /// The operation that fails, counted from now; each counts that would wait for a device.
    fails_at: Option<u64>,
    is_full: bool,
}

#[derive(Debug, Default, Clone)]
struct Content {
    written: Vec<u8>,
    /// None: the name itself was not synced.
    durable: Option<Vec<u8>>,
    /// It is the one or the other, and no mixture.
    is_renamed: bool,
}

impl SimulatedDisk {
    pub fn new(seed: u64) -> Self {
        let (files, removed) = Default::default();
        SimulatedDisk {
            state: Arc::new(Mutex::new(State { dice: seed, files, removed, fails_at: None, is_full: false })),
        }
    }

    /// The operation fails that comes after so many others; of a write a part may be done. It fails once.
    pub fn fail_at(&self, operation: Option<u64>) {
        self.state().fails_at = operation;
    }

    /// Files cannot grow, and none can be made.
    pub fn set_full(&self, is_full: bool) {
        self.state().is_full = is_full;
    }

    /// Every member on it must be gone.
    pub fn lose_power(&self) {
        let mut state = self.state();
        let files = std::mem::take(&mut state.files);
        for (name, content) in files {
            if let Some(bytes) = state.surviving(content) {
                state.files.insert(name, Content::durable(bytes));
            }
        }
        for (name, bytes) in std::mem::take(&mut state.removed) {
            if state.below(2) == 0 {
                state.files.entry(name).or_insert_with(|| Content::durable(bytes));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Content {
    fn durable(bytes: Vec<u8>) -> Self {
        Content { written: bytes.clone(), durable: Some(bytes), is_renamed: false }
    }
}

impl State {
    fn below(&mut self, bound: u64) -> u64 {
        self.dice = mixed(self.dice);
        self.dice % bound
    }

    fn surviving(&mut self, content: Content) -> Option<Vec<u8>> {
        let Content { written, durable, is_renamed } = content;
        let before = durable.as_deref().unwrap_or_default();
        if before == written && durable.is_some() {
            return durable;
        }
        match self.below(3) {
            0 => durable,
            1 => Some(written),
            _ if is_renamed || durable.is_none() => durable,
            _ => Some(self.torn(before, &written)),
        }
    }

    fn torn(&mut self, before: &[u8], written: &[u8]) -> Vec<u8> {
        let mut bytes = before.to_vec();
        for (sector, new) in written.chunks(SECTOR_BYTES).enumerate() {
            let start = sector * SECTOR_BYTES;
            if before.get(start..start + new.len()) == Some(new) || self.below(2) == 0 {
                continue;
            }
            let end = start + new.len();
            bytes.resize(bytes.len().max(end), 0);
            bytes[start..end].copy_from_slice(new);
        }
        bytes
    }

    /// Counts an operation.
    fn is_fault_due(&mut self) -> bool {
        match self.fails_at {
            Some(0) => {
                self.fails_at = None;
                true
            }
            Some(left) => {
                self.fails_at = Some(left - 1);
                false
            }
            None => false,
        }
    }
}

fn broken() -> io::Error {
    io::Error::other("the simulated disk fails")
}

fn full() -> io::Error {
    io::Error::from(io::ErrorKind::StorageFull)
}

impl Disk for SimulatedDisk {
    fn path_of(&self, name: &str) -> PathBuf {
        Path::new("simulated").join(name)
    }

    fn make(&self) -> Result<()> {
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>> {
        Ok(self.state().files.keys().cloned().collect())
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.state().files.get(name).map(|content| content.written.clone()))
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut state = self.state();
        let is_fault_due = state.is_fault_due();
        if state.is_full || (is_fault_due && state.below(2) == 0) {
            let part = state.below(bytes.len() as u64 + 1) as usize;
            let unfinished = Content { written: bytes[..part].to_vec(), durable: None, is_renamed: false };
            let beside = files::temporary(Path::new(name)).to_string_lossy().into_owned();
            state.files.insert(beside, unfinished);
            let error = if state.is_full { full() } else { broken() };
            return Err(Error::io("cannot write", &self.path_of(name), error));
        }
        let durable = state.files.get(name).and_then(|former| former.durable.clone());
        let renamed = Content { written: bytes.to_vec(), durable, is_renamed: true };
        if is_fault_due {
            state.files.insert(name.to_owned(), renamed);
            return Err(Error::io("cannot sync the directory of", &self.path_of(name), broken()));
        }
        state.files.insert(name.to_owned(), Content::durable(bytes.to_vec()));
        state.removed.clear();
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<()> {
        let mut state = self.state();
        if let Some(Content { durable: Some(bytes), .. }) = state.files.remove(name) {
            state.removed.insert(name.to_owned(), bytes);
        }
        Ok(())
    }

    fn open(&self, name: &str) -> Result<Option<Box<dyn OpenFile>>> {
        let is_there = self.state().files.contains_key(name);
        Ok(is_there.then(|| Box::new(SimulatedFile { disk: self.clone(), name: name.to_owned() }) as Box<dyn OpenFile>))
    }
}

#[derive(Debug)]
struct SimulatedFile {
    disk: SimulatedDisk,
    name: String,
}

impl SimulatedFile {
    fn change(&self, change: impl FnOnce(&mut Content)) -> io::Result<()> {
        let mut state = self.disk.state();
        state.files.get_mut(&self.name).map(change).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

impl OpenFile for SimulatedFile {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = offset as usize;
        let end = offset + bytes.len();
        let (is_fault_due, room, part) = {
            let mut state = self.disk.state();
            let length = state.files.get(&self.name).map_or(0, |content| content.written.len());
            let room = if state.is_full { length } else { usize::MAX };
            (state.is_fault_due(), room, state.below(bytes.len() as u64 + 1) as usize)
        };
        let taken = if is_fault_due { part } else { bytes.len().min(room.saturating_sub(offset)) };
        self.change(|content| {
            let end = offset + taken;
            if taken > 0 {
                content.written.resize(content.written.len().max(end), 0);
                content.written[offset..end].copy_from_slice(&bytes[..taken]);
            }
        })?;
        match (is_fault_due, offset + taken < end) {
            (true, _) => Err(broken()),
            (false, true) => Err(full()),
            (false, false) => Ok(()),
        }
    }

    fn sync(&self) -> io::Result<()> {
        if self.disk.state().is_fault_due() {
            return Err(broken());
        }
        self.change(|content| *content = Content::durable(std::mem::take(&mut content.written)))
    }

    fn cut_at(&self, length: u64) -> io::Result<()> {
        self.change(|content| content.written.truncate(length as usize))?;
        self.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk_with(seed: u64, name: &str, bytes: &[u8]) -> SimulatedDisk {
        let disk = SimulatedDisk::new(seed);
        disk.replace(name, bytes).unwrap();
        disk
    }

    fn content(disk: &SimulatedDisk, name: &str) -> Vec<u8> {
        disk.read(name).unwrap().unwrap_or_default()
    }

    #[test]
    fn a_power_cut_leaves_what_was_synced_and_any_sectors_of_the_rest() {
        let mut outcomes = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let disk = disk_with(seed, "log", &[1; 2 * SECTOR_BYTES]);
            let file = disk.open("log").unwrap().unwrap();
            file.write_at(&[2; SECTOR_BYTES], 0).unwrap();
            file.sync().unwrap();
            file.write_at(&[3; 2 * SECTOR_BYTES], SECTOR_BYTES as u64).unwrap();
            assert_eq!(content(&disk, "log").len(), 3 * SECTOR_BYTES);
            disk.lose_power();
            let found = content(&disk, "log");
            assert_eq!(found[..SECTOR_BYTES], [2; SECTOR_BYTES]);
            outcomes.insert((found[SECTOR_BYTES], found.get(2 * SECTOR_BYTES).copied()));
        }
        assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), [(1, None), (1, Some(3)), (3, None), (3, Some(3))]);
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        for seed in 0..100 {
            let disk = disk_with(seed, "log", b"former");
            disk.fail_at(Some(0));
            assert!(disk.replace("log", b"newer").is_err());
            disk.lose_power();
            assert!([&b"former"[..], b"newer"].contains(&&content(&disk, "log")[..]));
            disk.replace("log", b"newest").unwrap();
            disk.lose_power();
            assert_eq!(content(&disk, "log"), b"newest");
        }
    }

    #[test]
    fn a_removal_is_durable_when_the_directory_is_synced() {
        let survivors = (0..50).filter(|seed| {
            let disk = disk_with(*seed, "old", b"old");
            disk.remove("old").unwrap();
            disk.lose_power();
            !disk.names().unwrap().is_empty()
        });
        assert!((1..50).contains(&survivors.count()));
        let disk = disk_with(1, "old", b"old");
        disk.remove("old").unwrap();
        disk.replace("new", b"new").unwrap();
        disk.lose_power();
        assert_eq!(disk.names().unwrap(), ["new"]);
    }

    #[test]
    fn a_full_disk_takes_what_it_has_room_for() {
        let disk = disk_with(3, "log", &[1; 10]);
        let file = disk.open("log").unwrap().unwrap();
        disk.set_full(true);
        file.write_at(&[2; 10], 0).unwrap();
        assert!(file.write_at(&[3; 10], 5).is_err());
        assert_eq!(content(&disk, "log"), [2, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
        assert!(disk.replace("new", b"new").is_err());
        disk.set_full(false);
        disk.replace("new", b"new").unwrap();
    }

    #[test]
    fn a_failure_comes_once() {
        let disk = disk_with(3, "log", b"log");
        let file = disk.open("log").unwrap().unwrap();
        disk.fail_at(Some(1));
        file.write_at(b"more", 3).unwrap();
        assert!(file.sync().is_err());
        file.sync().unwrap();
    }
}
