//! Pictures of the HUD, of loading screens and menus: fonts, numbers, crosshairs, icons, medals.

mod fonts;
mod icons;
mod pictures;

#[cfg(test)]
pub(crate) use icons::Wardrobe;

use crate::PakFile;

pub(crate) fn files() -> Vec<PakFile> {
    let mut files = fonts::files();
    files.extend(icons::files());
    files.extend(pictures::files());
    files
}
