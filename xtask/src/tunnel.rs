//! Two network namespaces and between them a line that delays and loses packets of any protocol.
//!
//! Linux can do that itself where its kernel has the netem queueing discipline; many have not. Two
//! TUN devices and a program that carries packets from one to the other need nothing but root.

use crate::shell;
use anyhow::{Context, Result, bail};
use shared::{
    base::time::ClientTime,
    sim::{Line, LineQuality},
};
use std::{
    process::Command,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tun::Device;

const LARGEST_PACKET: usize = 65_536;

/// A network of its own, as long as this value lives.
pub(crate) struct Namespace {
    name: String,
}

/// Two namespaces that reach each other over the line alone.
pub(crate) struct Tunnel {
    pub near: Namespace,
    pub far: Namespace,
    quality: LineQuality,
    ways: [Arc<Mutex<Line>>; 2],
}

/// Addresses of both ends, out of a network that nobody else sees.
pub(crate) const NEAR: &str = "10.77.0.1";
pub(crate) const FAR: &str = "10.77.0.2";

impl Tunnel {
    /// Builds both networks and begins to carry packets, at once and without loss until `set_bad`.
    pub(crate) fn build(quality: LineQuality, seed: u64) -> Result<Self> {
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
        let ways = [
            carry(near_device.clone(), far_device.clone(), seed),
            carry(far_device, near_device, !seed),
        ];
        Ok(Self {
            near,
            far,
            quality,
            ways,
        })
    }

    pub(crate) fn set_bad(&self, is_bad: bool) {
        let quality = match is_bad {
            true => self.quality,
            false => LineQuality::PERFECT,
        };
        for way in &self.ways {
            lock(way).set_quality(quality);
        }
    }

    /// Packets carried and lost since the start, both ways together.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let stats = self.ways.each_ref().map(|way| lock(way).stats());
        let lost = stats.iter().map(|way| way.lost).sum();
        (stats.iter().map(|way| way.sent).sum::<u32>() - lost, lost)
    }
}

/// Takes packets from one device to the other until one of them is gone, as its namespace is.
fn carry(from: Arc<Device>, to: Arc<Device>, seed: u64) -> Arc<Mutex<Line>> {
    let line = Arc::new(Mutex::new(Line::new(LineQuality::PERFECT, seed)));
    let began = Instant::now();
    let now = move || ClientTime(began.elapsed().as_millis() as i32);
    let (entry, exit) = (line.clone(), line.clone());
    thread::spawn(move || {
        let mut bytes = vec![0; LARGEST_PACKET];
        while let Ok(length) = from.recv(&mut bytes) {
            lock(&entry).send(now(), bytes[..length].to_vec());
        }
    });
    thread::spawn(move || {
        loop {
            let packet = lock(&exit).receive(now());
            match packet {
                Some(packet) if to.send(&packet).is_err() => return,
                Some(_) => {}
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    });
    line
}

fn lock(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub(crate) fn program(&self, name: &str, arguments: &[&str]) -> Command {
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
