//! Vectors for tests: the same for the same seed.

use quarry_testing::Dice;

fn fraction(dice: &mut Dice) -> f32 {
    dice.below(1 << 20) as f32 / (1 << 20) as f32 * 2.0 - 1.0
}

/// Values between -1 and 1.
pub(crate) fn uniform(count: usize, dims: usize, seed: u64) -> Vec<f32> {
    let mut dice = Dice::new(seed);
    (0..count * dims).map(|_| fraction(&mut dice)).collect()
}

/// Vectors around a few centres.
pub(crate) fn clustered(count: usize, dims: usize, clusters: usize, seed: u64) -> Vec<f32> {
    let mut dice = Dice::new(seed);
    let centres = uniform(clusters, dims, seed + 1);
    let mut values = Vec::with_capacity(count * dims);
    for _ in 0..count {
        let centre = dice.below(clusters as u64) as usize * dims;
        values.extend(centres[centre..centre + dims].iter().map(|&at| at + fraction(&mut dice) * 0.3));
    }
    values
}

/// Each with length 1.
pub(crate) fn normalised(mut values: Vec<f32>, dims: usize) -> Vec<f32> {
    for vector in values.chunks_mut(dims) {
        let length = crate::similarity::magnitude(vector);
        vector.iter_mut().for_each(|value| *value /= length);
    }
    values
}
