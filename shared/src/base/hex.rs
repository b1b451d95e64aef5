//! Bytes as hexadecimal digits, and back.

use std::fmt::Write;

/// Two digits for each byte, in lower case.
pub fn encode(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The bytes that such digits of either case stand for; nothing if one of them is none, or alone.
pub fn decode(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let digit = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let bytes = pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    rest.is_empty().then(|| bytes.collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn digits_are_read_as_a_whole_or_not_at_all() {
        assert_eq!(encode(&[0, 255, 161]), "00ffa1");
        assert_eq!(decode("00fFa1"), Some(vec![0, 255, 161]));
        assert_eq!(decode(""), Some(vec![]));
        for wrong in ["0", "0g", "é"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
