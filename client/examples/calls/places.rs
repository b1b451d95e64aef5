//! Places: where models stand in each frame of a demo, and how they are turned and posed; written down and compared.

use client::{
    assets::Assets,
    scene::{RefEntityKind, Scene},
};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

pub const FILE_NAME: &str = "places.tsv";

/// Units.
const SAME_PLACE: f32 = 0.3;
/// Of a vector of length 1.
const SAME_DIRECTION: f32 = 0.01;
const SAME_BLEND: f32 = 0.01;

/// One model in one frame.
#[derive(Clone, Copy, Debug)]
struct ModelPose {
    origin: [f32; 3],
    forward: [f32; 3],
    frame: i32,
    old_frame: i32,
    /// Weight of `old_frame`.
    backlerp: f32,
}

/// How one pose is to another, the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    Same,
    OtherPlace,
    OtherDirection,
    OtherFrame,
    OnlyTheirs,
    OnlyOurs,
}

/// By moment and name of the model.
type Poses = BTreeMap<(i32, String), Vec<ModelPose>>;

/// How often models of one kind are so, by [`Likeness`].
type Tally = [u32; 6];

/// Writes down the models in a frame's first view.
pub fn write(file: &mut BufWriter<File>, scene: &Scene, assets: &Assets) -> std::io::Result<()> {
    let Some(view) = scene.views.first().filter(|view| view.has_world) else {
        return Ok(());
    };
    for entity in &view.entities {
        let RefEntityKind::Model(model) = entity.kind else {
            continue;
        };
        // A game may ask for another form of the same model.
        let name = assets.model_name(model);
        let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
        write!(file, "{}\t{name}", view.time_msec)?;
        for number in entity
            .origin
            .to_array()
            .iter()
            .chain(&entity.axis[0].to_array())
        {
            write!(file, "\t{number}")?;
        }
        let (frame, old_frame) = (entity.frame, entity.old_frame);
        writeln!(file, "\t{frame}\t{old_frame}\t{}", entity.backlerp)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Poses, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut poses = Poses::new();
    for line in text.lines() {
        let parsed = parse(line)
            .ok_or_else(|| format!("{} has a line that is no pose: {line}", path.display()))?;
        poses.entry(parsed.0).or_default().push(parsed.1);
    }
    Ok(poses)
}

fn parse(line: &str) -> Option<((i32, String), ModelPose)> {
    let mut words = line.split('\t');
    let time = words.next()?.parse().ok()?;
    let name = words.next()?.to_owned();
    let mut vector = || -> Option<[f32; 3]> {
        let mut number = || words.next()?.parse().ok();
        Some([number()?, number()?, number()?])
    };
    let (origin, forward) = (vector()?, vector()?);
    let pose = ModelPose {
        origin,
        forward,
        frame: words.next()?.parse().ok()?,
        old_frame: words.next()?.parse().ok()?,
        backlerp: words.next()?.parse().ok()?,
    };
    Some(((time, name), pose))
}

/// Prints for each kind of model how often it is the same in both, and how it differs.
pub fn compare(theirs: &Path, ours: &Path) -> Result<(), String> {
    let (theirs, mut ours) = (read(theirs)?, read(ours)?);
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (key, poses) in &theirs {
        let tally = tallies.entry(kind(&key.1)).or_default();
        let mut left = ours.remove(key).unwrap_or_default();
        for pose in poses {
            let nearest = (0..left.len()).min_by(|&a, &b| {
                let [a, b] = [a, b].map(|index| distance(pose, &left[index]));
                a.total_cmp(&b)
            });
            let likeness = nearest.map_or(Likeness::OnlyTheirs, |index| {
                likeness(pose, &left.swap_remove(index))
            });
            tally[likeness as usize] += 1;
        }
        tally[Likeness::OnlyOurs as usize] += left.len() as u32;
    }
    for (key, poses) in &ours {
        let tally = tallies.entry(kind(&key.1)).or_default();
        tally[Likeness::OnlyOurs as usize] += poses.len() as u32;
    }
    println!("   same  place   dir. frame theirs   ours");
    for (kind, [same, place, direction, frame, theirs, ours]) in tallies {
        println!("{same:7} {place:6} {direction:6} {frame:5} {theirs:6} {ours:6}  {kind}");
    }
    Ok(())
}

/// Players by their part, all else by its folder.
fn kind(name: &str) -> String {
    let parts: Vec<&str> = name.split('/').collect();
    match parts[..] {
        ["models", "players", .., part] => format!("players/*/{part}"),
        ["models", group, thing, ..] => format!("{group}/{thing}"),
        _ => name.to_owned(),
    }
}

fn largest([a, b]: [[f32; 3]; 2]) -> f32 {
    (0..3)
        .map(|axis| (a[axis] - b[axis]).abs())
        .fold(0.0, f32::max)
}

fn distance(a: &ModelPose, b: &ModelPose) -> f32 {
    largest([a.origin, b.origin]) + largest([a.forward, b.forward])
}

fn likeness(a: &ModelPose, b: &ModelPose) -> Likeness {
    // A frame without weight is not seen.
    let seen = |pose: &ModelPose| {
        let ModelPose {
            frame, old_frame, ..
        } = *pose;
        match pose.backlerp {
            0.0 => [frame, frame],
            1.0 => [old_frame, old_frame],
            _ => [frame, old_frame],
        }
    };
    let is_still = |pose: &ModelPose| seen(pose)[0] == seen(pose)[1];
    let is_same_blend = is_still(a) && is_still(b) || (a.backlerp - b.backlerp).abs() <= SAME_BLEND;
    if largest([a.origin, b.origin]) > SAME_PLACE {
        Likeness::OtherPlace
    } else if largest([a.forward, b.forward]) > SAME_DIRECTION {
        Likeness::OtherDirection
    } else if seen(a) != seen(b) || !is_same_blend {
        Likeness::OtherFrame
    } else {
        Likeness::Same
    }
}
