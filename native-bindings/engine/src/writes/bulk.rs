//! A batch of items in one call: each is carried out and answered, all go to the translog in records of many.

use super::write::{Document, Earlier, Written};
use crate::engine::Shard;
use crate::items::descriptor::{Action, Item};
use crate::items::version::Demand;
use crate::render::{Answer, Style, routing_missing, write_answer, write_failure};
use quarry_base::error::{Error, Result};
use quarry_mapping::document::{DocumentHead, ParseScratch, check_document, collect_unmapped};
use quarry_mapping::spec::MappingSpec;
use std::time::Instant;

/// Bytes of operations after which they go to the translog as one record: it is written while the batch goes on.
const RECORD_BYTES: usize = 256 << 10;
/// Items that are looked through for texts of queries after one that waits for plans alone: queries that have to wait until their
/// own item comes stop the batch each.
const ITEMS_AHEAD: usize = 64;

/// The items of a request and which of them are for this shard.
#[derive(Debug, Clone, Copy)]
pub struct BulkRequest<'a> {
    pub body: &'a [u8],
    pub descriptors: &'a [u32],
    pub strings: &'a [u8],
    /// Items of the request, in the order in which they are carried out.
    pub selection: &'a [u32],
    /// Place in `selection` to begin at.
    pub from: usize,
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// Items say `forced_refresh`: the caller refreshes before it answers.
    pub forced_refresh: bool,
    /// Items are plain answers of document endpoints.
    pub bare: bool,
}

/// What became of them.
#[derive(Debug, Default)]
pub struct BulkOutcome {
    /// Place in the selection after the last item that was carried out.
    pub processed: usize,
    /// One JSON object per item, where each ends, and its status.
    pub items: Vec<u8>,
    pub ends: Vec<u32>,
    pub statuses: Vec<u16>,
    pub failed: u32,
    /// JSON of the fields that the mapping lacks: the item at `processed` waits for them.
    pub unmapped: Option<Vec<u8>>,
    /// JSON of the texts of stored queries that have no plan: the item at `processed` waits for those `at_hand`; `later` are those
    /// of items after it.
    pub unplanned: Option<Vec<u8>>,
    /// What to wait for before acknowledging; 0 when nothing was written.
    pub location: u64,
    /// Documents that took as long as `slow_index_ms`: place in the selection, and microseconds.
    pub slow: Vec<(u32, u32)>,
}

/// How one item ended.
pub(crate) enum Ended<'a> {
    Answered(Answer<'a>),
    /// Its document holds fields that the mapping lacks, or queries that are not planned.
    Unmapped,
}

impl Shard {
    /// Carries out the selected items in order. Stops before a document that needs a mapping update, or plans of its queries.
    ///
    /// What is wrong with an item is its answer; an error is a failure of the shard itself: nothing of the batch may be
    /// acknowledged then.
    pub fn bulk(&mut self, request: &BulkRequest<'_>) -> Result<BulkOutcome> {
        self.check_usable()?;
        self.parse_scratch.report.clear();
        self.query_plans.forget_wanted();
        let mut outcome = BulkOutcome { processed: request.from, ..BulkOutcome::default() };
        let carried_out = self.carry_out_all(request, &mut outcome);
        // What was applied is logged, whatever came after it.
        outcome.location = self.log_batch()?.max(outcome.location);
        carried_out?;
        if self.translog.generation_bytes() >= self.settings.generation_threshold_bytes {
            let rolled = self.translog.roll();
            self.failing(rolled)?;
        }
        Ok(outcome)
    }

    fn carry_out_all(&mut self, request: &BulkRequest<'_>, outcome: &mut BulkOutcome) -> Result<()> {
        // One look at the clock an item: what ends one starts the next.
        let mut started = Instant::now();
        while let Some(&at) = request.selection.get(outcome.processed) {
            if self.is_full() {
                outcome.location = self.log_batch()?.max(outcome.location);
                self.make_room(request.now_ms)?;
            }
            let item = Item::read(request.descriptors, request.strings, at as usize)?;
            if !self.answer_item(&item, request, &mut started, outcome)? {
                self.collect_rest(request, outcome.processed + 1)?;
                outcome.unmapped = Some(self.parse_scratch.report.to_json());
                outcome.unplanned = self.query_plans.wanted_json();
                break;
            }
            outcome.processed += 1;
            if self.batch.bytes() >= RECORD_BYTES {
                outcome.location = self.log_batch()?.max(outcome.location);
            }
        }
        Ok(())
    }

    /// Writes the batch to the translog; returns the location to wait for.
    fn log_batch(&mut self) -> Result<u64> {
        if self.batch.is_empty() {
            return Ok(0);
        }
        let appended = self.translog.append(&mut self.batch, self.identity.primary_term);
        self.failing(appended)
    }

    /// Appends the item's answer; `false` when it has to wait for a mapping update or for plans. `started` becomes the time of its end.
    fn answer_item(
        &mut self,
        item: &Item<'_>,
        request: &BulkRequest<'_>,
        started: &mut Instant,
        outcome: &mut BulkOutcome,
    ) -> Result<bool> {
        let style = Style {
            forced_refresh: request.forced_refresh,
            bare: request.bare,
            copies: self.settings.replicas.saturating_add(1),
        };
        let ended = item.source_in(request.body).and_then(|source| self.carry_out(item, source, request.now_ms));
        let action = item.action.as_str();
        let status = match ended {
            Ok(Ended::Unmapped) => return Ok(false),
            Ok(Ended::Answered(answer)) => {
                let now = Instant::now();
                let took = now - *started;
                self.counters.wrote(item.action, answer.is_noop, took);
                if self.settings.slow_index_ms.is_some_and(|limit| took.as_millis() >= u128::from(limit))
                    && item.action != Action::Delete
                    && !answer.is_noop
                {
                    outcome.slow.push((outcome.processed as u32, u32::try_from(took.as_micros()).unwrap_or(u32::MAX)));
                }
                *started = now;
                write_answer(&mut outcome.items, &self.identity, action, &answer, style);
                answer.status
            }
            Err(error) => {
                self.counters.write_failed(item.action);
                outcome.failed += 1;
                write_failure(&mut outcome.items, &self.identity, action, item.id, &error, style);
                error.code.status()
            }
        };
        let end = u32::try_from(outcome.items.len());
        outcome.ends.push(end.map_err(|_| Error::illegal_argument("the answers of a batch are at most 4 GiB"))?);
        outcome.statuses.push(status);
        Ok(true)
    }

    fn carry_out<'a>(&mut self, item: &Item<'a>, source: &[u8], now_ms: u64) -> Result<Ended<'a>> {
        if item.routing.is_none() && self.mapping.spec().routing_required {
            return Err(routing_missing(&self.identity.index, item.id));
        }
        if item.id.is_empty() {
            return Err(Error::illegal_argument("if _id is specified it must not be empty"));
        }
        match item.action {
            Action::Index | Action::Create => self.index_item(item, source),
            Action::Update => self.update_item(item, source, now_ms),
            Action::Delete => self.delete_item(item, now_ms),
        }
    }

    fn demand_of(item: &Item<'_>) -> Demand {
        Demand {
            version: item.version,
            version_type: item.version_type,
            expected: item.expected,
            must_be_new: item.action == Action::Create,
        }
    }

    fn index_item<'a>(&mut self, item: &Item<'a>, source: &[u8]) -> Result<Ended<'a>> {
        let document = Document { id: item.id, routing: item.routing, source };
        let earlier = match (item.auto_id, item.repeated) {
            (true, true) => Earlier::SameWrite,
            (true, false) => Earlier::None,
            (false, _) => Earlier::Unknown,
        };
        match self.index(document, &Self::demand_of(item), earlier)? {
            None => Ok(Ended::Unmapped),
            Some(written) => Ok(Ended::Answered(self.indexed(item.id, written))),
        }
    }

    pub(crate) fn indexed<'a>(&self, id: &'a str, written: Written) -> Answer<'a> {
        let (result, status) = if written.replaced { ("updated", 200) } else { ("created", 201) };
        self.answer(id, written, result, status)
    }

    fn answer<'a>(&self, id: &'a str, written: Written, result: &'static str, status: u16) -> Answer<'a> {
        let Written { seq_no, version, .. } = written;
        let primary_term = self.identity.primary_term;
        Answer { id, version, result, seq_no, primary_term, status, is_noop: false, get: None }
    }

    fn delete_item<'a>(&mut self, item: &Item<'a>, now_ms: u64) -> Result<Ended<'a>> {
        let written = self.delete(item.id, &Self::demand_of(item), now_ms)?;
        Ok(Ended::Answered(self.deleted(item.id, written)))
    }

    pub(crate) fn deleted<'a>(&self, id: &'a str, written: Written) -> Answer<'a> {
        let (result, status) = if written.replaced { ("deleted", 200) } else { ("not_found", 404) };
        self.answer(id, written, result, status)
    }

    /// JSON of the fields that the mapping lacks of the selected documents that would be taken if the mapping were this one:
    /// what a refused document brings must not stay behind.
    ///
    /// Errors: the refusal of the first of them.
    pub fn fields_taken(&mut self, spec: MappingSpec, request: &BulkRequest<'_>) -> Result<Vec<u8>> {
        self.check_usable()?;
        let mapping = self.mapping.update(spec, &self.analysis)?;
        let mut scratch = ParseScratch::default();
        self.parse_scratch.report.clear();
        for (nth, &at) in request.selection.get(request.from..).unwrap_or_default().iter().enumerate() {
            let item = Item::read(request.descriptors, request.strings, at as usize)?;
            if !matches!(item.action, Action::Index | Action::Create) {
                continue;
            }
            let source = item.source_in(request.body)?;
            let head = DocumentHead { id: item.id, has_routing: item.routing.is_some() };
            match check_document(&mapping, head, source, &mut scratch) {
                Ok(()) => collect_unmapped(&self.mapping, source, &mut self.parse_scratch),
                Err(refusal) if nth == 0 => return Err(refusal),
                Err(_) => {}
            }
        }
        Ok(self.parse_scratch.report.to_json())
    }

    /// Unmapped fields and unplanned queries of the documents after the one that stopped the batch, so that one round serves them
    /// all; of [`ITEMS_AHEAD`] where that one lacks no field.
    fn collect_rest(&mut self, request: &BulkRequest<'_>, from: usize) -> Result<()> {
        let ahead = if self.parse_scratch.report.is_empty() { ITEMS_AHEAD } else { usize::MAX };
        for &at in request.selection.get(from..).unwrap_or_default().iter().take(ahead) {
            let item = Item::read(request.descriptors, request.strings, at as usize)?;
            if matches!(item.action, Action::Index | Action::Create) {
                let source = item.source_in(request.body)?;
                collect_unmapped(&self.mapping, source, &mut self.parse_scratch);
                self.query_plans.want(&self.parse_scratch.stored_queries, false);
            }
        }
        Ok(())
    }
}
