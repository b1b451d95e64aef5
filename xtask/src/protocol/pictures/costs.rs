//! How many bits the parts of messages take.

use super::Captures;
use crate::protocol::{
    capture::{Content, Datagram},
    picture::Picture,
};
use anyhow::{Result, bail};
use shared::{
    net::{
        cost::{self, SnapshotCost},
        svc::{self, ServerOp},
    },
    types::snapshot::Snapshot,
};
use std::collections::BTreeMap;

/// A snapshot with what its parts cost.
struct Costs<'c> {
    datagram: &'c Datagram,
    snapshot: &'c Snapshot,
    cost: SnapshotCost,
    command_bits: usize,
}

/// Some snapshots in a row, well after the match has begun.
fn costs(captures: &Captures) -> Result<Vec<Costs<'_>>> {
    const SKIPPED: usize = 200;
    const COUNT: usize = 20;
    let capture = &captures.line;
    let known: BTreeMap<i32, &Snapshot> = (capture.snapshots())
        .map(|(_, snapshot)| (snapshot.message_num, snapshot))
        .collect();
    let costs: Vec<_> = (capture.snapshots())
        .skip(SKIPPED)
        .take(COUNT)
        .map(|(datagram, snapshot)| {
            let base = snapshot
                .delta_num
                .and_then(|number| known.get(&number).copied());
            let mut writer = svc::Writer::new(0);
            let before = writer.bit_len();
            if let Content::Server(message) = &datagram.content {
                for op in message.ops.iter() {
                    if let ServerOp::Command(command) = op {
                        writer.command(command.number, &command.text);
                    }
                }
            }
            Costs {
                datagram,
                snapshot,
                cost: cost::of_snapshot(snapshot, base, &capture.gamestate),
                command_bits: writer.bit_len() - before,
            }
        })
        .collect();
    match costs.len() {
        COUNT => Ok(costs),
        found => bail!("the capture has {found} of {COUNT} snapshots in a row"),
    }
}

/// The server's messages, each as long as its bits.
pub(super) fn messages(captures: &Captures) -> Result<Picture> {
    const ROW: f64 = 17.0;
    /// What every message begins and ends with.
    const FRAME_BITS: usize = 48;
    let costs = costs(captures)?;
    let bits = |costs: &Costs<'_>| costs.cost.bits + costs.command_bits + FRAME_BITS;
    let most = costs.iter().map(bits).max().unwrap_or(1);
    let mut picture = Picture::new([760.0, 46.0 + ROW * costs.len() as f64]);
    let scale = (picture.width() - 150.0) / most as f64;
    let mut x = 90.0;
    for (class, name) in [
        ("head", "heads"),
        ("player", "playerstate"),
        ("entities", "entities, one by one"),
        ("commands", "commands"),
    ] {
        picture.rect(class, [x, 8.0], [12.0, 12.0], name);
        picture.text("small", [x + 16.0, 18.0], name);
        x += 40.0 + 6.5 * name.len() as f64;
    }
    for (number, costs) in costs.iter().enumerate() {
        let y = 30.0 + ROW * number as f64;
        picture.text(
            "small end",
            [82.0, y + 11.0],
            format!("message {}", costs.datagram.sequence()),
        );
        let told = costs.cost.player.bits
            + costs
                .cost
                .entities
                .iter()
                .map(|(_, cost)| cost.bits)
                .sum::<usize>();
        let heads = bits(costs) - told - costs.command_bits;
        let entities = costs.cost.entities.iter();
        let entities =
            entities.map(|(number, cost)| ("entities", format!("entity {number}"), cost.bits));
        let parts = [
            ("head", "heads".to_owned(), heads),
            ("player", "playerstate".to_owned(), costs.cost.player.bits),
        ];
        let commands = ("commands", "commands".to_owned(), costs.command_bits);
        let mut x = 90.0;
        for (class, name, bits) in parts.into_iter().chain(entities).chain([commands]) {
            let width = bits as f64 * scale;
            picture.rect(
                class,
                [x, y],
                [(width - 1.0).max(0.0), ROW - 4.0],
                &format!("{name}: {bits} bits"),
            );
            x += width;
        }
        picture.text(
            "small faint",
            [x + 5.0, y + 11.0],
            format!("{} bytes", bits(costs).div_ceil(8)),
        );
    }
    Ok(picture)
}

/// One snapshot, field by field.
pub(super) fn fields(captures: &Captures) -> Result<Picture> {
    const ROW: f64 = 15.0;
    const MAX_ROWS: usize = 30;
    let mut costs = costs(captures)?;
    costs.sort_by_key(|costs| costs.cost.bits);
    let middle = costs.len() / 2;
    let Costs { snapshot, cost, .. } = &costs[middle];
    let mut rows = vec![("player", "playerstate".to_owned(), cost.player.bits, true)];
    let of = |class, cost: &cost::Cost| -> Vec<_> {
        let fields = cost.fields.iter();
        fields
            .map(|(name, bits)| (class, name.clone(), *bits, false))
            .collect()
    };
    rows.extend(of("player", &cost.player));
    for (number, entity) in &cost.entities {
        rows.push(("entities", format!("entity {number}"), entity.bits, true));
        rows.extend(of("entities", entity));
    }
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let most = rows.iter().map(|(_, _, bits, _)| *bits).max().unwrap_or(1);
    let mut picture = Picture::new([
        760.0,
        44.0 + ROW * (rows.len() + usize::from(left_out > 0)) as f64,
    ]);
    let base = snapshot
        .delta_num
        .map_or_else(|| "in full".to_owned(), |base| format!("against {base}"));
    let head = format!(
        "snapshot {}, told {base}: {} bits",
        snapshot.message_num, cost.bits
    );
    picture.text("strong", [4.0, 20.0], head);
    let scale = (picture.width() - 270.0) / most as f64;
    for (number, (class, name, bits, is_whole)) in rows.iter().enumerate() {
        let y = 34.0 + ROW * number as f64;
        let (weight, x) = if *is_whole {
            ("strong", 4.0)
        } else {
            ("mono", 20.0)
        };
        picture.text(weight, [x, y + 10.0], name.as_str());
        picture.rect(
            class,
            [190.0, y + 1.0],
            [*bits as f64 * scale, ROW - 4.0],
            &format!("{bits} bits"),
        );
        picture.text(
            "small faint",
            [196.0 + *bits as f64 * scale, y + 10.0],
            format!("{bits}"),
        );
    }
    if left_out > 0 {
        let y = 44.0 + ROW * MAX_ROWS as f64;
        picture.text("small faint", [20.0, y], format!("and {left_out} more"));
    }
    Ok(picture)
}
