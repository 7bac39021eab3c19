//! The fast way: queries that are nothing but terms or a phrase, in the order of their scores.

use super::parts::windows::Windows;
use super::{Search, Top};
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_plan::request::TrackTotalHits;
use quarry_query::view::SegmentView;
use quarry_query::weight::{Shortcut, Weight};
use quarry_scores::topk::{
    AcceptWindow, SegmentRun, TermClause, count_intersection, count_phrase, count_union, top_and_count_intersection,
    top_and_count_phrase, top_best_of, top_intersection, top_phrase, top_union,
};

/// Live documents.
struct Live<'a>(&'a SegmentView);

impl AcceptWindow for Live<'_> {
    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.0.retain_live(window, bits);
        Ok(())
    }
}

fn segment_run<'a>(segment: &'a SegmentView, live: &'a mut Live<'_>) -> SegmentRun<'a> {
    let accept: Option<&'a mut dyn AcceptWindow> = match segment.live {
        Some(_) => Some(live),
        None => None,
    };
    SegmentRun { doc_base: segment.doc_base, max_doc: segment.max_doc(), accept }
}

impl Search<'_> {
    /// `false` when the segment must be searched the general way; then nothing was collected. One thread takes the segment as a whole.
    pub(super) fn run_shortcut(
        &mut self,
        weight: &dyn Weight,
        segment: &SegmentView,
        windows: &mut Windows<'_>,
    ) -> Result<bool> {
        let plan = self.plan;
        let is_plain = self.post_filter.is_none()
            && plan.min_score.is_none()
            && plan.terminate_after == 0
            && plan.slice.is_none()
            && !matches!(self.top, Top::Sort(_));
        if !is_plain {
            return Ok(false);
        }
        let Some(shortcut) = weight.shortcut(segment) else {
            return Ok(false);
        };
        if !windows.take_all() {
            return Ok(true);
        }
        let (is_counted_enough, enough) = (self.is_counted_enough(), self.enough());
        if let Top::Score(top) = &mut self.top {
            let mut live = Live(segment);
            let mut run = segment_run(segment, &mut live);
            let counted = match &shortcut {
                Shortcut::Phrase(phrase) if !is_counted_enough => {
                    Some(top_and_count_phrase(phrase, &mut run, top, enough)?)
                }
                Shortcut::Intersection(clauses) if !is_counted_enough => {
                    Some(top_and_count_intersection(clauses, &mut run, top, enough)?)
                }
                _ => None,
            };
            if let Some(counted) = counted {
                self.total += counted;
                self.is_lower_bound |= counted > enough;
                return Ok(true);
            }
            match &shortcut {
                Shortcut::Nothing => {}
                Shortcut::Union(clauses) => top_union(clauses, &mut run, top)?,
                Shortcut::Intersection(clauses) => top_intersection(clauses, &mut run, top)?,
                Shortcut::Phrase(phrase) => top_phrase(phrase, &mut run, top)?,
                Shortcut::BestOf(unions) => top_best_of(unions, &mut run, top)?,
            }
        }
        self.count_shortcut(&shortcut, segment)?;
        Ok(true)
    }

    /// So many more matches need to be counted, and one to know that there are others.
    fn enough(&self) -> u64 {
        match self.plan.track_total_hits {
            TrackTotalHits::UpTo(limit) => limit.saturating_sub(self.total),
            TrackTotalHits::Exact => u64::MAX,
            TrackTotalHits::Disabled => 0,
        }
    }

    fn count_shortcut(&mut self, shortcut: &Shortcut<'_>, segment: &SegmentView) -> Result<()> {
        if self.is_counted_enough() {
            self.is_lower_bound |= !matches!(shortcut, Shortcut::Nothing);
            return Ok(());
        }
        let least = certain_matches(shortcut, segment).unwrap_or(0);
        if matches!(self.plan.track_total_hits, TrackTotalHits::UpTo(limit) if self.total + least > limit) {
            self.total += least;
            self.is_lower_bound = true;
            return Ok(());
        }
        let mut live = Live(segment);
        let mut run = segment_run(segment, &mut live);
        self.total += match shortcut {
            Shortcut::Nothing => 0,
            Shortcut::Union(clauses) => count_union(clauses, &mut run)?,
            Shortcut::Intersection(clauses) => count_intersection(clauses, &mut run)?,
            Shortcut::Phrase(phrase) => count_phrase(phrase, &mut run)?,
            Shortcut::BestOf(unions) => count_union(&unions.concat(), &mut run)?,
        };
        Ok(())
    }
}

/// A union matches at least as many documents as its most frequent term, as long as none is deleted.
fn certain_matches(shortcut: &Shortcut<'_>, segment: &SegmentView) -> Option<u64> {
    if segment.live.is_some() {
        return None;
    }
    let longest = |clauses: &[TermClause<'_>]| clauses.iter().map(|clause| u64::from(clause.entry.doc_freq)).max();
    match shortcut {
        Shortcut::Union(clauses) => longest(clauses),
        Shortcut::BestOf(unions) => unions.iter().filter_map(|union| longest(union)).max(),
        Shortcut::Nothing | Shortcut::Intersection(_) | Shortcut::Phrase(_) => None,
    }
}
