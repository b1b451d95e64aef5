//! What menus know of the maps: their names, the bots that play on them, and a small picture of each.

use crate::PakFile;

/// The list of maps, in the form that games of this family read.
const ARENAS: &str = r#"{
map "strafe1"
longname "Strafe One"
bots "Rill Tarn Moss Fell"
fraglimit 20
type "ffa tourney team"
}
{
map "strafe_field"
longname "Strafe Field"
bots "Brae"
fraglimit 10
type "ffa"
}
"#;

/// Pictures taken with the client (`client/examples/shots.rs`), for a pak does not draw itself.
const LEVELSHOTS: [(&str, &[u8]); 2] = [
    ("strafe1", include_bytes!("levelshots/strafe1.jpg")),
    (
        "strafe_field",
        include_bytes!("levelshots/strafe_field.jpg"),
    ),
];

pub(crate) fn files() -> Vec<PakFile> {
    let list = PakFile::new("scripts/strafe.arena", ARENAS.as_bytes().to_vec());
    let pictures = LEVELSHOTS
        .iter()
        .map(|(map, bytes)| PakFile::new(format!("levelshots/{map}.jpg"), bytes.to_vec()));
    std::iter::once(list).chain(pictures).collect()
}
