//! How much of everything one player, one address, one target and all together may have.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;

use governor::clock::DefaultClock;
use governor::state::{InMemoryState, NotKeyed};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

type Direct = RateLimiter<NotKeyed, InMemoryState, DefaultClock>;

/// Out-of-band datagrams per second of one player: a client sends one every three quarters of a
/// second while it asks, and the server answers one per second and address.
const QUESTIONS_PER_SECOND: u32 = 4;
const QUESTIONS_AT_ONCE: u32 = 12;
/// All players' together to one target, which a flood of challenges would keep busy.
const QUESTIONS_TO_TARGET_PER_SECOND: u32 = 30;
const QUESTIONS_TO_TARGET_AT_ONCE: u32 = 100;
/// Sessions that one address may open.
const OPENINGS_PER_MINUTE: u32 = 60;
const OPENINGS_AT_ONCE: u32 = 30;

/// Connections by which one address may come back to sessions: all who play behind one router at once.
const RESUMES_PER_MINUTE: u32 = 240;
const RESUMES_AT_ONCE: u32 = 120;
/// Servers that one address may name in lists; a browser keeps up to 16 and asks for all of them.
const NAMINGS_PER_MINUTE: u32 = 60;
const NAMINGS_AT_ONCE: u32 = 48;

/// Texts, pings and pongs per second of one player: a page sends one or two.
const TEXTS_PER_SECOND: u32 = 20;
const TEXTS_AT_ONCE: u32 = 100;
/// What is over a player's budgets is dropped; whoever sends as much once more for so many seconds
/// is no player.
const EXCESS_SECONDS: u32 = 10;

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
    openings: DefaultKeyedRateLimiter<IpAddr>,
    namings: DefaultKeyedRateLimiter<IpAddr>,
    resumes: DefaultKeyedRateLimiter<IpAddr>,
    questions: DefaultKeyedRateLimiter<SocketAddr>,
    all: Direct,
    per_player: Quota,
    excess: Quota,
}

/// The budgets of one player.
#[derive(Debug)]
pub struct PlayerBudget {
    datagrams: Direct,
    questions: Direct,
    texts: Direct,
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
        let openings =
            Quota::per_minute(count(OPENINGS_PER_MINUTE)).allow_burst(count(OPENINGS_AT_ONCE));
        let namings =
            Quota::per_minute(count(NAMINGS_PER_MINUTE)).allow_burst(count(NAMINGS_AT_ONCE));
        let questions = Quota::per_second(count(QUESTIONS_TO_TARGET_PER_SECOND));
        Self {
            openings: RateLimiter::keyed(openings),
            namings: RateLimiter::keyed(namings),
            resumes: RateLimiter::keyed(
                Quota::per_minute(count(RESUMES_PER_MINUTE)).allow_burst(count(RESUMES_AT_ONCE)),
            ),
            questions: RateLimiter::keyed(
                questions.allow_burst(count(QUESTIONS_TO_TARGET_AT_ONCE)),
            ),
            all: RateLimiter::direct(Quota::per_second(all_datagrams)),
            // A path that stalled for some seconds delivers all at once.
            per_player: Quota::per_second(player_datagrams)
                .allow_burst(player_datagrams.saturating_mul(count(4))),
            excess: Quota::per_second(player_datagrams)
                .allow_burst(player_datagrams.saturating_mul(count(EXCESS_SECONDS))),
        }
    }

    pub fn player(&self) -> PlayerBudget {
        let questions =
            Quota::per_second(count(QUESTIONS_PER_SECOND)).allow_burst(count(QUESTIONS_AT_ONCE));
        PlayerBudget {
            datagrams: RateLimiter::direct(self.per_player),
            questions: RateLimiter::direct(questions),
            texts: RateLimiter::direct(
                Quota::per_second(count(TEXTS_PER_SECOND)).allow_burst(count(TEXTS_AT_ONCE)),
            ),
            excess: RateLimiter::direct(self.excess),
        }
    }

    /// May this address open one more session now?
    pub fn may_open(&self, user: IpAddr) -> bool {
        self.openings.check_key(&user).is_ok()
    }

    /// May this address come back to a session once more now?
    pub fn may_resume(&self, user: IpAddr) -> bool {
        self.resumes.check_key(&user).is_ok()
    }

    /// May this address name one more server whose state it wants to know?
    pub fn may_name(&self, user: IpAddr) -> bool {
        self.namings.check_key(&user).is_ok()
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
        self.openings.retain_recent();
        self.openings.shrink_to_fit();
        self.namings.retain_recent();
        self.namings.shrink_to_fit();
        self.resumes.retain_recent();
        self.resumes.shrink_to_fit();
        self.questions.retain_recent();
        self.questions.shrink_to_fit();
    }
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
        let openings = passed(1000, || budgets.may_open("1.2.3.4".parse().unwrap()));
        assert!((30..40).contains(&openings), "{openings}");
        assert!(budgets.may_open("1.2.3.5".parse().unwrap()));
    }
}
