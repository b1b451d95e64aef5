//! Report: a file that tells what was so when the player found something wrong, to be shown to others.
//!
//! It holds versions, settings, figures, and the head of each message of the last two minutes. Passwords, guid and chat
//! are not in it. The journal, which has everything and can be replayed, is kept beside it only if the player says so.

use super::Client;
use crate::{
    con::{
        cvar::{Cvar, flag, is_secret_name},
        secrets::holds_secret,
    },
    inspector,
    output::Request,
    session::Session,
};
use serde_json::{Map, Value, json};
use shared::{base::info::Info, types::configstring::index::SERVERINFO};

/// What of the server's own description may be told on; the rest may be anything.
const OF_SERVER: [&str; 6] = [
    "version",
    "gamename",
    "protocol",
    "mapname",
    "g_gametype",
    "sv_maxclients",
];

impl Client {
    /// `report [all]`: keeps a report, and with `all` the journal of the run as well.
    pub(crate) fn keep_report(&mut self, word: &str) {
        let has_journal = match word {
            "" => false,
            "all" => true,
            _ => return self.print("report [all]\n"),
        };
        let number = self.unix_seconds();
        let name = format!("reports/report-{number}.json");
        let text = self.report(number).to_string();
        self.print(&format!(
            "{name} has versions, settings, figures and the heads of the last two minutes' messages, but no password, guid or chat.\n"
        ));
        self.request(Request::StoreBytes {
            name,
            bytes: text.into_bytes(),
        });
        if has_journal {
            let name = format!("report-{number}");
            self.print(&format!(
                "journals/{name}.journal has everything that was typed and received in this run, chat too: choose to whom you give it.\n"
            ));
            self.request(Request::SaveJournal { name: Some(name) });
        } else {
            self.print("report all also keeps the journal of the run, which can be replayed.\n");
        }
    }

    /// Seconds since the beginning of 1970, as the client's own clock has gone on.
    pub(super) fn unix_seconds(&self) -> i64 {
        let since_start = self.now - self.started_at;
        self.started_unix_seconds + i64::from(since_start / 1000)
    }

    fn report(&self, unix_seconds: i64) -> Value {
        let may_tell = |cvar: &&Cvar| {
            let is_private = cvar.has(flag::SECRET) || cvar.name() == "cl_guid";
            !is_private && !is_secret_name(cvar.name()) && !holds_secret(cvar.value())
        };
        let changed = |cvar: &&Cvar| cvar.value() != cvar.default_value();
        let settings = self.cvars.iter().filter(may_tell).filter(changed);
        let settings: Map<String, Value> = settings
            .map(|cvar| (cvar.name().to_owned(), cvar.value().into()))
            .collect();
        let status = self.status();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "unix_seconds": unix_seconds,
            "msec": self.now.0,
            "state": status.state.to_string(),
            "error": status.error,
            "screen": self.screen,
            "settings": settings,
            "session": self.session.as_ref().map(of_session),
        })
    }
}

fn of_session(session: &Session) -> Value {
    let status = session.status();
    let info = session
        .configstrings()
        .map(|strings| Info::parse(strings.get(SERVERINFO)));
    let server: Map<String, Value> = (OF_SERVER.iter())
        .filter_map(|key| Some(((*key).to_owned(), info.as_ref()?.get(key).into())))
        .collect();
    let stats = &status.stats;
    json!({
        "server": server,
        "address": status.server,
        "transport": status.transport,
        "map": status.map,
        "pure": status.is_pure,
        "module": status.runs_module,
        "ping_ms": stats.ping_msec,
        "snapshots": stats.snapshots,
        "messages_lost": stats.messages_lost,
        "snapshots_without_base": stats.snapshots_without_base,
        "packets_sent": stats.packets_sent,
        "packets_dropped": stats.packets_dropped,
        "packets_late": stats.packets_late,
        "usercmds": stats.usercmds,
        "repeats": stats.repeats,
        "faults": stats.faults,
        "prediction": status.prediction,
        "others": status.smoothness,
        "load": lines(&session.load_times_text()),
        "whylag": lines(&session.lag_text()),
        "whymiss": lines(&session.shots_text()),
        "messages": session.wire_log().map(inspector::heads),
    })
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}
