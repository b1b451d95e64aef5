//! Carries what stands on a mover along with it.

use super::{numbers::entity_type, numeric::Profile, trajectory};
use crate::{
    base::{
        math::{Axes, rotate, transpose},
        time::ServerTime,
    },
    types::entitystate::EntityState,
};
use glam::Vec3;

/// A mover as a snapshot has it, and a time to have it at.
pub type MoverAt<'a> = (&'a EntityState, ServerTime);

/// Where a point on the mover comes to from one time to another, and how far it turns
/// (`cg_ents.c`, `CG_AdjustPositionForMover`). Points on anything else stay.
pub fn ride(
    point: Vec3,
    (before, from): MoverAt<'_>,
    (after, to): MoverAt<'_>,
    profile: Profile,
) -> (Vec3, Vec3) {
    if before.e_type != entity_type::MOVER || after.e_type != entity_type::MOVER {
        return (point, Vec3::ZERO);
    }
    let origin = trajectory::position(&before.pos, from, profile);
    let moved = trajectory::position(&after.pos, to, profile) - origin;
    let turned = trajectory::position(&after.apos, to, profile)
        - trajectory::position(&before.apos, from, profile);
    let arm = point - origin;
    let turn = transpose(&Axes::from_angles(turned).rows());
    (point + (moved + (rotate(&turn, arm) - arm)), turned)
}
