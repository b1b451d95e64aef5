//! How much of everything one player, one address, one target and all together may have.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;

use governor::clock::DefaultClock;
use governor::state::{InMemoryState, NotKeyed};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use ipnet::IpNet;

use super::permits::{networks, rate_limit_key};

type Direct = RateLimiter<NotKeyed, InMemoryState, DefaultClock>;

/// Out-of-band datagrams of one player: a client sends one every three quarters of a
/// second while it asks, and the server answers one per second and address.
const QUESTIONS: Quota = per_second(4, 12);
/// All players' together to one target, which a flood of challenges would keep busy.
const QUESTIONS_TO_TARGET: Quota = per_second(30, 100);
/// Sessions that one address may open: a page tries both transports, and dozens play behind one router.
const OPENINGS_PER_MINUTE: u32 = 60;
const OPENINGS_AT_ONCE: u32 = 80;

/// Connections by which one address may come back to sessions: all who play behind one router at once.
const RESUMES_PER_MINUTE: u32 = 240;
const RESUMES_AT_ONCE: u32 = 120;
/// Handshakes over QUIC of one address that has proven to be one: as many as may become sessions.
const HANDSHAKES_PER_MINUTE: u32 = OPENINGS_PER_MINUTE + RESUMES_PER_MINUTE;
const HANDSHAKES_AT_ONCE: u32 = OPENINGS_AT_ONCE + RESUMES_AT_ONCE;
/// Servers that one address may name in lists; a browser keeps up to 16 and asks for all of them.
const NAMINGS_PER_MINUTE: u32 = 60;
const NAMINGS_AT_ONCE: u32 = 48;

/// Texts, pings and pongs of one player: a page sends one or two per second.
const TEXTS: Quota = per_second(20, 100);
/// Connections that may take over one session: a page on a bad line tries two at a time.
const HANDOVERS: Quota = per_second(1, 10);
/// What is over a player's budgets is dropped; whoever sends as much once more for so many seconds
/// is no player.
const EXCESS_SECONDS: u32 = 10;

/// What the networks around an address may have, in shares of one address: a household or a LAN
/// party more, a provider's customer with thousands of networks no more.
const SHARES_AROUND: u32 = 8;

/// Which budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    #[error("the player sends too many datagrams")]
    Player,
    #[error("the player sends too many texts")]
    Texts,
    #[error("the player asks too much")]
    Questions,
    #[error("all players together ask the server too much")]
    Target,
    #[error("all players together send too many datagrams")]
    All,
}

/// The budgets that players share.
#[derive(Debug)]
pub struct Budgets {
    /// Sessions that are opened.
    pub openings: AddressBudgets,
    /// Servers whose state somebody wants to know.
    pub namings: AddressBudgets,
    /// Connections that come back to a session.
    pub resumes: AddressBudgets,
    /// Connections that begin over QUIC.
    pub handshakes: AddressBudgets,
    questions: DefaultKeyedRateLimiter<SocketAddr>,
    all: Direct,
    per_player: Quota,
    excess: Quota,
}

/// A budget of each address, and a larger one of each network around it.
#[derive(Debug)]
pub struct AddressBudgets {
    own: DefaultKeyedRateLimiter<IpAddr>,
    around: DefaultKeyedRateLimiter<IpNet>,
}

impl AddressBudgets {
    fn new(per_minute: u32, at_once: u32) -> Self {
        let quota = |shares| {
            Quota::per_minute(count(shares * per_minute)).allow_burst(count(shares * at_once))
        };
        Self {
            own: RateLimiter::keyed(quota(1)),
            around: RateLimiter::keyed(quota(SHARES_AROUND)),
        }
    }

    /// May this address have one more now?
    pub fn check(&self, user: IpAddr) -> bool {
        self.own.check_key(&rate_limit_key(user)).is_ok()
            && networks(user)
                .skip(1)
                .all(|network| self.around.check_key(&network).is_ok())
    }

    fn tidy(&self) {
        self.own.retain_recent();
        self.own.shrink_to_fit();
        self.around.retain_recent();
        self.around.shrink_to_fit();
    }
}

/// The budgets of one player.
#[derive(Debug)]
pub struct PlayerBudget {
    datagrams: Direct,
    questions: Direct,
    texts: Direct,
    handovers: Direct,
    excess: Direct,
}

impl PlayerBudget {
    /// May one more text, ping or pong be read?
    ///
    /// # Errors
    /// If there were too many.
    pub fn check_text(&self) -> Result<(), OverBudget> {
        self.texts.check().map_err(|_| OverBudget::Texts)
    }

    /// May one more connection take this player's session over? The old one hears of it for a while,
    /// and has no place any more.
    pub fn may_hand_over(&self) -> bool {
        self.handovers.check().is_ok()
    }

    /// May a datagram be read, before one knows whereto it goes?
    ///
    /// # Errors
    /// If there were too many.
    pub fn check_datagram(&self) -> Result<(), OverBudget> {
        self.datagrams.check().map_err(|_| OverBudget::Player)
    }

    /// Notes that a budget of this player was exceeded; true if that goes on for too long.
    pub fn is_flooding(&self) -> bool {
        self.excess.check().is_err()
    }
}

impl Budgets {
    pub fn new(player_datagrams: NonZeroU32, all_datagrams: NonZeroU32) -> Self {
        Self {
            openings: AddressBudgets::new(OPENINGS_PER_MINUTE, OPENINGS_AT_ONCE),
            namings: AddressBudgets::new(NAMINGS_PER_MINUTE, NAMINGS_AT_ONCE),
            resumes: AddressBudgets::new(RESUMES_PER_MINUTE, RESUMES_AT_ONCE),
            handshakes: AddressBudgets::new(HANDSHAKES_PER_MINUTE, HANDSHAKES_AT_ONCE),
            questions: RateLimiter::keyed(QUESTIONS_TO_TARGET),
            all: RateLimiter::direct(Quota::per_second(all_datagrams)),
            // A path that stalled for some seconds delivers all at once.
            per_player: Quota::per_second(player_datagrams)
                .allow_burst(player_datagrams.saturating_mul(count(4))),
            excess: Quota::per_second(player_datagrams)
                .allow_burst(player_datagrams.saturating_mul(count(EXCESS_SECONDS))),
        }
    }

    pub fn player(&self) -> PlayerBudget {
        PlayerBudget {
            datagrams: RateLimiter::direct(self.per_player),
            questions: RateLimiter::direct(QUESTIONS),
            texts: RateLimiter::direct(TEXTS),
            handovers: RateLimiter::direct(HANDOVERS),
            excess: RateLimiter::direct(self.excess),
        }
    }

    /// May a player's datagram go on to the target?
    pub fn check(
        &self,
        player: &PlayerBudget,
        target: SocketAddr,
        is_question: bool,
    ) -> Result<(), OverBudget> {
        player.check_datagram()?;
        if is_question {
            player
                .questions
                .check()
                .map_err(|_| OverBudget::Questions)?;
            self.questions
                .check_key(&target)
                .map_err(|_| OverBudget::Target)?;
        }
        self.all.check().map_err(|_| OverBudget::All)
    }

    /// Forgets whoever has not come for a while.
    pub fn tidy(&self) {
        self.openings.tidy();
        self.namings.tidy();
        self.resumes.tidy();
        self.handshakes.tidy();
        self.questions.retain_recent();
        self.questions.shrink_to_fit();
    }
}

const fn per_second(rate: u32, at_once: u32) -> Quota {
    Quota::per_second(count(rate)).allow_burst(count(at_once))
}

/// A constant of this file, which is not zero.
const fn count(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(count) => count,
        None => NonZeroU32::MIN,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    fn passed(tries: usize, mut check: impl FnMut() -> bool) -> usize {
        (0..tries).filter(|_| check()).count()
    }

    #[test]
    fn one_player_cannot_have_everything() {
        let budgets = Budgets::new(count(100), count(100_000));
        let target = "127.0.0.1:27960".parse().unwrap();
        let flooder = budgets.player();
        let other = budgets.player();
        let datagrams = passed(10_000, || budgets.check(&flooder, target, false).is_ok());
        assert!((400..600).contains(&datagrams), "{datagrams}");
        assert_eq!(budgets.check(&other, target, false), Ok(()));
        let asker = budgets.player();
        let questions = passed(100, || budgets.check(&asker, target, true).is_ok());
        assert!((12..20).contains(&questions), "{questions}");
    }

    #[test]
    fn lasting_excess_is_told_from_a_burst() {
        let budgets = Budgets::new(count(100), count(100_000));
        let player = budgets.player();
        assert_eq!(passed(200, || player.check_text().is_ok()), 100);
        assert!(
            passed(900, || !player.is_flooding()) == 900,
            "a burst is forgiven"
        );
        assert!(
            passed(900, || !player.is_flooding()) < 200,
            "a flood is not"
        );
    }

    #[test]
    fn a_target_is_not_flooded_by_many() {
        let budgets = Budgets::new(count(100), count(100_000));
        let target = "127.0.0.1:27960".parse().unwrap();
        let questions = passed(1000, || {
            budgets.check(&budgets.player(), target, true).is_ok()
        });
        assert!((100..200).contains(&questions), "{questions}");
    }

    #[test]
    fn addresses_open_sessions_slowly() {
        let budgets = Budgets::new(count(100), count(100_000));
        let openings = passed(1000, || budgets.openings.check("1.2.3.4".parse().unwrap()));
        assert!((80..90).contains(&openings), "{openings}");
        assert!(budgets.openings.check("1.2.3.5".parse().unwrap()));
        let mut households = 0_u128..;
        let openings = passed(2000, || {
            let number = households.next().unwrap_or_default() << 64;
            let address = Ipv6Addr::from(0x2001_0db8_0001 << 80 | number);
            budgets.openings.check(address.into())
        });
        assert!((640..700).contains(&openings), "{openings} of one network");
    }
}
