//! Every map of OpenArena can be read, and damaged ones are errors.

use crate::gamedata;
use shared::formats::{bsp::Bsp, mapents};

#[test]
fn all_installed_maps_can_be_read() {
    let mut maps = 0;
    gamedata::each_file(".bsp", |name, bytes| {
        let bsp = Bsp::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let entities =
            mapents::parse(&bsp.entities).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(entities[0].get("classname"), Some("worldspawn"), "{name}");
        assert!(bsp.surfaces.len() > 50, "{name}: {}", bsp.surfaces.len());
        assert!(bsp.draw_verts.len() > 100, "{name}");
        maps += 1;
    });
    assert!(maps >= 85, "only {maps} maps");
}
