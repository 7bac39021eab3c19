//! How near vectors of bytes are. A byte is a number from -128 to 127, or eight bits.

/// The scalar product. Vectors have 65,536 values at most.
pub fn dot(left: &[u8], right: &[u8]) -> i32 {
    left.iter().zip(right).map(|(&left, &right)| i32::from(left as i8) * i32::from(right as i8)).sum()
}

/// The square of the distance. Vectors have 32,768 values at most.
pub fn square_distance(left: &[u8], right: &[u8]) -> i32 {
    let square = |(&left, &right): (&u8, &u8)| {
        let difference = i32::from(left as i8) - i32::from(right as i8);
        difference * difference
    };
    left.iter().zip(right).map(square).sum()
}

/// Bits that differ.
pub fn hamming(left: &[u8], right: &[u8]) -> u32 {
    let (left, left_rest) = left.as_chunks::<8>();
    let (right, right_rest) = right.as_chunks::<8>();
    let words = left.iter().zip(right);
    let whole: u32 =
        words.map(|(&left, &right)| (u64::from_le_bytes(left) ^ u64::from_le_bytes(right)).count_ones()).sum();
    left_rest.iter().zip(right_rest).fold(whole, |sum, (left, right)| sum + (left ^ right).count_ones())
}

/// The length of a vector in space.
pub fn magnitude(vector: &[u8]) -> f32 {
    (dot(vector, vector) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    #[test]
    fn products_and_distances_are_those_of_the_definition() {
        let mut dice = Dice::new(31);
        for length in [1, 2, 7, 8, 9, 31, 64, 100, 257] {
            let mut draw = || (0..length).map(|_| dice.below(256) as u8).collect::<Vec<u8>>();
            let (left, right) = (draw(), draw());
            let numbers = || left.iter().zip(&right).map(|(&left, &right)| (left as i8 as i64, right as i8 as i64));
            assert_eq!(i64::from(dot(&left, &right)), numbers().map(|(left, right)| left * right).sum::<i64>());
            let square: i64 = numbers().map(|(left, right)| (left - right) * (left - right)).sum();
            assert_eq!(i64::from(square_distance(&left, &right)), square);
            let bits = |byte: u8| (0..8).map(move |bit| byte >> bit & 1);
            let pairs = left.iter().zip(&right).flat_map(|(&left, &right)| bits(left).zip(bits(right)));
            assert_eq!(hamming(&left, &right) as usize, pairs.filter(|(left, right)| left != right).count());
        }
    }

    #[test]
    fn the_longest_vectors_do_not_overflow() {
        let (low, high) = (vec![0x80; 4_096], vec![0x7f; 4_096]);
        assert_eq!(dot(&low, &low), 4_096 * 128 * 128);
        assert_eq!(square_distance(&low, &high), 4_096 * 255 * 255);
        assert_eq!(hamming(&low, &high), 4_096 * 8);
    }
}
