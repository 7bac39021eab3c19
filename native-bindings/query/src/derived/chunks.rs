//! The values of a computed field, chunk by chunk of a segment, by as many threads as are idle.
//!
//! Columns are made of values in the order of documents. So threads keep what they computed until it is that chunk's turn, and none is far ahead of it:
//! neither in documents nor in the memory of their values.

use super::column::{COLUMN_BYTES_MAX, Script, is_of_the_document};
use super::values::is_left_out;
use super::wanted::WantedField;
use crate::crew::{Crew, Ending, idle_helpers};
use crate::scorers::bits;
use crate::view::{SegmentView, ShardView};
use quarry_base::control::{IsCancelled, cancelled};
use quarry_base::error::{Error, Result};
use quarry_base::interrupt::watching;
use quarry_buffer::lone::too_large;
use quarry_codec::window::{WINDOW, window_count};
use quarry_script::DocScalar;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Windows of a chunk.
const CHUNK_WINDOWS: u32 = 4;
/// Chunks that may be finished, or begun, before the first of them is taken.
const AHEAD_MAX: u32 = 16;
/// Bytes of values that wait for their turn before no further chunk is begun ahead of it.
const AHEAD_BYTES_MAX: usize = 16 << 20;
/// How often who waits looks whether the search was cancelled.
const LOOK: Duration = Duration::from_millis(1);

/// What a script gives for one document, and how it failed behind that.
pub(super) struct DocValues {
    pub doc: u32,
    pub scalars: Vec<DocScalar>,
    pub failed: Option<Error>,
}

/// The values of a chunk, and what they take.
#[derive(Default)]
struct Chunk {
    values: Vec<DocValues>,
    bytes: usize,
}

/// Calls `take` with the values of each live document of the field's scopes, in their order.
///
/// Errors: those of `take`, `TaskCancelled`, and whatever is not a failure of the script on one document.
pub(super) fn for_each_document(
    view: &ShardView,
    segment: &SegmentView,
    field: &Arc<WantedField>,
    is_cancelled: IsCancelled<'_>,
    mut take: impl FnMut(DocValues) -> Result<()>,
) -> Result<()> {
    let chunks = segment.window_count().div_ceil(CHUNK_WINDOWS);
    let shared = Arc::new(Shared {
        view: view.clone(),
        segment: segment.clone(),
        field: Arc::clone(field),
        chunks,
        state: Mutex::default(),
        has_changed: Condvar::new(),
        waiting_bytes: AtomicUsize::new(0),
    });
    let crew = Crew::new({
        let shared = Arc::clone(&shared);
        move |is_over| shared.help(is_over)
    });
    let _ending = Ending(&crew);
    crew.call(idle_helpers().min(chunks.saturating_sub(1) as usize));
    let mut script = Script::new(&shared.view, &shared.segment, &shared.field)?;
    for chunk in 0..chunks {
        let Chunk { values, bytes } = shared.take(chunk, &mut script, is_cancelled)?;
        values.into_iter().try_for_each(&mut take)?;
        shared.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
    Ok(())
}

/// What the threads share.
struct Shared {
    view: ShardView,
    segment: SegmentView,
    field: Arc<WantedField>,
    chunks: u32,
    state: Mutex<State>,
    has_changed: Condvar,
    /// Of values that were computed and not taken yet.
    waiting_bytes: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The first chunk that nobody has begun.
    next: u32,
    /// The chunk whose turn it is.
    turn: u32,
    finished: BTreeMap<u32, Result<Chunk>>,
}

impl Shared {
    fn help(&self, is_over: IsCancelled<'_>) {
        let mut script = None;
        while let Some(chunk) = self.begin_as_helper(is_over) {
            let computed = catch_unwind(AssertUnwindSafe(|| {
                watching(is_over, None, || {
                    let script = match &mut script {
                        Some(script) => script,
                        none => none.insert(Script::new(&self.view, &self.segment, &self.field)?),
                    };
                    self.compute(chunk, script, is_over)
                })
            }));
            let computed = computed.unwrap_or_else(|_| Err(Error::internal("a script panicked")));
            self.lock().finished.insert(chunk, computed);
            self.has_changed.notify_all();
        }
    }

    /// Waits where it would be too far ahead. `None`: there is nothing left, or nobody wants it.
    fn begin_as_helper(&self, is_over: IsCancelled<'_>) -> Option<u32> {
        let mut state = self.lock();
        loop {
            if is_over() || state.next >= self.chunks {
                return None;
            }
            if state.next < state.turn + AHEAD_MAX && self.may_begin(&state) {
                state.next += 1;
                return Some(state.next - 1);
            }
            state = self.has_changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The chunk whose turn it is may be begun whatever waits.
    fn may_begin(&self, state: &State) -> bool {
        state.next == state.turn || self.waiting_bytes.load(Ordering::Relaxed) < AHEAD_BYTES_MAX
    }

    /// The values of the chunk whose turn it is; computes others while a helper has that one.
    fn take(&self, chunk: u32, script: &mut Script<'_>, is_cancelled: IsCancelled<'_>) -> Result<Chunk> {
        let mut state = self.lock();
        state.turn = chunk;
        loop {
            if let Some(finished) = state.finished.remove(&chunk) {
                return finished;
            }
            if is_cancelled() {
                return Err(cancelled());
            }
            if state.next < self.chunks.min(chunk + AHEAD_MAX) && self.may_begin(&state) {
                let own = state.next;
                state.next += 1;
                drop(state);
                let computed = self.compute(own, script, is_cancelled);
                state = self.lock();
                state.finished.insert(own, computed);
            } else {
                state = self.has_changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    fn compute(&self, chunk: u32, script: &mut Script<'_>, is_cancelled: IsCancelled<'_>) -> Result<Chunk> {
        let mut computed = Chunk::default();
        let mut docs = Vec::new();
        let first = chunk * CHUNK_WINDOWS;
        for window in first..(first + CHUNK_WINDOWS).min(window_count(self.segment.max_doc())) {
            if is_cancelled() {
                return Err(cancelled());
            }
            self.live_documents(window, &mut docs)?;
            for &doc in &docs {
                let doc = window * WINDOW as u32 + u32::from(doc);
                let mut scalars = Vec::new();
                let failed = script.document(doc, &mut scalars).err();
                if let Some(error) = failed.as_ref().filter(|error| !is_of_the_document(error)) {
                    return Err(error.clone());
                }
                scalars.retain(|scalar| !is_left_out(self.field.field_type, scalar));
                if !scalars.is_empty() || failed.is_some() {
                    computed.bytes += self.charge(&scalars)?;
                    computed.values.push(DocValues { doc, scalars, failed });
                }
            }
        }
        Ok(computed)
    }

    /// What the values take. `CircuitBreaking` where all that wait take more than a column may.
    fn charge(&self, scalars: &[DocScalar]) -> Result<usize> {
        let texts = scalars.iter().map(|scalar| if let DocScalar::Text(text) = scalar { text.len() } else { 0 });
        let bytes = size_of::<DocValues>() + size_of_val(scalars) + texts.sum::<usize>();
        if self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > COLUMN_BYTES_MAX {
            return Err(too_large(&self.field.spec.name, COLUMN_BYTES_MAX));
        }
        Ok(bytes)
    }

    /// Of the field's scopes, by their numbers in the window.
    fn live_documents(&self, window: u32, docs: &mut Vec<u16>) -> Result<()> {
        let mut wanted = bits::EMPTY;
        for scope in &self.field.scopes {
            let mut live = bits::EMPTY;
            bits::fill(window, self.segment.max_doc(), &mut live);
            self.segment.retain_scope(window, &mut live, scope)?;
            bits::or(&mut wanted, &live);
        }
        bits::list(&wanted, docs);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
