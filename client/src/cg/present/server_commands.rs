//! What server commands make seen and heard: chat, texts, votes, remapped shaders.

use super::{
    Present,
    announcer::Announcer,
    frame::{Frame, channel},
};
use shared::{
    base::text::{SKIP_NOTIFY, number, without_colors},
    bg::numbers::{configstring as cs, persistant, team},
    types::limits::MAX_CLIENTS,
};

impl Present {
    /// A string of the level changed.
    pub(super) fn show_configstring(
        &mut self,
        index: usize,
        warmup_before: i32,
        frame: &mut Frame<'_>,
    ) {
        let (level, assets) = (frame.level, &mut *frame.assets);
        match index {
            cs::MODELS..cs::SOUNDS => {
                self.media
                    .register_level_model(index - cs::MODELS, level, assets)
            }
            cs::SOUNDS..cs::PLAYERS => {
                self.media
                    .register_level_sound(index - cs::SOUNDS, level, assets)
            }
            cs::PLAYERS..cs::LOCATIONS => {
                let client = index - cs::PLAYERS;
                self.players
                    .register_client(client, level, frame.settings, assets);
            }
            cs::WARMUP if warmup_before <= 0 && level.warmup > 0 => {
                frame.start_local(channel::ANNOUNCER, self.media.feedback.prepare);
            }
            _ if is_of_vote(frame, index) => self.vote_changed = true,
            cs::SHADER_STATE => {
                let remaps = shader_remaps(level.strings.get(index));
                frame.output.shader_remaps.extend(remaps);
            }
            _ => {}
        }
    }

    /// All server commands of a snapshot are carried out.
    pub(super) fn end_commands(&mut self, frame: &mut Frame<'_>) {
        // However much of a vote changed at once, it is heard once.
        if std::mem::take(&mut self.vote_changed) {
            frame.start_local(channel::LOCAL_SOUND, self.media.sounds.talk);
        }
    }

    /// The match begins again in the same map.
    pub(super) fn restart(&mut self, frame: &mut Frame<'_>) {
        self.local_entities.clear();
        self.marks.clear();
        self.fragments.clear();
        self.timed_effects.clear();
        self.announcer = Announcer::default();
        self.notices.restart();
        self.motion.reset();
        if frame.level.warmup == 0 {
            frame.start_local(channel::ANNOUNCER, self.media.feedback.fight);
            self.notices.announce("FIGHT!", frame.now);
        }
        frame.sound.restarts_music = true;
        frame.output.restarts = true;
    }

    /// A server command that changes nothing in the match; those of no game are told on the console.
    pub(super) fn show_words(&mut self, words: &[String], frame: &mut Frame<'_>) {
        if frame.level.rat.is_some() && self.show_rat_words(words, frame) {
            return;
        }
        let word = |number: usize| words.get(number).map_or("", String::as_str);
        let printed = &mut frame.output.printed;
        match word(0) {
            "print" => printed.push(word(1).to_owned()),
            "chat" if frame.level.is_team_game() && frame.settings.team_chats_only => {}
            "chat" => self.show_chat(word(1), false, frame),
            "tchat" => self.show_chat(word(1), true, frame),
            "cp" => self.notices.center_print(word(1), frame.now),
            name if name.eq_ignore_ascii_case("remapShader") && words.len() == 4 => {
                let offset = word(3).parse().unwrap_or(0.0);
                let remap = (word(1).to_owned(), word(2).to_owned(), offset);
                frame.output.shader_remaps.push(remap);
            }
            "customvotes" => printed.push(custom_votes(words)),
            "mappage" | "mappagel" => printed.push(map_page(words)),
            // Models are loaded when they are seen, levels have their pictures, and nobody has the files of spoken
            // words; the others are numbers for statistics and voices of the newer game.
            "" | "loaddefered" | "clientLevelShot" | "vchat" | "vtchat" | "vtell" | "ch"
            | "team" => {}
            name => printed.push(format!(
                "{SKIP_NOTIFY}the server said \"{name}\", which no game knows\n"
            )),
        }
    }

    fn show_chat(&mut self, text: &str, is_team: bool, frame: &mut Frame<'_>) {
        if is_of_muted(text, frame) {
            return;
        }
        let beeps = match is_team {
            true => frame.settings.team_chat_beep,
            false => frame.settings.chat_beep,
        };
        if beeps {
            frame.start_local(channel::LOCAL_SOUND, self.media.sounds.talk);
        }
        let text = text.replace('\x19', "");
        if is_team {
            self.notices.team_chat.add(&text, frame.now);
        }
        frame.output.printed.push(format!("{text}\n"));
    }
}

/// Whether somebody said this whom the player does not want to hear.
fn is_of_muted(text: &str, frame: &Frame<'_>) -> bool {
    let Some(sender) = sender(text).filter(|_| frame.input.muted != 0) else {
        return false;
    };
    let sender = without_colors(sender);
    (0..MAX_CLIENTS as i32).any(|client| {
        let is_sender = || without_colors(frame.level.name(client)) == sender;
        frame.input.is_muted(client) && is_sender()
    })
}

/// The name before a line of chat: up to `^7` and the separator, in brackets where not everybody hears it.
fn sender(text: &str) -> Option<&str> {
    let text = match text.strip_prefix('\x19') {
        Some(some) => some.strip_prefix(['(', '[']).unwrap_or(some),
        None => text,
    };
    let (name, _) = text.split_once('\x19')?;
    Some(name.strip_suffix("^7").unwrap_or(name))
}

/// Whether a string tells of a vote that the player sees.
fn is_of_vote(frame: &Frame<'_>, index: usize) -> bool {
    let is_on = |time: usize| !matches!(frame.level.strings.get(time), "" | "0");
    let own = match frame.predicted.player.persistant[persistant::TEAM] {
        team::RED => 0,
        team::BLUE => 1,
        _ => usize::MAX,
    };
    match index {
        cs::VOTE_TIME | cs::VOTE_YES | cs::VOTE_NO => is_on(cs::VOTE_TIME),
        cs::TEAM_VOTE_TIME..cs::TEAM_VOTE_STRING | cs::TEAM_VOTE_YES..cs::GAME_VERSION => {
            index % 2 == own && is_on(cs::TEAM_VOTE_TIME + own)
        }
        _ => false,
    }
}

/// `old=new:offset@` over and over; a defective record ends the list.
fn shader_remaps(text: &str) -> Vec<(String, String, f32)> {
    text.split('@')
        .map_while(|record| {
            let (old, rest) = record.split_once('=')?;
            let (new, offset) = rest.split_once(':')?;
            Some((old.to_owned(), new.to_owned(), offset.trim().parse().ok()?))
        })
        .collect()
}

fn custom_votes(words: &[String]) -> String {
    const MAX: usize = 12;
    let names: Vec<&str> = words.iter().skip(1).take(MAX).map(String::as_str).collect();
    match names.as_slice() {
        [] => format!("{SKIP_NOTIFY}this server has no votes of its own\n"),
        names => format!("/callvote custom NAME: {}\n", names.join(", ")),
    }
}

fn map_page(words: &[String]) -> String {
    /// RatMod's longer pages.
    const MAX: usize = 30;
    let page = words.get(1).map_or(0, |word| number(word));
    let names: Vec<&str> = words
        .iter()
        .skip(2)
        .take(MAX)
        .map(String::as_str)
        .filter(|name| !matches!(*name, "" | "---"))
        .collect();
    let next = page.saturating_add(1);
    format!(
        "maps of page {page}: {} (more: /getmappage {next})\n",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn lists_of_the_server_are_told_in_a_line() {
        assert_eq!(
            custom_votes(&words("customvotes instagib rockets")),
            "/callvote custom NAME: instagib, rockets\n"
        );
        assert_eq!(
            map_page(&words("mappage 0 oa_dm1 oa_dm2 ---")),
            "maps of page 0: oa_dm1, oa_dm2 (more: /getmappage 1)\n"
        );
    }

    #[test]
    fn who_says_something_stands_before_it() {
        for (line, expected) in [
            ("Grism^7\x19: ^2hello: you", Some("Grism")),
            (
                "\x19(^1Gr^2ism^7\x19) (Quad)\x19: ^5help",
                Some("^1Gr^2ism"),
            ),
            ("\x19[Grism^7\x19]\x19: ^6psst", Some("Grism")),
            ("console: hello", None),
        ] {
            assert_eq!(sender(line), expected, "{line}");
        }
    }

    #[test]
    fn remaps_end_at_the_first_defect() {
        let remaps = shader_remaps("a/b=c/d: 0.50@e=f:1@broken@g=h:2@");
        assert_eq!(
            remaps,
            [
                ("a/b".into(), "c/d".into(), 0.5),
                ("e".into(), "f".into(), 1.0)
            ]
        );
        assert_eq!(shader_remaps(""), []);
    }
}
