//! Writing JSON text.

use super::special::find_special;

/// Appends a string with quotes, escaping what JSON demands (quotes, backslashes, control characters).
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let end = find_special(bytes, from);
        out.extend_from_slice(&bytes[from..end]);
        let Some(&byte) = bytes.get(end) else { break };
        write_escape(out, byte);
        from = end + 1;
    }
    out.push(b'"');
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        8 => b'b',
        12 => b'f',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// A float as JSON prints it: the shortest text that reads back as the same.
pub fn plain_float(number: f32) -> String {
    serde_json::to_string(&number).unwrap_or_else(|_| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn serde_reads_back_what_is_written(text: String, controls in "[\u{0}-\u{7f}]{0,40}") {
            for text in [text, controls] {
                let mut out = Vec::new();
                write_string(&mut out, &text);
                prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
            }
        }
    }
}
