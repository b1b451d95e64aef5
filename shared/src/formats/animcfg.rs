//! Player animations: which frames of the body models show what, from `animation.cfg`.

use super::lexer::{Lexer, number, text_from_bytes};
use crate::base::error::DecodeError;
use glam::Vec3;

const SUBJECT: &str = "animation.cfg";
/// Rows of a complete file.
pub const FILE_ROWS: usize = 31;
/// Animations after a file is read: its rows, an unused number, and five derived ones.
pub const ANIMATION_COUNT: usize = 37;
/// Rows before this one must be in the file; the others copy the gesture.
const REQUIRED_ROWS: usize = 25;
const TORSO_GESTURE: usize = 6;
/// To get the flag, to guard the base, to patrol, yes and no.
const TEAM_GESTURES: [usize; 5] = [25, 26, 27, 29, 30];
const LEGS_WALKCR: usize = 13;
const LEGS_WALK: usize = 14;
const LEGS_TURN: usize = 24;
const LEGS_BACKCR: usize = 32;
const LEGS_BACKWALK: usize = 33;
const FLAG_RUN: usize = 34;
const FLAG_STAND: usize = 35;
const FLAG_STAND2RUN: usize = 36;

/// What a player model says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationConfig {
    /// Which voice it has.
    pub sex: Sex,
    /// Which steps are heard.
    pub footsteps: Footsteps,
    /// Added to the head's origin in pictures of the head.
    pub head_offset: Vec3,
    /// The legs follow the torso's yaw.
    pub fixed_legs: bool,
    /// The torso never pitches.
    pub fixed_torso: bool,
    /// By animation number.
    pub animations: [Animation; ANIMATION_COUNT],
}

/// Which voice a player model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sex {
    /// A man's.
    #[default]
    Male,
    /// A woman's.
    Female,
    /// Neither.
    Neuter,
}

/// Which sounds the feet make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Footsteps {
    /// Shoes.
    #[default]
    Normal,
    /// Boots.
    Boot,
    /// Bare feet or claws.
    Flesh,
    /// Metal feet.
    Mech,
    /// Something that hums.
    Energy,
}

/// A range of a model's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Animation {
    /// The first frame.
    pub first_frame: i32,
    /// How many frames follow from it.
    pub frame_count: i32,
    /// How many frames at the end repeat; 0 stays on the last.
    pub loop_frames: i32,
    /// Milliseconds per frame.
    pub frame_msec: i32,
    /// Milliseconds until the first frame.
    pub initial_msec: i32,
    /// The frames are played from the last to the first.
    pub is_reversed: bool,
    /// OpenArena plays it forwards, then backwards.
    pub is_team_gesture: bool,
}

impl AnimationConfig {
    /// Reads an `animation.cfg`.
    ///
    /// # Errors
    /// A number is missing or impossible.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let text = text_from_bytes(bytes);
        let mut lexer = Lexer::new(&text);
        let mut config = Self {
            sex: Sex::default(),
            footsteps: Footsteps::default(),
            head_offset: Vec3::ZERO,
            fixed_legs: false,
            fixed_torso: false,
            animations: [Animation::default(); ANIMATION_COUNT],
        };
        config.read_header(&mut lexer);
        config.read_rows(&mut lexer)?;
        config.derive();
        Ok(config)
    }

    /// Reads keywords up to the first number; unknown ones are skipped.
    fn read_header(&mut self, lexer: &mut Lexer<'_>) {
        loop {
            let before = lexer.clone();
            let Some(token) = lexer.token() else { return };
            if token.starts_with(|c: char| c.is_ascii_digit()) {
                *lexer = before;
                return;
            }
            match token.to_ascii_lowercase().as_str() {
                "sex" => self.sex = sex(lexer.token().unwrap_or_default()),
                "footsteps" => self.footsteps = footsteps(lexer.token().unwrap_or_default()),
                "headoffset" => {
                    self.head_offset =
                        Vec3::from_array(std::array::from_fn(|_| next_number(lexer)));
                }
                "fixedlegs" => self.fixed_legs = true,
                "fixedtorso" => self.fixed_torso = true,
                _ => {}
            }
        }
    }

    fn read_rows(&mut self, lexer: &mut Lexer<'_>) -> Result<(), DecodeError> {
        let mut skip = 0;
        for row in 0..FILE_ROWS {
            let Some(first) = lexer.token() else {
                if row < REQUIRED_ROWS {
                    let problem =
                        format!("{row} animations where at least {REQUIRED_ROWS} are needed");
                    return Err(DecodeError::new(SUBJECT, lexer.offset(), problem));
                }
                self.animations[row] = self.animations[TORSO_GESTURE];
                continue;
            };
            let mut first_frame = number(first) as i32;
            if row == LEGS_WALKCR {
                skip = first_frame.saturating_sub(self.animations[TORSO_GESTURE].first_frame);
            }
            if (LEGS_WALKCR..=LEGS_TURN).contains(&row) {
                first_frame = first_frame.saturating_sub(skip);
            }
            let frame_count = next_number(lexer) as i32;
            let loop_frames = next_number(lexer) as i32;
            let frames_per_second = next_number(lexer);
            let rate = if frames_per_second == 0.0 {
                1.0
            } else {
                frames_per_second
            };
            let frame_msec = (1000.0 / rate) as i32;
            self.animations[row] = Animation {
                first_frame,
                frame_count: frame_count.saturating_abs(),
                loop_frames: loop_frames.clamp(0, frame_count.saturating_abs()),
                frame_msec,
                initial_msec: frame_msec,
                is_reversed: frame_count < 0,
                is_team_gesture: false,
            };
        }
        Ok(())
    }

    fn derive(&mut self) {
        for gesture in TEAM_GESTURES {
            self.animations[gesture].is_team_gesture = true;
        }
        for (derived, from) in [(LEGS_BACKCR, LEGS_WALKCR), (LEGS_BACKWALK, LEGS_WALK)] {
            self.animations[derived] = Animation {
                is_reversed: true,
                ..self.animations[from]
            };
        }
        let flag = |first_frame, frame_count, loop_frames, msec, is_reversed| Animation {
            first_frame,
            frame_count,
            loop_frames,
            frame_msec: msec,
            initial_msec: msec,
            is_reversed,
            is_team_gesture: false,
        };
        self.animations[FLAG_RUN] = flag(0, 16, 16, 66, false);
        self.animations[FLAG_STAND] = flag(16, 5, 0, 50, false);
        self.animations[FLAG_STAND2RUN] = flag(16, 5, 1, 66, true);
    }
}

fn next_number(lexer: &mut Lexer<'_>) -> f32 {
    lexer.token().map_or(0.0, number)
}

fn sex(word: &str) -> Sex {
    match word.bytes().next() {
        Some(b'f' | b'F') => Sex::Female,
        Some(b'n' | b'N') => Sex::Neuter,
        _ => Sex::Male,
    }
}

fn footsteps(word: &str) -> Footsteps {
    match word.to_ascii_lowercase().as_str() {
        "boot" => Footsteps::Boot,
        "flesh" => Footsteps::Flesh,
        "mech" => Footsteps::Mech,
        "energy" => Footsteps::Energy,
        _ => Footsteps::Normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize) -> String {
        (0..count)
            .map(|row| format!("{} 10 5 20 // row {row}\n", row * 10))
            .collect()
    }

    #[test]
    fn header_and_rows() {
        let text = format!(
            "sex f\nfootsteps energy\nheadoffset 1 -2 3\nodd\nfixedlegs\n{}",
            rows(31)
        );
        let config = AnimationConfig::parse(text.as_bytes()).unwrap();
        assert_eq!(
            (config.sex, config.footsteps),
            (Sex::Female, Footsteps::Energy)
        );
        assert_eq!(config.head_offset, Vec3::new(1.0, -2.0, 3.0));
        assert!(config.fixed_legs && !config.fixed_torso);
        // Leg models lack the torso's frames: 130 − 60 are taken off.
        assert_eq!(config.animations[LEGS_WALKCR].first_frame, 60);
        assert_eq!(config.animations[LEGS_TURN].first_frame, 170);
        assert_eq!(config.animations[25].first_frame, 250);
        assert_eq!(config.animations[0].frame_msec, 50);
        assert!(
            config.animations[LEGS_BACKCR].is_reversed && config.animations[25].is_team_gesture
        );
    }

    #[test]
    fn short_files_copy_the_gesture_or_fail() {
        let config = AnimationConfig::parse(rows(25).as_bytes()).unwrap();
        let copied = Animation {
            is_team_gesture: true,
            ..config.animations[TORSO_GESTURE]
        };
        assert_eq!(config.animations[30], copied);
        let error = AnimationConfig::parse(rows(24).as_bytes()).expect_err("short");
        assert!(error.to_string().contains("24 animations"), "{error}");
    }

    #[test]
    fn negative_counts_play_backwards_and_no_rate_is_one() {
        let text = rows(25).replacen("0 10 5 20", "7 -4 0 0", 1);
        let config = AnimationConfig::parse(text.as_bytes()).unwrap();
        let first = config.animations[0];
        assert_eq!(
            (first.frame_count, first.is_reversed, first.frame_msec),
            (4, true, 1000)
        );
    }
}
