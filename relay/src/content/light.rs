//! Smaller pictures and sounds for pages: a light pak beside each pak, made ahead by a thread of its own and kept on the
//! disk.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::num::{NonZeroU8, NonZeroU32};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use anyhow::{Context, ensure};
use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageReader, Limits, codecs::png};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use parking_lot::Mutex;
use shared::formats::light::{LightImage, LightSound};
use shared::formats::pcx::Pcx;
use shared::formats::pk3::{self, Directory, Entry, PakFile};
use shared::formats::tga::Tga;
use shared::formats::wav::Wav;
use vorbis_rs::{VorbisBitrateManagementStrategy, VorbisEncoderBuilder};

use super::{Light, Pak, directory_size, escaped};

/// Stands in the files' names: what older programs made in another way is made anew.
const FORMAT: &str = "2";
/// Of JPEG: the views of all stock maps stay within 1.5 of 255 of the exact ones in the mean.
const QUALITY: u8 = 80;
/// Of Vorbis, from -0.2 to 1: some 45 kbit/s for the game's sounds of 22 kHz, which have 350 in the paks.
const SOUND_QUALITY: f32 = 0.5;
/// Smaller files are not worth another.
const MIN_BYTES: u32 = 2048;
/// A file that becomes no smaller than this share of what the pak has stays as it is.
const WORTH: f64 = 0.8;
/// Larger pictures stay as they are.
const MAX_SIDE: u32 = 4096;
const MAX_FILE_BYTES: u32 = 64 << 20;
/// A pak without files.
pub(super) const EMPTY_BYTES: u64 = 22;

/// A light pak that is there.
#[derive(Clone, Debug)]
pub(super) struct LightPak {
    pub path: PathBuf,
    pub bytes: u64,
    pub directory: Option<u64>,
}

/// All light paks, and who makes those that are missing.
#[derive(Debug)]
pub(super) struct LightPaks {
    ready: Arc<Mutex<BTreeMap<String, LightPak>>>,
    asked: Arc<Mutex<HashSet<String>>>,
    jobs: Sender<Job>,
}

#[derive(Debug)]
struct Job {
    key: String,
    pak: PathBuf,
}

impl LightPaks {
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn start(folder: &Path, max_bytes: u64) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .and_then(|()| tempfile(folder))
            .with_context(|| {
                format!(
                    "--light {}: cannot write into this folder",
                    folder.display()
                )
            })?;
        let mut ready = BTreeMap::new();
        for path in super::entries(folder) {
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(name) = name.map(str::to_owned) else {
                continue;
            };
            if name.ends_with(".part") {
                // What an earlier run left behind in the middle of a file.
                let _ = fs::remove_file(&path);
            } else if let (true, Ok(about)) = (name.ends_with(".pk3"), path.metadata()) {
                let (bytes, directory) = (about.len(), directory_size(&path));
                ready.insert(
                    name,
                    LightPak {
                        path,
                        bytes,
                        directory,
                    },
                );
            }
        }
        let ready = Arc::new(Mutex::new(ready));
        let (jobs, inbox) = channel();
        let asked = Arc::default();
        let maker = Maker {
            folder: folder.to_owned(),
            max_bytes,
            ready: Arc::clone(&ready),
            asked: Arc::clone(&asked),
        };
        thread::Builder::new()
            .name("light paks".to_owned())
            .spawn(move || maker.run(&inbox))
            .context("cannot start the thread that makes light paks")?;
        Ok(Self { ready, asked, jobs })
    }

    /// The light pak of a pak. If nobody knows yet, it is made.
    pub(super) fn of(&self, game: &str, name: &str, pak: &Pak) -> Light<LightPak> {
        let key = format!(
            "{}_{}_{}.{FORMAT}.pk3",
            escaped(game),
            escaped(name),
            pak.version
        );
        // Pages that heard of it may read it from now on.
        let is_new = self.asked.lock().insert(key.clone());
        if let Some(ready) = self.ready.lock().get(&key) {
            return match ready.bytes > EMPTY_BYTES {
                true => Light::There(ready.clone()),
                false => Light::Never,
            };
        }
        if is_new {
            let job = Job {
                key,
                pak: pak.path.clone(),
            };
            // A thread that ended has said why.
            let _ = self.jobs.send(job);
        }
        Light::NotYet
    }
}

fn tempfile(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join("probe.part");
    fs::write(&probe, b"")?;
    fs::remove_file(probe)
}

/// The thread that makes them, one after the other.
struct Maker {
    folder: PathBuf,
    max_bytes: u64,
    ready: Arc<Mutex<BTreeMap<String, LightPak>>>,
    asked: Arc<Mutex<HashSet<String>>>,
}

impl Maker {
    fn run(&self, inbox: &Receiver<Job>) {
        // Players' threads come first.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, 19);
        while let Ok(Job { key, pak }) = inbox.recv() {
            match self.make(&key, &pak) {
                Ok(light) => {
                    tracing::info!(pak = %pak.display(), bytes = light.bytes, "smaller pictures and sounds are ready");
                    self.ready.lock().insert(key, light);
                }
                Err(error) => {
                    tracing::warn!(pak = %pak.display(), error = format!("{error:#}"), "no smaller pictures and sounds");
                    let none = LightPak {
                        path: pak,
                        bytes: 0,
                        directory: None,
                    };
                    self.ready.lock().insert(key, none);
                }
            }
        }
    }

    fn make(&self, key: &str, pak: &Path) -> anyhow::Result<LightPak> {
        let bytes = light_pak(pak)?;
        self.make_room(bytes.len() as u64)?;
        let path = self.folder.join(key);
        let part = self.folder.join(format!("{key}.part"));
        fs::write(&part, &bytes)
            .and_then(|()| fs::rename(&part, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(LightPak {
            directory: directory_size(&path),
            bytes: bytes.len() as u64,
            path,
        })
    }

    /// The oldest of those that nobody asked for in this run give way.
    fn make_room(&self, bytes: u64) -> anyhow::Result<()> {
        let asked = self.asked.lock();
        let mut ready = self.ready.lock();
        let total: u64 = ready.values().map(|light| light.bytes).sum();
        let mut excess = (total + bytes).saturating_sub(self.max_bytes);
        let mut unused: Vec<_> = (ready.iter())
            .filter(|(key, light)| light.bytes > 0 && !asked.contains(*key))
            .map(|(key, light)| {
                let changed = light.path.metadata().and_then(|about| about.modified());
                (changed.ok(), key.clone(), light.bytes)
            })
            .collect();
        ensure!(
            unused.iter().map(|(_, _, bytes)| bytes).sum::<u64>() >= excess,
            "{bytes} bytes more are above --light-limit, which is {} bytes for all",
            self.max_bytes
        );
        unused.sort();
        for (_, key, bytes) in unused {
            if excess == 0 {
                break;
            }
            if let Some(light) = ready.remove(&key) {
                fs::remove_file(&light.path)
                    .with_context(|| format!("cannot remove {}", light.path.display()))?;
            }
            excess = excess.saturating_sub(bytes);
        }
        Ok(())
    }
}

/// A pak with those pictures and sounds of another that take fewer bytes in the light form.
pub(super) fn light_pak(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let directory = read_directory(&mut file)?;
    let mut files = Vec::new();
    for entry in directory.entries() {
        // Of files with one name the last counts.
        let Some(kind) = Kind::of(entry) else {
            continue;
        };
        if directory.find(&entry.name) != Some(entry) {
            continue;
        }
        // What cannot be read is read by the page, which says what is wrong with it.
        if let Ok(light) = light_file(&mut file, entry, kind)
            && (light.len() as f64) < f64::from(entry.compressed_size()) * WORTH
        {
            files.push(PakFile::new(entry.name.clone(), light));
        }
    }
    Ok(pk3::store(files))
}

fn read_directory(file: &mut File) -> anyhow::Result<Directory> {
    let size = file.metadata()?.len();
    let mut read = |range: std::ops::Range<u64>| -> anyhow::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let tail = read(pk3::tail_range(size))?;
    let place = pk3::find_directory(size, &tail)?;
    let bytes = read(place.range.clone())?;
    Ok(Directory::parse(&place, &bytes)?)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Picture,
    Sound,
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
            _ => None,
        }
    }
}

fn light_file(file: &mut File, entry: &Entry, kind: Kind) -> anyhow::Result<Vec<u8>> {
    let range = entry.range();
    let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    let bytes = entry.extract(&bytes)?;
    match kind {
        Kind::Picture => light_picture(&decode(&entry.name, &bytes)?),
        Kind::Sound => light_sound(&Wav::parse(&bytes)?),
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
    let [width, height] = picture.size;
    let sides = (u16::try_from(width)?, u16::try_from(height)?);
    let mut color = Vec::new();
    let mut encoder = Encoder::new(&mut color, QUALITY);
    // With tables of its own each channel would be a scan, which the page's decoder takes apart wrongly.
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(&picture.rgba, sides.0, sides.1, ColorType::Rgba)?;
    let mut alpha = Vec::new();
    if picture.rgba.chunks_exact(4).any(|pixel| pixel[3] != 255) {
        let plane: Vec<u8> = picture.rgba.chunks_exact(4).map(|pixel| pixel[3]).collect();
        png::PngEncoder::new_with_quality(
            &mut alpha,
            png::CompressionType::Best,
            png::FilterType::Adaptive,
        )
        .write_image(&plane, width, height, ExtendedColorType::L8)?;
    }
    let image = LightImage {
        size: picture.size,
        color: &color,
        alpha: &alpha,
    };
    image.to_bytes().context("it is too large")
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

#[cfg(test)]
mod tests {
    use super::*;
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
            assert_eq!((light.size, light.alpha.is_empty()), ([96, 64], !has_alpha));
            let color = image::load_from_memory(light.color).unwrap().into_rgb8();
            let away: u64 = (color.pixels().zip(picture.rgba.chunks_exact(4)))
                .flat_map(|(near, exact)| near.0.into_iter().zip(exact))
                .map(|(near, exact)| u64::from(near.abs_diff(*exact)))
                .sum();
            let mean = away as f64 / f64::from(96 * 64 * 3);
            assert!(mean > 0.0 && mean < 3.0, "{mean}");
            if has_alpha {
                let alpha = image::load_from_memory(light.alpha).unwrap().into_luma8();
                let exact = picture.rgba.chunks_exact(4).map(|pixel| pixel[3]);
                assert!(alpha.into_raw().into_iter().eq(exact));
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
    fn light_paks_are_made_within_the_limit_and_broken_pictures_stay_out() {
        let folder = std::env::temp_dir().join(format!("strafe-light-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
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
        let path = folder.join("x.pk3");
        fs::write(&path, pk3::pack(files)).unwrap();
        let pak = super::super::pak(path).unwrap().1;
        let wait = |paks: &LightPaks| {
            let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
            loop {
                let light = paks.of("base", "x.pk3", &pak).there();
                if light.is_some() || std::time::Instant::now() > end {
                    return light;
                }
                thread::sleep(std::time::Duration::from_millis(20));
            }
        };
        let kept = folder.join("kept");
        let light = wait(&LightPaks::start(&kept, 1 << 20).unwrap()).expect("it is made");
        assert!(
            light.bytes * 2 < pak.bytes,
            "{} of {}",
            light.bytes,
            pak.bytes
        );
        let bytes = fs::read(&light.path).unwrap();
        let directory = read_directory(&mut File::open(&light.path).unwrap()).unwrap();
        let names: Vec<_> = directory
            .entries()
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        assert_eq!(names, ["textures/good.tga"]);
        assert_eq!(
            Some(bytes.len() as u64 - directory.entries()[0].range().end),
            light.directory
        );
        // It is known again by who starts later, and nothing is made that has no room.
        assert_eq!(
            LightPaks::start(&kept, 1 << 20)
                .unwrap()
                .of("base", "x.pk3", &pak)
                .there()
                .map(|light| light.bytes),
            Some(light.bytes)
        );
        let maker = Maker {
            folder: kept,
            max_bytes: light.bytes + 10,
            ready: Arc::new(Mutex::new([("x".to_owned(), light.clone())].into())),
            asked: Arc::new(Mutex::new(["x".to_owned()].into())),
        };
        // A page may read it just now.
        assert!(maker.make_room(11).is_err() && light.path.exists());
        maker.asked.lock().clear();
        assert!(maker.make_room(light.bytes + 11).is_err() && light.path.exists());
        maker.make_room(11).unwrap();
        assert!(!light.path.exists() && maker.ready.lock().is_empty());
        fs::remove_dir_all(&folder).unwrap();
    }
}
