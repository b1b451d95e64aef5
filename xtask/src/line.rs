//! A bad line between any client and any server, in a process of its own: neither end knows of it.

use crate::inspect::Inspector;
use anyhow::{Context, Result};
use serde_json::json;
use shared::{
    base::{hex, log_entries::EntryForm, time::ClientTime},
    sim::{BadNetwork, LineQuality},
};
use std::{
    collections::HashMap,
    fs::File,
    io::{ErrorKind, Write},
    net::{SocketAddr, UdpSocket},
    path::PathBuf,
    time::{Duration, Instant},
};

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// The server that stands behind the line.
    pub server: SocketAddr,
    /// Where clients find the line.
    #[arg(long, default_value = "127.0.0.1:27970")]
    pub listen: SocketAddr,
    /// Milliseconds each way.
    #[arg(long, default_value_t = 0)]
    pub delay: i32,
    /// Give or take so many.
    #[arg(long, default_value_t = 0)]
    pub jitter: i32,
    /// Percent lost, each way.
    #[arg(long, default_value_t = 0.0)]
    pub loss: f32,
    /// Percent overtaken, each way.
    #[arg(long, default_value_t = 0.0)]
    pub reorder: f32,
    /// Percent that arrive twice, each way.
    #[arg(long, default_value_t = 0.0)]
    pub duplicate: f32,
    /// The same seed loses the same datagrams.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Prints every message, both ways, with what it says and costs.
    #[arg(long)]
    pub inspect: bool,
    /// The same, each message as one line of JSON.
    #[arg(long)]
    pub json: bool,
    /// Writes every datagram down, also those that get lost: when it was sent, when it arrives, and its bytes.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Ends after so many seconds.
    #[arg(long)]
    pub seconds: Option<u64>,
}

/// More clients than this at once are not let through.
const MAX_CLIENTS: usize = 64;
/// Whoever says nothing for so long is forgotten.
const SILENCE: Duration = Duration::from_secs(120);
const LARGEST_DATAGRAM: usize = 65_536;

/// What went over the line, a line of JSON for each datagram.
struct Record(File);

impl Record {
    fn write(
        &mut self,
        direction: &str,
        now: ClientTime,
        due: Option<ClientTime>,
        datagram: &[u8],
    ) -> Result<()> {
        let line = json!({
            "type": "pkt",
            "t_ms": now.0,
            "arrives_ms": due.map(|due| due.0),
            "dir": direction,
            "hex": hex::encode(datagram),
        });
        let line = format!("{line}\n");
        let written = self.0.write_all(line.as_bytes());
        written.context("the record of the line cannot be written")
    }
}

/// One client's way to the server and back.
struct Path {
    to_server: UdpSocket,
    network: BadNetwork,
    inspector: Option<Inspector>,
    heard_at: Instant,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let front = UdpSocket::bind(options.listen)
        .with_context(|| format!("nobody else may listen on {}", options.listen))?;
    eprintln!("{} leads to {}", front.local_addr()?, options.server);
    serve(&front, options)
}

fn serve(front: &UdpSocket, options: &Options) -> Result<()> {
    front.set_nonblocking(true)?;
    let mut record = None;
    if let Some(path) = &options.record {
        let file = File::create(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        record = Some(Record(file));
    }
    let began = Instant::now();
    let mut paths: HashMap<SocketAddr, Path> = HashMap::new();
    let mut bytes = vec![0; LARGEST_DATAGRAM];
    let is_over = || {
        options
            .seconds
            .is_some_and(|seconds| began.elapsed().as_secs() >= seconds)
    };
    while !is_over() {
        let now = ClientTime(i32::try_from(began.elapsed().as_millis()).unwrap_or(i32::MAX));
        while let Some((client, length)) = receive(front, &mut bytes)? {
            if !paths.contains_key(&client) {
                if paths.len() >= MAX_CLIENTS {
                    continue;
                }
                paths.insert(client, Path::open(client, options)?);
            }
            if let Some(path) = paths.get_mut(&client) {
                path.heard_at = Instant::now();
                let due = path.network.to_server.send(now, bytes[..length].to_vec());
                if let Some(record) = &mut record {
                    record.write("c2s", now, due, &bytes[..length])?;
                }
            }
        }
        for (client, path) in &mut paths {
            path.carry(now, front, *client, &mut bytes, &mut record)?;
        }
        paths.retain(|client, path| {
            let stays = path.heard_at.elapsed() < SILENCE;
            if !stays {
                path.report(*client);
            }
            stays
        });
        std::thread::sleep(Duration::from_millis(1));
    }
    for (client, path) in &paths {
        path.report(*client);
    }
    Ok(())
}

impl Path {
    fn open(client: SocketAddr, options: &Options) -> Result<Self> {
        let form = match options.json {
            true => EntryForm::Json,
            false => EntryForm::Text,
        };
        let is_inspected = options.inspect || options.json;
        let any: SocketAddr = if options.server.is_ipv4() {
            ([0, 0, 0, 0], 0).into()
        } else {
            ([0u16; 8], 0).into()
        };
        let to_server = UdpSocket::bind(any)?;
        // Connected, so that nobody but the server answers.
        to_server.connect(options.server)?;
        to_server.set_nonblocking(true)?;
        let quality = LineQuality {
            delay_msec: options.delay,
            jitter_msec: options.jitter,
            loss_percent: options.loss,
            reorder_percent: options.reorder,
            duplicate_percent: options.duplicate,
            ..LineQuality::PERFECT
        };
        Ok(Self {
            to_server,
            network: BadNetwork::new(quality, quality, options.seed),
            inspector: is_inspected.then(|| Inspector::new(client, form)),
            heard_at: Instant::now(),
        })
    }

    /// Takes what the server says and hands on what is due in both directions.
    fn carry(
        &mut self,
        now: ClientTime,
        front: &UdpSocket,
        client: SocketAddr,
        bytes: &mut [u8],
        record: &mut Option<Record>,
    ) -> Result<()> {
        while let Some((_, length)) = receive(&self.to_server, bytes)? {
            let due = self.network.to_client.send(now, bytes[..length].to_vec());
            if let Some(record) = record {
                record.write("s2c", now, due, &bytes[..length])?;
            }
        }
        // A full socket buffer or an end that is gone loses a datagram, as lines do.
        while let Some(datagram) = self.network.to_server.receive(now) {
            self.inspect(now, true, &datagram)?;
            let _ = self.to_server.send(&datagram);
        }
        while let Some(datagram) = self.network.to_client.receive(now) {
            self.inspect(now, false, &datagram)?;
            let _ = front.send_to(&datagram, client);
        }
        Ok(())
    }

    fn inspect(&mut self, now: ClientTime, is_for_server: bool, datagram: &[u8]) -> Result<()> {
        let Some(inspector) = &mut self.inspector else {
            return Ok(());
        };
        let out = &mut std::io::stdout().lock();
        inspector
            .hear(now, is_for_server, datagram, out)
            .context("nobody takes what the line prints")
    }

    fn report(&self, client: SocketAddr) {
        for (way, line) in [
            ("to the server", &self.network.to_server),
            ("to the client", &self.network.to_client),
        ] {
            let stats = line.stats();
            // What is printed beside may be read by a program.
            eprintln!(
                "{client} {way}: {} sent, {} lost, {} overtaken, {} twice",
                stats.sent, stats.lost, stats.held_back, stats.duplicated
            );
        }
    }
}

/// A datagram, if one waits.
pub(crate) fn receive(socket: &UdpSocket, bytes: &mut [u8]) -> Result<Option<(SocketAddr, usize)>> {
    match socket.recv_from(bytes) {
        Ok((length, from)) => Ok(Some((from, length))),
        // A port that nobody listens on answers so; the line itself goes on.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::WouldBlock | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error).context("cannot read from a socket"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_go_there_and_back_and_are_lost_as_told() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        let front = UdpSocket::bind("127.0.0.1:0").unwrap();
        let listen = front.local_addr().unwrap();
        let options = Options {
            server: server.local_addr().unwrap(),
            listen,
            delay: 5,
            jitter: 0,
            loss: 50.0,
            reorder: 0.0,
            duplicate: 0.0,
            inspect: false,
            json: false,
            record: None,
            seed: 1,
            seconds: Some(2),
        };
        let line = std::thread::spawn(move || serve(&front, &options).unwrap());
        for socket in [&server, &client] {
            socket
                .set_read_timeout(Some(Duration::from_millis(300)))
                .unwrap();
        }
        let mut bytes = [0; 16];
        let (mut heard, mut answered) = (0, 0);
        for _ in 0..200 {
            client.send_to(b"question", listen).unwrap();
        }
        while let Ok((length, from)) = server.recv_from(&mut bytes) {
            assert_eq!(&bytes[..length], b"question");
            heard += 1;
            server.send_to(b"answer", from).unwrap();
        }
        while let Ok((length, from)) = client.recv_from(&mut bytes) {
            assert_eq!((&bytes[..length], from), (&b"answer"[..], listen));
            answered += 1;
        }
        line.join().unwrap();
        assert!((60..140).contains(&heard), "{heard} of 200");
        assert!((20..heard).contains(&answered), "{answered} of {heard}");
    }
}
