//! Settings: what the player chose about the game's view, and what follows from several choices together.

pub use crate::con::cvars::GameSettings as Settings;

use shared::bg::numbers::team;

/// What red and blue are drawn as, by `cg_teamColors`; from the second on the two differ in brightness as well as in hue,
/// so that whoever sees some or all hues alike tells them apart.
const TEAM_PALETTES: [[[f32; 3]; 2]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    [[1.0, 0.6, 0.0], [0.0, 0.55, 1.0]],
    [[1.0, 0.85, 0.0], [0.25, 0.4, 1.0]],
    [[1.0, 0.45, 0.75], [0.0, 0.5, 0.2]],
];

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
    /// The color of the red or blue team, 0 to 1 each; `None` for all others.
    pub fn team_color(&self, wanted: i32) -> Option<[f32; 3]> {
        let palette = usize::try_from(self.team_palette).unwrap_or(0);
        let [red, blue] = TEAM_PALETTES.get(palette).unwrap_or(&TEAM_PALETTES[0]);
        match wanted {
            team::RED => Some(*red),
            team::BLUE => Some(*blue),
            _ => None,
        }
    }

    /// The same where the player chose other colors than the game's own, in which skins are.
    pub fn chosen_team_color(&self, wanted: i32) -> Option<[f32; 3]> {
        self.team_color(wanted).filter(|_| self.team_palette > 0)
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear light of a color.
    fn linear(color: [f32; 3]) -> [f32; 3] {
        color.map(|part| match part {
            ..=0.04045 => part / 12.92,
            _ => libm::powf((part + 0.055) / 1.055, 2.4),
        })
    }

    fn luminance([r, g, b]: [f32; 3]) -> f32 {
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn teams_differ_for_whoever_sees_fewer_hues() {
        // What is seen without one of the three kinds of cones (Machado, Oliveira and Fernandes 2009, table 1).
        const SEEN: [[[f32; 3]; 3]; 3] = [
            [
                [0.152, 1.053, -0.205],
                [0.115, 0.786, 0.099],
                [-0.004, -0.048, 1.052],
            ],
            [
                [0.367, 0.861, -0.228],
                [0.280, 0.673, 0.047],
                [-0.012, 0.043, 0.969],
            ],
            [
                [1.256, -0.077, -0.179],
                [-0.078, 0.931, 0.148],
                [0.005, 0.691, 0.304],
            ],
        ];
        for (number, palette) in TEAM_PALETTES.into_iter().enumerate().skip(1) {
            let [red, blue] = palette.map(linear);
            let [a, b] = [luminance(red) + 0.05, luminance(blue) + 0.05];
            assert!(a.max(b) / a.min(b) >= 1.5, "{number}: {a} and {b} in grey");
            assert!(a.min(b) > 0.15, "{number}: {a} and {b} on black");
            for seen in SEEN {
                let look = |color: [f32; 3]| {
                    seen.map(|row| (0..3).map(|part| row[part] * color[part]).sum::<f32>())
                };
                let (red, blue) = (look(red), look(blue));
                let apart = (0..3)
                    .map(|part| (red[part] - blue[part]).powi(2))
                    .sum::<f32>();
                assert!(apart.sqrt() > 0.4, "{number}: {red:?} and {blue:?}");
            }
        }
    }
}
