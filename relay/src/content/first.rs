//! First files: what a page reads before its first frame, as one file for all maps of a game and one for each map, so
//! that it comes in two requests and while the code is still compiled.
//!
//! A first file holds parts of paks as they lie there. It begins with the length of a JSON text in four bytes, little
//! end first, then that text (see [`Head`]), then the bytes of all parts in its order.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use shared::formats::PICTURE_EXTENSIONS;
use shared::formats::bsp;
use shared::formats::md3::Md3;
use shared::formats::pk3::Entry;
use shared::formats::shader_script::terms::SkyParms;
use shared::formats::shader_script::{Library, Map, Script};

use super::made::Make;
use super::open_pak::OpenPak;
use super::{Found as Paks, Pak, Played, escaped, light};

/// Changes the files' names and addresses: what older programs made in another way is made and fetched anew.
const FORMAT: &str = "2";
/// Most bytes of one, and so of memory while it is made; the largest of OpenArena's has 6 MB.
const MAX_BYTES: u64 = 24 << 20;
/// Game folders that other games are played over.
const BASES: [&str; 2] = ["baseq3", "baseoa"];
/// What cgame registers of a game's pictures on every map, in folders and up to this size.
const FOLDERS: [&str; 7] = [
    "gfx/2d/",
    "gfx/2d/numbers/",
    "gfx/damage/",
    "gfx/misc/",
    "icons/",
    "menu/tab/",
    "sprites/",
];
const MAX_PICTURE_BYTES: u64 = 17 << 10;
/// The player's model as most have it, at the size in which it appears first, and what loading screens show.
const FILES: [&str; 12] = [
    "models/players/sarge/lower_2.md3",
    "models/players/sarge/upper_2.md3",
    "models/players/sarge/head_2.md3",
    "models/players/sarge/lower_default.skin",
    "models/players/sarge/upper_default.skin",
    "models/players/sarge/head_default.skin",
    "models/players/sarge/animation.cfg",
    "models/players/sarge/icon_default.tga",
    "menu/art/font1_prop.tga",
    "menu/art/unknownmap.jpg",
    "textures/sfx/detail.jpg",
    "textures/effects/envmap2.tga",
];
/// What most hold in their first frame, without extension.
const MODELS: [&str; 5] = [
    "models/weapons2/machinegun/machinegun",
    "models/weapons2/machinegun/machinegun_barrel",
    "models/weapons2/machinegun/machinegun_flash",
    "models/weapons2/machinegun/machinegun_hand",
    "models/weaphits/bullet",
];
/// What it registers besides, by the names of materials.
const MATERIALS: [&str; 33] = [
    "bfgExplosion",
    "bloodExplosion",
    "bulletExplosion",
    "disconnected",
    "grappleRope",
    "grenadeExplosion",
    "lightningBoltNew",
    "medal_assist",
    "medal_capture",
    "medal_defend",
    "medal_excellent",
    "medal_gauntlet",
    "medal_impressive",
    "menu/art/skill1",
    "menu/art/skill2",
    "menu/art/skill3",
    "menu/art/skill4",
    "menu/art/skill5",
    "plasmaExplosion",
    "powerups/battleSuit",
    "powerups/battleWeapon",
    "powerups/invisibility",
    "powerups/quad",
    "powerups/quadWeapon",
    "powerups/regen",
    "railCore",
    "railDisc",
    "railExplosion",
    "rocketExplosion",
    "sprites/balloon3",
    "sprites/plasma1",
    "teleportEffect",
    "waterBubble",
];

/// A pak whose parts may travel.
#[derive(Clone, Debug)]
pub(super) struct ListedPak {
    pub game: String,
    pub name: String,
    pub version: String,
    pub path: PathBuf,
    /// Its light pak, and how many bytes that has.
    pub light: Option<(PathBuf, u64)>,
}

impl ListedPak {
    pub(super) fn new([game, name]: [&str; 2], pak: &Pak, light: Option<(PathBuf, u64)>) -> Self {
        Self {
            game: game.to_owned(),
            name: name.to_owned(),
            version: pak.version.clone(),
            path: pak.path.clone(),
            light,
        }
    }
}

/// The game folder whose paks a map is played with, as far as one can tell without the server's.
pub(super) fn game<'a>(found: &'a Paks, played: &Played) -> Option<&'a str> {
    let named = [played.game.as_str()].into_iter().chain(BASES);
    let all = found.keys().map(String::as_str);
    let known = named.filter_map(|game| Some(found.get_key_value(game)?.0.as_str()));
    (known.chain(all)).find(|game| has_map(found, game, &played.map))
}

/// Whether a game has a map, or one of those that it is played over.
pub(super) fn has_map(found: &Paks, game: &str, map: &str) -> bool {
    let is_base = BASES.contains(&game);
    let bases = BASES.into_iter().filter(|_| !is_base);
    let mut games = [game].into_iter().chain(bases);
    games.any(|game| {
        let paks = found.get(game);
        paks.is_some_and(|paks| {
            paks.values()
                .any(|pak| pak.maps.iter().any(|one| one == map))
        })
    })
}

/// What a first file is for.
#[derive(Clone, Debug)]
pub(super) struct FirstFile {
    pub game: String,
    /// Nothing for what all maps share.
    pub map: Option<String>,
    /// All paks that pages know.
    pub sources: Vec<ListedPak>,
}

#[derive(Debug, Serialize)]
struct Head {
    /// Game, name and whether the light pak of it is meant.
    paks: Vec<(String, String, bool)>,
    /// Number of the pak, start and end there, and how many bytes are sent. Fewer are packed by zlib, or there is a
    /// fifth number: that far behind the head lie the bytes that follow them, because another part has the same.
    parts: Vec<Vec<u64>>,
}

impl FirstFile {
    /// Changes with everything that the file is made of.
    pub(super) fn version(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (FORMAT, light::FORMAT).hash(&mut hasher);
        for source in &self.sources {
            let light = source.light.as_ref().map(|(_, bytes)| bytes);
            (&source.game, &source.name, &source.version, light).hash(&mut hasher);
        }
        format!("{:x}", hasher.finish())
    }

    pub(super) fn file_name(&self) -> String {
        let map = self.map.as_deref().unwrap_or_default();
        let [game, map] = [escaped(&self.game), escaped(map)];
        format!("{game}_{map}_{}.first", self.version())
    }

    pub(super) fn job(&self) -> Make {
        let wanted = self.clone();
        Box::new(move || wanted.make())
    }

    /// The file; nothing if no pak of the game has the map.
    ///
    /// # Errors
    /// If a pak cannot be read, or the map is defective or too large.
    pub(super) fn make(&self) -> anyhow::Result<Option<Vec<u8>>> {
        let mut maker = Maker::open(self)?;
        match &self.map {
            None => maker.add_shared()?,
            Some(map) if maker.find(&format!("maps/{map}.bsp")).is_some() => maker.add_map(map)?,
            Some(_) => return Ok(None),
        }
        maker.finish().map(Some)
    }
}

/// The paks in the order in which a client looks into them, then those of other games, whose directories it reads too.
struct Maker {
    paks: Vec<Pair>,
    /// So many of them are searched.
    searched: usize,
    head: Head,
    taken: BTreeSet<(u64, u64)>,
    /// Where contents lie, by their checksum and size.
    contents: BTreeMap<(u32, u32), usize>,
    bytes: Vec<u8>,
}

/// A pak and its light pak.
struct Pair {
    names: [String; 2],
    exact: OpenPak,
    light: Option<OpenPak>,
}

/// Where a file lies: the pair, whether in the light pak, and its entry.
struct Found {
    pair: usize,
    is_light: bool,
    entry: Entry,
}

impl Maker {
    fn open(wanted: &FirstFile) -> anyhow::Result<Self> {
        let rank = |source: &ListedPak| match BASES.iter().position(|base| *base == source.game) {
            _ if source.game == wanted.game => 0,
            // A game that is a base is not played over another one.
            Some(_) if !BASES.contains(&wanted.game.as_str()) => 1,
            _ => 2,
        };
        let mut sources: Vec<_> = wanted.sources.iter().collect();
        // Of two paks the one with the later name counts.
        sources.sort_by(|a, b| (rank(a), &b.name).cmp(&(rank(b), &a.name)));
        let mut paks = Vec::new();
        let mut searched = 0;
        for source in sources {
            // A defective pak is left out by the client too.
            let Ok(exact) = OpenPak::open(&source.path) else {
                continue;
            };
            paks.push(Pair {
                names: [source.game.clone(), source.name.clone()],
                exact,
                light: (source.light.as_ref().map(|(path, _)| OpenPak::open(path))).transpose()?,
            });
            searched += usize::from(rank(source) < 2);
        }
        Ok(Self {
            paks,
            searched,
            head: Head {
                paks: Vec::new(),
                parts: Vec::new(),
            },
            taken: BTreeSet::new(),
            contents: BTreeMap::new(),
            bytes: Vec::new(),
        })
    }

    /// Directories, scripts, and what cgame shows everywhere.
    fn add_shared(&mut self) -> anyhow::Result<()> {
        for pair in 0..self.paks.len() {
            for is_light in [false, true] {
                let Some(pak) = self.pak(pair, is_light) else {
                    continue;
                };
                let tail = pak.tail.clone();
                let bytes = pak.read(tail.clone())?;
                let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
                packer.write_all(&bytes)?;
                let packed = packer.finish()?;
                let sent = if packed.len() < bytes.len() {
                    packed
                } else {
                    bytes
                };
                self.add(pair, is_light, tail, &sent, None);
            }
        }
        for name in self.scripts() {
            self.take(&name, u64::MAX)?;
        }
        for name in FILES {
            self.take(name, u64::MAX)?;
        }
        let is_picture = |name: &String| {
            let (folder, file) = name.split_at(name.rfind('/').map_or(0, |at| at + 1));
            let extension = file.rsplit_once('.').map(|(_, extension)| extension);
            FOLDERS.contains(&folder)
                && extension.is_some_and(|one| PICTURE_EXTENSIONS.contains(&one))
        };
        for name in self.names().into_iter().filter(is_picture) {
            self.take(&name, MAX_PICTURE_BYTES)?;
        }
        let mut materials: Vec<_> = MATERIALS.map(str::to_owned).into();
        for model in MODELS {
            // One or more of its levels of detail.
            for suffix in ["", "_1", "_2"] {
                let name = format!("{model}{suffix}.md3");
                self.take(&name, u64::MAX)?;
                if let Some(Ok(model)) = self.read(&name).ok().map(|bytes| Md3::parse(&bytes)) {
                    materials.extend(model.surfaces.into_iter().flat_map(|one| one.shaders));
                }
            }
        }
        self.take_materials(&materials)
    }

    /// The map and all pictures of its materials.
    fn add_map(&mut self, map: &str) -> anyhow::Result<()> {
        let name = format!("maps/{map}.bsp");
        let bytes = self.read(&name)?;
        let materials = bsp::material_names(&bytes).with_context(|| name.clone())?;
        self.take(&name, u64::MAX)?;
        self.take_picture(&format!("levelshots/{map}"))?;
        self.take_materials(&materials)
    }

    /// All pictures of materials.
    fn take_materials(&mut self, materials: &[String]) -> anyhow::Result<()> {
        let mut scripts = Vec::new();
        for name in self.scripts() {
            // The client says what is wrong with one.
            if let Ok(bytes) = self.read(&name) {
                scripts.push((name, bytes));
            }
        }
        let scripts = scripts
            .iter()
            .map(|(name, bytes)| (name.clone(), &bytes[..]));
        let (library, _) = Library::new(scripts);
        for material in materials {
            let pictures = match library.script(material) {
                None => vec![material.clone()],
                Some(script) => script.map_or_else(|_| Vec::new(), pictures),
            };
            for picture in pictures {
                self.take_picture(&picture)?;
            }
        }
        Ok(())
    }

    /// Names of the scripts in the order of the search, most important first.
    fn scripts(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let entries = self
            .searched()
            .flat_map(|pak| pak.exact.directory.entries());
        let scripts = entries.filter(|entry| {
            let name = entry.name.strip_prefix("scripts/");
            name.is_some_and(|name| name.ends_with(".shader") && !name.contains('/'))
                && seen.insert(&entry.name)
        });
        scripts.map(|entry| entry.name.clone()).collect()
    }

    fn searched(&self) -> impl Iterator<Item = &Pair> {
        self.paks[..self.searched].iter()
    }

    fn names(&self) -> BTreeSet<String> {
        let entries = self
            .searched()
            .flat_map(|pak| pak.exact.directory.entries());
        entries.map(|entry| entry.name.clone()).collect()
    }

    /// Where a client reads a file.
    fn find(&self, name: &str) -> Option<Found> {
        let find = |pak: &OpenPak| pak.directory.find(name).cloned();
        self.searched().enumerate().find_map(|(pair, pak)| {
            let exact = find(&pak.exact)?;
            let light = pak.light.as_ref().and_then(find);
            Some(Found {
                pair,
                is_light: light.is_some(),
                entry: light.unwrap_or(exact),
            })
        })
    }

    /// A file as its pak has it.
    fn read(&mut self, name: &str) -> anyhow::Result<Vec<u8>> {
        let paks = self.paks[..self.searched].iter_mut();
        let mut found = paks.filter_map(|pak| {
            let entry = pak.exact.directory.find(name)?.clone();
            Some((&mut pak.exact, entry))
        });
        let (pak, entry) = found.next().with_context(|| format!("{name} is gone"))?;
        let range = entry.range();
        ensure!(range.end - range.start <= MAX_BYTES, "{name} is too large");
        Ok(entry.extract(&pak.read(range)?)?)
    }

    fn pak(&mut self, pair: usize, is_light: bool) -> Option<&mut OpenPak> {
        let pair = self.paks.get_mut(pair)?;
        match is_light {
            true => pair.light.as_mut(),
            false => Some(&mut pair.exact),
        }
    }

    fn take_picture(&mut self, name: &str) -> anyhow::Result<()> {
        let name = shared::formats::pk3::normalize_name(name);
        let (stem, own) = match name.rsplit_once('.') {
            Some((stem, own)) if PICTURE_EXTENSIONS.contains(&own) => (stem, Some(own)),
            _ => (name.as_str(), None),
        };
        let extensions = own.into_iter().chain(PICTURE_EXTENSIONS);
        let mut names = extensions.map(|extension| format!("{stem}.{extension}"));
        match names.find(|name| self.find(name).is_some()) {
            Some(name) => self.take(&name, u64::MAX),
            None => Ok(()),
        }
    }

    /// Adds a file, if there is one and it is not larger than that.
    fn take(&mut self, name: &str, max_bytes: u64) -> anyhow::Result<()> {
        let Some(found) = self.find(name) else {
            return Ok(());
        };
        let range = found.entry.range();
        if range.end - range.start > max_bytes {
            return Ok(());
        }
        ensure!(
            self.bytes.len() as u64 + (range.end - range.start) <= MAX_BYTES,
            "with {name} it would have more than {MAX_BYTES} bytes"
        );
        let pak = self.pak(found.pair, found.is_light);
        let bytes = pak.context("the pak is gone")?.read(range.clone())?;
        // Some skies have the same picture on all sides; names and places differ, which lie before the contents.
        let size = found.entry.compressed_size() as usize;
        let head = bytes.len().saturating_sub(size);
        let key = (found.entry.crc, found.entry.compressed_size());
        let same = self.contents.get(&key).copied();
        let same = same.filter(|&at| self.bytes.get(at..at + size) == Some(&bytes[head..]));
        let sent = if same.is_some() {
            &bytes[..head]
        } else {
            &bytes
        };
        self.contents.entry(key).or_insert(self.bytes.len() + head);
        self.add(found.pair, found.is_light, range, sent, same);
        Ok(())
    }

    fn add(
        &mut self,
        pair: usize,
        is_light: bool,
        range: Range<u64>,
        sent: &[u8],
        same: Option<usize>,
    ) {
        let [game, name] = self.paks[pair].names.clone();
        let pak = (game, name, is_light);
        let number = self.head.paks.iter().position(|known| *known == pak);
        let number = number.unwrap_or_else(|| {
            self.head.paks.push(pak);
            self.head.paks.len() - 1
        }) as u64;
        if self.taken.insert((number, range.start)) {
            let mut part = vec![number, range.start, range.end, sent.len() as u64];
            part.extend(same.map(|at| at as u64));
            self.head.parts.push(part);
            self.bytes.extend_from_slice(sent);
        }
    }

    fn finish(self) -> anyhow::Result<Vec<u8>> {
        let head = serde_json::to_vec(&self.head)?;
        let size = u32::try_from(head.len())?.to_le_bytes();
        Ok([&size[..], &head, &self.bytes].concat())
    }
}

/// All pictures that a script names.
fn pictures(script: Script) -> Vec<String> {
    let mut pictures = Vec::new();
    for stage in script.stages {
        match stage.map {
            Map::Image { name, .. } => pictures.push(name),
            Map::Animation { names, .. } => pictures.extend(names),
            Map::None | Map::White | Map::Lightmap | Map::Video(_) => {}
        }
    }
    if let Some(far) = script.sky.and_then(|sky| sky.far_box) {
        pictures.extend(SkyParms::SIDES.map(|suffix| format!("{far}{suffix}")));
    }
    pictures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;
    use flate2::read::ZlibDecoder;
    use serde_json::Value;
    use shared::formats::pk3::{self, PakFile};
    use std::fs;
    use std::io::Read;
    use std::path::Path;

    /// A map with these materials and nothing else.
    fn map(materials: &[&str]) -> Vec<u8> {
        let head = 8 + 17 * 8;
        let mut bsp = b"IBSP\x2e\0\0\0".to_vec();
        for lump in 0..17 {
            let length = if lump == 1 { materials.len() * 72 } else { 0 };
            bsp.extend(
                [head, length]
                    .map(|one| (one as u32).to_le_bytes())
                    .concat(),
            );
        }
        for name in materials {
            let mut record = [0; 72];
            record[..name.len()].copy_from_slice(name.as_bytes());
            bsp.extend(record);
        }
        bsp
    }

    fn noise(seed: u32, count: u32) -> Vec<u8> {
        let mut value = seed;
        let mut next = move |_| {
            value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (value >> 24) as u8
        };
        (0..count).map(&mut next).collect()
    }

    fn sources(folder: &Path) -> Vec<ListedPak> {
        let files = |game: &str, name: &str, files: Vec<(&str, Vec<u8>)>| {
            let path = folder.join(format!("{game}-{name}"));
            let files = files
                .into_iter()
                .map(|(name, bytes)| PakFile::new(name, bytes));
            fs::write(&path, pk3::pack(files.collect())).unwrap();
            let bytes = light::light_pak(&path, |_| true).unwrap();
            let light = bytes.map(|bytes| {
                let path = folder.join(format!("{game}-{name}-light"));
                fs::write(&path, &bytes).unwrap();
                (path, bytes.len() as u64)
            });
            ListedPak {
                game: game.to_owned(),
                name: name.to_owned(),
                version: "1".to_owned(),
                path,
                light,
            }
        };
        let script = "textures/x/wall\n{\n{\nmap textures/x/stone.tga\n}\n}\n\
            textures/x/sky\n{\nskyparms env/far 512 -\n}\nrailCore\n{\n{\nmap gfx/rail.jpg\n}\n}\n";
        let sky = noise(3, 9000);
        vec![
            files(
                "baseq3",
                "pak0.pk3",
                vec![
                    (
                        "maps/a.bsp",
                        map(&["textures/x/wall", "textures/x/sky", "textures/x/plain"]),
                    ),
                    ("scripts/x.shader", script.as_bytes().to_vec()),
                    ("textures/x/stone.jpg", noise(1, 3000)),
                    ("textures/x/plain.tga", noise(2, 3000)),
                    ("textures/x/other.tga", noise(5, 3000)),
                    ("env/far_rt.jpg", sky.clone()),
                    ("env/far_lf.jpg", sky),
                    ("gfx/2d/bigchars.tga", noise(4, 500)),
                    ("gfx/2d/too_large.tga", noise(4, 30_000)),
                    ("gfx/rail.jpg", noise(6, 200)),
                    ("models/weapon.md3", noise(9, 50_000).repeat(3)),
                ],
            ),
            files(
                "baseq3",
                "pak1.pk3",
                vec![("textures/x/plain.tga", noise(7, 100))],
            ),
            files(
                "mod",
                "mod.pk3",
                vec![("textures/x/plain.tga", noise(8, 50))],
            ),
        ]
    }

    /// The names of all parts, each compared with what lies in its pak.
    fn names(file: &[u8], sources: &[ListedPak]) -> Vec<String> {
        let size = u32::from_le_bytes(*file.first_chunk().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&file[4..4 + size]).unwrap();
        let body = &file[4 + size..];
        let mut at = 0;
        let mut names = Vec::new();
        for part in head["parts"].as_array().unwrap() {
            let numbers: Vec<usize> = serde_json::from_value(part.clone()).unwrap();
            let [pak, start, end, sent] = numbers[..4] else {
                panic!("{part}");
            };
            let mut bytes = body[at..at + sent].to_vec();
            at += sent;
            let missing = end - start - sent;
            if let Some(&same) = numbers.get(4) {
                bytes.extend(&body[same..same + missing]);
            } else if missing > 0 {
                let mut unpacked = Vec::new();
                ZlibDecoder::new(&bytes[..])
                    .read_to_end(&mut unpacked)
                    .unwrap();
                bytes = unpacked;
            }
            let (game, name, is_light): (String, String, bool) =
                serde_json::from_value(head["paks"][pak].clone()).unwrap();
            let mut of_pak = sources.iter();
            let source = of_pak
                .find(|one| one.game == game && one.name == name)
                .unwrap();
            let path = match is_light {
                true => &source.light.as_ref().unwrap().0,
                false => &source.path,
            };
            assert!(bytes == fs::read(path).unwrap()[start..end], "{part}");
            let archive = OpenPak::open(path).unwrap();
            let mut entries = archive.directory.entries().iter();
            let entry = entries.find(|entry| entry.range() == (start as u64..end as u64));
            names.push(match entry {
                Some(entry) => format!("{game}/{name}: {}", entry.name),
                None => {
                    assert_eq!(start as u64..end as u64, archive.tail);
                    format!("{game}/{name}")
                }
            });
        }
        assert_eq!(at, body.len());
        names
    }

    #[test]
    fn first_files_hold_what_a_map_needs_as_it_lies_in_the_paks() {
        let folder = Folder::new("first");
        let sources = sources(&folder.0);
        let wanted = |game: &str, map: Option<&str>| FirstFile {
            game: game.to_owned(),
            map: map.map(str::to_owned),
            sources: sources.clone(),
        };
        let file = wanted("baseq3", None).make().unwrap().unwrap();
        let shared = [
            "baseq3/pak1.pk3",
            "baseq3/pak0.pk3",
            // The light one, for the model in it.
            "baseq3/pak0.pk3",
            "mod/mod.pk3",
            "baseq3/pak0.pk3: scripts/x.shader",
            "baseq3/pak0.pk3: gfx/2d/bigchars.tga",
            "baseq3/pak0.pk3: gfx/rail.jpg",
        ];
        assert_eq!(names(&file, &sources), shared);
        let file = wanted("baseq3", Some("a")).make().unwrap().unwrap();
        let of_map = [
            "baseq3/pak0.pk3: maps/a.bsp",
            "baseq3/pak0.pk3: textures/x/stone.jpg",
            "baseq3/pak0.pk3: env/far_rt.jpg",
            "baseq3/pak0.pk3: env/far_lf.jpg",
            "baseq3/pak1.pk3: textures/x/plain.tga",
        ];
        assert_eq!(names(&file, &sources), of_map);
        // The sky's picture is there once.
        assert!(file.len() < 9000 + 3000 + 2000, "{}", file.len());
        let file = wanted("mod", Some("a")).make().unwrap().unwrap();
        let last = names(&file, &sources).pop();
        assert_eq!(last.as_deref(), Some("mod/mod.pk3: textures/x/plain.tga"));
        assert!(wanted("baseq3", Some("b")).make().unwrap().is_none());
        // Another version of a pak makes another file of it.
        let mut other = wanted("baseq3", Some("a"));
        assert_eq!(other.file_name(), wanted("baseq3", Some("a")).file_name());
        other.sources[0].version = "2".to_owned();
        assert_ne!(other.file_name(), wanted("baseq3", Some("a")).file_name());
    }

    #[test]
    fn strangers_have_nothing_made_that_is_not_there() {
        let folder = Folder::new("ask");
        let game = folder.0.join("games/baseq3");
        fs::create_dir_all(&game).unwrap();
        let pak = pk3::pack(vec![PakFile::new("maps/a.bsp", map(&[]))]);
        fs::write(game.join("pak0.pk3"), pak).unwrap();
        let made = folder.0.join("made");
        let options = crate::content::Options {
            web: None,
            content: vec![folder.0.join("games")],
            content_url: None,
            light: Some(made.clone()),
            light_limit: 16,
        };
        let content = crate::content::Content::new(&options, None).unwrap();
        let played = |map: &str| Played {
            game: String::new(),
            map: map.to_owned(),
        };
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while content.index(Some(&played("a"))).first.len() < 2 {
            assert!(std::time::Instant::now() < end, "they are never made");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let count = || fs::read_dir(&made).unwrap().count();
        let before = count();
        assert!(content.first_path("baseq3", Some("a")).is_some());
        for _ in 0..2 {
            for (game, map) in [("x", None), ("x", Some("a")), ("baseq3", Some("b"))] {
                assert!(content.first_path(game, map).is_none());
            }
            assert!(content.index(Some(&played("b"))).first.is_empty());
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert_eq!(count(), before);
    }
}
