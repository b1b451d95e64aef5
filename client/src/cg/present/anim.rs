//! Which two frames of a body part are shown, and how it turns towards where the player looks.

use crate::cg::angles;
use shared::{
    base::time::ServerTime, bg::pmove::animation::anim, formats::animcfg::Animation,
    types::entitystate::EntityState,
};

/// Height of the eyes above the origin, as far as an animation tells.
pub fn eye_height(state: &EntityState) -> f32 {
    match state.legs_anim & !anim::TOGGLE_BIT {
        anim::LEGS_WALKCR | anim::LEGS_IDLECR => 12.0,
        _ => 26.0,
    }
}

/// How a game and its powerups play animations.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// 1 is what the file says.
    pub speed: f32,
    /// Gestures to the team go back to where they began.
    pub returns: bool,
}

impl Pace {
    pub const STEADY: Self = Self {
        speed: 1.0,
        returns: false,
    };
}

/// The running animation of one body part.
#[derive(Clone, Copy, Debug, Default)]
pub struct LerpFrame {
    pub old_frame: i32,
    pub frame: i32,
    /// Weight of `old_frame`.
    pub backlerp: f32,
    old_frame_time: ServerTime,
    frame_time: ServerTime,
    /// With the toggle bit.
    number: i32,
    animation_time: ServerTime,
    pub yaw: f32,
    pub is_yawing: bool,
    pub pitch: f32,
    pub is_pitching: bool,
}

impl LerpFrame {
    /// Starts over, turned where the player looks. From the next frame on the animation is shown as if it had run since
    /// the server's time began, as in the original: what repeats is somewhere in between, and what ends has ended.
    pub fn reset(
        &mut self,
        now: ServerTime,
        number: i32,
        animations: &[Animation],
        yaw: f32,
        pitch: f32,
    ) {
        let animation = animation(animations, number);
        *self = Self {
            old_frame: animation.first_frame,
            frame: animation.first_frame,
            old_frame_time: now,
            frame_time: now,
            number,
            animation_time: ServerTime(animation.initial_msec),
            yaw,
            pitch,
            ..Self::default()
        };
    }

    /// Goes on to `now`, changing to another animation if `number` is one.
    pub fn run(&mut self, now: ServerTime, number: i32, animations: &[Animation], pace: Pace) {
        let animation = animation(animations, number);
        if number != self.number {
            self.number = number;
            self.animation_time = self.frame_time + animation.initial_msec;
        }
        if !now.is_before(self.frame_time) {
            self.next_frame(now, animation, pace);
        }
        if self.frame_time - now > 200 {
            self.frame_time = now;
        }
        self.old_frame_time = self.old_frame_time.earlier(now);
        self.backlerp = if self.frame_time == self.old_frame_time {
            0.0
        } else {
            1.0 - (now - self.old_frame_time) as f32
                / (self.frame_time - self.old_frame_time) as f32
        };
    }

    /// Stays in the model's first frame, for those who look at models.
    pub fn hold_still(&mut self) {
        (self.old_frame, self.frame, self.backlerp) = (0, 0, 0.0);
    }

    /// The animation that runs, with the toggle bit.
    pub fn number(&self) -> i32 {
        self.number
    }

    fn next_frame(&mut self, now: ServerTime, animation: &Animation, pace: Pace) {
        self.old_frame = self.frame;
        self.old_frame_time = self.frame_time;
        if animation.frame_msec == 0 {
            return;
        }
        self.frame_time = if now.is_before(self.animation_time) {
            self.animation_time
        } else {
            self.old_frame_time + animation.frame_msec
        };
        let count = animation.frame_count.max(1);
        let returns = animation.is_team_gesture && pace.returns;
        let shown = if returns { count * 2 } else { count };
        let mut step = (self.frame_time - self.animation_time) / animation.frame_msec;
        step = ((step as f32 * pace.speed) as i32).max(0);
        if step >= shown {
            step -= shown;
            if animation.loop_frames > 0 {
                step = step % animation.loop_frames + animation.frame_count - animation.loop_frames;
            } else {
                // Stuck on the last frame, but ready to change at once.
                step = shown - 1;
                self.frame_time = now;
            }
        }
        self.frame = if animation.is_reversed {
            animation.first_frame + count - 1 - step
        } else if returns && step >= count {
            animation.first_frame + count - 1 - step % count
        } else {
            animation.first_frame + step
        };
        if now.is_after(self.frame_time) {
            self.frame_time = now;
        }
    }

    /// Turns towards a yaw once it is far enough away.
    pub fn swing_yaw(&mut self, target: f32, tolerance: f32, clamp: f32, step: f32) {
        swing(
            target,
            tolerance,
            clamp,
            step,
            &mut self.yaw,
            &mut self.is_yawing,
        );
    }

    pub fn swing_pitch(&mut self, target: f32, tolerance: f32, clamp: f32, step: f32) {
        swing(
            target,
            tolerance,
            clamp,
            step,
            &mut self.pitch,
            &mut self.is_pitching,
        );
    }
}

/// The animation of a number; unknown numbers stand still at the first one.
fn animation(animations: &[Animation], number: i32) -> &Animation {
    const STILL: Animation = Animation {
        first_frame: 0,
        frame_count: 1,
        loop_frames: 0,
        frame_msec: 0,
        initial_msec: 0,
        is_reversed: false,
        is_team_gesture: false,
    };
    usize::try_from(number & !anim::TOGGLE_BIT)
        .ok()
        .and_then(|index| animations.get(index))
        .unwrap_or(&STILL)
}

/// `step` is how far it turns in this frame at single speed.
fn swing(
    target: f32,
    tolerance: f32,
    clamp: f32,
    step: f32,
    angle: &mut f32,
    is_swinging: &mut bool,
) {
    if !*is_swinging {
        *is_swinging = angles::difference(*angle, target).abs() > tolerance;
        if !*is_swinging {
            return;
        }
    }
    let away = angles::difference(target, *angle);
    let scale = if away.abs() < tolerance * 0.5 {
        0.5
    } else if away.abs() < tolerance {
        1.0
    } else {
        2.0
    };
    let turn = step * scale;
    if turn >= away.abs() {
        *angle = angles::normalize_360(target);
        *is_swinging = false;
    } else {
        *angle = angles::normalize_360(*angle + turn.copysign(away));
    }
    let left = angles::difference(target, *angle);
    if left > clamp {
        *angle = angles::normalize_360(target - (clamp - 1.0));
    } else if left < -clamp {
        *angle = angles::normalize_360(target + (clamp - 1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Animation = Animation {
        first_frame: 10,
        frame_count: 4,
        loop_frames: 4,
        frame_msec: 100,
        initial_msec: 100,
        is_reversed: false,
        is_team_gesture: false,
    };

    #[track_caller]
    fn check(animation: Animation, returns: bool, expected: &[i32]) {
        let pace = Pace {
            returns,
            ..Pace::STEADY
        };
        let mut part = LerpFrame::default();
        part.reset(ServerTime(0), 0, &[animation], 0.0, 0.0);
        let frames: Vec<i32> = (0..expected.len() as i32)
            .map(|step| {
                part.run(ServerTime(step * 100 + 1), 0, &[animation], pace);
                part.frame
            })
            .collect();
        assert_eq!(frames, expected);
        assert!((0.0..=1.0).contains(&part.backlerp));
    }

    #[test]
    fn frames_loop_stop_and_turn_back() {
        let once = Animation {
            loop_frames: 0,
            ..RUN
        };
        let reversed = Animation {
            is_reversed: true,
            ..RUN
        };
        let gesture = Animation {
            is_team_gesture: true,
            ..once
        };
        check(RUN, true, &[10, 11, 12, 13, 10, 11]);
        check(once, true, &[10, 11, 12, 13, 13, 13]);
        check(reversed, true, &[13, 12, 11, 10, 13, 12]);
        check(gesture, false, &[10, 11, 12, 13, 13, 13]);
        check(gesture, true, &[10, 11, 12, 13, 13, 12, 11, 10, 10, 10]);
    }

    #[test]
    fn who_comes_into_view_is_in_the_midst_of_an_animation() {
        let once = Animation {
            loop_frames: 0,
            ..RUN
        };
        for (animation, expected) in [(RUN, 12), (once, 13)] {
            let mut part = LerpFrame::default();
            part.reset(ServerTime(10_200), 0, &[animation], 0.0, 0.0);
            assert_eq!((part.frame, part.backlerp), (10, 0.0));
            part.run(ServerTime(10_250), 0, &[animation], Pace::STEADY);
            assert_eq!((part.old_frame, part.frame), (10, expected));
        }
    }

    #[test]
    fn swinging_starts_late_and_never_lags_far() {
        let mut part = LerpFrame::default();
        part.swing_yaw(20.0, 25.0, 90.0, 3.0);
        assert_eq!((part.yaw, part.is_yawing), (0.0, false));
        part.swing_yaw(40.0, 25.0, 90.0, 3.0);
        assert!(
            part.is_yawing && (part.yaw - 6.0).abs() < 0.01,
            "{}",
            part.yaw
        );
        part.swing_yaw(170.0, 25.0, 90.0, 3.0);
        assert!(angles::difference(170.0, part.yaw) <= 90.0);
    }
}
