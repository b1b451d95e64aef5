//! A line for TCP that carries so many bits a second, shared by all connections, with a delay: in front of a relay, so that a
//! browser on this machine fetches the page as from far away.

use anyhow::{Context, Result};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
    sync::{Mutex, mpsc},
    time::sleep_until,
};

/// What is sent at once; a packet's worth, so that connections take turns.
const PIECE: usize = 1460;
/// A piece takes less than a millisecond, which is what timers are exact to: who wakes late makes up for it.
const LATE: Duration = Duration::from_millis(10);
/// Pieces that are under way at most, for each connection.
const UNDER_WAY: usize = 512;

/// The line; it ends when it is dropped.
pub(crate) struct SlowLine {
    pub port: u16,
    _runtime: Runtime,
}

/// One direction, which all connections share.
struct Direction {
    bytes_a_second: f64,
    delay: Duration,
    free_at: Mutex<Instant>,
}

impl SlowLine {
    /// Opens a port that leads to another one on this machine.
    pub(crate) fn open(to: u16, mbit: u32, rtt_msec: i32) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
        let listener = listener.context("the slow line finds no port")?;
        let port = listener.local_addr()?.port();
        let direction = || {
            Arc::new(Direction {
                bytes_a_second: f64::from(mbit.max(1)) * 1e6 / 8.0,
                delay: Duration::from_millis(u64::from(rtt_msec.max(0).unsigned_abs()) / 2),
                free_at: Mutex::new(Instant::now()),
            })
        };
        let (up, down) = (direction(), direction());
        runtime.spawn(async move {
            while let Ok((browser, _)) = listener.accept().await {
                let (up, down) = (up.clone(), down.clone());
                tokio::spawn(async move {
                    // Connecting takes a way there and back as well.
                    tokio::time::sleep(up.delay + down.delay).await;
                    let Ok(relay) = TcpStream::connect(("127.0.0.1", to)).await else {
                        return;
                    };
                    let (from_browser, to_browser) = browser.into_split();
                    let (from_relay, to_relay) = relay.into_split();
                    tokio::join!(
                        carry(up, from_browser, to_relay),
                        carry(down, from_relay, to_browser)
                    );
                });
            }
        });
        Ok(Self {
            port,
            _runtime: runtime,
        })
    }
}

/// Carries one connection's bytes until one of its ends closes.
async fn carry(
    direction: Arc<Direction>,
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
) {
    let (sender, mut under_way) = mpsc::channel::<(Instant, Vec<u8>)>(UNDER_WAY);
    let reading = async move {
        let mut bytes = vec![0; PIECE];
        while let Ok(length) = from.read(&mut bytes).await {
            if length == 0 {
                break;
            }
            let left_at = direction.take_turn(length).await;
            let piece = (left_at + direction.delay, bytes[..length].to_vec());
            if sender.send(piece).await.is_err() {
                break;
            }
        }
    };
    let writing = async move {
        while let Some((due, piece)) = under_way.recv().await {
            sleep_until(due.into()).await;
            if to.write_all(&piece).await.is_err() {
                break;
            }
        }
        // The other end may be gone already.
        let _ = to.shutdown().await;
    };
    tokio::join!(reading, writing);
}

impl Direction {
    /// Waits until the line is free for so many bytes; gives when they have left.
    async fn take_turn(&self, bytes: usize) -> Instant {
        let takes = Duration::from_secs_f64(bytes as f64 / self.bytes_a_second);
        let left_at = {
            let mut free_at = self.free_at.lock().await;
            let now = Instant::now();
            *free_at = (*free_at).max(now.checked_sub(LATE).unwrap_or(now)) + takes;
            *free_at
        };
        sleep_until(left_at.into()).await;
        left_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read, Write},
        net,
    };

    #[test]
    fn bytes_take_the_time_that_the_line_has_for_them() {
        const BYTES: usize = 500_000;
        let server = net::TcpListener::bind("127.0.0.1:0").unwrap();
        let line = SlowLine::open(server.local_addr().unwrap().port(), 8, 100).unwrap();
        let sending = std::thread::spawn(move || {
            let (mut browser, _) = server.accept().unwrap();
            let mut question = [0; 1];
            browser.read_exact(&mut question).unwrap();
            browser.write_all(&vec![7; BYTES]).unwrap();
        });
        let began = Instant::now();
        let mut page = net::TcpStream::connect(("127.0.0.1", line.port)).unwrap();
        page.write_all(b"?").unwrap();
        let mut got = Vec::new();
        page.read_to_end(&mut got).unwrap();
        let took = began.elapsed().as_secs_f64();
        sending.join().unwrap();
        assert_eq!(got, vec![7; BYTES]);
        // A megabyte a second, and twice there and back; a busy machine only takes longer.
        assert!(took > 0.65, "{took} s");
    }
}
