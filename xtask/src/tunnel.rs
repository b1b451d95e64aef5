//! Two network namespaces and between them a line that delays and loses packets of any protocol.
//!
//! Linux can do that itself where its kernel has the netem queueing discipline; many have not. Two
//! TUN devices and a program that carries packets from one to the other need nothing but root.

use crate::shell;
use anyhow::{Context, Result, bail};
use shared::base::rng::Rng;
use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};
use tun::Device;

/// Packets that may be under way at once; more than any line buffers.
const MAX_UNDER_WAY: usize = 8192;
const LARGEST_PACKET: usize = 65_536;

/// How bad the line is, while it is bad.
#[derive(Clone, Copy, Debug)]
pub struct Quality {
    /// Each way.
    pub delay: Duration,
    /// Each way.
    pub loss_percent: f32,
}

/// A network of its own, as long as this value lives.
pub struct Namespace {
    name: String,
}

/// Two namespaces that reach each other over the line alone.
pub struct Tunnel {
    pub near: Namespace,
    pub far: Namespace,
    is_bad: Arc<AtomicBool>,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
pub struct Counts {
    pub carried: AtomicU64,
    pub lost: AtomicU64,
}

/// Addresses of both ends, out of a network that nobody else sees.
pub const NEAR: &str = "10.77.0.1";
pub const FAR: &str = "10.77.0.2";

impl Tunnel {
    /// Builds both networks and begins to carry packets, at once and without loss until `set_bad`.
    pub fn build(quality: Quality, seed: u64) -> Result<Self> {
        if shell::read(&mut shell::program("id", &["-u"]))?.trim() != "0" {
            bail!("network namespaces need root: please run this as root");
        }
        let process = std::process::id();
        let ends = [("near", NEAR), ("far", FAR)].map(|(end, address)| {
            let namespace = Namespace::add(&format!("strafe-{end}-{process}"))?;
            // Names of devices have at most 15 characters.
            let device = namespace.add_device(&format!("sf{end}{}", process % 100_000), address)?;
            anyhow::Ok((namespace, device))
        });
        let [near, far] = ends;
        let ((near, near_device), (far, far_device)) = (near?, far?);
        let is_bad = Arc::new(AtomicBool::new(false));
        let counts = Arc::new(Counts::default());
        let ways = [
            (near_device.clone(), far_device.clone(), seed),
            (far_device, near_device, !seed),
        ];
        for (from, to, seed) in ways {
            let (is_bad, counts) = (is_bad.clone(), counts.clone());
            let (give, take) = sync_channel(MAX_UNDER_WAY);
            thread::spawn(move || deliver(&to, &take));
            let mut rng = Rng::new(seed);
            thread::spawn(move || {
                let mut bytes = vec![0; LARGEST_PACKET];
                // The device is gone when its namespace is.
                while let Ok(length) = from.recv(&mut bytes) {
                    let is_bad = is_bad.load(Ordering::Relaxed);
                    if is_bad && rng.percent(quality.loss_percent) {
                        counts.lost.fetch_add(1, Ordering::Relaxed);
                        continue;
                    }
                    counts.carried.fetch_add(1, Ordering::Relaxed);
                    let delay = if is_bad {
                        quality.delay
                    } else {
                        Duration::ZERO
                    };
                    // A full line loses packets.
                    let _ = give.try_send((Instant::now() + delay, bytes[..length].to_vec()));
                }
            });
        }
        Ok(Self {
            near,
            far,
            is_bad,
            counts,
        })
    }

    pub fn set_bad(&self, is_bad: bool) {
        self.is_bad.store(is_bad, Ordering::Relaxed);
    }

    /// Packets carried and lost since the start, both ways together.
    pub fn counts(&self) -> (u64, u64) {
        let counts = &self.counts;
        (
            counts.carried.load(Ordering::Relaxed),
            counts.lost.load(Ordering::Relaxed),
        )
    }
}

/// Writes packets when they are due, in the order in which they came.
fn deliver(to: &Device, packets: &Receiver<(Instant, Vec<u8>)>) {
    for (due, packet) in packets {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.send(&packet).is_err() {
            return;
        }
    }
}

impl Namespace {
    fn add(name: &str) -> Result<Self> {
        ip(&["netns", "add", name])?;
        let namespace = Self {
            name: name.to_owned(),
        };
        namespace.ip(&["link", "set", "lo", "up"])?;
        Ok(namespace)
    }

    /// Makes a TUN device whose packets are ours and moves it in here.
    fn add_device(&self, device: &str, address: &str) -> Result<Arc<Device>> {
        let mut wanted = tun::configure();
        wanted.tun_name(device);
        let ours = tun::create(&wanted)
            .with_context(|| format!("cannot make the TUN device {device} (/dev/net/tun)"))?;
        ip(&["link", "set", device, "netns", &self.name])?;
        self.ip(&["address", "add", &format!("{address}/24"), "dev", device])?;
        self.ip(&["link", "set", device, "up"])?;
        Ok(Arc::new(ours))
    }

    fn ip(&self, arguments: &[&str]) -> Result<()> {
        ip(&[&["-netns", &self.name], arguments].concat())
    }

    /// A program that runs in here.
    pub fn program(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = shell::program("ip", &["netns", "exec", &self.name, name]);
        command.args(arguments);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // Whoever still runs in there keeps it alive; nothing better can be done here.
        let _ = ip(&["netns", "delete", &self.name]);
    }
}

fn ip(arguments: &[&str]) -> Result<()> {
    shell::run(&mut shell::program("ip", arguments))
}
