//! Contact sheets (not committed).
use crate::canvas::Canvas;
use crate::hud::Wardrobe;
use crate::mesh::{pitch, yaw, Model};
use crate::{models, player, textures};

fn save(name: &str, canvas: &Canvas) {
    let path = format!("/tmp/w/assets/{name}.png");
    image::save_buffer(path, &canvas.bytes(), canvas.width as u32, canvas.height as u32, image::ExtendedColorType::Rgba8).unwrap();
}

fn grid(name: &str, cell: usize, columns: usize, pictures: &[Canvas]) {
    let rows = pictures.len().div_ceil(columns);
    let mut sheet = Canvas::filled(columns * cell, rows * cell, [0.25, 0.28, 0.32, 1.0]);
    for (i, picture) in pictures.iter().enumerate() {
        let mut p = picture.clone();
        while p.width > cell || p.height > cell { p = p.halved(); }
        sheet.stamp(&p, (i % columns * cell) as i32, (i / columns * cell) as i32);
    }
    save(name, &sheet);
}

#[test]
fn sheet_textures() {
    let all: Vec<Canvas> = textures::canvases().into_iter().map(|(_, c)| c).collect();
    grid("textures1", 256, 5, &all[..20]);
    grid("textures2", 256, 6, &all[20..]);
    save("kit", &textures::kit_canvas(textures::KIT, 64));
}

#[test]
fn sheet_models() {
    let wardrobe = Wardrobe::new(0);
    let mut pictures = Vec::new();
    for weapon in &models::WEAPONS {
        let (body, barrel) = (weapon.world(), weapon.placed_barrel());
        let parts: Vec<&Model> = [Some(&body), barrel.as_ref()].into_iter().flatten().collect();
        pictures.push(wardrobe.draw(&parts, pitch(-15.0) * yaw(-65.0), 256, 0));
        pictures.push(wardrobe.draw(&parts, pitch(-20.0) * yaw(-20.0), 256, 0));
    }
    grid("weapons", 256, 5, &pictures);
    let mut pictures = Vec::new();
    for (_, make) in models::recipes() {
        pictures.push(wardrobe.draw(&[&make()], pitch(-15.0) * yaw(155.0), 160, 0));
    }
    grid("items", 160, 10, &pictures);
    let body = player::posed(56, None);
    let parts: Vec<&Model> = body.iter().collect();
    let mut pictures = Vec::new();
    for degrees in [180.0, 140.0, 90.0, 0.0] {
        pictures.push(wardrobe.draw(&parts, pitch(-6.0) * yaw(degrees), 400, 0));
    }
    for suit in 1..3 {
        pictures.push(Wardrobe::new(suit).draw(&parts, pitch(-6.0) * yaw(150.0), 400, 0));
    }
    grid("player", 400, 3, &pictures);
    let mut pictures = Vec::new();
    for frame in 0..player::lower().frame_count() {
        let posed = player::posed(frame, None);
        let parts: Vec<&Model> = posed.iter().collect();
        pictures.push(wardrobe.draw(&parts, pitch(-8.0) * yaw(-70.0), 128, 0));
    }
    grid("legs", 128, 12, &pictures);
    let mut pictures = Vec::new();
    for frame in 0..player::upper().frame_count() {
        let posed = player::posed(56, Some(frame));
        let parts: Vec<&Model> = posed.iter().collect();
        pictures.push(wardrobe.draw(&parts, pitch(-8.0) * yaw(150.0), 128, 0));
    }
    grid("torsos", 128, 12, &pictures);
}

#[test]
fn sheet_pictures() {
    let files = crate::assets();
    let mut pictures = Vec::new();
    for file in &files {
        if file.name.starts_with("textures/") || file.name.starts_with("models/strafe") { continue; }
        let rgba = if file.name.ends_with(".tga") {
            let tga = shared::formats::tga::Tga::parse(&file.bytes).unwrap();
            Some((tga.width, tga.height, tga.rgba))
        } else if file.name.ends_with(".jpg") {
            let i = image::load_from_memory(&file.bytes).unwrap().to_rgba8();
            Some((i.width(), i.height(), i.into_raw()))
        } else { None };
        if let Some((w, h, rgba)) = rgba {
            let c = Canvas { width: w as usize, height: h as usize, pixels: rgba.chunks(4).map(|p| [p[0] as f32 / 255.0, p[1] as f32 / 255.0, p[2] as f32 / 255.0, p[3] as f32 / 255.0]).collect() };
            if w > 64 { save(&file.name.replace('/', "_"), &{ let mut s = Canvas::filled(c.width, c.height, [0.2, 0.25, 0.3, 1.0]); s.stamp(&c, 0, 0); s }); }
            else { pictures.push(c); }
        }
    }
    grid("pictures", 68, 16, &pictures);
    let mut sizes: Vec<(String, usize, usize)> = files.iter().map(|f| { let n = crate::pack(vec![f.clone()]).len(); (f.name.clone(), f.bytes.len(), n) }).collect();
    sizes.sort_by_key(|s| std::cmp::Reverse(s.2));
    let mut groups = std::collections::BTreeMap::new();
    for (name, raw, packed) in &sizes {
        let mut parts = name.split('/');
        let key = format!("{}/{}", parts.next().unwrap(), parts.next().unwrap_or(""));
        let e = groups.entry(key).or_insert((0, 0, 0)); e.0 += 1; e.1 += raw; e.2 += packed;
    }
    let pak = crate::pack(files);
    let mut text = format!("pak {}\n", pak.len());
    for (k, v) in groups { text += &format!("{k} {v:?}\n"); }
    for s in sizes.iter().take(60) { text += &format!("{s:?}\n"); }
    std::fs::write("/tmp/w/assets/sizes.txt", text).unwrap();
    std::fs::write("/tmp/w/assets/zz-strafe.pk3", pak).unwrap();
}
