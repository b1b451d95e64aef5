//! What goes on from message to message, and over a lost one.

use super::Captures;
use crate::protocol::{
    capture::{Capture, Datagram},
    picture::{Picture, Point},
};
use anyhow::{Context, Result, bail};
use shared::{
    net::clc::ClientMessage,
    types::{snapshot::Snapshot, trajectory},
};
use std::collections::{BTreeMap, BTreeSet};

/// The part of the line's capture around a datagram that got lost well after the match has begun.
fn around_loss<'c>(
    datagrams: impl Iterator<Item = &'c Datagram>,
    is_for_server: bool,
) -> Result<i32> {
    const BEGUN_MSEC: i32 = 8000;
    let mut lost = datagrams
        .filter(|datagram| datagram.is_for_server == is_for_server && datagram.arrives.is_none());
    let found = lost.find(|datagram| datagram.sent > BEGUN_MSEC);
    Ok(found.context("the capture loses nothing")?.sent)
}

/// Snapshots with what they are told against, and the acknowledgements that allowed it.
pub(super) fn deltas(captures: &Captures) -> Result<Picture> {
    const WINDOW_MSEC: i32 = 620;
    const TOP: f64 = 150.0;
    const BOTTOM: f64 = 300.0;
    let capture = &captures.line;
    let lost_at = around_loss(capture.snapshots().map(|(datagram, _)| datagram), false)?;
    let began_at = lost_at - 240;
    let mut picture = Picture::new([760.0, 340.0]);
    let scale = (picture.width() - 70.0) / f64::from(WINDOW_MSEC);
    let x = |at: i32| 60.0 + f64::from(at - began_at) * scale;
    let within = |at: i32| (began_at..began_at + WINDOW_MSEC).contains(&at);
    for (y, name) in [(TOP, "server"), (BOTTOM, "client")] {
        picture.text("strong", [4.0, y + 4.0], name);
        picture.line("", [55.0, y], [picture.width() - 6.0, y]);
    }
    let places: BTreeMap<i32, i32> = (capture.snapshots())
        .map(|(datagram, snapshot)| (snapshot.message_num, datagram.sent))
        .collect();
    for (datagram, snapshot) in capture
        .snapshots()
        .filter(|(datagram, _)| within(datagram.sent))
    {
        let begin = [x(datagram.sent), TOP];
        match datagram.arrives {
            Some(arrives) if within(arrives) => {
                picture.arrow("server", begin, [x(arrives), BOTTOM])
            }
            Some(_) => {}
            None => picture.lost(begin, [x(datagram.sent + 70), BOTTOM]),
        }
        picture.text(
            "small middle",
            [begin[0], TOP + 14.0],
            snapshot.message_num.to_string(),
        );
        let base = snapshot.delta_num.and_then(|base| places.get(&base));
        if let Some(&sent) = base.filter(|sent| within(**sent)) {
            let height = 16.0 + f64::from(datagram.sent - sent) * 0.32;
            picture.bow("base", begin, [x(sent), TOP], height);
        }
    }
    let mut told = None;
    let mut last_label = f64::MIN;
    for (datagram, message) in capture.client_messages() {
        let is_news = told.replace(message.message_ack) != Some(message.message_ack);
        if !is_news || !within(datagram.sent) {
            continue;
        }
        let begin = [x(datagram.sent), BOTTOM];
        match datagram.arrives {
            Some(arrives) if within(arrives) => picture.arrow("client", begin, [x(arrives), TOP]),
            Some(_) => {}
            None => picture.lost(begin, [x(datagram.sent + 70), TOP]),
        }
        /// A label's width: the next one stands below it if it is nearer.
        const LABEL: f64 = 48.0;
        let row = if begin[0] - last_label < LABEL {
            28.0
        } else {
            16.0
        };
        last_label = if row > 16.0 { f64::MIN } else { begin[0] };
        picture.text(
            "small middle",
            [begin[0], BOTTOM + row],
            format!("has {}", message.message_ack),
        );
    }
    Ok(picture)
}

/// Which usercmds each message carries, when one of them gets lost.
pub(super) fn usercmds(captures: &Captures) -> Result<Picture> {
    const ROWS: usize = 14;
    const ROW: f64 = 18.0;
    let capture = &captures.line;
    let messages: Vec<_> = capture.client_messages().collect();
    let lost_at = around_loss(messages.iter().map(|(datagram, _)| *datagram), true)?;
    let lost = messages
        .iter()
        .position(|(datagram, _)| datagram.sent == lost_at);
    let first = lost.unwrap_or_default().saturating_sub(5);
    let rows = &messages[first..(first + ROWS).min(messages.len())];
    let times = |message: &ClientMessage| -> Vec<i32> {
        let usercmds = message.movement.usercmds.iter();
        usercmds.map(|usercmd| usercmd.server_time.0).collect()
    };
    let all: BTreeSet<i32> = rows
        .iter()
        .flat_map(|(_, message)| times(message))
        .collect();
    let columns: BTreeMap<i32, usize> = all.iter().copied().zip(0..).collect();
    let mut picture = Picture::new([760.0, 60.0 + ROW * (rows.len() + 1) as f64]);
    let cell = ((picture.width() - 190.0) / columns.len().max(1) as f64).min(ROW);
    let column = |time: i32| 100.0 + cell * columns[&time] as f64;
    let mut arrived = BTreeSet::new();
    let mut sent: BTreeSet<i32> = match first {
        0 => BTreeSet::new(),
        _ => times(messages[first - 1].1).into_iter().collect(),
    };
    for (number, (datagram, message)) in rows.iter().enumerate() {
        let y = 30.0 + ROW * number as f64;
        picture.text(
            "small end",
            [92.0, y + 12.0],
            format!("message {}", datagram.sequence()),
        );
        for time in times(message) {
            let is_first = sent.insert(time);
            let class = match (datagram.arrives, is_first) {
                (None, _) => "gone",
                (Some(_), true) => "first",
                (Some(_), false) => "again",
            };
            picture.rect(
                class,
                [column(time), y],
                [cell - 2.0, ROW - 3.0],
                &format!("usercmd {time}"),
            );
            if datagram.arrives.is_some() {
                arrived.insert(time);
            }
        }
        if datagram.arrives.is_none() {
            picture.text("lost small", [picture.width() - 80.0, y + 12.0], "lost");
        }
    }
    let y = 36.0 + ROW * rows.len() as f64;
    picture.text("small end", [92.0, y + 12.0], "the server has");
    for time in &all {
        let class = if arrived.contains(time) {
            "first"
        } else {
            "gone"
        };
        picture.rect(
            class,
            [column(*time), y],
            [cell - 2.0, ROW - 3.0],
            &format!("usercmd {time}"),
        );
    }
    let mut x = 100.0;
    for (class, name) in [
        ("first", "for the first time"),
        ("again", "again"),
        ("gone", "lost with its datagram"),
    ] {
        picture.rect(class, [x, 8.0], [12.0, 12.0], name);
        picture.text("small", [x + 16.0, 18.0], name);
        x += 40.0 + 6.0 * name.len() as f64;
    }
    Ok(picture)
}

/// What is replayed on top of each snapshot.
pub(super) fn prediction(captures: &Captures) -> Result<Picture> {
    const ROWS: usize = 10;
    const ROW: f64 = 22.0;
    let capture = &captures.line;
    let lost_at = around_loss(capture.snapshots().map(|(datagram, _)| datagram), false)?;
    let rows: Vec<_> = (capture.snapshots())
        .filter(|(datagram, _)| datagram.sent > lost_at - 200)
        .filter_map(|(datagram, snapshot)| Some((datagram.arrives?, snapshot)))
        .take(ROWS)
        .collect();
    let sent: Vec<(i32, i32)> = (capture.client_messages())
        .flat_map(|(datagram, message)| {
            let usercmds = message.movement.usercmds.iter();
            usercmds.map(|usercmd| (usercmd.server_time.0, datagram.sent))
        })
        .collect();
    let mut first_sent = BTreeMap::new();
    for (time, at) in sent {
        first_sent.entry(time).or_insert(at);
    }
    let replayed = |arrives: i32, executed: i32| -> Vec<i32> {
        let later = first_sent.range(executed + 1..);
        later
            .filter(|(_, at)| **at <= arrives)
            .map(|(time, _)| *time)
            .collect()
    };
    let Some((_, first)) = rows.first() else {
        bail!("the capture has no snapshots");
    };
    let began = first.player.command_time;
    let end = rows
        .iter()
        .flat_map(|(arrives, snapshot)| replayed(*arrives, snapshot.player.command_time))
        .max();
    let end = end.context("nothing is replayed in the capture")?;
    let mut picture = Picture::new([760.0, 50.0 + ROW * rows.len() as f64]);
    let scale = (picture.width() - 260.0) / f64::from((end - began).max(1));
    let x = |time: i32| 120.0 + f64::from(time - began) * scale;
    picture.text(
        "small faint",
        [120.0, 18.0],
        "server time of the usercmds →",
    );
    for (number, (arrives, snapshot)) in rows.iter().enumerate() {
        let y = 30.0 + ROW * number as f64;
        let executed = snapshot.player.command_time;
        let usercmds = replayed(*arrives, executed);
        picture.text(
            "small end",
            [112.0, y + 13.0],
            format!("snapshot {}", snapshot.message_num),
        );
        let newest = usercmds.last().copied().unwrap_or(executed);
        let size = [(x(newest) - x(executed)).max(1.0), ROW - 6.0];
        picture.rect(
            "replay",
            [x(executed), y],
            size,
            &format!("{} usercmds", usercmds.len()),
        );
        for time in &usercmds {
            picture.line("client", [x(*time), y + 2.0], [x(*time), y + ROW - 8.0]);
        }
        picture.line(
            "server",
            [x(executed), y - 2.0],
            [x(executed), y + ROW - 4.0],
        );
        let words = format!("{} usercmds, {} ms", usercmds.len(), newest - executed);
        picture.text("small faint", [x(newest) + 6.0, y + 12.0], words);
    }
    Ok(picture)
}

/// Where another player is shown while one snapshot does not come.
pub(super) fn interpolation(captures: &Captures) -> Result<Picture> {
    const WINDOW_MSEC: i32 = 900;
    const HEIGHT: f64 = 300.0;
    let capture = &captures.line;
    let (began_at, number) = runner(capture, WINDOW_MSEC)?;
    let ended_at = began_at + WINDOW_MSEC;
    let way =
        |datagram: &Datagram, snapshot: &Snapshot| Some(datagram.arrives? - snapshot.server_time.0);
    let mut ways: Vec<i32> = (capture.snapshots())
        .filter(|(datagram, _)| (began_at - 2000..ended_at).contains(&datagram.sent))
        .filter_map(|(datagram, snapshot)| way(datagram, snapshot))
        .collect();
    ways.sort_unstable();
    let usual_way = *ways
        .get(ways.len() / 2)
        .context("nothing arrives in the capture")?;
    let at = |snapshot: &Snapshot| Some(snapshot.entities.find(number)?.pos.base);
    let known: Vec<_> = (capture.snapshots())
        .filter(|(datagram, _)| (began_at - 300..ended_at).contains(&datagram.sent))
        .filter_map(|(datagram, snapshot)| Some((datagram, snapshot.server_time.0, at(snapshot)?)))
        .collect();
    let axis = widest_axis(&known.iter().map(|(_, _, at)| *at).collect::<Vec<_>>());
    let values = known.iter().map(|(_, _, at)| at[axis]);
    let (least, most) = values.fold((f32::MAX, f32::MIN), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    let mut picture = Picture::new([760.0, HEIGHT + 50.0]);
    let scale = (picture.width() - 70.0) / f64::from(WINDOW_MSEC);
    let x = |at: i32| 50.0 + f64::from(at - began_at) * scale;
    let y =
        |value: f32| 30.0 + f64::from((most - value) / (most - least).max(1.0)) * (HEIGHT - 40.0);
    for msec in (0..=WINDOW_MSEC).step_by(100) {
        picture.line(
            "grid",
            [x(began_at + msec), 24.0],
            [x(began_at + msec), HEIGHT],
        );
        picture.text(
            "small faint middle",
            [x(began_at + msec), HEIGHT + 16.0],
            format!("{msec} ms"),
        );
    }
    let name = ["x", "y", "z"][axis];
    picture.text(
        "small faint",
        [4.0, 14.0],
        format!(
            "{name} of entity {number}; {:.0} units from top to bottom",
            most - least
        ),
    );
    for (datagram, time, at) in &known {
        let arrives = datagram.arrives.unwrap_or(time + usual_way);
        if !(began_at..ended_at).contains(&arrives) {
            continue;
        }
        let place = [x(arrives), y(at[axis])];
        match datagram.arrives {
            Some(_) => picture.dot(place, &format!("the snapshot of {time} ms arrives")),
            None => picture.text("lost middle", [place[0], place[1] + 4.0], "×"),
        }
    }
    // What is shown lies one interval behind what has come, so that there is something to go to.
    const INTERVAL_MSEC: i32 = 50;
    let shown = (began_at..ended_at).step_by(4).filter_map(|now| {
        let time = now - usual_way - INTERVAL_MSEC;
        let here = known
            .iter()
            .filter(|(datagram, _, _)| datagram.arrives.is_some_and(|arrives| arrives <= now));
        let (mut before, mut after) = (None, None);
        for (_, made, at) in here {
            if *made <= time {
                before = Some((*made, at[axis]));
            } else if after.is_none() {
                after = Some((*made, at[axis]));
            }
        }
        let (made, value) = before?;
        let value = match after {
            Some((next, to)) => value + (to - value) * (time - made) as f32 / (next - made) as f32,
            None => value,
        };
        Some([x(now), y(value)])
    });
    let shown: Vec<Point> = shown.collect();
    picture.path("server", &shown);
    picture.text("small faint", [50.0, HEIGHT + 38.0], "dots: where the newest snapshot has him, when it arrives; line: where he is shown; ×: lost");
    Ok(picture)
}

/// Who moves most around a lost snapshot, and when that begins.
fn runner(capture: &Capture, window_msec: i32) -> Result<(i32, u16)> {
    const BEGUN_MSEC: i32 = 8000;
    let lost = capture
        .snapshots()
        .filter(|(datagram, _)| datagram.arrives.is_none() && datagram.sent > BEGUN_MSEC);
    let mut best: Option<(f32, i32, u16)> = None;
    for (datagram, _) in lost {
        let began_at = datagram.sent - window_msec / 2;
        let mut ways: BTreeMap<u16, (Option<glam::Vec3>, f32, usize)> = BTreeMap::new();
        let mut count = 0;
        let within = |at: i32| (began_at - 300..began_at + window_msec).contains(&at);
        for (_, snapshot) in capture
            .snapshots()
            .filter(|(datagram, _)| within(datagram.sent))
        {
            count += 1;
            let moving = snapshot
                .entities
                .iter()
                .filter(|entity| entity.pos.kind == trajectory::kind::INTERPOLATE);
            for entity in moving {
                let way = ways.entry(entity.number).or_default();
                let step = way.0.map_or(0.0, |before| before.distance(entity.pos.base));
                // Whoever appears elsewhere did not run there.
                let is_run = step < 40.0;
                *way = (
                    Some(entity.pos.base),
                    way.1 + step,
                    way.2 + usize::from(is_run),
                );
            }
        }
        for (number, (_, length, seen)) in ways {
            if seen == count && best.is_none_or(|(most, _, _)| length > most) {
                best = Some((length, began_at, number));
            }
        }
    }
    let (_, began_at, number) = best.context("nobody runs while a snapshot gets lost")?;
    Ok((began_at, number))
}

fn widest_axis(places: &[glam::Vec3]) -> usize {
    let extent = |axis: usize| {
        let values = places.iter().map(|at| at[axis]);
        let (least, most) = values.fold((f32::MAX, f32::MIN), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        most - least
    };
    if extent(0) >= extent(1) { 0 } else { 1 }
}
