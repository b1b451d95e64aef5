//! Deferred disconnect: the datagrams that tell the server that a player left, sent when the page no longer can.
//!
//! Only a client can write the farewell of its channel, and a page that is killed writes nothing
//! more. So the page deposits one in advance, and the relay sends it when the session ends.

use shared::base::hex;
use tokio::net::UdpSocket;

use crate::core::gate::{Gate, Refusal};

/// A farewell goes out thrice; one more lets it be split.
const MAX_DATAGRAMS: usize = 4;

/// What is to be sent when the session ends; empty until the page deposits something.
#[derive(Debug, Default)]
pub struct DeferredDisconnect {
    datagrams: Vec<Vec<u8>>,
}

impl DeferredDisconnect {
    /// Replaces what was deposited. Its datagrams must be such as may pass now, and of the channel.
    ///
    /// # Errors
    /// The first datagram that may not pass; what was deposited before stays.
    pub fn deposit(&mut self, hexadecimal: &[String], gate: &mut Gate) -> Result<(), Refusal> {
        if hexadecimal.len() > MAX_DATAGRAMS {
            return Err(Refusal::Size);
        }
        let mut datagrams = Vec::with_capacity(hexadecimal.len());
        for text in hexadecimal {
            let datagram = hex::decode(text).ok_or(Refusal::Command)?;
            if datagram.starts_with(&[0xff; 4]) {
                return Err(Refusal::Command);
            }
            datagrams.push(gate.pass_to_server(&datagram)?.into_owned());
        }
        self.datagrams = datagrams;
        Ok(())
    }

    /// What an earlier run of the relay has saved by [`Self::text`].
    pub fn restored(text: &[String]) -> Self {
        let datagrams = text.iter().filter_map(|text| hex::decode(text));
        Self {
            datagrams: datagrams.collect(),
        }
    }

    /// The datagrams in hexadecimal, as they go to the server.
    pub fn text(&self) -> Vec<String> {
        let datagrams = self.datagrams.iter();
        datagrams.map(|datagram| hex::encode(datagram)).collect()
    }

    /// Leaves without a farewell: somebody else goes on with the session.
    pub fn clear(&mut self) {
        self.datagrams.clear();
    }

    /// Says goodbye, once.
    pub fn execute(&mut self, udp: &UdpSocket) {
        for datagram in self.datagrams.drain(..) {
            // A server that cannot be reached any more misses nothing.
            let _ = udp.try_send(&datagram);
        }
    }
}
