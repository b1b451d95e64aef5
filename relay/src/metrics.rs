//! What the relay counts, and its text for Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// One count that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One table for the fields, their names outside and what they mean.
macro_rules! counters {
    ($($field:ident: $help:literal,)*) => {
        /// Everything counted since the start.
        #[derive(Debug, Default)]
        pub struct Metrics {
            $(#[doc = $help] pub $field: Counter,)*
        }

        impl Metrics {
            fn table(&self) -> Vec<(&'static str, &'static str, u64)> {
                vec![$((stringify!($field), $help, self.$field.get()),)*]
            }
        }
    };
}

counters! {
    sessions_opened: "Sessions opened.",
    sessions_resumed: "Sessions taken over by a new connection.",
    sessions_restored: "Sessions taken up from an earlier run.",
    sessions_refused: "Players refused, whatever the reason.",
    to_server: "Datagrams sent to servers.",
    to_server_bytes: "Bytes of datagrams sent to servers.",
    to_player: "Datagrams accepted for players.",
    to_player_bytes: "Bytes of datagrams accepted for players.",
    stale: "Datagrams for players dropped because newer ones came before they could leave.",
    repeated: "Packets sent to players once more because their paths lose some.",
    refused_from_player: "Datagrams that no client of Quake 3 would have sent.",
    refused_from_server: "Datagrams that no server of Quake 3 would have sent.",
    over_budget: "Datagrams of players beyond their budgets.",
    floods_ended: "Sessions ended because they sent far too much.",
    udp_errors: "Errors of the sockets to servers.",
    foreign_hosts: "Requests for hosts that are not this relay.",
    connections_refused: "HTTP connections over the limits.",
}

impl Metrics {
    /// The text format of Prometheus, version 0.0.4.
    pub fn text(&self, playing: usize, held: usize, connections: usize) -> String {
        let mut text = String::new();
        for (name, help, value) in self.table() {
            add(
                &mut text,
                &format!("strafe_{name}_total"),
                "counter",
                help,
                value,
            );
        }
        add(
            &mut text,
            "strafe_sessions",
            "gauge",
            "Sessions with a connection.",
            playing as u64,
        );
        add(
            &mut text,
            "strafe_sessions_held",
            "gauge",
            "Sessions that wait for their player.",
            held as u64,
        );
        add(
            &mut text,
            "strafe_connections",
            "gauge",
            "Open connections, besides those of players whom a server has let in.",
            connections as u64,
        );
        text
    }
}

fn add(text: &mut String, name: &str, kind: &str, help: &str, value: u64) {
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}"
    );
}
