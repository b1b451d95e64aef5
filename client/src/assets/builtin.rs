//! Images and materials that the game draws with and not every pak holds.

use super::{
    ImageId,
    image::{Image, ImageOptions, Pixels, TextureLimits},
};

impl ImageId {
    pub const WHITE: Self = Self(0);
    /// A dark square with a bright edge, for what is missing.
    pub const DEFAULT: Self = Self(1);
    pub const IDENTITY_LIGHT: Self = Self(2);
    /// The blob that dynamic lights paint.
    pub const DLIGHT: Self = Self(3);
    /// Opacity of fog by depth and by depth below its surface.
    pub const FOG: Self = Self(4);
}

/// The names under which scripts may use them, by id.
pub(super) const NAMES: [&str; 5] = ["*white", "*default", "*identityLight", "*dlight", "*fog"];

/// Materials for games that lack them, as the script file that any other overrules.
pub(super) const SCRIPTS: (&str, &str) = ("builtin.shader", SHELLS);

/// A shell in the color of its entity, for teams' colors that skins do not have.
///
/// Quad damage around the red team, which OpenArena asks for but has not; its blue shell has no red to bring out.
const SHELLS: &str = "strafe/teamShell
{
    cull none
    deformVertexes wave 100 sin 0.5 0 0 0
    {
        map $whiteimage
        blendFunc blend
        rgbGen entity
        alphaGen entity
    }
}
powerups/blueflag
{
    deformVertexes wave 100 sin 1 0 0 0
    {
        map $whiteimage
        blendFunc add
        rgbGen const ( 0.15 0.01 0.01 )
    }
    {
        map *dlight
        blendFunc add
        rgbGen const ( 0.8 0.1 0.1 )
        tcGen environment
    }
}
";

const FOG_SIZE: (u32, u32) = (256, 32);
const CLAMPED: ImageOptions = ImageOptions::FLAT;
const REPEATED: ImageOptions = ImageOptions {
    clamp: false,
    ..CLAMPED
};
const MIPMAPPED: ImageOptions = ImageOptions {
    use_mipmaps: true,
    ..REPEATED
};

/// All of them, in the order of their ids.
pub(super) fn images() -> [Image; 5] {
    let white = pixels(8, 8, |_, _| [255; 4]);
    let edged = pixels(16, 16, |x, y| {
        if x % 15 == 0 || y % 15 == 0 {
            [255; 4]
        } else {
            [32; 4]
        }
    });
    let dlight = pixels(16, 16, |x, y| {
        let level = dlight_level(x, y);
        [level, level, level, 255]
    });
    let fog = pixels(FOG_SIZE.0, FOG_SIZE.1, |x, y| {
        let s = (x as f32 + 0.5) / FOG_SIZE.0 as f32;
        let t = (y as f32 + 0.5) / FOG_SIZE.1 as f32;
        [255, 255, 255, (255.0 * fog_factor(s, t)) as u8]
    });
    let all = [
        (white.clone(), REPEATED),
        (edged, MIPMAPPED),
        (white, REPEATED),
        (dlight, CLAMPED),
        (fog, CLAMPED),
    ];
    let limits = TextureLimits {
        round_down: true,
        max_size: 256,
        max_bytes: u64::MAX,
    };
    let mut names = NAMES.into_iter();
    all.map(|(pixels, options)| {
        Image::prepare(names.next().unwrap_or_default(), pixels, options, limits)
    })
}

/// How opaque fog is, from its texture coordinates: s is depth, t tells how far below its surface.
pub fn fog_factor(s: f32, t: f32) -> f32 {
    let depth = s - 1.0 / 512.0;
    if depth < 0.0 || t < 1.0 / 32.0 {
        return 0.0;
    }
    let depth = if t < 31.0 / 32.0 {
        depth * (t - 1.0 / 32.0) * (32.0 / 30.0)
    } else {
        depth
    };
    let step = (255.0 * (8.0 * depth).min(1.0)).trunc();
    (step / 255.0).sqrt()
}

fn dlight_level(x: u32, y: u32) -> u8 {
    let (dx, dy) = (7.5 - x as f32, 7.5 - y as f32);
    match (4000.0 / (dx * dx + dy * dy)) as u32 {
        256.. => 255,
        ..75 => 0,
        level => level as u8,
    }
}

fn pixels(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 4]) -> Pixels {
    let rgba = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .flat_map(|(x, y)| color(x, y))
        .collect();
    Pixels {
        width,
        height,
        rgba,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fog_grows_with_the_square_root() {
        assert_eq!(fog_factor(1.0 / 512.0, 31.0 / 32.0), 0.0);
        assert_eq!(fog_factor(1.0, 1.0), 1.0);
        assert_eq!(fog_factor(0.5, 0.0), 0.0);
        assert!((fog_factor(1.0 / 512.0 + 0.03125, 1.0) - (63.0_f32 / 255.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn images_have_their_ids_and_contents() {
        let images = images();
        assert_eq!(images[ImageId::DEFAULT.0 as usize].levels[0][..8], [255; 8]);
        assert_eq!(images[ImageId::DEFAULT.0 as usize].levels[0][17 * 4], 32);
        let dlight = &images[ImageId::DLIGHT.0 as usize].levels[0];
        assert_eq!((dlight[0], dlight[(7 * 16 + 7) * 4]), (0, 255));
        assert_eq!(images[ImageId::FOG.0 as usize].width, 256);
        assert_eq!(images[ImageId::WHITE.0 as usize].name, "*white");
    }
}
