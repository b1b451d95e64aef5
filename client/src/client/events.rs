//! What each event does to the client.

use super::Client;
use crate::{event::Event, output::Request, session::Session};
use shared::base::time::ClientTime;

impl Client {
    pub(super) fn handle(&mut self, event: Event) {
        match event {
            Event::Key {
                key,
                is_down,
                is_repeat,
                at,
            } => self.handle_key(key, is_down, is_repeat, at),
            Event::Char(c) => self.handle_char(c),
            Event::MouseMotion { dx, dy, at } => {
                self.end_touches();
                let screen = self.screen;
                let inspector = self.inspector.as_mut();
                if inspector.is_some_and(|inspector| inspector.move_cursor(dx, dy, screen)) {
                    return;
                }
                if self.grabs_mouse()
                    && !self.move_lab_mouse(dx, dy)
                    && !self.move_module_mouse(dx, dy)
                {
                    self.input.move_mouse(dx, dy, Some(at));
                }
            }
            Event::Pointer { x, y } => self.point([x, y]),
            Event::Touch {
                id,
                phase,
                x,
                y,
                at,
            } => self.handle_touch(id, phase, [x, y], at),
            Event::Turned { yaw, pitch } => self.turn_by_gyro(yaw, pitch),
            Event::PadAxis { axis, value, .. } => {
                self.push_stick(axis, value);
                self.input.set_axis(axis, value);
            }
            Event::Hidden(is_hidden) => self.attention.is_hidden = is_hidden,
            Event::Print(text) => self.print(&text),
            Event::Focus(has_focus) => {
                self.attention.has_focus = has_focus;
                if !has_focus {
                    self.release_keys();
                }
            }
            Event::SoundPeak(peak) => self.sound_meter.note(peak, self.now),
            Event::InputShown(delay) => self.input_delay = Some(delay),
            Event::Resized { width, height } => self.screen = [width as f32, height as f32],
            Event::Quit => self.request(Request::Quit),
            Event::Command(line) => {
                self.buffer.append(&line);
            }
            Event::DemoRead { name, bytes } => self.demo_read(name, bytes),
            Event::ConfigRead { name, text } => self.config_read(&name, text),
            Event::LinkOpened { transport, .. } => {
                self.tell_session(|session, now| session.link_opened(now, transport.name()));
            }
            Event::LinkResumed {
                transport,
                resume_state,
            } => {
                let session = self.session.as_mut();
                if session.is_some_and(|session| {
                    !session.link_resumed(self.now, transport.name(), &resume_state)
                }) {
                    self.buffer.append("reconnect\n");
                }
            }
            Event::LinkMoved { transport } => {
                self.tell_session(|session, now| session.link_moved(now, transport.name()));
            }
            Event::LinkTimed(hops) => self.tell_session(|session, _| session.link_timed(hops)),
            Event::LinkClosed { reason } => {
                if self.session.is_some() {
                    self.disconnect(&reason);
                }
            }
            Event::Asked { at } => self.was_asked(at),
            Event::Answer { bytes, at } => self.take_answer(&bytes, at),
            Event::CannotAsk { reason } => self.cannot_ask(&reason),
            Event::QueryAnswer { from, bytes, at } => self.query_answered(from, &bytes, at),
            Event::LookedUp { name, addresses } => {
                if !self.authorize_server_found(&name, &addresses) {
                    self.looked_up(&name, &addresses);
                }
            }
            Event::ServersFetched(list) => self.servers_fetched(list),
            Event::DemosListed(names) => self.demos = names,
            Event::Packet { bytes, at } => {
                self.tell_session(|session, _| session.handle_packet(at, bytes));
            }
            Event::SourceFound(source) => {
                if !self.games.contains(&source.game) {
                    self.games.push(source.game.clone());
                    self.choose_own_games();
                }
                self.tell_session(|session, _| session.source_found(&source));
                self.assets.add_source(source);
            }
            Event::PakNotStored { file, reason } => {
                self.print(&format!("^3{file} is not kept: {reason}\n"));
                self.tell_session(|session, _| session.pak_not_stored(&file, &reason));
            }
            Event::SourceGone { id, result } => match result {
                Ok(()) => {
                    let name = self.assets.remove_source(id).unwrap_or_default();
                    self.print(&format!("{name} is removed\n"));
                }
                Err(reason) => self.print(&format!("^3{reason}\n")),
            },
            Event::SourcesComing(count) => self.assets.set_sources_coming(count),
            Event::ModuleCompiled => self.tell_session(|session, _| session.module_compiled()),
            Event::SourcesComplete => self.assets.set_sources_complete(),
            Event::FileRead { id, result } => self.assets.handle_read(id, result),
        }
    }

    fn tell_session(&mut self, tell: impl FnOnce(&mut Session, ClientTime)) {
        if let Some(session) = &mut self.session {
            tell(session, self.now);
        }
    }
}
