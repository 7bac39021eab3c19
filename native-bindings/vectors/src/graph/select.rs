//! Which of the vectors around one become its neighbours.

use crate::nearest::Near;
use crate::space::Space;

/// Chooses at most `room` of `candidates`, which are near to one vector, the nearest first: those that are nearer to it than to
/// each other, so that neighbours lie in all directions. With too few of these the nearest of the others follow, so
/// that also many equal vectors hang together.
pub(super) fn diverse(space: &dyn Space, candidates: &[Near], room: usize, chosen: &mut Vec<Near>) {
    chosen.clear();
    let mut passed_over = Vec::new();
    for &candidate in candidates {
        if chosen.len() >= room {
            return;
        }
        let is_apart = chosen.iter().all(|near| space.closeness(near.ordinal, candidate.ordinal) < candidate.closeness);
        if is_apart {
            chosen.push(candidate);
        } else {
            passed_over.push(candidate);
        }
    }
    let missing = (room / 2).saturating_sub(chosen.len());
    chosen.extend(passed_over.into_iter().take(missing));
}
