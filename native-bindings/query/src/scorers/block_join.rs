//! Documents with nested ones that match, scored by those.
//!
//! Children stand before their parent, so the window of a parent needs those up to itself. They are looked at once, in order;
//! the one parent whose children are cut by the end of a window is carried on to the window that it is in.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use quarry_plan::nested::NestedScore;
use quarry_scores::scorer::WindowScorer;
use quarry_segment::nested::{DocBits, place_of};

pub struct BlockJoinScorer<'a> {
    inner: Box<dyn WindowScorer + 'a>,
    children: DocBits<'a>,
    parents: DocBits<'a>,
    /// `None`: nobody asks for scores.
    mode: Option<NestedScore>,
    windows: u32,
    /// Windows of children before this one were looked at.
    next_children: u32,
    /// A parent behind the window at hand with what its children came to so far.
    carried: Option<Joined>,
    /// The window whose parents are loaded.
    window: Option<u32>,
    found: Vec<(u16, f32)>,
    docs: Vec<u16>,
    scores: Vec<f32>,
}

/// A parent and the scores of its children.
#[derive(Debug, Clone, Copy)]
struct Joined {
    parent: u32,
    count: u32,
    sum: f64,
    least: f32,
    greatest: f32,
}

impl Joined {
    fn new(parent: u32) -> Self {
        Joined { parent, count: 0, sum: 0.0, least: f32::INFINITY, greatest: f32::NEG_INFINITY }
    }

    fn add(&mut self, score: f32) {
        self.count += 1;
        self.sum += f64::from(score);
        self.least = self.least.min(score);
        self.greatest = self.greatest.max(score);
    }

    fn score(&self, mode: NestedScore) -> f32 {
        match mode {
            NestedScore::None => 0.0,
            NestedScore::Sum => self.sum as f32,
            NestedScore::Avg => (self.sum / f64::from(self.count.max(1))) as f32,
            NestedScore::Min => self.least,
            NestedScore::Max => self.greatest,
        }
    }
}

impl<'a> BlockJoinScorer<'a> {
    /// `inner` matches children, and perhaps other documents, which do not count.
    pub fn new(
        inner: Box<dyn WindowScorer + 'a>,
        children: DocBits<'a>,
        parents: DocBits<'a>,
        mode: Option<NestedScore>,
        windows: u32,
    ) -> Self {
        BlockJoinScorer {
            inner,
            children,
            parents,
            mode: mode.filter(|mode| *mode != NestedScore::None),
            windows,
            next_children: 0,
            carried: None,
            window: None,
            found: Vec::new(),
            docs: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// The window from which on children may belong to parents of `window`.
    fn first_children(&self, window: u32) -> u32 {
        place_of(self.parents.block_start(window * WINDOW as u32)).0.max(self.next_children)
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        self.window = Some(window);
        self.found.clear();
        let mut open = self.carried.take().filter(|carried| place_of(carried.parent).0 >= window);
        let mut at = self.inner.next_window(self.first_children(window))?;
        while at <= window {
            self.match_children(at)?;
            self.next_children = at + 1;
            for place in 0..self.docs.len() {
                let child = at * WINDOW as u32 + u32::from(self.docs[place]);
                if open.is_none_or(|open| open.parent < child) {
                    self.close(open.take(), window);
                    open = self.parents.next(child).map(Joined::new);
                }
                if let Some(open) = &mut open {
                    open.add(self.scores.get(place).copied().unwrap_or(0.0));
                }
            }
            at = self.inner.next_window(at + 1)?;
        }
        self.close(open, window);
        Ok(())
    }

    /// The children that match in a window, and their scores where they are wanted.
    fn match_children(&mut self, window: u32) -> Result<()> {
        let mut matched = bits::EMPTY;
        self.inner.matches(window, &mut matched)?;
        bits::and(&mut matched, self.children.window(window).unwrap_or(&bits::EMPTY));
        bits::list(&matched, &mut self.docs);
        self.scores.clear();
        if self.mode.is_some() {
            self.scores.resize(self.docs.len(), 0.0);
            self.inner.score(window, &self.docs, &mut self.scores)?;
        }
        Ok(())
    }

    /// All children of the parent that stand up to the end of the window were seen.
    fn close(&mut self, joined: Option<Joined>, window: u32) {
        let Some(joined) = joined else { return };
        let (of, doc) = place_of(joined.parent);
        if of > window {
            self.carried = Some(joined);
        } else if of == window {
            self.found.push((doc, self.mode.map_or(0.0, |mode| joined.score(mode))));
        }
    }
}

impl WindowScorer for BlockJoinScorer<'_> {
    fn cost(&self) -> u64 {
        self.inner.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        if window >= self.windows {
            return Ok(NO_MORE_WINDOWS);
        }
        if self.window == Some(window) && !self.found.is_empty() {
            return Ok(window);
        }
        if let Some(carried) = self.carried.filter(|carried| place_of(carried.parent).0 >= window) {
            return Ok(place_of(carried.parent).0);
        }
        let at = self.inner.next_window(self.first_children(window))?;
        if at >= self.windows {
            return Ok(NO_MORE_WINDOWS);
        }
        let first = (at * WINDOW as u32).max(self.parents.block_start(window * WINDOW as u32));
        Ok(self.parents.next(first).map_or(NO_MORE_WINDOWS, |parent| place_of(parent).0.max(window)))
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(if self.mode.is_some() { f32::INFINITY } else { 0.0 })
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        self.found.iter().for_each(|&(doc, _)| bits::set(bits, doc));
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        let mut found = self.found.iter().peekable();
        for (&doc, total) in docs.iter().zip(scores) {
            while found.next_if(|(other, _)| *other < doc).is_some() {}
            if let Some((_, score)) = found.next_if(|(other, _)| *other == doc) {
                *total += score;
            }
        }
        Ok(())
    }
}
