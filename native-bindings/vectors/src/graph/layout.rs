//! The words (`u32`) that a graph is, in memory as in files.
//!
//! ```text
//! head      magic, vectors, m, entry, levels L, then for each level its nodes: all vectors at the lowest
//! level 0   for each vector: how many neighbours, their numbers, room for 2m
//! level l   numbers of its nodes, ascending; for each: how many neighbours, their numbers, room for m
//! ```

use quarry_base::error::{Error, Result};
use std::ops::Range;

const MAGIC: u32 = u32::from_le_bytes(*b"HNW1");
const HEAD: usize = 5;
/// More levels than any graph has: each holds a fraction of the vectors below.
pub(super) const LEVELS_MAX: usize = 24;
/// The most that a mapping may ask for.
const M_MAX: u32 = 512;

/// Where the parts of a graph stand among its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub count: u32,
    pub m: u32,
    pub entry: u32,
    levels: Vec<Level>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Level {
    /// Of the nodes' numbers; empty at the lowest level, which has all.
    nodes: Range<usize>,
    links: usize,
    /// Neighbours that a node has room for.
    width: usize,
}

impl Layout {
    /// Of a graph whose levels have so many nodes each; the lowest, which comes first, has all vectors.
    fn new(m: u32, entry: u32, nodes: &[u32]) -> Self {
        let mut at = HEAD + nodes.len();
        let mut levels = Vec::with_capacity(nodes.len());
        for (number, &count) in nodes.iter().enumerate() {
            let own = if number == 0 { 0 } else { count as usize };
            let width = m as usize * if number == 0 { 2 } else { 1 };
            levels.push(Level { nodes: at..at + own, links: at + own, width });
            at += own + count as usize * (1 + width);
        }
        Layout { count: nodes.first().copied().unwrap_or(0), m, entry, levels }
    }

    /// Words behind the last.
    fn end(nodes: &[u32], m: u32) -> Option<usize> {
        let mut end = HEAD.checked_add(nodes.len())?;
        for (number, &count) in nodes.iter().enumerate() {
            let width = m as usize * if number == 0 { 2 } else { 1 };
            let each = 1 + width + usize::from(number > 0);
            end = end.checked_add((count as usize).checked_mul(each)?)?;
        }
        Some(end)
    }

    /// Of words from a file: no access through it leaves them. `count` is how many vectors there are.
    ///
    /// Errors: `Corrupt`.
    pub fn read(words: &[u32], count: u32) -> Result<Self> {
        let refused = |what: &str| Error::corrupt(format!("the graph {what}"));
        let &[MAGIC, vectors, m, entry, levels, ..] = words else { return Err(refused("has no head")) };
        if vectors != count || entry >= count {
            return Err(refused("is not one of these vectors"));
        }
        if !(1..=M_MAX).contains(&m) || levels == 0 || levels as usize > LEVELS_MAX {
            return Err(refused("has impossible parameters"));
        }
        let nodes = words.get(HEAD..HEAD + levels as usize).ok_or_else(|| refused("is cut off"))?;
        if nodes[0] != count || !nodes.is_sorted_by(|below, above| below >= above) {
            return Err(refused("has levels that are larger than those below"));
        }
        if Self::end(nodes, m) != Some(words.len()) {
            return Err(refused("has not the length that its levels ask for"));
        }
        Ok(Layout::new(m, entry, nodes))
    }

    pub fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// Neighbours that a node of a level has room for.
    pub(super) fn width(&self, level: usize) -> usize {
        self.levels[level].width
    }
}

/// A graph to read.
#[derive(Debug, Clone, Copy)]
pub struct Graph<'a> {
    pub layout: &'a Layout,
    /// Those that the layout is of.
    pub words: &'a [u32],
}

impl<'a> Graph<'a> {
    /// Those of a node; none where the level lacks it. A damaged file may name vectors that there are not.
    #[inline]
    pub fn neighbours(&self, level: usize, node: u32) -> &'a [u32] {
        let Some(at) = place(self.layout, self.words, level, node) else { return &[] };
        let width = self.layout.levels[level].width;
        let count = (self.words[at] as usize).min(width);
        &self.words[at + 1..at + 1 + count]
    }

    /// Numbers of the nodes of a level above the lowest.
    pub(super) fn nodes(&self, level: usize) -> &'a [u32] {
        &self.words[self.layout.levels[level].nodes.clone()]
    }

    /// Looks at everything. Errors: `Corrupt`.
    pub fn verify(&self) -> Result<()> {
        let count = self.layout.count;
        for level in 0..=self.layout.top() {
            let nodes = self.nodes(level);
            if !nodes.is_sorted_by(|a, b| a < b) || nodes.last().is_some_and(|&last| last >= count) {
                return Err(Error::corrupt(format!("level {level} of the graph has nodes out of order")));
            }
            let is_node = |node: &u32| if level == 0 { *node < count } else { nodes.binary_search(node).is_ok() };
            let verify = |node: u32| {
                let at = place(self.layout, self.words, level, node);
                let degree = at.map_or(0, |at| self.words[at] as usize);
                degree <= self.layout.width(level)
                    && self.neighbours(level, node).iter().all(|other| *other != node && is_node(other))
            };
            let is_whole = if level == 0 { (0..count).all(verify) } else { nodes.iter().all(|&node| verify(node)) };
            if !is_whole {
                return Err(Error::corrupt(format!("level {level} of the graph links to what is not in it")));
            }
        }
        if self.layout.top() > 0 && self.nodes(self.layout.top()).binary_search(&self.layout.entry).is_err() {
            return Err(Error::corrupt("the graph is entered at a node that its highest level lacks"));
        }
        Ok(())
    }
}

/// Where the neighbours of a node stand.
#[inline]
fn place(layout: &Layout, words: &[u32], level: usize, node: u32) -> Option<usize> {
    let Level { nodes, links, width } = &layout.levels[level];
    let number = if level == 0 {
        (node < layout.count).then_some(node as usize)?
    } else {
        words[nodes.clone()].binary_search(&node).ok()?
    };
    Some(links + number * (1 + width))
}

/// A graph that is being built.
#[derive(Debug)]
pub(super) struct Draft {
    pub layout: Layout,
    pub words: Vec<u32>,
}

impl Draft {
    /// Without links. `levels[node]` is the highest level of a node.
    pub fn new(m: u32, levels: &[u8]) -> Self {
        let top = levels.iter().copied().max().unwrap_or(0);
        let on_level = |level: u8| levels.iter().zip(0..).filter(move |(own, _)| **own >= level).map(|(_, node)| node);
        let nodes: Vec<u32> = (0..=top).map(|level| on_level(level).count() as u32).collect();
        let layout = Layout::new(m, 0, &nodes);
        let end = layout.levels.last().map_or(0, |level| level.links + level.size(nodes[usize::from(top)]));
        let mut words = vec![0; end];
        words[..HEAD].copy_from_slice(&[MAGIC, layout.count, m, 0, nodes.len() as u32]);
        words[HEAD..HEAD + nodes.len()].copy_from_slice(&nodes);
        for level in 1..=top {
            let range = layout.levels[usize::from(level)].nodes.clone();
            for (word, node) in words[range].iter_mut().zip(on_level(level)) {
                *word = node;
            }
        }
        Draft { layout, words }
    }

    pub fn graph(&self) -> Graph<'_> {
        Graph { layout: &self.layout, words: &self.words }
    }

    pub fn enter_at(&mut self, node: u32) {
        self.layout.entry = node;
        self.words[3] = node;
    }

    /// No more than there is room for.
    pub fn link(&mut self, level: usize, node: u32, neighbours: impl ExactSizeIterator<Item = u32>) {
        let Some(at) = place(&self.layout, &self.words, level, node) else { return };
        self.words[at] = neighbours.len() as u32;
        for (word, neighbour) in self.words[at + 1..].iter_mut().zip(neighbours) {
            *word = neighbour;
        }
    }

    /// One neighbour more; `false` where there is no room for it.
    pub fn add_link(&mut self, level: usize, node: u32, neighbour: u32) -> bool {
        let Some(at) = place(&self.layout, &self.words, level, node) else { return true };
        let count = self.words[at] as usize;
        if count >= self.layout.width(level) {
            return false;
        }
        self.words[at] += 1;
        self.words[at + 1 + count] = neighbour;
        true
    }
}

impl Level {
    fn size(&self, nodes: u32) -> usize {
        nodes as usize * (1 + self.width)
    }
}
