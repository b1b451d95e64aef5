//! Every file of OpenArena's paks through the readers of its format.

use crate::gamedata::Pak;
use shared::formats::{
    animcfg::AnimationConfig, md3::Md3, shader_script::Library, skin, tga::Tga, wav::Wav,
};
use std::collections::BTreeMap;

/// `sv_pakNames` and `sv_paks` of Debian's openarena-server 0.8.8 with these files.
const SERVER_PAKS: [(&str, i32); 10] = [
    ("z_oacmp-volume1-v3", -1_958_795_143),
    ("pak6-patch088", -693_262_601),
    ("pak6-patch085", -633_993_734),
    ("pak6-misc", 1_197_836_179),
    ("pak5-TA", 553_326_033),
    ("pak4-textures", 1_886_599_373),
    ("pak2-players", 1_807_528_105),
    ("pak2-players-mature", 267_250_180),
    ("pak1-maps", 1_809_027_058),
    ("pak0", -1_059_476_049),
];

#[test]
fn checksums_are_those_that_a_real_server_announces() {
    for (name, checksum) in SERVER_PAKS {
        assert_eq!(Pak::named(name).directory.checksum(), checksum, "{name}");
    }
}

#[test]
fn every_file_of_every_pak_can_be_read() {
    let mut good: BTreeMap<String, usize> = BTreeMap::new();
    let mut bad = Vec::new();
    for (pak, _) in SERVER_PAKS {
        let pak = Pak::named(pak);
        for (name, bytes) in pak.files("") {
            let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
            let result = match extension {
                "md3" => Md3::parse(&bytes).map(drop),
                "tga" => Tga::parse(&bytes).map(drop),
                "wav" => Wav::parse(&bytes).map(drop),
                "skin" => {
                    skin::parse(&bytes);
                    Ok(())
                }
                "cfg" if name.ends_with("/animation.cfg") => {
                    AnimationConfig::parse(&bytes).map(drop)
                }
                _ => continue,
            };
            match result {
                Ok(()) => *good.entry(extension.to_owned()).or_default() += 1,
                Err(error) => bad.push(error.problem.to_string()),
            }
        }
    }
    println!("{good:?}");
    // Models that were baked into maps; the game itself would refuse them too.
    assert_eq!(
        bad,
        [1210, 1599, 1210].map(|count| format!("{count} vertices, where 0 to 999 are possible"))
    );
    let counts = ["md3", "tga", "wav", "skin", "cfg"].map(|extension| good[extension]);
    assert_eq!(counts, [328, 1800, 521, 306, 22]);
}

#[test]
fn every_script_can_be_read_or_names_its_line() {
    let paks: Vec<Pak> = SERVER_PAKS
        .iter()
        .map(|(name, _)| Pak::named(name))
        .collect();
    let files: Vec<(String, Vec<u8>)> = paks
        .iter()
        .flat_map(|pak| pak.files(".shader"))
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect();
    let (library, errors) = Library::new(
        files
            .iter()
            .map(|(name, bytes)| (name.clone(), bytes.as_slice())),
    );
    let mut defective = Vec::new();
    let mut sound = 0;
    for name in library.names() {
        match library.script(name).expect("a listed name is defined") {
            Ok(_) => sound += 1,
            Err(error) => defective.push(error.to_string()),
        }
    }
    assert_eq!(errors, []);
    let with_stages: Vec<&String> = defective
        .iter()
        .filter(|error| !error.contains("there are no stages"))
        .collect();
    assert_eq!(with_stages, [""; 0]);
    assert_eq!((files.len(), sound, defective.len()), (177, 2244, 28));
}
