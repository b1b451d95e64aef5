//! Where somebody would be had he gone on as he did, to see by how much he jumps.

use glam::Vec3;
use shared::base::time::ServerTime;

/// A frame that took longer than this tells nothing about the line.
pub const LONGEST_FRAME_MSEC: i32 = 60;
/// Nobody gets out of step by more than this by himself, in one frame.
pub const JUMP: f32 = 3.0;

/// Where somebody was, and how fast that place moved.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    origin: Vec3,
    time: ServerTime,
    /// Units per millisecond; unknown at first.
    velocity: Option<Vec3>,
}

impl Shown {
    /// Goes on to where he is now; gives the way from there to where he would be had he gone on as he did.
    pub fn follow(shown: &mut Option<Self>, origin: Vec3, time: ServerTime) -> Option<Vec3> {
        let before = shown.replace(Self {
            origin,
            time,
            velocity: None,
        })?;
        let elapsed = time - before.time;
        if !(1..=LONGEST_FRAME_MSEC).contains(&elapsed) {
            return None;
        }
        let jump = before
            .velocity
            .map(|velocity| before.origin + velocity * elapsed as f32 - origin);
        let has_jumped = jump.is_some_and(|jump| jump.length() > JUMP);
        if let Some(shown) = shown {
            // After a jump he goes on as before, not as fast as he jumped.
            shown.velocity = match before.velocity {
                Some(velocity) if has_jumped => Some(velocity),
                _ => Some((origin - before.origin) / elapsed as f32),
            };
        }
        jump
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_motion_is_expected_and_a_jump_is_measured() {
        let mut shown = None;
        let mut follow = |x: f32, time| Shown::follow(&mut shown, Vec3::X * x, ServerTime(time));
        assert_eq!(follow(0.0, 1000), None);
        assert_eq!(follow(2.0, 1008), None);
        assert_eq!(follow(5.0, 1016), Some(Vec3::NEG_X));
        assert_eq!(follow(5.0, 2000), None, "a long pause tells nothing");
    }
}
