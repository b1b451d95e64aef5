//! The key of Quake III: kept by itself, and sent to nobody but the authorize server, when a server of 1.32 asks for that.

use super::{CDKEY_NAME, Client};
use crate::{
    output::{Query, QueryTo, Request},
    settings,
    ui::menu::pages::PageId,
};
use core::net::SocketAddr;
use shared::{base::time::ClientTime, net::oob::ClientPacket};

/// What is known of the key and of where it goes.
#[derive(Clone, Default)]
pub(super) struct CdKey {
    /// As it was stored last.
    stored: String,
    /// A server waits for it, and the authorize server's address is being looked up.
    awaited: Option<String>,
    sent_at: Option<ClientTime>,
    /// The server because of which the player was asked.
    asked_for: String,
}

/// Servers repeat their demand; the key goes out no more often than the originals send it.
const INTERVAL_MSEC: i32 = 3000;

impl Client {
    /// Takes over the key of earlier runs.
    pub(super) fn load_cdkey(&mut self, stored: Option<&str>) {
        self.cdkey.stored = stored.unwrap_or("").trim().to_owned();
        self.cvars.force("cl_cdkey", &self.cdkey.stored);
    }

    /// Keeps a new key, and does what a server demands.
    pub(super) fn follow_cdkey(&mut self) {
        let key = self.cvars.text("cl_cdkey");
        if key != self.cdkey.stored {
            self.cdkey.stored = key.to_owned();
            self.request(Request::Store {
                name: CDKEY_NAME.to_owned(),
                text: self.cdkey.stored.clone(),
            });
        }
        let Some(server) = (self.session.as_mut()).and_then(|session| session.take_key_demand())
        else {
            return;
        };
        if !self.browsing.can_ask {
            let told = "^3This server asks for the key of Quake III, which pages cannot send; the installed program can.\n";
            return self.print(told);
        }
        // Whoever owns the name that the originals know may change: players say whom they trust with their key.
        let name = self.cvars.text("cl_authorizeServer").trim().to_owned();
        if self.cdkey.stored.is_empty() || name.is_empty() {
            if self.cdkey.asked_for != server {
                self.cdkey.asked_for = server;
                self.print("^3This server asks for the key of your Quake III (cl_cdkey). It is sent to the authorize server that you name (cl_authorizeServer), and to nobody else.\n");
                self.open_page(PageId::CdKey);
            }
            return;
        }
        let is_early = |at: ClientTime| self.now.is_within(at, INTERVAL_MSEC);
        if self.cdkey.sent_at.is_some_and(is_early) {
            return;
        }
        self.cdkey.sent_at = Some(self.now);
        let name = if name.contains(':') {
            name
        } else {
            format!("{name}:27952")
        };
        if let Ok(address) = name.parse() {
            return self.send_cdkey(address);
        }
        self.cdkey.awaited = Some(name.clone());
        let own = settings::own_address(&self.cvars);
        self.request(Request::LookUp { name, own });
    }

    /// The addresses of a name; false if it is not the authorize server's.
    pub(super) fn authorize_server_found(&mut self, name: &str, addresses: &[SocketAddr]) -> bool {
        if self
            .cdkey
            .awaited
            .take_if(|awaited| awaited == name)
            .is_none()
        {
            return false;
        }
        // The originals know IPv4 only.
        match addresses.iter().find(|address| address.is_ipv4()) {
            Some(address) => self.send_cdkey(*address),
            None => self.print(&format!(
                "^3{name} is not to be found; the key was not sent\n"
            )),
        }
        true
    }

    fn send_cdkey(&mut self, to: SocketAddr) {
        let packet = ClientPacket::KeyAuthorize {
            is_anonymous: self.cvars.is_on("cl_anonymous"),
            key: self.cdkey.stored.clone(),
        };
        match packet.write() {
            Ok(datagram) => {
                let to = QueryTo::Server(to);
                let own = settings::own_address(&self.cvars);
                let queries = vec![Query { to, datagram }];
                self.request(Request::Query { own, queries });
                if !self.browsing.is_active {
                    self.request(Request::EndQueries);
                }
            }
            Err(refusal) => self.print(&format!("^3{refusal}\n")),
        }
    }
}
