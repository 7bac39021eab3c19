//! MD5 (RFC 1321), which `UUID.nameUUIDFromBytes` is made of.

const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
const BLOCK: usize = 64;

pub fn digest(bytes: &[u8]) -> [u8; 16] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(BLOCK) - 8, 0);
    padded.extend_from_slice(&(bytes.len() as u64 * 8).to_le_bytes());
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.chunks_exact(BLOCK) {
        mix(&mut state, block);
    }
    let mut out = [0; 16];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    out
}

fn mix(state: &mut [u32; 4], block: &[u8]) {
    let word = |place: usize| {
        let bytes = &block[place * 4..place * 4 + 4];
        bytes.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte))
    };
    let [mut a, mut b, mut c, mut d] = *state;
    for step in 0..BLOCK {
        let (mixed, place) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), (7 * step) % 16),
        };
        let constant = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(word(place));
        let turned = b.wrapping_add(sum.rotate_left(SHIFTS[step / 16][step % 4]));
        (a, d, c, b) = (d, c, b, turned);
    }
    for (own, mixed) in state.iter_mut().zip([a, b, c, d]) {
        *own = own.wrapping_add(mixed);
    }
}

#[test]
fn digests_are_those_of_the_standard() {
    let hex = |text: &str| digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
    assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    let digits = "1234567890".repeat(8);
    assert_eq!(hex(&digits), "57edf4a22be3c955ac49da2e2107b67a");
}
