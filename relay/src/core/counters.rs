//! What the relay counts.

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

/// A count for whoever watches the relay.
#[derive(Clone, Debug)]
pub struct Count {
    pub name: &'static str,
    pub help: &'static str,
    /// A `counter`, which only grows, or a `gauge`.
    pub kind: &'static str,
    pub value: u64,
}

/// One table for the fields, their names outside and what they mean.
macro_rules! counters {
    ($($field:ident: $help:literal,)*) => {
        /// Everything counted since the start.
        #[derive(Debug, Default)]
        pub struct Counters {
            $(#[doc = $help] pub $field: Counter,)*
        }

        impl Counters {
            pub(crate) fn table(&self) -> Vec<Count> {
                vec![$(Count {
                    name: concat!(stringify!($field), "_total"),
                    help: $help,
                    kind: "counter",
                    value: self.$field.get(),
                },)*]
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
