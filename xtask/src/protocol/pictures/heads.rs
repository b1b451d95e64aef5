//! The heads of datagrams, byte by byte.

use super::Captures;
use crate::protocol::{
    capture::{Capture, Content, Datagram},
    picture::Picture,
};
use anyhow::{Context, Result};

/// The heads of real datagrams, byte by byte.
pub(super) fn datagrams(captures: &Captures) -> Result<Picture> {
    let find = |capture: &'_ Capture, is_wanted: &dyn Fn(&Datagram) -> bool| {
        let found = capture
            .datagrams
            .iter()
            .find(|datagram| is_wanted(datagram));
        let bytes = found.map(|datagram| datagram.bytes.clone());
        bytes.context("the capture lacks a kind of datagram")
    };
    let client = |datagram: &Datagram| {
        matches!(datagram.content, Content::Client(_)) && !datagram.is_fragment()
    };
    let server = |datagram: &Datagram| {
        matches!(datagram.content, Content::Server(_)) && !datagram.is_fragment()
    };
    let (legacy, modern) = (&captures.legacy, &captures.modern);
    /// What it is, its bytes, and the names and lengths of its head's parts.
    type Row = (&'static str, Vec<u8>, &'static [(&'static str, usize)]);
    let rows: [Row; 6] = [
        (
            "outside the channel",
            find(legacy, &|datagram| datagram.word() == "getchallenge")?,
            &[("mark", 4)],
        ),
        (
            "client, legacy wire",
            find(legacy, &client)?,
            &[("sequence", 4), ("qport", 2)],
        ),
        (
            "client, modern wire",
            find(modern, &client)?,
            &[("sequence", 4), ("qport", 2), ("checksum", 4)],
        ),
        (
            "server, legacy wire",
            find(legacy, &server)?,
            &[("sequence", 4)],
        ),
        (
            "server, modern wire",
            find(modern, &server)?,
            &[("sequence", 4), ("checksum", 4)],
        ),
        (
            "server, a piece of a long message",
            find(legacy, &|datagram| {
                datagram.is_fragment() && !datagram.is_for_server
            })?,
            &[("sequence, bit 31 set", 4), ("start", 2), ("length", 2)],
        ),
    ];
    let mut picture = Picture::new([760.0, 20.0 + 62.0 * rows.len() as f64]);
    for (number, (what, bytes, parts)) in rows.iter().enumerate() {
        let y = 20.0 + 62.0 * number as f64;
        layout(&mut picture, y, what, bytes, parts);
    }
    Ok(picture)
}

fn layout(picture: &mut Picture, y: f64, what: &str, bytes: &[u8], parts: &[(&str, usize)]) {
    const BYTE: f64 = 28.0;
    const SHOWN: usize = 20;
    /// About as wide as a small letter is.
    const LETTER: f64 = 6.0;
    picture.text("strong", [4.0, y], format!("{what}, {} bytes", bytes.len()));
    let head: usize = parts.iter().map(|(_, length)| length).sum();
    let mut x = 4.0;
    let rest = (
        if head == 4 && bytes.starts_with(&[0xff; 4]) {
            "text"
        } else {
            "message"
        },
        SHOWN.min(bytes.len()) - head,
    );
    let mut place = 0;
    let mut last_end = 0.0;
    for (number, (name, length)) in parts.iter().chain([&rest]).enumerate() {
        let width = BYTE * *length as f64 - 2.0;
        let class = if number < parts.len() { "head" } else { "" };
        let value = &bytes[place..place + length];
        picture.rect(class, [x, y + 6.0], [width, 22.0], name);
        for (at, byte) in value.iter().enumerate() {
            let middle = [x + BYTE * (at as f64 + 0.5) - 1.0, y + 21.0];
            picture.text("mono middle", middle, format!("{byte:02x}"));
        }
        let meaning = match *length {
            _ if number == parts.len() => (*name).to_owned(),
            4 if *name == "mark" => (*name).to_owned(),
            2 => format!("{name} {}", u16::from_le_bytes([value[0], value[1]])),
            4 if name.starts_with("sequence") => {
                let number = u32::from_le_bytes([value[0], value[1], value[2], value[3]]);
                format!("{name}: {}", number & !(1 << 31))
            }
            _ => (*name).to_owned(),
        };
        // What does not fit beside its neighbour stands below it.
        let row = if x < last_end { 51.0 } else { 40.0 };
        last_end = if x < last_end {
            0.0
        } else {
            x + LETTER * meaning.len() as f64
        };
        picture.text("small", [x, y + row], meaning);
        x += width + 2.0;
        place += length;
    }
    if bytes.len() > SHOWN {
        picture.text(
            "faint",
            [x + 2.0, y + 21.0],
            format!("… {} more", bytes.len() - SHOWN),
        );
    }
}
