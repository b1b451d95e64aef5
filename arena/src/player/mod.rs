//! The player's model: an armored runner in three parts, moved by a small skeleton.

mod poses;
mod shape;

use crate::{
    PakFile,
    mesh::{Model, Solid, Surface, Tag},
    textures::{AtlasCell, SUITS},
};
use glam::{Mat3, Vec3, vec3};
use poses::{LegPose, TorsoPose};

/// Folders of the model: the one that every game looks for. A second folder would hold all bytes once more.
pub(crate) const NAMES: [&str; 1] = ["sarge"];

/// Positions are rounded to this many 64ths of a unit, for the pak's size.
const GRAIN: i16 = 8;

/// Where a piece of the body is.
pub(crate) type Pose = (Vec3, Mat3);

/// A piece of the body, drawn around its upper joint; all of one part share one surface and one that shines.
struct Piece {
    cell: AtlasCell,
    solid: Solid,
    /// Which of the places of a pose it moves with.
    bone: usize,
}

/// The model's files in both folders, with skins for both teams.
pub(crate) fn files() -> Vec<PakFile> {
    let parts = [("lower", lower()), ("upper", upper()), ("head", head())];
    let mut files = Vec::new();
    for name in NAMES {
        let folder = format!("models/players/{name}");
        for (part, model) in &parts {
            let path = format!("{folder}/{part}.md3");
            files.push(PakFile::new(path.clone(), model.md3(&path)));
            for (suit, _) in SUITS {
                let tags: String = model
                    .tags
                    .iter()
                    .map(|tag| format!("{},\n", tag.name))
                    .collect();
                let lit = format!("body,models/strafe/suit_{suit}\n");
                let shining = format!("glow,models/strafe/suit_{suit}_glow\n");
                let text = format!("{lit}{shining}{tags}");
                files.push(PakFile::new(
                    format!("{folder}/{part}_{suit}.skin"),
                    text.into_bytes(),
                ));
            }
        }
        files.push(PakFile::new(
            format!("{folder}/animation.cfg"),
            poses::config().into_bytes(),
        ));
    }
    files
}

/// The whole body in a frame of its legs, its torso in another frame or as it stands.
#[cfg(test)]
pub(crate) fn posed(leg_frame: usize, torso_frame: Option<usize>) -> Vec<Model> {
    let legs = poses::leg_frames()[leg_frame];
    // Deaths have the same frames in both parts.
    let torso_frame = torso_frame.or_else(|| poses::is_fall(leg_frame).then_some(leg_frame));
    let torso =
        torso_frame.map_or_else(poses::standing_torso, |frame| poses::torso_frames()[frame]);
    let waist = legs.waist();
    let in_world = |(at, axes): Pose| (waist.0 + waist.1 * at, waist.1 * axes);
    let torso_bones = torso.bones().into_iter().map(in_world).collect();
    vec![
        assemble(&shape::legs(), &[legs.bones().to_vec()]),
        assemble(&shape::torso(), &[torso_bones]),
        assemble(&shape::head(), &[vec![in_world(torso.neck())]]),
    ]
}

pub(crate) fn lower() -> Model {
    let frames: Vec<LegPose> = poses::leg_frames();
    let bones: Vec<Vec<Pose>> = frames.iter().map(|pose| pose.bones().to_vec()).collect();
    let mut model = assemble(&shape::legs(), &bones);
    model.tags.push(Tag {
        name: "tag_torso",
        frames: frames.iter().map(LegPose::waist).collect(),
    });
    model
}

pub(crate) fn upper() -> Model {
    let frames: Vec<TorsoPose> = poses::torso_frames();
    let bones: Vec<Vec<Pose>> = frames.iter().map(|pose| pose.bones().to_vec()).collect();
    let mut model = assemble(&shape::torso(), &bones);
    let still = vec![(Vec3::ZERO, Mat3::IDENTITY)];
    for (name, frames) in [
        ("tag_torso", still),
        ("tag_head", frames.iter().map(TorsoPose::neck).collect()),
        (
            "tag_weapon",
            frames.iter().map(|pose| pose.weapon).collect(),
        ),
    ] {
        model.tags.push(Tag { name, frames });
    }
    model
}

pub(crate) fn head() -> Model {
    let mut model = assemble(&shape::head(), &[vec![(Vec3::ZERO, Mat3::IDENTITY)]]);
    model.tags.push(Tag {
        name: "tag_head",
        frames: vec![(Vec3::ZERO, Mat3::IDENTITY)],
    });
    model
}

/// Moves all pieces with their bones, frame by frame.
fn assemble(pieces: &[Piece], frames: &[Vec<Pose>]) -> Model {
    let mut model = Model {
        grain: GRAIN,
        ..Model::default()
    };
    for (name, shines) in [("body", false), ("glow", true)] {
        let mut rest = Solid::default();
        let mut bones = Vec::new();
        for piece in pieces.iter().filter(|piece| piece.cell.shines() == shines) {
            let mut solid = piece.solid.clone();
            for vertex in &mut solid.vertices {
                vertex.uv = piece.cell.uv(vertex.uv);
            }
            bones.resize(bones.len() + solid.vertices.len(), piece.bone);
            rest.append(solid);
        }
        if rest.triangles.is_empty() {
            continue;
        }
        let shader = if shines {
            "models/strafe/suit_default_glow"
        } else {
            "models/strafe/suit_default"
        };
        let mut surface = Surface::still(name.to_owned(), shader.to_owned(), &rest);
        surface.frames = frames
            .iter()
            .map(|places| {
                let vertices = rest.vertices.iter().zip(&bones);
                vertices
                    .map(|(vertex, &bone)| {
                        let (at, axes) = places[bone];
                        (at + axes * vertex.position, axes * vertex.normal)
                    })
                    .collect()
            })
            .collect();
        model.surfaces.push(surface);
    }
    model
}

/// The middle joint of a limb of two bones from `root` to `end`, bent toward `pole`; and how far the end is reached.
fn bend(root: Vec3, end: Vec3, lengths: [f32; 2], pole: Vec3) -> (Vec3, Vec3) {
    let [upper, lower] = lengths;
    let along = end - root;
    let distance = along
        .length()
        .clamp((upper - lower).abs() + 0.1, (upper + lower) * 0.998);
    let direction = along.normalize_or(Vec3::NEG_Z);
    let from_root = (distance * distance + upper * upper - lower * lower) / (2.0 * distance);
    let aside = (upper * upper - from_root * from_root).max(0.0).sqrt();
    let out = (pole - direction * pole.dot(direction)).normalize_or(Vec3::X);
    (
        root + direction * from_root + out * aside,
        root + direction * distance,
    )
}

/// The place of a bone from one joint to the next: down is along it, forward toward `front`.
fn bone(from: Vec3, to: Vec3, front: Vec3) -> Pose {
    let up = (from - to).normalize_or(Vec3::Z);
    let forward = (front - up * front.dot(up)).normalize_or(vec3(1.0, 0.0, 0.0));
    (from, Mat3::from_cols(forward, up.cross(forward), up))
}
