//! The scrambling of messages on the legacy wire: a running XOR keyed by what both ends know.

use super::reliable::CommandTexts;
use crate::base::bits::BitReader;

/// Who wrote a message, and with it how it is scrambled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
}

/// Scrambles or unscrambles a message in place; doing it twice changes nothing.
///
/// `texts` are the commands of the receiver, one of which the message acknowledges in its head. The
/// head stays in clear. A message too short to have one is not scrambled.
pub fn apply(
    message: &mut [u8],
    sender: Sender,
    challenge: i32,
    sequence: i32,
    texts: &CommandTexts,
) {
    let mut head = BitReader::new("message head", message);
    let [first, second, third] = std::array::from_fn(|_| head.take_bits(32) as i32);
    let (clear_len, key, acknowledged) = match sender {
        Sender::Server => (4, challenge ^ sequence, first),
        Sender::Client => (12, challenge ^ first ^ second, third),
    };
    if message.len() > clear_len {
        xor(
            message,
            clear_len,
            key as u8,
            texts.get(acknowledged).as_bytes(),
        );
    }
}

/// XORs all bytes from `clear_len` on with a key that each byte of the text changes.
pub fn xor(message: &mut [u8], clear_len: usize, key: u8, text: &[u8]) {
    let mut key = key;
    let mut characters = text.iter().cycle();
    for (at, byte) in message.iter_mut().enumerate().skip(clear_len) {
        if let Some(&character) = characters.next() {
            let character = crate::base::text::wire_byte(character);
            key ^= character << (at % 2);
        }
        *byte ^= key;
    }
}
