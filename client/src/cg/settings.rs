//! Settings: what the player chose about the game's view, and what follows from several choices together.

pub use crate::con::cvars::GameSettings as Settings;

/// How the player wants lamps to dazzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glare {
    /// Half of a far flare's side, where the view is 640 wide.
    pub size: f32,
    /// How much of a flare comes or goes in a second.
    pub fade_per_sec: f32,
    /// The larger, the farther a flare reaches.
    pub reach: f32,
}

impl Settings {
    /// Lamps of the map dazzle.
    pub fn glare(&self) -> Option<Glare> {
        self.flares.then_some(Glare {
            size: self.flare_size,
            fade_per_sec: self.flare_fade,
            reach: self.flare_reach,
        })
    }

    /// How far the weapon is moved forward, to the left and up.
    pub fn gun_offset(&self) -> [f32; 3] {
        [self.gun_x, self.gun_y, self.gun_z]
    }

    /// Bodies move; otherwise they stand in their first frame.
    pub fn is_animated(&self) -> bool {
        self.anim_speed != 0.0 && !self.no_player_anims
    }

    /// A rail without rings; `None` is as the game's own client does.
    pub fn has_old_rail(&self) -> Option<bool> {
        chosen(self.old_rail).map(|value| value != 0)
    }

    /// How long a rail stays; `None` is as the game's own client does.
    pub fn rail_stay_msec(&self) -> Option<i32> {
        chosen(self.rail_trail_msec)
    }

    /// Red, green and blue of a crosshair that does not tell health, 0 to 1.
    pub fn crosshair_tint(&self) -> [f32; 3] {
        [
            self.crosshair_red,
            self.crosshair_green,
            self.crosshair_blue,
        ]
    }

    /// Picture and size of the crosshair of a weapon, where it has one of its own.
    pub fn weapon_crosshair(&self, weapon: i32) -> Option<(i32, f32)> {
        let look = match weapon {
            1 => (self.ch1, self.ch1_size),
            2 => (self.ch2, self.ch2_size),
            3 => (self.ch3, self.ch3_size),
            4 => (self.ch4, self.ch4_size),
            5 => (self.ch5, self.ch5_size),
            6 => (self.ch6, self.ch6_size),
            7 => (self.ch7, self.ch7_size),
            8 => (self.ch8, self.ch8_size),
            9 => (self.ch9, self.ch9_size),
            10 => (self.ch10, self.ch10_size),
            11 => (self.ch11, self.ch11_size),
            12 => (self.ch12, self.ch12_size),
            13 => (self.ch13, self.ch13_size),
            _ => return None,
        };
        self.different_crosshairs.then_some(look)
    }
}

/// Below zero the game decides.
fn chosen(value: i32) -> Option<i32> {
    (value >= 0).then_some(value)
}
