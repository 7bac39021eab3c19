//! Which of the vectors around one become its neighbours.

use crate::Vectors;
use crate::nearest::Near;
use crate::similarity::Similarity;

/// Chooses at most `room` of `candidates`, which are near to one vector, the nearest first: those that are nearer to it than to
/// each other, so that neighbours lie in all directions. With too few of these the nearest of the others follow, so
/// that also many equal vectors hang together.
pub(super) fn diverse(
    vectors: &dyn Vectors,
    similarity: Similarity,
    candidates: &[Near],
    room: usize,
    chosen: &mut Vec<Near>,
) {
    chosen.clear();
    let mut passed_over = Vec::new();
    for &candidate in candidates {
        if chosen.len() >= room {
            return;
        }
        let own = vectors.get(candidate.ordinal);
        let is_apart =
            chosen.iter().all(|near| similarity.closeness(vectors.get(near.ordinal), own) < candidate.closeness);
        if is_apart {
            chosen.push(candidate);
        } else {
            passed_over.push(candidate);
        }
    }
    let missing = (room / 2).saturating_sub(chosen.len());
    chosen.extend(passed_over.into_iter().take(missing));
}
