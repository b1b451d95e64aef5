//! The whole client on a server that wants to harm it, what answers mods' modules, and its list of servers among masters and servers that do.

use crate::{Target, hostile};
use client::browser::{
    Browser, lists,
    order::{Filter, view},
    relay_list,
};
use core::net::SocketAddr;
use shared::{
    base::time::ClientTime,
    net::oob::{ClientPacket, MARK},
};

pub const TARGETS: &[Target] = &[
    // One byte can be a snapshot, or a second of frames.
    Target::new("client_frame", 4096, 20_000, hostile::play),
    // One byte can be a search of the map.
    Target::new("module_host", 4096, 2_000, module_host),
    Target::new("server_list", 8192, 1000, server_list),
];

fn module_host(bytes: &[u8]) {
    hostile::module::play(bytes);
}

/// Parts, each of a byte that says from whom, a byte for its length, and what follows the mark or the token.
fn server_list(bytes: &[u8]) {
    let master = SocketAddr::from(([10, 0, 0, 1], 27950));
    let friend = SocketAddr::from(([10, 0, 0, 2], 27960));
    let mut browser = Browser::new(1);
    browser.add_master(master);
    browser.add_server("friend.example:27960", friend, lists::FAVOURITE);
    browser.ask_neighbours();
    let mut rest = bytes;
    let mut now = 0;
    while let [from, length, after @ ..] = rest {
        let (part, after) = after.split_at(usize::from(*length).min(after.len()));
        rest = after;
        now += i32::from(*from) * 4;
        for query in browser.poll(ClientTime(now)) {
            let (word, token) = match ClientPacket::read(&query.datagram) {
                Some(ClientPacket::GetInfo { token }) => ("infoResponse", token),
                Some(ClientPacket::GetStatus { token }) => ("statusResponse", token),
                _ => continue,
            };
            let head = format!("{word}\n\\challenge\\{token}");
            let answer = [&MARK[..], head.as_bytes(), part].concat();
            browser.handle_answer(friend, &answer, ClientTime(now));
        }
        let datagram = [&MARK[..], part].concat();
        for from in [
            master,
            friend,
            SocketAddr::from(([192, 168, 0, *from], 27960)),
        ] {
            browser.handle_answer(from, &datagram, ClientTime(now));
        }
        browser.watch(Some(usize::from(*from)));
    }
    if let Ok(servers) = relay_list::read(&String::from_utf8_lossy(bytes)) {
        servers
            .into_iter()
            .for_each(|server| browser.add_listed(server));
    }
    let filter = Filter {
        lists: u8::MAX,
        shows_empty: true,
        shows_full: true,
        shows_private: true,
        ..Filter::default()
    };
    let shown = view(browser.servers(), &filter);
    assert!(shown.len() <= browser.servers().len());
}
