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

/// Where a point on the mover comes to from one time to another, and how far it turns
/// (`cg_ents.c`, `CG_AdjustPositionForMover`). Points on anything else stay.
pub fn ride(
    mover: &EntityState,
    point: Vec3,
    from: ServerTime,
    to: ServerTime,
    profile: Profile,
) -> (Vec3, Vec3) {
    if mover.e_type != entity_type::MOVER {
        return (point, Vec3::ZERO);
    }
    let origin = trajectory::position(&mover.pos, from, profile);
    let moved = trajectory::position(&mover.pos, to, profile) - origin;
    let turned = trajectory::position(&mover.apos, to, profile)
        - trajectory::position(&mover.apos, from, profile);
    let arm = point - origin;
    let turn = transpose(&Axes::from_angles(turned).rows());
    (point + (moved + (rotate(&turn, arm) - arm)), turned)
}
