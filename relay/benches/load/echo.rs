//! A game server that answers each datagram at once, for players who measure the way there and back.

use std::net::SocketAddr;

use tokio::net::UdpSocket;

use crate::players;

/// Usual sizes of a snapshot and of a usercmd packet.
const SNAPSHOT_BYTES: usize = 450;
pub const USERCMD_BYTES: usize = 90;
/// Where a usercmd packet carries a stamp, behind sequence and qport; it comes back behind the sequence.
const STAMP: std::ops::Range<usize> = 6..14;

/// Lets everybody in, tells `let_in` who it was, and sends each usercmd packet's sequence and stamp
/// back in a snapshot.
pub async fn serve(socket: UdpSocket, let_in: impl Fn(SocketAddr)) {
    let mut buffer = [0; 2048];
    loop {
        let Ok((size, from)) = socket.recv_from(&mut buffer).await else {
            continue;
        };
        let datagram = &buffer[..size];
        let answer = match datagram.strip_prefix(&[0xff; 4]) {
            Some(text) if text.starts_with(b"getchallenge") => {
                players::out_of_band(b"challengeResponse 5")
            }
            Some(text) if text.starts_with(b"connect") => {
                let_in(from);
                players::out_of_band(b"connectResponse 5")
            }
            None if size >= STAMP.end => {
                let mut snapshot = [&datagram[..4], &datagram[STAMP]].concat();
                snapshot.resize(SNAPSHOT_BYTES, 0);
                snapshot
            }
            _ => continue,
        };
        // Whoever is gone hears nothing.
        let _ = socket.send_to(&answer, from).await;
    }
}
