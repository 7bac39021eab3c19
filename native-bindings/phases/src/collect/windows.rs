//! The general way: window by window through the scorer of any query.

use super::parts::windows::Windows;
use super::{Search, Top, slice};
use quarry_aggregations as aggs;
use quarry_base::control::Control;
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_query::scorers::bits;
use quarry_query::sort::{Primed, SegmentSort};
use quarry_query::view::SegmentView;
use quarry_query::weight::Weight;
use quarry_scores::scorer::WindowScorer;

/// Fewer matches are not worth opening the scorer twice.
const PRIMED_MATCHES_MIN: u64 = 4 * WINDOW as u64;

/// Matches of a window, with scores where they are asked for; memory reused from window to window.
#[derive(Default)]
struct Batch {
    docs: Vec<u16>,
    /// One for each document, or empty.
    scores: Vec<f32>,
}

impl<'a> Search<'a> {
    pub(super) fn run_windows(
        &mut self,
        weight: &dyn Weight,
        segment: &'a SegmentView,
        mut aggregations: Option<&mut aggs::Run<'a>>,
        windows: &mut Windows<'_>,
        control: &mut Control<'_>,
    ) -> Result<()> {
        let Some(mut scorer) = weight.scorer(segment)? else {
            // Terms that no match has are told of as well.
            return aggregations.map_or(Ok(()), |run| run.start_segment(segment));
        };
        let post_filter = self.post_filter.take();
        let mut filter = match &post_filter {
            Some(weight) => match weight.scorer(segment)? {
                Some(filter) => Filter::Scorer(filter),
                None => Filter::Nothing,
            },
            None => Filter::Everything,
        };
        if let Some(run) = aggregations.as_mut() {
            run.start_segment(segment)?;
            if self.wants_whole(weight, segment) && run.takes_whole() && windows.take_all() {
                run.collect_whole()?;
                self.collected += u64::from(segment.max_doc());
                self.total += u64::from(segment.max_doc());
                return Ok(());
            }
        }
        let mut sort = match &self.top {
            Top::Sort(collector) => Some(collector.start_segment(segment)?),
            Top::None | Top::Score(_) => None,
        };
        let mut batch = Batch::default();
        if aggregations.is_none()
            && matches!(filter, Filter::Everything)
            && let Some(sort) = sort.as_mut()
            && scorer.cost() >= PRIMED_MATCHES_MIN
        {
            self.prime(weight, segment, sort, &mut batch)?;
        }
        let window_count = segment.window_count();
        let mut window = windows.find(0, |from| scorer.next_window(from))?;
        while window < window_count && !control.should_stop()? && !self.terminated_early {
            let need = match (&aggregations, &filter) {
                (None, Filter::Everything) => self.need(scorer.as_mut(), sort.as_ref(), segment, window)?,
                (None, _) if self.can_skip(scorer.as_mut(), sort.as_ref(), window)? => Need::Nothing,
                _ => Need::Documents,
            };
            match need {
                Need::Nothing => {
                    self.is_lower_bound = true;
                    if sort.as_ref().is_some_and(SegmentSort::is_complete) {
                        break;
                    }
                }
                Need::Number => {
                    let matched = self.matched(scorer.as_mut(), segment, window)?;
                    self.total += u64::from(bits::count(&matched));
                }
                Need::Best => {
                    let mut matched = self.matched(scorer.as_mut(), segment, window)?;
                    self.total += u64::from(bits::count(&matched));
                    if let Some(sort) = sort.as_mut() {
                        self.take_best(scorer.as_mut(), window, &mut matched, sort, &mut batch)?;
                    }
                }
                Need::Documents => {
                    // Aggregations need all matches, of which most can be no hits.
                    let compete =
                        aggregations.is_none() || !self.cannot_compete(scorer.as_mut(), sort.as_ref(), window)?;
                    self.match_window(scorer.as_mut(), segment, window, compete, &mut batch)?;
                    if let Some(run) = aggregations.as_mut().filter(|_| !batch.docs.is_empty()) {
                        let scores = (!batch.scores.is_empty()).then_some(batch.scores.as_slice());
                        run.collect(window, &batch.docs, scores)?;
                    }
                    filter.retain(window, &mut batch)?;
                    self.count(&batch);
                    if compete {
                        self.take(segment, window, &batch, sort.as_mut())?;
                    }
                }
            }
            window = windows.find(window + 1, |from| scorer.next_window(from))?;
        }
        if let (Top::Sort(collector), Some(sort)) = (&mut self.top, sort) {
            collector.finish_segment(sort)?;
        }
        drop(filter);
        self.post_filter = post_filter;
        Ok(())
    }

    /// All documents of the segment match, and only aggregations and the count are made of them.
    fn wants_whole(&self, weight: &dyn Weight, segment: &SegmentView) -> bool {
        let plan = self.plan;
        let is_plain = plan.min_score.is_none() && plan.terminate_after == 0 && plan.slice.is_none();
        is_plain
            && plan.post_filter.is_none()
            && matches!(self.top, Top::None)
            && !self.needs_scores
            && segment.live.is_none()
            && segment.computed.is_none()
            && weight.matches_all()
    }

    /// Looks at the windows whose documents sort first: most others can then be left out, or only counted.
    fn prime(
        &self,
        weight: &dyn Weight,
        segment: &SegmentView,
        sort: &mut SegmentSort<'_>,
        batch: &mut Batch,
    ) -> Result<()> {
        let plan = self.plan;
        let all_count = plan.min_score.is_none() && plan.terminate_after == 0 && plan.slice.is_none();
        let windows = if all_count { sort.windows_to_prime() } else { Vec::new() };
        if windows.is_empty() {
            return Ok(());
        }
        let Some(mut scorer) = weight.scorer(segment)? else { return Ok(()) };
        let mut primed = Primed::default();
        for window in windows {
            if scorer.next_window(window)? == window {
                let mut matched: WindowBits = bits::EMPTY;
                scorer.matches(window, &mut matched)?;
                segment.retain_live(window, &mut matched);
                bits::list(&matched, &mut batch.docs);
                sort.prime(window, &batch.docs, &mut primed)?;
            }
        }
        Ok(())
    }

    /// What the search needs to know of a window where every match counts.
    fn need(
        &self,
        scorer: &mut dyn WindowScorer,
        sort: Option<&SegmentSort<'_>>,
        segment: &SegmentView,
        window: u32,
    ) -> Result<Need> {
        let plan = self.plan;
        if plan.terminate_after > 0 || plan.track_scores {
            return Ok(Need::Documents);
        }
        let is_counted_by_bits = plan.min_score.is_none() && segment.computed.is_none();
        if !self.cannot_compete(scorer, sort, window)? {
            let is_sorted = matches!(self.top, Top::Sort(_));
            return Ok(if is_counted_by_bits && is_sorted { Need::Best } else { Need::Documents });
        }
        if self.is_counted_enough() {
            return Ok(Need::Nothing);
        }
        Ok(if is_counted_by_bits { Need::Number } else { Need::Documents })
    }

    /// Hands on those of the matches that may be among the first.
    fn take_best(
        &self,
        scorer: &mut dyn WindowScorer,
        window: u32,
        matched: &mut WindowBits,
        sort: &mut SegmentSort<'_>,
        batch: &mut Batch,
    ) -> Result<()> {
        sort.retain_competing(window, matched);
        bits::list(matched, &mut batch.docs);
        if batch.docs.is_empty() {
            return Ok(());
        }
        batch.scores.clear();
        if self.needs_scores {
            batch.scores.resize(batch.docs.len(), 0.0);
            scorer.score(window, &batch.docs, &mut batch.scores)?;
        }
        sort.collect(window * WINDOW as u32, window, &batch.docs, &batch.scores)
    }

    /// Nothing in the window would be counted or be among the best.
    fn can_skip(&self, scorer: &mut dyn WindowScorer, sort: Option<&SegmentSort<'_>>, window: u32) -> Result<bool> {
        let needs_all = !self.is_counted_enough() || self.plan.terminate_after > 0 || self.plan.track_scores;
        Ok(!needs_all && self.cannot_compete(scorer, sort, window)?)
    }

    /// Nothing in the window would be among the best.
    fn cannot_compete(
        &self,
        scorer: &mut dyn WindowScorer,
        sort: Option<&SegmentSort<'_>>,
        window: u32,
    ) -> Result<bool> {
        match (&self.top, sort) {
            (Top::None, _) => Ok(true),
            (Top::Score(top), _) => Ok(scorer.max_score(window)? <= top.threshold()),
            (Top::Sort(_), Some(sort)) => Ok(sort.can_skip(window)),
            (Top::Sort(_), None) => Ok(false),
        }
    }

    /// The live matches of the window, of the slice that is asked for.
    fn matched(&self, scorer: &mut dyn WindowScorer, segment: &SegmentView, window: u32) -> Result<WindowBits> {
        let mut matched: WindowBits = bits::EMPTY;
        scorer.matches(window, &mut matched)?;
        segment.retain_live(window, &mut matched);
        if let Some(slice) = &self.plan.slice {
            slice::retain(slice, segment, window, &mut matched);
        }
        Ok(matched)
    }

    /// The matches of the window, as far as `min_score` and `terminate_after` let them through. `compete`: they may be among the best.
    fn match_window(
        &mut self,
        scorer: &mut dyn WindowScorer,
        segment: &SegmentView,
        window: u32,
        compete: bool,
        batch: &mut Batch,
    ) -> Result<()> {
        let matched = self.matched(scorer, segment, window)?;
        bits::list(&matched, &mut batch.docs);
        segment.check_computed(window, &batch.docs)?;
        batch.scores.clear();
        if self.needs_all_scores || compete && self.needs_scores {
            batch.scores.resize(batch.docs.len(), 0.0);
            scorer.score(window, &batch.docs, &mut batch.scores)?;
        }
        if let Some(min_score) = self.plan.min_score {
            batch.retain(|_, score| score >= min_score);
        }
        let limit = self.plan.terminate_after;
        if limit > 0 && self.collected + batch.docs.len() as u64 > limit {
            batch.truncate((limit - self.collected) as usize);
            self.terminated_early = true;
        }
        self.collected += batch.docs.len() as u64;
        Ok(())
    }

    fn count(&mut self, batch: &Batch) {
        self.total += batch.docs.len() as u64;
        if self.plan.track_scores {
            self.max_score = batch.scores.iter().copied().fold(self.max_score, f32::max);
        }
    }

    /// Keeps the best of the matches.
    fn take(
        &mut self,
        segment: &SegmentView,
        window: u32,
        batch: &Batch,
        sort: Option<&mut SegmentSort<'_>>,
    ) -> Result<()> {
        let window_start = window * WINDOW as u32;
        match &mut self.top {
            Top::None => {}
            Top::Score(top) => {
                for (&doc, &score) in batch.docs.iter().zip(&batch.scores) {
                    if score > top.threshold() {
                        top.insert(score, segment.doc_base + window_start + u32::from(doc));
                    }
                }
            }
            Top::Sort(_) => {
                if let Some(sort) = sort {
                    sort.collect(window_start, window, &batch.docs, &batch.scores)?;
                }
            }
        }
        Ok(())
    }
}

impl Batch {
    fn truncate(&mut self, count: usize) {
        self.docs.truncate(count);
        self.scores.truncate(count);
    }

    fn retain(&mut self, keep: impl Fn(u16, f32) -> bool) {
        let mut kept = 0;
        for place in 0..self.docs.len() {
            let score = self.scores.get(place).copied().unwrap_or(0.0);
            if keep(self.docs[place], score) {
                self.docs[kept] = self.docs[place];
                if let Some(slot) = self.scores.get_mut(kept) {
                    *slot = score;
                }
                kept += 1;
            }
        }
        self.truncate(kept);
    }
}

/// What is asked of a window.
enum Need {
    Nothing,
    /// How many documents match.
    Number,
    /// That, and those that may be among the first of an order.
    Best,
    Documents,
}

/// `post_filter` over one segment.
enum Filter<'a> {
    Everything,
    Nothing,
    Scorer(Box<dyn WindowScorer + 'a>),
}

impl Filter<'_> {
    fn retain(&mut self, window: u32, batch: &mut Batch) -> Result<()> {
        match self {
            Filter::Everything => {}
            Filter::Nothing => batch.truncate(0),
            Filter::Scorer(scorer) => {
                let mut accepted = bits::EMPTY;
                if scorer.next_window(window)? == window {
                    scorer.matches(window, &mut accepted)?;
                }
                batch.retain(|doc, _| bits::contains(&accepted, doc));
            }
        }
        Ok(())
    }
}
