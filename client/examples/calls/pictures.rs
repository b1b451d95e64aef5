//! Pictures: how far two clients' pictures of the same moments are off.

use image::RgbImage;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Pictures in the order of their names.
fn pictures(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_picture = |path: &PathBuf| {
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        matches!(ending.as_deref(), Some("png" | "tga"))
    };
    let mut paths: Vec<PathBuf> = paths.filter(is_picture).collect();
    paths.sort();
    Ok(paths)
}

fn open(path: &Path) -> Result<RgbImage, String> {
    let picture = image::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(picture.to_rgb8())
}

/// Prints the mean difference of each pair; `out` gets theirs, ours, and what differs, eight times as strong.
pub fn compare(theirs: &Path, ours: &Path, out: &Path) -> Result<(), String> {
    fs::create_dir_all(out).map_err(|error| error.to_string())?;
    for (number, (their, our)) in pictures(theirs)?.iter().zip(&pictures(ours)?).enumerate() {
        let (a, b) = (open(their)?, open(our)?);
        if a.dimensions() != b.dimensions() {
            return Err(format!(
                "{:?} and {:?} pixels",
                a.dimensions(),
                b.dimensions()
            ));
        }
        let differences = a
            .as_raw()
            .iter()
            .zip(b.as_raw())
            .map(|(a, b)| a.abs_diff(*b));
        let sum: u64 = differences.map(u64::from).sum();
        println!(
            "{number:03}  mean {:.3}",
            sum as f64 / a.as_raw().len() as f64
        );
        let (width, height) = a.dimensions();
        let sheet = RgbImage::from_fn(width * 3, height, |x, y| {
            let (a, b) = (a.get_pixel(x % width, y).0, b.get_pixel(x % width, y).0);
            image::Rgb(match x / width {
                0 => a,
                1 => b,
                _ => [0, 1, 2].map(|index| a[index].abs_diff(b[index]).saturating_mul(8)),
            })
        });
        let path = out.join(format!("{number:03}.png"));
        sheet.save(&path).map_err(|error| error.to_string())?;
    }
    Ok(())
}
