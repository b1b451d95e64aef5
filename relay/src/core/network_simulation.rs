//! A bad network between relay and server, for demonstrations.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use shared::base::time::ClientTime;
use shared::sim::{BadNetwork, LineQuality};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::core::config::Config;

/// Whom a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Towards {
    Server,
    Player,
}

/// The datagrams of one session that are under way.
#[derive(Debug)]
pub(super) struct NetworkSimulation {
    network: BadNetwork,
    began: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl NetworkSimulation {
    /// The simulation that the operator wants, if any.
    pub(super) fn new(config: &Config) -> Option<Self> {
        let quality = LineQuality {
            delay_msec: config.delay,
            jitter_msec: config.jitter,
            loss_percent: 100.0 * config.loss,
            ..LineQuality::PERFECT
        };
        let began = Instant::now();
        (!quality.is_perfect()).then(|| Self {
            // Any seed does where the system gives none.
            network: BadNetwork::new(quality, quality, getrandom::u64().unwrap_or(0)),
            began,
            alarm: Box::pin(sleep_until(began)),
        })
    }

    /// Sends a datagram on its way; some get lost.
    pub(super) fn send(&mut self, towards: Towards, datagram: Vec<u8>) {
        let now = self.now();
        let line = match towards {
            Towards::Server => &mut self.network.to_server,
            Towards::Player => &mut self.network.to_client,
        };
        line.send(now, datagram);
    }

    /// What arrives now.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<(Towards, Bytes)> {
        loop {
            let now = self.now();
            if let Some(datagram) = self.network.to_server.receive(now) {
                return Poll::Ready((Towards::Server, datagram.into()));
            }
            if let Some(datagram) = self.network.to_client.receive(now) {
                return Poll::Ready((Towards::Player, datagram.into()));
            }
            let Some(due) = self.network.next_due() else {
                return Poll::Pending;
            };
            let due = Duration::from_millis(u64::from(due.0.unsigned_abs()));
            self.alarm.as_mut().reset(self.began + due);
            ready!(self.alarm.as_mut().poll(context));
        }
    }

    fn now(&self) -> ClientTime {
        ClientTime(self.began.elapsed().as_millis() as i32)
    }
}
