//! Merging the clusters of `variable_width_histogram`.

use super::{Finisher, merge_bucket};
use crate::partial::{Cluster, PartialVariableWidth};
use crate::plan::{Aggregation, VariableWidthHistogram};
use quarry_base::error::Result;

/// All clusters of both, by ascending centre; those with one centre become one.
pub fn merge(plan: &Aggregation, mine: &mut PartialVariableWidth, theirs: PartialVariableWidth) -> Result<()> {
    if mine.buckets.is_empty() {
        mine.format = theirs.format;
    }
    mine.buckets.extend(theirs.buckets);
    mine.buckets.sort_by(|a, b| a.centre.total_cmp(&b.centre));
    join(plan, &mut mine.buckets, |a, b| a.centre == b.centre)
}

fn absorb(plan: &Aggregation, into: &mut Cluster, cluster: Cluster) -> Result<()> {
    let (mine, theirs) = (into.bucket.doc_count as f64, cluster.bucket.doc_count as f64);
    into.centre = (into.centre * mine + cluster.centre * theirs) / (mine + theirs);
    into.min = into.min.min(cluster.min);
    into.max = into.max.max(cluster.max);
    merge_bucket(plan, &mut into.bucket, cluster.bucket)
}

/// Makes one of neighbours that belong together.
fn join(plan: &Aggregation, clusters: &mut Vec<Cluster>, belong: impl Fn(&Cluster, &Cluster) -> bool) -> Result<()> {
    let mut joined: Vec<Cluster> = Vec::with_capacity(clusters.len());
    for cluster in std::mem::take(clusters) {
        match joined.last_mut() {
            Some(last) if belong(last, &cluster) => absorb(plan, last, cluster)?,
            _ => joined.push(cluster),
        }
    }
    *clusters = joined;
    Ok(())
}

impl Finisher {
    /// The nearest two become one until there are few enough; ends that overlap meet in the middle.
    pub(super) fn clusters(
        &mut self,
        plan: &Aggregation,
        of: &VariableWidthHistogram,
        histogram: &mut PartialVariableWidth,
    ) -> Result<()> {
        let clusters = &mut histogram.buckets;
        join(plan, clusters, |a, b| a.centre == b.centre)?;
        while clusters.len() > of.buckets as usize {
            let gap = |place: &usize| clusters[place + 1].centre - clusters[*place].centre;
            let nearest = (0..clusters.len() - 1).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or(0);
            let cluster = clusters.remove(nearest + 1);
            absorb(plan, &mut clusters[nearest], cluster)?;
        }
        join(plan, clusters, |a, b| a.min == b.min)?;
        for place in 1..clusters.len() {
            let (before, after) = (clusters[place - 1].max, clusters[place].min);
            if after < before {
                clusters[place].min = (before + after) / 2.0;
                clusters[place - 1].max = clusters[place].min;
            }
        }
        self.count(histogram.buckets.len())?;
        histogram.buckets.iter_mut().try_for_each(|cluster| self.level(&plan.aggs, &mut cluster.bucket.aggs))
    }
}
