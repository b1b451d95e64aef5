//! Network simulation: delay, jitter and loss between relay and server, for demonstrations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::config::Config;

/// Memory of one session; at 100 datagrams per second enough for 10 seconds of delay.
const MAX_WAITING: usize = 1024;

/// Whom a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Towards {
    Server,
    Player,
}

/// The datagrams of one session that are under way.
#[derive(Debug)]
pub struct NetworkSimulation {
    delay: Duration,
    jitter: Duration,
    loss: f64,
    dice: u64,
    number: u64,
    waiting: BinaryHeap<Reverse<(Instant, u64, Towards, Bytes)>>,
    alarm: Pin<Box<Sleep>>,
}

impl NetworkSimulation {
    /// The simulation that the operator wants, if any.
    pub fn new(config: &Config) -> Option<Self> {
        if config.delay.is_zero() && config.jitter.is_zero() && config.loss == 0.0 {
            return None;
        }
        Some(Self {
            delay: config.delay,
            jitter: config.jitter,
            loss: config.loss,
            // Any odd number does where the system gives none.
            dice: getrandom::u64().unwrap_or(0x9e37_79b9_7f4a_7c15) | 1,
            number: 0,
            waiting: BinaryHeap::new(),
            alarm: Box::pin(sleep_until(Instant::now())),
        })
    }

    /// Sends a datagram on its way; some get lost.
    pub fn send(&mut self, now: Instant, towards: Towards, datagram: Bytes) {
        let is_lost = self.roll() < self.loss;
        if is_lost || self.waiting.len() >= MAX_WAITING {
            return;
        }
        let due = now + self.delay + self.jitter.mul_f64(self.roll());
        self.number += 1;
        self.waiting
            .push(Reverse((due, self.number, towards, datagram)));
    }

    /// What arrives now.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<(Towards, Bytes)> {
        loop {
            let Some(Reverse((due, ..))) = self.waiting.peek() else {
                return Poll::Pending;
            };
            let due = *due;
            if due <= Instant::now()
                && let Some(Reverse((_, _, towards, datagram))) = self.waiting.pop()
            {
                return Poll::Ready((towards, datagram));
            }
            self.alarm.as_mut().reset(due);
            std::task::ready!(self.alarm.as_mut().poll(context));
        }
    }

    /// A number from 0 up to 1 (xorshift64*).
    fn roll(&mut self) -> f64 {
        self.dice ^= self.dice >> 12;
        self.dice ^= self.dice << 25;
        self.dice ^= self.dice >> 27;
        let mixed = self.dice.wrapping_mul(0x2545_f491_4f6c_dd1d);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }
}
