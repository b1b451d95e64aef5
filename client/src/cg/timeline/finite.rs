//! A snapshot in which every place, angle and velocity is a number of a size that can be calculated with.
//!
//! On the wire they are any 32 bits. What is not a number would spread over all that is near it, and with numbers of
//! any size differences are lost, so that loops along a way would not come to its end.

use glam::Vec3;
use shared::types::{entitystate::EntityState, snapshot::Snapshot, trajectory::Trajectory};
use std::sync::Arc;

/// Far beyond any map (2¹⁷ units) and any speed, and small enough that squares of it fit.
const MAX_SIZE: f32 = 1e7;

/// The snapshot itself, or one with its defective parts mended.
pub fn finite(snapshot: &Arc<Snapshot>) -> Arc<Snapshot> {
    let is_usable = |vector: &Vec3| vector.abs().cmple(Vec3::splat(MAX_SIZE)).all();
    let mut own = vectors_of_player(snapshot).into_iter();
    let mut others = snapshot.entities.iter().flat_map(vectors_of_entity);
    if own.all(|vector| is_usable(&vector)) && others.all(|vector| is_usable(&vector)) {
        return Arc::clone(snapshot);
    }
    let mut mended = Snapshot::clone(snapshot);
    let player = &mut mended.player;
    for vector in [
        &mut player.origin,
        &mut player.velocity,
        &mut player.grapple_point,
        &mut player.view_angles,
    ] {
        *vector = usable(*vector);
    }
    let mend = |state: &EntityState| {
        let mut state = *state;
        mend_entity(&mut state);
        state
    };
    mended.entities = snapshot.entities.iter().map(mend).collect();
    Arc::new(mended)
}

fn vectors_of_player(snapshot: &Snapshot) -> [Vec3; 4] {
    let player = &snapshot.player;
    [
        player.origin,
        player.velocity,
        player.grapple_point,
        player.view_angles,
    ]
}

fn vectors_of_entity(state: &EntityState) -> [Vec3; 8] {
    [
        state.pos.base,
        state.pos.delta,
        state.apos.base,
        state.apos.delta,
        state.origin,
        state.origin2,
        state.angles,
        state.angles2,
    ]
}

fn mend_entity(state: &mut EntityState) {
    let mend_path = |path: &mut Trajectory| {
        path.base = usable(path.base);
        path.delta = usable(path.delta);
    };
    mend_path(&mut state.pos);
    mend_path(&mut state.apos);
    for vector in [
        &mut state.origin,
        &mut state.origin2,
        &mut state.angles,
        &mut state.angles2,
    ] {
        *vector = usable(*vector);
    }
}

fn usable(vector: Vec3) -> Vec3 {
    vector.map(|part| match part.is_nan() {
        true => 0.0,
        false => part.clamp(-MAX_SIZE, MAX_SIZE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_defective_is_mended() {
        let mut snapshot = Snapshot::default();
        snapshot.player.origin = Vec3::new(-131_072.0, 0.125, 8.0);
        let mut state = EntityState {
            origin: Vec3::new(1.0, -2.0, 3.0),
            ..EntityState::default()
        };
        snapshot.entities = vec![state].into();
        let sound = Arc::new(snapshot.clone());
        assert!(Arc::ptr_eq(&finite(&sound), &sound));

        snapshot.player.velocity = Vec3::new(f32::INFINITY, f32::NAN, 5.0);
        state.pos.base = Vec3::new(1e30, f32::NEG_INFINITY, 7.0);
        snapshot.entities = vec![state].into();
        let mended = finite(&Arc::new(snapshot.clone()));
        assert_eq!(mended.player.velocity, Vec3::new(MAX_SIZE, 0.0, 5.0));
        let entity = mended.entities.iter().next().expect("the one entity");
        assert_eq!(entity.pos.base, Vec3::new(MAX_SIZE, -MAX_SIZE, 7.0));
        assert_eq!(mended.player.origin, snapshot.player.origin);
        assert_eq!(entity.origin, state.origin);
    }
}
