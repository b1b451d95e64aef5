//! The network conditioner: makes any line as bad as `net_delay` and friends say, while it is in use.
//!
//! It stands between the connection and the link, so it works natively, in browsers and without a
//! window, and neither the server nor the connection knows of it. Time comes in; it has no clock.

use crate::con::cvar::Cvars;
use shared::{
    base::time::ClientTime,
    sim::{BadNetwork, Line, LineQuality, LineStats},
};

/// How bad the line is to be, one quality for each direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSettings {
    pub to_server: LineQuality,
    pub to_client: LineQuality,
}

impl LineSettings {
    pub fn of(cvars: &Cvars) -> Self {
        let mut to_client = LineQuality {
            delay_msec: cvars.integer("net_delay"),
            jitter_msec: cvars.integer("net_jitter"),
            loss_percent: cvars.number("net_loss"),
            reorder_percent: cvars.number("net_reorder"),
            duplicate_percent: cvars.number("net_duplicate"),
            bytes_per_second: cvars.integer("net_rate"),
        };
        // An empty text leaves this direction like the other one.
        let up = |name| (!cvars.text(name).is_empty()).then(|| cvars.number(name).max(0.0));
        let mut to_server = LineQuality {
            delay_msec: up("net_delayUp").map_or(to_client.delay_msec, |msec| msec as i32),
            jitter_msec: up("net_jitterUp").map_or(to_client.jitter_msec, |msec| msec as i32),
            loss_percent: up("net_lossUp").unwrap_or(to_client.loss_percent),
            reorder_percent: up("net_reorderUp").unwrap_or(to_client.reorder_percent),
            duplicate_percent: up("net_duplicateUp").unwrap_or(to_client.duplicate_percent),
            bytes_per_second: up("net_rateUp")
                .map_or(to_client.bytes_per_second, |rate| rate as i32),
        };
        // The older names, each for one direction, come on top.
        to_server.delay_msec += cvars.integer("cl_packetdelay");
        let arriving = 100.0 - to_client.loss_percent;
        to_client.loss_percent += arriving * cvars.number("net_dropsim") / 100.0;
        Self {
            to_server,
            to_client,
        }
    }
}

/// Both directions of one session.
#[derive(Clone, Debug)]
pub struct Conditioner {
    network: BadNetwork,
    /// What became of each datagram, where somebody wants to know.
    records: Option<Vec<DatagramRecord>>,
}

/// A datagram's way over the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramRecord {
    pub is_to_server: bool,
    pub sent_at: ClientTime,
    /// When it arrives; `None` if it is lost.
    pub arrives_at: Option<ClientTime>,
    pub bytes: usize,
}

impl Conditioner {
    pub fn new(wanted: LineSettings, seed: u64) -> Self {
        Self {
            network: BadNetwork::new(wanted.to_server, wanted.to_client, seed),
            records: None,
        }
    }

    /// Keeps what becomes of each datagram from now on, for [`Self::take_records`].
    pub fn record_datagrams(&mut self) {
        self.records.get_or_insert_default();
    }

    /// The datagrams since the last call.
    pub fn take_records(&mut self) -> Vec<DatagramRecord> {
        let records = self.records.as_mut();
        records.map(std::mem::take).unwrap_or_default()
    }

    fn put_on_line(&mut self, is_to_server: bool, now: ClientTime, datagram: Vec<u8>) {
        /// More than a second's worth, should nobody ask.
        const MAX_RECORDS: usize = 4096;
        let bytes = datagram.len();
        let line = match is_to_server {
            true => &mut self.network.to_server,
            false => &mut self.network.to_client,
        };
        let arrives_at = line.send(now, datagram);
        if let Some(records) = self.records.as_mut().filter(|all| all.len() < MAX_RECORDS) {
            records.push(DatagramRecord {
                is_to_server,
                sent_at: now,
                arrives_at,
                bytes,
            });
        }
    }

    /// Changes what happens to datagrams from now on.
    pub fn set(&mut self, wanted: LineSettings) {
        self.network.to_server.set_quality(wanted.to_server);
        self.network.to_client.set_quality(wanted.to_client);
    }

    /// Takes a datagram of the server.
    pub fn arrive(&mut self, now: ClientTime, bytes: Vec<u8>) {
        self.put_on_line(false, now, bytes);
    }

    /// The next datagram of the server that is due, and when it was.
    pub fn poll_arrived(&mut self, now: ClientTime) -> Option<(ClientTime, Vec<u8>)> {
        due(&mut self.network.to_client, now)
    }

    /// Takes a datagram for the server.
    pub fn send(&mut self, now: ClientTime, bytes: Vec<u8>) {
        self.put_on_line(true, now, bytes);
    }

    /// The next datagram for the server that is due.
    pub fn poll_transmit(&mut self, now: ClientTime) -> Option<Vec<u8>> {
        due(&mut self.network.to_server, now).map(|(_, bytes)| bytes)
    }

    /// What was done to datagrams so far: towards the server, towards the client.
    pub fn stats(&self) -> [LineStats; 2] {
        [
            self.network.to_server.stats(),
            self.network.to_client.stats(),
        ]
    }
}

fn due(line: &mut Line, now: ClientTime) -> Option<(ClientTime, Vec<u8>)> {
    let at = line.next_due()?;
    line.receive(now).map(|bytes| (at, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::cvars;

    #[test]
    fn a_direction_follows_the_other_unless_told() {
        let mut cvars = Cvars::new(cvars::TABLE);
        assert!(LineSettings::of(&cvars).to_server.is_perfect());
        cvars.set("net_delay", "50").unwrap();
        cvars.set("net_loss", "5").unwrap();
        cvars.set("net_lossUp", "0").unwrap();
        let qualities = |cvars: &Cvars| {
            let LineSettings {
                to_client,
                to_server,
            } = LineSettings::of(cvars);
            [to_client, to_server].map(|line| (line.delay_msec, line.loss_percent))
        };
        assert_eq!(qualities(&cvars), [(50, 5.0), (50, 0.0)]);
        cvars.set("net_dropsim", "20").unwrap();
        cvars.force("cl_packetdelay", "30");
        assert_eq!(qualities(&cvars), [(50, 24.0), (80, 0.0)]);
    }

    #[test]
    fn a_perfect_line_hands_over_at_once_and_a_slow_one_when_due() {
        let mut cvars = Cvars::new(cvars::TABLE);
        let mut conditioner = Conditioner::new(LineSettings::of(&cvars), 1);
        conditioner.arrive(ClientTime(5), vec![1]);
        assert_eq!(
            conditioner.poll_arrived(ClientTime(5)),
            Some((ClientTime(5), vec![1]))
        );
        cvars.set("net_delay", "40").unwrap();
        conditioner.set(LineSettings::of(&cvars));
        conditioner.arrive(ClientTime(6), vec![2]);
        conditioner.send(ClientTime(6), vec![3]);
        assert_eq!(conditioner.poll_arrived(ClientTime(45)), None);
        assert_eq!(
            conditioner.poll_arrived(ClientTime(50)),
            Some((ClientTime(46), vec![2]))
        );
        assert_eq!(conditioner.poll_transmit(ClientTime(46)), Some(vec![3]));
    }
}
