//! Images and sounds of OpenArena's paks through the decoders, whole and damaged.

use crate::disk::{Disk, SETTINGS};
use client::assets::{Assets, decode::decode, image::Pixels};
use flate2::read::GzDecoder;
use image::ImageFormat;
use shared::{base::rng::Rng, formats::PICTURE_EXTENSIONS};
use std::{fs::File, io::Read, path::Path};

/// Folders whose files and direct subfolders hold all pictures.
const FOLDERS: [&str; 16] = [
    "textures",
    "gfx",
    "menu",
    "icons",
    "env",
    "levelshots",
    "sprites",
    "ui",
    "models/players",
    "models/weapons2",
    "models/powerups",
    "models/mapobjects",
    "models/flags",
    "models/ammo",
    "models/weaphits",
    "models/gibs",
];

fn names(assets: &Assets) -> Vec<String> {
    let mut names = Vec::new();
    for folder in FOLDERS {
        for extension in PICTURE_EXTENSIONS {
            let found = assets.vfs().list(folder, &format!(".{extension}"));
            names.extend(found.into_iter().map(|name| format!("{folder}/{name}")));
        }
    }
    names
}

fn bytes(disk: &mut Disk, assets: &mut Assets, name: &str) -> Vec<u8> {
    let id = assets.register_file(name);
    disk.serve(assets);
    assets
        .file(id)
        .unwrap_or_else(|| panic!("{name} is in none of the paks"))
        .to_vec()
}

#[test]
fn every_image_can_be_decoded() {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let names = names(&assets);
    let mut bad = Vec::new();
    for names in names.chunks(500) {
        let ids: Vec<_> = names
            .iter()
            .map(|name| (name, assets.register_file(name)))
            .collect();
        disk.serve(&mut assets);
        for (name, id) in ids {
            let bytes = assets.file(id).expect("a listed file exists");
            if let Err(problem) = decode(name, bytes) {
                bad.push(format!("{name}: {problem}"));
            }
        }
        assets.reset(SETTINGS);
    }
    // Two files of three color planes, which the reference does not read either.
    let is_pcx = |problem: &&String| problem.contains("only run-length images with 256 colors");
    assert_eq!(bad.iter().filter(is_pcx).count(), 2, "{bad:?}");
    assert_eq!((bad.len(), names.len()), (2, 3092));
}

/// One line of the list of decoded images.
struct Decoded {
    name: String,
    size: [u32; 2],
    crc: Option<u32>,
    /// Pixels as RGBA, at the places that the name leads to.
    samples: Vec<u8>,
}

fn decoded() -> Vec<Decoded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/images/decoded.txt.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(path).expect("the list is part of the repository"))
        .read_to_string(&mut text)
        .expect("it unpacks");
    let line = |line: &str| {
        // Only names hold spaces.
        let words: Vec<&str> = line.rsplitn(5, ' ').collect();
        Decoded {
            name: words[4].to_owned(),
            size: [3, 2].map(|k| words[k].parse().expect("a number")),
            crc: u32::from_str_radix(words[1], 16).ok(),
            samples: shared::base::hex::decode(words[0]).expect("hexadecimal"),
        }
    };
    text.lines().map(line).collect()
}

/// Another decoder's pixels: TGA to the bit, JPEG within the rounding of its transform.
#[test]
fn images_decode_as_in_the_reference() {
    const MAX_JPEG_ERROR: u8 = 3;
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let list = decoded();
    assert_eq!(list.len(), 3197);
    let (mut bad, mut jpeg_errors) = (Vec::new(), [0_usize; 256]);
    for group in list.chunks(500) {
        let ids: Vec<_> = group
            .iter()
            .map(|wanted| (wanted, assets.register_file(&wanted.name)))
            .collect();
        disk.serve(&mut assets);
        for (wanted, id) in ids {
            let name = &wanted.name;
            let bytes = assets.file(id).expect("a listed file exists");
            let Pixels {
                width,
                height,
                rgba,
            } = match decode(name, bytes) {
                Ok(pixels) => pixels,
                Err(problem) => {
                    bad.push(format!("{name}: {problem}"));
                    continue;
                }
            };
            if [width, height] != wanted.size {
                bad.push(format!(
                    "{name}: {width} × {height} instead of {:?}",
                    wanted.size
                ));
                continue;
            }
            let limit = if wanted.crc.is_some() {
                0
            } else {
                MAX_JPEG_ERROR
            };
            let mut state = crc32(name.as_bytes());
            let mut worst = 0;
            for sample in wanted.samples.chunks_exact(4) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (state >> 8) as usize % (width * height) as usize * 4;
                for (found, wanted) in rgba[at..at + 4].iter().zip(sample) {
                    worst = worst.max(found.abs_diff(*wanted));
                    jpeg_errors[usize::from(found.abs_diff(*wanted))] += usize::from(limit > 0);
                }
            }
            if worst > limit || wanted.crc.is_some_and(|crc| crc != crc32(&rgba)) {
                bad.push(format!("{name}: pixels are off by up to {worst}"));
            }
        }
        assets.reset(SETTINGS);
    }
    println!("JPEG samples by error: {:?}", &jpeg_errors[..8]);
    assert_eq!(bad, Vec::<String>::new());
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[test]
fn damaged_images_are_errors_at_worst() {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let mut rng = Rng::new(1);
    let mut below = |limit: usize| rng.below(limit);
    let mut samples = vec![sample(ImageFormat::Png), sample(ImageFormat::Bmp)];
    for name in [
        "gfx/2d/backtile.jpg",
        "textures/sfx/beam_1.jpg",
        "icons/icona_red.png",
    ] {
        samples.push((name.to_owned(), bytes(&mut disk, &mut assets, name)));
    }
    for (name, whole) in samples {
        decode(&name, &whole).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        for _ in 0..2000 {
            let mut damaged = whole.clone();
            for _ in 0..1 + below(5) {
                // Headers decide most, so half of the changes fall there.
                let range = if below(2) == 0 {
                    200.min(damaged.len())
                } else {
                    damaged.len()
                };
                let at = below(range);
                damaged[at] = [0, 0xff, 0x7f, below(256) as u8][below(4)];
            }
            if below(4) == 0 {
                damaged.truncate(below(whole.len()));
            }
            let _ = decode(&name, &damaged);
        }
    }
}

/// A small image of our own in this format.
fn sample(format: ImageFormat) -> (String, Vec<u8>) {
    let picture = image::RgbaImage::from_fn(16, 8, |x, y| {
        image::Rgba([x as u8 * 16, y as u8 * 32, 7, 255 - x as u8])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, format)
        .expect("memory can be written");
    (
        format!("sample.{}", format.extensions_str()[0]),
        bytes.into_inner(),
    )
}
