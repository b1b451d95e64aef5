//! RatMod's rules as its server has set them: `g_ratFlags`, `g_movement` and what follows from them for movement.
//!
//! RatMod is OpenArena 0.8.8 with rules that servers switch on and off while they run. Nothing tells a client its
//! version; what is here is version 0.18.

/// Bits of `g_ratFlags` that change what a client predicts; RatMod has more, which are for the eye alone.
pub mod rat_flags {
    numbers! { i32:
        HIGH_PICKUP = 0x1, "Items are taken from farther above.";
        SCREEN_SHAKE = 0x4, "Hits shake the view.";
        FAST_SWITCH = 0x10, "Weapons come and go faster.";
        FAST_WEAPONS = 0x20, "The railgun reloads faster.";
        RAMP_JUMP = 0x80,
            "A jump from a ramp adds to the speed upward, and a second one soon after adds more.";
        NEW_SHOTGUN = 0x1000, "The shotgun's pellets fly in rings.";
        ADDITIVE_JUMP = 0x2000, "A jump adds to the speed upward.";
        REGULAR_FOOTSTEPS = 0x1_0000, "Steps do not depend on how long usercmds are.";
        PASS_PLAYERCLIP = 0x2_0000, "What is there to stop players alone stops nobody.";
        NO_BOB_UP = 0x4_0000, "The view does not go up and down with the steps.";
        FAST_SWIM = 0x8_0000, "Players swim faster.";
        SWING_GRAPPLE = 0x10_0000, "One swings on the grapple instead of being pulled.";
        SMOOTH_STAIRS = 0x80_0000, "Stairs do not throw upward.";
        NO_OVERBOUNCE = 0x100_0000,
            "What goes into the ground is taken away, so that nobody is thrown back by it.";
        CROUCH_SLIDE = 0x400_0000, "Who lands crouched slides on.";
        SLIDE_MODE = 0x800_0000, "Slides gain speed and end by the clock.";
    }
}

/// Indices of `PlayerState::stats` that only RatMod has.
pub(super) mod rat_stats {
    /// Milliseconds in which the next jump is one of two; negative once they are over.
    pub(in super::super) const JUMP_TIME: usize = 8;
    /// [`ZOOMING`] and [`SLIDING`].
    pub(in super::super) const STATE: usize = 9;
    /// Thousandths of a unit of `bob_cycle`.
    pub(in super::super) const BOB_REST: usize = 10;
    /// [`FROZEN`] and how far one has thawed.
    pub(in super::super) const FREEZE: usize = 12;
    /// Milliseconds that a slide lasts.
    pub(in super::super) const SLIDE_TIME: usize = 13;
    /// Which keys are held, for whoever follows the player.
    pub(in super::super) const KEYS: usize = 14;

    /// Of [`STATE`]: slides, crouched.
    pub(in super::super) const SLIDING: i32 = 2;
    /// Of [`FREEZE`]: a block of ice.
    pub(in super::super) const FROZEN: i32 = 1;
}

/// What a server of RatMod says about movement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatRules {
    /// `g_ratFlags`: [`rat_flags`].
    pub flags: i32,
    /// `g_movement`.
    pub movement: Movement,
}

impl RatRules {
    /// Whether one of these [`rat_flags`] is set.
    pub fn has(self, flags: i32) -> bool {
        self.flags & flags != 0
    }
}

/// How one speeds up: values of `g_movement`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Movement {
    /// 0: as Quake III.
    #[default]
    Vq3,
    /// 1: as CPM, in the flavour of Defrag.
    Cpmd,
    /// 2: RatMod's own.
    Rat,
    /// 3: as CPMA.
    Cpma,
}

impl Movement {
    /// The movement of this number; what nobody knows is as Quake III's.
    pub fn of(number: i32) -> Self {
        match number {
            1 => Self::Cpmd,
            2 => Self::Rat,
            3 => Self::Cpma,
            _ => Self::Vq3,
        }
    }

    /// In the air one turns with the forward key, and brakes more easily.
    pub fn is_cpm(self) -> bool {
        matches!(self, Self::Cpmd | Self::Cpma)
    }

    pub(super) fn acceleration(self) -> Acceleration {
        match self {
            Self::Vq3 => Acceleration {
                ground: 10.0,
                air: 1.0,
                strafe: None,
            },
            Self::Cpmd | Self::Cpma => Acceleration {
                ground: 15.0,
                air: 1.0,
                strafe: Some((30.0, 70.0)),
            },
            Self::Rat => Acceleration {
                ground: 14.0,
                air: 2.4,
                strafe: Some((42.0, 40.0)),
            },
        }
    }
}

/// How fast one gains speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Acceleration {
    pub(super) ground: f32,
    pub(super) air: f32,
    /// In the air with a sideward key alone: the wished speed, and how fast one gains it.
    pub(super) strafe: Option<(f32, f32)>,
}
