//! Carries datagrams between a browser's connection and a session's socket until one of them ends.

use std::borrow::Cow;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use tokio::io::ReadBuf;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep, interval, sleep};

use crate::core::budgets::OverBudget;
use crate::core::gate::{Answer, MAX_FROM_SERVER, Refusal, Stage};
use crate::core::network_simulation::{NetworkSimulation, Towards};
use crate::core::plugin::SessionEvent;
use crate::core::relay::RelayState;
use crate::core::session::{Order, Session};
use crate::core::source_waker::SourceWaker;
use crate::core::transport::{Arrival, Transport};

/// So many datagrams are read from the server before the browser gets its turn.
const BATCH: usize = 16;
/// So many things are taken from a browser before the other sessions of the thread get theirs.
const TURN: usize = 16;
/// After so many things over a budget a page is not read for a while: what it sends then waits on its
/// own machine. A backlog of a path that stalled is dropped within a second all the same.
const EXCESS_AT_ONCE: u32 = 64;
const REST: Duration = Duration::from_millis(20);
/// A connection that ends so soon after the page was heard did not fall silent: the page's side ended it.
const SILENT: Duration = Duration::from_secs(3);
/// A program that keeps sending what no client sends is none.
const MAX_OFFENCES: u32 = 50;

/// Why a relay closes, as told to the page.
pub(super) mod code {
    pub(crate) const STOPPING: u16 = 1001;
    pub(crate) const RESTARTING: u16 = 1012;
    pub(crate) const NO_TARGET: u16 = 4001;
    pub(crate) const NO_SERVER: u16 = 4002;
    pub(crate) const FULL: u16 = 4003;
    pub(crate) const IDLE: u16 = 4004;
    pub(crate) const HANDSHAKE: u16 = 4005;
    pub(crate) const FOREIGN: u16 = 4006;
    pub(crate) const TAKEN_OVER: u16 = 4007;
    pub(crate) const UNKNOWN_TOKEN: u16 = 4008;
    pub(crate) const BANNED: u16 = 4009;
    pub(crate) const FLOOD: u16 = 4010;
}

/// How a connection's part in a session ends.
#[derive(Debug)]
enum End {
    /// The page left for good.
    Bye,
    /// The connection dropped; the player may come back.
    Dropped(String),
    /// The relay ends the session.
    Close(u16, String),
    /// The relay ends, and its next run goes on with the session.
    LeftBehind(String),
    /// Another connection has the session now.
    HandedOver(tokio::sync::oneshot::Sender<Box<Session>>),
}

/// Texts from the page.
#[derive(Debug, Deserialize)]
struct FromPage {
    ping: Option<i64>,
    #[serde(default)]
    bye: bool,
    /// Datagrams in hexadecimal.
    deferred_disconnect: Option<Vec<String>>,
    /// How long to keep the place at most once the connection drops.
    hold_msec: Option<u64>,
}

struct Pump<'a, D> {
    relay_state: &'a RelayState,
    session: Box<Session>,
    transport: D,
    orders: mpsc::Receiver<Order>,
    orders_waker: SourceWaker,
    ticks: Interval,
    ticks_waker: SourceWaker,
    server_waker: SourceWaker,
    heard: Instant,
    offences: u32,
    /// What was over a budget since the last rest.
    excess: u32,
    /// Until when the browser is not read.
    rest: Option<Pin<Box<Sleep>>>,
    /// The server has let the player in.
    is_connected: bool,
    simulation: Option<NetworkSimulation>,
    buffer: Vec<u8>,
    /// The token of this connection, until the page is heard on it.
    unconfirmed: Option<String>,
}

/// Carries a session until its connection or the session itself ends.
///
/// `used` is the token by which the player came back to it.
pub(super) async fn run(
    relay_state: &Arc<RelayState>,
    mut session: Box<Session>,
    mut transport: impl Transport,
    used: Option<&str>,
) {
    let id = session.id;
    let is_resumed = used.is_some();
    let (token, orders) = match relay_state.sessions.play(id, used) {
        Ok(playing) => playing,
        Err(error) => return transport.close(code::FULL, &error.to_string()).await,
    };
    let opening = json!({
        "open": session.target.name,
        "session": format!("s{id}"),
        "token": token,
        "resumed": is_resumed,
        "hold_msec": relay_state.sessions.hold().as_millis() as u64,
    });
    transport.say(opening.to_string());
    if session.reader.is_none() {
        session.reader = relay_state.plugins.reader(relay_state, &session);
    }
    let mut ticks = interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut pump = Pump {
        relay_state,
        session,
        transport,
        orders,
        orders_waker: SourceWaker::new(),
        ticks,
        ticks_waker: SourceWaker::new(),
        server_waker: SourceWaker::new(),
        heard: Instant::now(),
        offences: 0,
        excess: 0,
        rest: None,
        is_connected: false,
        simulation: NetworkSimulation::new(&relay_state.config),
        buffer: vec![0; MAX_FROM_SERVER + 1],
        unconfirmed: is_resumed.then_some(token),
    };
    pump.session.hold = relay_state.sessions.hold();
    if is_resumed {
        pump.discard_old();
    }
    pump.note_stage();
    let end = std::future::poll_fn(|context| pump.poll(context)).await;
    pump.finish(end).await;
}

impl<D: Transport> Pump<'_, D> {
    /// Does all that can be done now.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<End> {
        for _ in 0..TURN {
            let orders = &mut self.orders;
            let order = self
                .orders_waker
                .poll(context, |context| orders.poll_recv(context));
            if let Poll::Ready(Some(order)) = order {
                match order {
                    Order::HandOver(give) if self.session.budget.may_hand_over() => {
                        return Poll::Ready(End::HandedOver(give));
                    }
                    // Whoever waits hears that it is too often.
                    Order::HandOver(_) => continue,
                    Order::Say(text) => {
                        self.transport.say(text);
                        continue;
                    }
                    Order::GiveWay => {
                        let reason = "Your seat was needed: no server has let you in for a while.";
                        return Poll::Ready(End::Close(code::FULL, reason.to_owned()));
                    }
                    Order::Stop(reason) => {
                        let is_kept = self.relay_state.plugins.keep(self.session.id);
                        return Poll::Ready(match is_kept {
                            true => End::LeftBehind(reason),
                            false => End::Close(code::STOPPING, reason),
                        });
                    }
                }
            }
            while self.poll_tick(context).is_ready() {
                if let Some(end) = self.check_time() {
                    return Poll::Ready(end);
                }
            }
            let server = self.poll_server(context);
            if let Some(end) = self.poll_simulation(context) {
                return Poll::Ready(end);
            }
            // The transport comes after the server, so that what has just arrived leaves at once.
            let browser = self.poll_browser(context);
            match (server, browser) {
                (Poll::Pending, Poll::Pending) => return Poll::Pending,
                (Poll::Ready(Some(end)), _) | (_, Poll::Ready(Some(end))) => {
                    return Poll::Ready(end);
                }
                _ => {}
            }
        }
        // There is more, but others wait too.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn poll_tick(&mut self, context: &Context<'_>) -> Poll<Instant> {
        let ticks = &mut self.ticks;
        self.ticks_waker
            .poll(context, |context| ticks.poll_tick(context))
    }

    /// Takes some datagrams from the server; pending only if there are no more.
    fn poll_server(&mut self, context: &mut Context<'_>) -> Poll<Option<End>> {
        for _ in 0..BATCH {
            let mut space = ReadBuf::new(&mut self.buffer);
            let udp = &self.session.udp;
            let received = self
                .server_waker
                .poll(context, |context| udp.poll_recv(context, &mut space));
            if let Err(error) = ready!(received) {
                if let Some(end) = self.note_udp_error(&error) {
                    return Poll::Ready(Some(end));
                }
                continue;
            }
            let datagram = space.filled();
            match self.session.gate.pass_to_player(datagram) {
                Ok(Answer::ToPlayer) => {
                    if let Some(reader) = &mut self.session.reader
                        && let Some(text) = reader.read_server(datagram)
                    {
                        self.transport.say(text);
                    }
                    match &mut self.simulation {
                        None => {
                            let datagram = Bytes::copy_from_slice(datagram);
                            push(self.relay_state, &mut self.transport, datagram);
                        }
                        Some(simulation) => simulation.send(Towards::Player, datagram.to_vec()),
                    }
                    if !self.is_connected {
                        self.note_stage();
                    }
                }
                Ok(Answer::Proof { due }) => {
                    if let Some(end) = due.and_then(|due| self.deliver(&due)) {
                        return Poll::Ready(Some(end));
                    }
                }
                Err(refusal) => {
                    tracing::debug!(session = self.session.id, %refusal, "from the server");
                    self.relay_state.counters.refused_from_server.add(1);
                }
            }
        }
        Poll::Ready(None)
    }

    /// Whoever is let in by a server has a seat, and needs no place among those who only connect.
    fn note_stage(&mut self) {
        if self.session.gate.stage() == Stage::Connected {
            self.is_connected = true;
            self.relay_state.sessions.note_connected(&mut self.session);
            self.transport.release_permit();
        }
    }

    /// Sends what waits for the browser and takes one thing from it.
    fn poll_browser(&mut self, context: &mut Context<'_>) -> Poll<Option<End>> {
        if let Some(rest) = &mut self.rest {
            if rest.as_mut().poll(context).is_pending() {
                self.transport.poll_send(context);
                return Poll::Pending;
            }
            self.rest = None;
        }
        let arrival = ready!(self.transport.poll(context));
        if !matches!(arrival, Arrival::Gone(_))
            && let Some(token) = self.unconfirmed.take()
        {
            self.relay_state.sessions.confirm(self.session.id, &token);
        }
        let end = match arrival {
            Arrival::Gone(reason) => Some(End::Dropped(reason)),
            Arrival::Text(text) => match self.session.budget.check_text() {
                Ok(()) => self.read_text(&text),
                Err(reason) => self.note_excess(reason),
            },
            Arrival::Noise => {
                (self.session.budget.check_text().err()).and_then(|reason| self.note_excess(reason))
            }
            Arrival::Part => (self.session.budget.check_datagram().err())
                .and_then(|reason| self.note_excess(reason)),
            Arrival::Datagram(datagram) => self.send_to_server(&datagram),
        };
        Poll::Ready(end)
    }

    fn send_to_server(&mut self, datagram: &[u8]) -> Option<End> {
        self.heard = Instant::now();
        let session = &mut self.session;
        let is_question = datagram.starts_with(&[0xff; 4]);
        let budgets = &self.relay_state.budgets;
        if let Err(reason) = budgets.check(&session.budget, session.target.address, is_question) {
            return self.note_excess(reason);
        }
        match session.gate.pass_to_server(datagram) {
            Err(refusal) => self.note_offence(refusal),
            Ok(passed) => {
                if let Some(reader) = &mut session.reader {
                    reader.read_player(datagram);
                }
                self.send_through_simulation(passed)
            }
        }
    }

    fn send_through_simulation(&mut self, datagram: Cow<'_, [u8]>) -> Option<End> {
        let Some(simulation) = &mut self.simulation else {
            return self.deliver(&datagram);
        };
        simulation.send(Towards::Server, datagram.into_owned());
        None
    }

    /// Sends a datagram at once. A full socket loses it as a full line would.
    fn deliver(&mut self, datagram: &[u8]) -> Option<End> {
        match self.session.udp.try_send(datagram) {
            Ok(_) => {
                self.relay_state.counters.to_server.add(1);
                self.relay_state
                    .counters
                    .to_server_bytes
                    .add(datagram.len() as u64);
                None
            }
            Err(error) => self.note_udp_error(&error),
        }
    }

    /// Lets what was under way arrive.
    fn poll_simulation(&mut self, context: &mut Context<'_>) -> Option<End> {
        while let Some(simulation) = &mut self.simulation
            && let Poll::Ready((towards, datagram)) = simulation.poll(context)
        {
            match towards {
                Towards::Player => push(self.relay_state, &mut self.transport, datagram),
                Towards::Server => {
                    if let Some(end) = self.deliver(&datagram) {
                        return Some(end);
                    }
                }
            }
        }
        None
    }

    fn read_text(&mut self, text: &str) -> Option<End> {
        self.heard = Instant::now();
        let Ok(text) = serde_json::from_str::<FromPage>(text) else {
            return self.note_offence(Refusal::Command);
        };
        if let Some(ping) = text.ping {
            let server_msec = self
                .relay_state
                .plugins
                .server_msec(&self.session.target.name);
            self.transport
                .say(json!({ "pong": ping, "server_msec": server_msec }).to_string());
        }
        if let Some(datagrams) = text.deferred_disconnect {
            let session = &mut self.session;
            if let Err(refusal) = session
                .deferred_disconnect
                .deposit(&datagrams, &mut session.gate)
            {
                return self.note_offence(refusal);
            }
            let event = SessionEvent::Playing(&self.session);
            self.relay_state.plugins.note(event);
        }
        if let Some(msec) = text.hold_msec {
            self.session.hold = self
                .relay_state
                .sessions
                .hold()
                .min(Duration::from_millis(msec));
        }
        text.bye.then_some(End::Bye)
    }

    /// Something was over a budget. Bursts are dropped; whoever goes on floods.
    fn note_excess(&mut self, reason: OverBudget) -> Option<End> {
        tracing::debug!(session = self.session.id, %reason, "dropped");
        self.relay_state.counters.over_budget.add(1);
        let is_own = !matches!(reason, OverBudget::Target | OverBudget::All);
        if !is_own {
            return None;
        }
        self.excess += 1;
        if self.excess == EXCESS_AT_ONCE {
            self.excess = 0;
            self.rest = Some(Box::pin(sleep(REST)));
        }
        if !self.session.budget.is_flooding() {
            return None;
        }
        self.relay_state.counters.floods_ended.add(1);
        let reason = format!("Your page sends far too much: {reason}.");
        Some(End::Close(code::FLOOD, reason))
    }

    fn note_offence(&mut self, refusal: Refusal) -> Option<End> {
        tracing::debug!(session = self.session.id, %refusal, "from the player");
        self.relay_state.counters.refused_from_player.add(1);
        // Packets of an earlier connection are only late.
        if !matches!(refusal, Refusal::NotConnected | Refusal::Unproven) {
            self.offences += 1;
        }
        (self.offences > MAX_OFFENCES)
            .then(|| End::Close(code::FOREIGN, format!("This is not Quake 3: {refusal}.")))
    }

    /// A closed port tells that no server runs there; in a match it may be restarting.
    fn note_udp_error(&mut self, error: &io::Error) -> Option<End> {
        self.relay_state.counters.udp_errors.add(1);
        let is_closed = error.kind() == io::ErrorKind::ConnectionRefused;
        let server = &self.session.target.name;
        (is_closed && self.session.gate.stage() == Stage::Asking)
            .then(|| End::Close(code::NO_SERVER, format!("No server answers at {server}.")))
    }

    fn check_time(&mut self) -> Option<End> {
        // A refusal wakes no reader.
        if let Ok(Some(error)) = self.session.udp.take_error()
            && let Some(end) = self.note_udp_error(&error)
        {
            return Some(end);
        }
        let config = &self.relay_state.config;
        if self.heard.elapsed() > config.idle_timeout {
            return Some(End::Close(
                code::IDLE,
                "Nothing came from your page for too long.".to_owned(),
            ));
        }
        let is_late = self.session.opened.elapsed() > config.handshake_timeout;
        if is_late && self.session.gate.stage() != Stage::Connected {
            let reason = format!("{} did not let you in.", self.session.target.name);
            return Some(End::Close(code::HANDSHAKE, reason));
        }
        None
    }

    /// Reads away what came while nobody listened.
    fn discard_old(&mut self) {
        while self.session.udp.try_recv(&mut self.buffer).is_ok() {
            self.relay_state.counters.stale.add(1);
        }
    }

    async fn finish(self, end: End) {
        let Self {
            relay_state,
            mut session,
            transport,
            heard,
            ..
        } = self;
        let id = session.id;
        if heard.elapsed() < SILENT {
            // A page that was killed, or too busy to notice that its tab is closed, has said nothing; one that
            // lives comes back as soon as it sees the end. The player should not stand there any longer.
            session.hold = session.hold.min(relay_state.config.hold_ended);
        }
        match end {
            End::Dropped(reason)
                if session.gate.stage() == Stage::Connected && !session.hold.is_zero() =>
            {
                tracing::info!(session = id, reason, "connection dropped; held");
                relay_state.sessions.keep(session);
            }
            End::Dropped(reason) => {
                tracing::info!(session = id, reason, "ended");
                relay_state.sessions.end(session);
            }
            End::Bye => {
                tracing::info!(session = id, "ended: the player left");
                relay_state.sessions.end(session);
                transport.close(1000, "Good bye.").await;
            }
            End::Close(code, reason) => {
                tracing::info!(session = id, code, reason, "ended");
                relay_state.sessions.end(session);
                transport.close(code, &reason).await;
            }
            End::LeftBehind(reason) => {
                tracing::info!(session = id, "left to the next run");
                relay_state.sessions.leave_behind(session);
                transport.close(code::RESTARTING, &reason).await;
            }
            End::HandedOver(give) => {
                tracing::info!(session = id, "taken over");
                relay_state.sessions.leave(id);
                if let Err(session) = give.send(session) {
                    // Whoever wanted it has gone meanwhile; the player may try once more.
                    relay_state.sessions.keep(session);
                }
                transport
                    .close(code::TAKEN_OVER, "Another page goes on with this session.")
                    .await;
            }
        }
    }
}

fn push(relay_state: &RelayState, transport: &mut impl Transport, datagram: Bytes) {
    relay_state.counters.to_player.add(1);
    relay_state
        .counters
        .to_player_bytes
        .add(datagram.len() as u64);
    transport.push(datagram);
}
