//! Fighting: what each weapon does, death and return, liquids and falls, with the values of other servers.

use crate::room::Room;
use shared::{
    bg::numbers::{event, means_of_death, persistant, weapon},
    types::usercmd::buttons,
};

#[test]
fn each_weapon_takes_what_it_took_elsewhere() {
    for (held, taken, cause_event) in [
        (weapon::GAUNTLET, 50, event::MISSILE_HIT),
        (weapon::MACHINEGUN, 7, event::BULLET_HIT_FLESH),
        (weapon::LIGHTNING, 8, event::MISSILE_HIT),
        (weapon::RAIL, 100, event::RAILTRAIL),
    ] {
        let mut room = Room::duel(held, if held == weapon::GAUNTLET { 45 } else { 200 });
        let before = room.health(1);
        let hits = room.player(0).persistant[persistant::HITS];
        room.shoot(0);
        let shots = if held == weapon::LIGHTNING { 2 } else { 1 };
        let lost = before - room.health(1);
        assert!(lost == taken || lost == taken * shots, "{held}: {lost}");
        assert!(room.player(0).persistant[persistant::HITS] > hits);
        assert_eq!(
            room.player(0).persistant[persistant::ATTACKEE_ARMOR] & 255,
            0
        );
        assert!(!room.events(cause_event).is_empty(), "{held}");
        assert_eq!(room.player(1).persistant[persistant::ATTACKER], 0);
    }
}

#[test]
fn a_shotgun_tells_its_seed_and_hits_with_ten_or_eleven_pellets() {
    let mut room = Room::duel(weapon::SHOTGUN, 120);
    let before = room.health(1);
    room.shoot(0);
    let shots = room.events(event::SHOTGUN);
    assert_eq!(shots.len(), 1);
    assert!((0..256).contains(&shots[0].event_parm));
    let lost = before - room.health(1);
    assert!(lost % 10 == 0 && (80..=110).contains(&lost), "{lost}");
    assert_eq!(room.player(0).ammo[weapon::SHOTGUN as usize], 49);
}

#[test]
fn missiles_fly_hit_and_explode_in_time() {
    let mut room = Room::duel(weapon::ROCKET, 500);
    let before = room.health(1);
    room.shoot(0);
    let rocket = |room: &Room| room.of_type(3).next().map(|one| one.state);
    let flying = rocket(&room).expect("a rocket");
    // It began 50 ms before the frame that its usercmd came after.
    assert_eq!(flying.pos.time % 50, 0);
    assert_eq!(flying.pos.delta.x, 900.0);
    room.play(700);
    assert_eq!(before - room.health(1), 100);
    assert!(
        room.player(1).velocity.x > 480.0,
        "{}",
        room.player(1).velocity
    );

    let mut room = Room::duel(weapon::GRENADE, 900);
    room.keys[0].view = [-30.0, 180.0];
    room.play(100);
    room.shoot(0);
    let thrown = rocket(&room).expect("a grenade");
    assert_eq!(thrown.pos.kind, 5);
    let fired_at = thrown.pos.time + 50;
    let mut exploded_at = None;
    for _ in 0..60 {
        room.play(50);
        let mut entities = room.game.world().entities.iter();
        let is_explosion = entities.any(|one| one.state.event & 255 == event::MISSILE_MISS);
        if is_explosion && exploded_at.is_none() {
            exploded_at = Some(room.time);
        }
    }
    assert_eq!(exploded_at, Some(fired_at + 2500));
}

#[test]
fn death_is_told_scored_and_over_after_1750_msec() {
    let mut room = Room::duel(weapon::RAIL, 200);
    room.command(1, "give Rocket Launcher");
    room.keys[1].is_silent = false;
    room.keys[1].weapon = weapon::ROCKET as u8;
    room.play(600);
    // He has 100, which is what a rail takes.
    room.shoot(0);
    assert!(room.health(1) <= 0);
    let died_at = room.time - 50;
    let told = room.events(event::OBITUARY);
    assert_eq!(told.len(), 1);
    assert_eq!(
        (
            told[0].event_parm,
            told[0].other_entity_num,
            told[0].other_entity_num2
        ),
        (means_of_death::RAILGUN, 1, 0)
    );
    assert_eq!(room.game.score(0), 1);
    assert_eq!(room.player(0).persistant[persistant::RANK], 0);
    assert_eq!(room.player(1).persistant[persistant::RANK], 1);
    assert!(room.has_said("cs 6 \"1\"") && room.has_said("cs 7 \"0\""));
    // The launcher lies there; the gun in hand of whoever has only a machinegun would not.
    let tossed = room.of_type(2).filter(|one| one.state.model_index2 == 1);
    assert_eq!(
        tossed.map(|one| one.state.model_index).collect::<Vec<_>>(),
        [12]
    );
    room.keys[1].buttons = buttons::ATTACK;
    while room.health(1) <= 0 {
        room.play(50);
        assert!(room.time < died_at + 5000);
    }
    assert_eq!(room.time, died_at + 1750);
    assert_eq!(room.player(1).stats[2], 6, "gauntlet and machinegun");
    assert!(room.entity(64).is_linked(), "a body stays");
    room.keys[1].buttons = 0;
    room.play(7000);
    assert!(!room.entity(64).is_linked(), "and sinks");
}

#[test]
fn suicide_leaves_nothing_and_costs_a_point() {
    let mut room = Room::new(1, &[]);
    room.command(0, "kill");
    let state = room.player(0);
    assert_eq!(state.stats[0], -999);
    assert_eq!(state.external_event & 255, event::GIB_PLAYER);
    assert_eq!(room.game.score(0), -1);
    assert!(!room.has_said("unknown"));
}

#[test]
fn lava_and_missing_air_hurt_at_their_times() {
    let mut room = Room::new(1, &[]);
    // 12 deep: 30 at once, then after 700 and 50 milliseconds by turns.
    room.put(0, "573 664 30", 0.0);
    let mut hurt = Vec::new();
    let mut health = room.health(0);
    for _ in 0..60 {
        room.play(50);
        if room.health(0) < health - 20 {
            hurt.push((room.time, health - room.health(0)));
        }
        health = room.health(0);
    }
    let mut gaps: Vec<i32> = hurt.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    gaps.truncate(2);
    assert!(gaps.iter().all(|gap| matches!(gap, 50 | 700)), "{hurt:?}");
    assert!(room.health(0) <= 0);

    let mut room = Room::new(1, &[]);
    room.command(0, "give health");
    // Out of the water nothing would slow him down.
    room.command(0, "noclip");
    room.put(0, "800 864 60", 0.0);
    room.command(0, "noclip");
    let mut steps = Vec::new();
    let mut health = room.health(0);
    for _ in 0..500 {
        room.play(50);
        if room.health(0) < health - 3 {
            steps.push(health - room.health(0));
        }
        health = room.health(0);
    }
    assert_eq!(steps[..6], [4, 6, 8, 10, 12, 14], "{steps:?}");
}

#[test]
fn falls_hurt_by_their_height() {
    for (height, lost) in [(200, 0), (340, 5), (480, 10)] {
        let mut room = Room::new(1, &[]);
        room.command(0, "give health");
        room.put(0, &format!("-600 -300 {}", height + 24), 0.0);
        assert_eq!(100 - room.health(0), lost, "{height}");
    }
}
