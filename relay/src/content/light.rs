//! Smaller pictures, sounds, maps and models for pages: a light pak beside each pak.

use std::num::{NonZeroU8, NonZeroU32};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, ensure};
use image::{DynamicImage, ImageReader, Limits};
use mozjpeg::{ColorSpace, Compress};
use shared::formats::bsp::{self, LIGHTMAP_BYTES, LIGHTMAP_SIZE};
use shared::formats::columns;
use shared::formats::light::{AlphaFilter, LightFile, LightImage, LightSound};
use shared::formats::pcx::Pcx;
use shared::formats::pk3::{self, Entry, PakFile};
use shared::formats::tga::Tga;
use shared::formats::wav::Wav;
use vorbis_rs::{VorbisBitrateManagementStrategy, VorbisEncoderBuilder};

use super::open_pak::OpenPak;
use super::{Pak, escaped};

/// Stands in the files' names and addresses: what older programs made in another way is made and fetched anew.
pub(super) const FORMAT: &str = "4";
/// Of JPEG: the client's test of views with smaller files allows no less.
const QUALITY: f32 = 72.0;
/// Of Vorbis, from -0.2 to 1: some 45 kbit/s for the game's sounds of 22 kHz, which have 350 in the paks.
const SOUND_QUALITY: f32 = 0.5;
/// Of the JPEG image of lightmaps, whose defects would show on large surfaces.
const LIGHTMAP_QUALITY: f32 = 93.0;
/// The numbers of the light grid are multiples of this.
const LIGHT_STEP: u8 = 4;
/// Of Zstandard: maps are made once and fetched often.
const PACKING: i32 = 19;
/// Smaller files are not worth another.
const MIN_BYTES: u32 = 2048;
/// A file that becomes no smaller than this share of what the pak has stays as it is.
const WORTH: f64 = 0.8;
/// Larger pictures stay as they are.
const MAX_SIDE: u32 = 4096;
const MAX_FILE_BYTES: u32 = 64 << 20;

/// The name of a pak's light pak.
pub(super) fn file_name(game: &str, name: &str, pak: &Pak) -> String {
    format!(
        "{}_{}_{}.{FORMAT}.pk3",
        escaped(game),
        escaped(name),
        pak.version
    )
}

/// A pak with those pictures, sounds, maps and models of another that take fewer bytes in the light form and whose names are wanted; nothing if there are none.
///
/// # Errors
/// If the pak cannot be read.
pub fn light_pak(path: &Path, is_wanted: impl Fn(&str) -> bool) -> anyhow::Result<Option<Vec<u8>>> {
    let mut pak = OpenPak::open(path)?;
    let mut files = Vec::new();
    for entry in pak.directory.entries().to_vec() {
        // Of files with one name the last counts.
        let Some(kind) = Kind::of(&entry) else {
            continue;
        };
        if pak.directory.find(&entry.name) != Some(&entry) || !is_wanted(&entry.name) {
            continue;
        }
        // What cannot be read is read by the page, which says what is wrong with it.
        if let Ok(light) = light_file(&mut pak, &entry, kind)
            && (light.len() as f64) < f64::from(entry.compressed_size()) * WORTH
        {
            files.push(PakFile::new(entry.name.clone(), light));
        }
    }
    Ok((!files.is_empty()).then(|| pk3::store(files)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Picture,
    Sound,
    Map,
    Model,
}

impl Kind {
    /// What a file is, if it may be worth a light one.
    fn of(entry: &Entry) -> Option<Self> {
        let is_worth_it = (MIN_BYTES..=MAX_FILE_BYTES).contains(&entry.compressed_size())
            && entry.size <= MAX_FILE_BYTES;
        match entry.name.rsplit_once('.')?.1 {
            _ if !is_worth_it => None,
            "tga" | "jpg" | "jpeg" | "png" | "bmp" | "pcx" => Some(Self::Picture),
            "wav" => Some(Self::Sound),
            "bsp" => Some(Self::Map),
            "md3" => Some(Self::Model),
            _ => None,
        }
    }
}

fn light_file(pak: &mut OpenPak, entry: &Entry, kind: Kind) -> anyhow::Result<Vec<u8>> {
    let bytes = entry.extract(&pak.read(entry.range())?)?;
    match kind {
        Kind::Picture => light_picture(&decode(&entry.name, &bytes)?),
        Kind::Sound => light_sound(&Wav::parse(&bytes)?),
        Kind::Map => light_map(&bytes),
        Kind::Model => packed_file(bytes, 0..0, &[]),
    }
}

/// Pixels of four bytes, rows from the top.
struct Picture {
    size: [u32; 2],
    rgba: Vec<u8>,
}

/// As the client decodes it.
fn decode(name: &str, bytes: &[u8]) -> anyhow::Result<Picture> {
    let (size, rgba) = if name.ends_with(".tga") {
        let tga = Tga::parse(bytes)?;
        ([tga.width, tga.height], tga.rgba)
    } else if name.ends_with(".pcx") {
        let pcx = Pcx::parse(bytes)?;
        ([pcx.width, pcx.height], pcx.rgba)
    } else {
        let mut reader = ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format()?;
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        reader.limits(limits);
        let image: DynamicImage = reader.decode()?;
        (
            [image.width(), image.height()],
            image.into_rgba8().into_raw(),
        )
    };
    ensure!(
        size.iter().all(|side| (1..=MAX_SIDE).contains(side)),
        "it is too large"
    );
    Ok(Picture { size, rgba })
}

fn light_picture(picture: &Picture) -> anyhow::Result<Vec<u8>> {
    let mut jpeg = Compress::new(ColorSpace::JCS_EXT_RGBA);
    jpeg.set_quality(QUALITY);
    jpeg.set_chroma_sampling_pixel_sizes((2, 2), (2, 2));
    let color = jpeg_file(jpeg, picture.size, &picture.rgba)?;
    let plane: Vec<u8> = picture.rgba.chunks_exact(4).map(|pixel| pixel[3]).collect();
    let alpha = match plane.iter().all(|&alpha| alpha == 255) {
        true => None,
        false => Some(packed_alpha(&plane, usize::try_from(picture.size[0])?)?),
    };
    let image = LightImage {
        size: picture.size,
        color: &color,
        alpha: alpha.as_ref().map(|(alpha, packed)| (*alpha, &packed[..])),
    };
    image.to_bytes().context("it is too large")
}

/// In the way that takes the fewest bytes.
fn packed_alpha(plane: &[u8], width: usize) -> anyhow::Result<(AlphaFilter, Vec<u8>)> {
    let packed = AlphaFilter::ALL.map(|alpha| {
        let packed = zstd::bulk::compress(&alpha.apply(plane, width), PACKING)?;
        anyhow::Ok((alpha, packed))
    });
    let mut packed = packed.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    packed.sort_by_key(|(_, packed)| packed.len());
    packed.into_iter().next().context("there is no way")
}

/// These rows of pixels as a file of several scans, which takes fewer bytes than one of a single scan.
fn jpeg_file(mut encoder: Compress, size: [u32; 2], pixels: &[u8]) -> anyhow::Result<Vec<u8>> {
    let [width, height] = size.map(usize::try_from);
    encoder.set_size(width?, height?);
    encoder.set_progressive_mode();
    // A choice among many orders of scans takes as long again for a thirtieth of the bytes.
    encoder.set_optimize_scans(false);
    let mut encoder = encoder.start_compress(Vec::new())?;
    encoder.write_scanlines(pixels)?;
    Ok(encoder.finish()?)
}

fn light_sound(wav: &Wav) -> anyhow::Result<Vec<u8>> {
    let samples = u32::try_from(wav.samples.len())?;
    ensure!(samples <= LightSound::MAX_SAMPLES, "it is too long");
    let rate = NonZeroU32::new(wav.rate).context("it has no rate")?;
    let channels = NonZeroU8::new(wav.channels).context("it has no channel")?;
    let mut encoder = VorbisEncoderBuilder::new_with_serial(rate, channels, Vec::new(), 0);
    encoder.bitrate_management_strategy(VorbisBitrateManagementStrategy::QualityVbr {
        target_quality: SOUND_QUALITY,
    });
    let mut encoder = encoder.build()?;
    let each = usize::from(wav.channels);
    // The encoder keeps a copy of what it is given.
    for block in wav.samples.chunks(each << 12) {
        let channel = |at: usize| -> Vec<f32> {
            let samples = block.iter().skip(at).step_by(each);
            samples.map(|&sample| f32::from(sample) / 32768.0).collect()
        };
        encoder.encode_audio_block((0..each).map(channel).collect::<Vec<_>>())?;
    }
    let sound = LightSound {
        samples,
        vorbis: &encoder.finish()?,
    };
    Ok(sound.to_bytes())
}

/// A map, which stays exact but for its light: the game's rules depend on it.
fn light_map(bsp: &[u8]) -> anyhow::Result<Vec<u8>> {
    let range = bsp::lightmap_range(bsp)?;
    let lightmaps = &bsp[range.clone()];
    let count = lightmaps.len() / LIGHTMAP_BYTES;
    ensure!(
        lightmaps.len().is_multiple_of(LIGHTMAP_BYTES) && count <= LightFile::MAX_LIGHTMAPS,
        "its lightmaps fit no image"
    );
    let mut jpeg = Vec::new();
    if count > 0 {
        let [width, height] = [LIGHTMAP_SIZE, LIGHTMAP_SIZE * count].map(u32::try_from);
        let mut encoder = Compress::new(ColorSpace::JCS_RGB);
        encoder.set_quality(LIGHTMAP_QUALITY);
        encoder.set_chroma_sampling_pixel_sizes((1, 1), (1, 1));
        jpeg = jpeg_file(encoder, [width?, height?], lightmaps)?;
    }
    let mut bsp = bsp.to_vec();
    let grid = bsp::light_grid_range(&bsp)?;
    bsp[grid].iter_mut().for_each(round_light);
    packed_file(bsp, range, &jpeg)
}

/// Makes a number of the light grid one that is like its neighbours: a color's share or an angle of which 256 are a turn.
fn round_light(value: &mut u8) {
    // Where there is no light at all, nothing is lit: a little must stay a little.
    if *value > LIGHT_STEP / 2 {
        let steps = (u16::from(*value) + u16::from(LIGHT_STEP / 2)) / u16::from(LIGHT_STEP);
        *value = u8::try_from(steps * u16::from(LIGHT_STEP)).unwrap_or(u8::MAX);
    }
}

/// A file without loss but for the lightmaps in this range, which are a JPEG image.
fn packed_file(mut file: Vec<u8>, lightmaps: Range<usize>, jpeg: &[u8]) -> anyhow::Result<Vec<u8>> {
    columns::to_columns(&mut file);
    let rest = [&file[..lightmaps.start], &file[lightmaps.end..]].concat();
    let [start, length] = [lightmaps.start, lightmaps.len()].map(u32::try_from);
    let light = LightFile {
        size: u32::try_from(file.len())?,
        lightmaps: (start?, length?),
        rest: &zstd::bulk::compress(&rest, PACKING)?,
        jpeg,
    };
    light.to_bytes().context("it is too large")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;
    use std::fs;
    use vorbis_rs::VorbisDecoder;

    /// Smooth colors with a hard edge of alpha.
    fn picture(has_alpha: bool) -> Picture {
        let size = [96, 64];
        let pixel = |at: u32| {
            let (x, y) = (at % 96, at / 96);
            let alpha = if has_alpha && x < 40 {
                (y % 2) * 200
            } else {
                255
            };
            [x * 2, y * 3, 255 - x, alpha].map(|value| value as u8)
        };
        Picture {
            size,
            rgba: (0..96 * 64).flat_map(pixel).collect(),
        }
    }

    #[test]
    fn colors_stay_near_and_alpha_stays_exact() {
        for has_alpha in [false, true] {
            let picture = picture(has_alpha);
            let bytes = light_picture(&picture).unwrap();
            let light = LightImage::parse(&bytes).unwrap();
            assert_eq!((light.size, light.alpha.is_some()), ([96, 64], has_alpha));
            let color = image::load_from_memory(light.color).unwrap().into_rgb8();
            let away: u64 = (color.pixels().zip(picture.rgba.chunks_exact(4)))
                .flat_map(|(near, exact)| near.0.into_iter().zip(exact))
                .map(|(near, exact)| u64::from(near.abs_diff(*exact)))
                .sum();
            let mean = away as f64 / f64::from(96 * 64 * 3);
            assert!(mean > 0.0 && mean < 3.0, "{mean}");
            if let Some((alpha, packed)) = light.alpha {
                let mut plane = zstd::bulk::decompress(packed, 96 * 64).unwrap();
                alpha.undo(&mut plane, 96);
                let exact = picture.rgba.chunks_exact(4).map(|pixel| pixel[3]);
                assert!(plane.into_iter().eq(exact));
            }
        }
    }

    #[test]
    fn sounds_keep_their_length_and_stay_near() {
        for (rate, channels, count) in [(22_050, 1, 9001), (11_025, 1, 300), (44_100, 2, 30_000)] {
            // A triangle of 440 Hz, in the right channel half as loud.
            let sample = |at: u32| {
                let [frame, channel] = [at / u32::from(channels), at % u32::from(channels)];
                let phase = frame * 440 % rate;
                let height = (2 * phase).abs_diff(rate) * 18_000 / rate;
                (height as i16 - 9000) / (1 + channel as i16)
            };
            let wav = Wav {
                rate,
                channels,
                samples: (0..count).map(sample).collect(),
            };
            let bytes = light_sound(&wav).unwrap();
            let light = LightSound::find(&bytes).unwrap();
            assert_eq!(light.samples, count);
            let mut decoder = VorbisDecoder::<&[u8]>::new(light.vorbis).unwrap();
            assert_eq!(decoder.sampling_frequency().get(), rate);
            assert_eq!(decoder.channels().get(), channels);
            let mut near = Vec::new();
            while let Some(block) = decoder.decode_audio_block().unwrap() {
                let block = block.samples();
                near.extend(
                    (0..block[0].len()).flat_map(|at| block.iter().map(move |one| one[at])),
                );
            }
            assert_eq!(near.len(), wav.samples.len());
            let exact = wav
                .samples
                .iter()
                .map(|&sample| f32::from(sample) / 32768.0);
            let [noise, power] =
                (near.iter().zip(exact)).fold([0.0; 2], |[noise, power], (near, exact)| {
                    [noise + (near - exact).powi(2), power + exact.powi(2)]
                });
            assert!(noise < power * 0.05, "{noise} of {power} at {rate} Hz");
        }
    }

    /// A map with so many lightmaps in its midst, which fade from one corner to the other.
    fn map(count: usize) -> Vec<u8> {
        let head = 8 + 17 * 8;
        let mut bsp = b"IBSP\x2e\0\0\0".to_vec();
        for lump in 0..17 {
            let lumps = match lump {
                14 => [head + 500, count * LIGHTMAP_BYTES],
                15 => [head + 40, 256],
                _ => [head, 20],
            };
            bsp.extend(lumps.map(|number| (number as u32).to_le_bytes()).concat());
        }
        bsp.extend((0..500_u32).map(|at| (at * at % 251) as u8));
        let pixel = |at: usize| [at % 128, at / 128 % 128, at / (128 * 128)].map(|one| one as u8);
        bsp.extend((0..count * 128 * 128).flat_map(pixel));
        bsp.extend([9; 300]);
        bsp
    }

    #[test]
    fn maps_stay_exact_but_for_their_lightmaps() {
        for count in [0, 3] {
            let map = map(count);
            let bytes = light_map(&map).unwrap();
            let light = LightFile::parse(&bytes).unwrap();
            let range = bsp::lightmap_range(&map).unwrap();
            assert_eq!(light.size as usize, map.len());
            let lightmaps = (range.start as u32, range.len() as u32);
            assert_eq!(light.lightmaps, lightmaps);
            let mut file = zstd::bulk::decompress(light.rest, map.len()).unwrap();
            file.splice(range.start..range.start, map[range.clone()].to_vec());
            columns::from_columns(&mut file);
            let grid = bsp::light_grid_range(&map).unwrap();
            for (rounded, exact) in file[grid.clone()].iter().zip(&map[grid.clone()]) {
                assert!(rounded.abs_diff(*exact) <= LIGHT_STEP / 2);
                assert_eq!(*rounded == 0, *exact == 0);
            }
            file[grid.clone()].copy_from_slice(&map[grid]);
            assert!(file == map);
            assert_eq!(light.jpeg.is_empty(), count == 0);
            if count > 0 {
                let near = image::load_from_memory(light.jpeg).unwrap().into_rgb8();
                let exact = &map[range];
                assert_eq!(near.len(), exact.len());
                let pairs = near.into_raw().into_iter().zip(exact);
                let away: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
                assert!(away < exact.len() as u64 * 2, "{away} of {}", exact.len());
            }
        }
        // One that is no map stays as it is.
        assert!(light_map(b"IBSP").is_err());
        let mut uneven = map(1);
        uneven[8 + 14 * 8 + 4] = 1;
        assert!(light_map(&uneven).is_err());
        // Nor is what lies on something else made different.
        let mut shared = map(1);
        shared[8 + 15 * 8] = 8 + 17 * 8 + 19;
        assert!(light_map(&shared).is_err());
    }

    /// A TGA file without compression.
    fn tga(picture: &Picture) -> Vec<u8> {
        let [width, height] = picture.size.map(|side| (side as u16).to_le_bytes());
        let head = [
            &[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &width[..],
            &height,
            &[32, 0x28],
        ]
        .concat();
        let pixels = (picture.rgba.chunks_exact(4)).flat_map(|p| [p[2], p[1], p[0], p[3]]);
        head.into_iter().chain(pixels).collect()
    }

    #[test]
    fn broken_pictures_stay_out() {
        let folder = Folder::new("light");
        let mut noise = 1_u32;
        let mut noisy = picture(false);
        for byte in &mut noisy.rgba {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = byte.wrapping_add((noise >> 29) as u8);
        }
        noisy
            .rgba
            .chunks_exact_mut(4)
            .for_each(|pixel| pixel[3] = 255);
        let good = tga(&noisy);
        let files = vec![
            PakFile::new("textures/good.tga", good.clone()),
            PakFile::new("textures/broken.tga", good[..9000].to_vec()),
            PakFile::new("maps/x.bsp", good.clone()),
        ];
        let path = folder.0.join("x.pk3");
        let pak = pk3::pack(files);
        fs::write(&path, &pak).unwrap();
        let light = light_pak(&path, |_| true).unwrap().expect("there is one");
        assert!(
            light.len() * 2 < pak.len(),
            "{} of {}",
            light.len(),
            pak.len()
        );
        fs::write(&path, &light).unwrap();
        let light = OpenPak::open(&path).unwrap();
        let names: Vec<_> = (light.directory.entries().iter())
            .map(|entry| entry.name.as_str())
            .collect();
        assert_eq!(names, ["textures/good.tga"]);
        fs::write(&path, pk3::pack(vec![PakFile::new("maps/x.bsp", good)])).unwrap();
        assert!(light_pak(&path, |_| true).unwrap().is_none());
    }
}
