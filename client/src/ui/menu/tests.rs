//! The menus by keys, mouse and pad, on screens of every size.

use super::{
    draw::{MenuLook, draw},
    servers::ServerRows,
    *,
};
use crate::{
    browser::{
        entry::{DetailPlayer, Details, Server},
        lists,
    },
    con::{bind::Binds, cvar::Cvars, cvars},
    scene::{Draw2d, ShaderId},
    ui::CHARSET,
};

/// The menus with what they change.
struct Player {
    menu: Menu,
    cvars: Cvars,
    binds: Binds,
    ran: Vec<String>,
    is_closed: bool,
    servers: Vec<Server>,
    view: Vec<usize>,
    watched: Option<usize>,
    details: Option<Details>,
    scale: f32,
    is_touch: bool,
    shows_keyboard: bool,
}

impl Player {
    fn new(page: PageId) -> Self {
        Self {
            menu: Menu::open(page, true),
            cvars: Cvars::new(cvars::TABLE),
            binds: Binds::default(),
            ran: Vec::new(),
            is_closed: false,
            servers: Vec::new(),
            view: Vec::new(),
            watched: None,
            details: None,
            scale: 1.0,
            is_touch: false,
            shows_keyboard: false,
        }
    }

    fn press(&mut self, keys: &[u16]) {
        for &key in keys {
            let told = self.with(|menu, input| menu.handle_key(key, Modifiers::default(), input));
            match told {
                MenuKey::Handled => {}
                MenuKey::Closed => self.is_closed = true,
                MenuKey::Act(action) => {
                    self.is_closed |= matches!(action, MenuAction::Run(_));
                    match action {
                        MenuAction::Run(text) | MenuAction::Do(text) => self.ran.push(text),
                        MenuAction::Watch(place) => self.watched = self.view.get(place).copied(),
                        MenuAction::Set { name, value } => {
                            self.cvars.set(&name, &value).expect("a value that fits");
                        }
                        MenuAction::Bind { key, command } => self.binds.set(key, &command),
                        MenuAction::Unbind { command } => {
                            self.ran.push(format!("unbind {command}"))
                        }
                    }
                }
            }
        }
    }

    fn type_text(&mut self, text: &str) {
        text.chars().for_each(|c| self.menu.handle_char(c));
    }

    /// Goes to the row of this label.
    fn go_to(&mut self, label: &str) {
        for _ in 0..200 {
            if self.spoken().contains(&format!(". {label} ")) {
                return;
            }
            self.press(&[keys::DOWNARROW]);
        }
        panic!("{label} is on no row: {}", self.spoken());
    }

    fn spoken(&self) -> String {
        self.input(|input| self.menu.spoken(input))
    }

    /// What is said of the chosen row holds these words.
    fn hears(&self, words: &str) {
        let spoken = self.spoken();
        assert!(spoken.contains(words), "{spoken}");
    }

    /// What is said of the chosen row begins with these words.
    fn hears_first(&self, words: &str) {
        let spoken = self.spoken();
        assert!(spoken.starts_with(words), "{spoken}");
    }

    fn with<T>(&mut self, call: impl FnOnce(&mut Menu, MenuInput<'_>) -> T) -> T {
        let mut menu = Menu::open(PageId::Start, true);
        std::mem::swap(&mut menu, &mut self.menu);
        let told = self.input(|input| call(&mut menu, input));
        self.menu = menu;
        told
    }

    fn input<T>(&self, call: impl FnOnce(MenuInput<'_>) -> T) -> T {
        call(MenuInput {
            cvars: &self.cvars,
            binds: &self.binds,
            maps: &["oa_dm1".to_owned(), "strafe1".to_owned()],
            players: &[(3, "Rill".to_owned())],
            muted: 0,
            demos: &["duel.dm_68".to_owned()],
            servers: ServerRows {
                all: &self.servers,
                view: &self.view,
                watched: self.watched.map(|number| &self.servers[number]),
                details: self.details.as_ref(),
                friends: &["rill".to_owned()],
                state: "All asked",
            },
            shows_keyboard: self.shows_keyboard,
        })
    }

    fn draw(&mut self, screen: [f32; 2]) -> Vec<Draw2d> {
        let look = MenuLook {
            charset: CHARSET,
            font: None,
            screen,
            scale: self.scale,
            is_touch: self.is_touch,
            cursor_is_on: true,
            crosshair: None,
            is_over_game: true,
            has_contrast: false,
            error: None,
        };
        let mut out = Vec::new();
        self.with(|menu, input| draw(menu, &mut out, look, input));
        out
    }
}

#[test]
fn a_match_begins_by_keys_alone() {
    let mut player = Player::new(PageId::Start);
    player.press(&[keys::ENTER, keys::ENTER]);
    player.go_to("Map");
    player.press(&[keys::ENTER]);
    player.go_to("oa_dm1");
    player.press(&[keys::ENTER]);
    player.go_to("Bots");
    player.press(&[keys::RIGHTARROW]);
    player.go_to("Begin");
    player.press(&[keys::ENTER]);
    assert!(player.is_closed);
    let ran = player.ran.concat();
    assert!(ran.contains("bot_minplayers 5;"), "{ran}");
    assert!(ran.ends_with("map \"oa_dm1\"\n"), "{ran}");
}

#[test]
fn a_name_cannot_bring_commands_along() {
    let mut player = Player::new(PageId::Practice);
    player.cvars.force("menu_map", "a\"; quit; \"b");
    player.press(&[keys::ENTER]);
    let ran = player.ran.concat();
    assert!(ran.ends_with("map \"a; quit; b\"\n"), "{ran}");
}

#[test]
fn a_pad_goes_the_same_ways() {
    let mut player = Player::new(PageId::Match);
    let [a, b, down] = [keys::PAD0_A, keys::PAD0_B, keys::PAD0_DPAD_DOWN];
    player.press(&[down, a]);
    assert_eq!(player.menu.page(), PageId::Team);
    player.press(&[b]);
    assert_eq!(player.menu.page(), PageId::Match);
    player.press(&[b]);
    assert!(player.is_closed);
}

#[test]
fn settings_are_stepped_typed_and_taken_back() {
    let mut player = Player::new(PageId::Controls);
    player.go_to("Mouse sensitivity");
    player.press(&[keys::RIGHTARROW; 3]);
    assert_eq!(player.cvars.text("sensitivity"), "5.3");
    player.press(&[keys::ENTER]);
    player.press(&[keys::BACKSPACE; 3]);
    player.type_text("2.45");
    player.press(&[keys::ENTER]);
    assert_eq!(player.cvars.text("sensitivity"), "2.45");
    player.press(&[keys::DEL]);
    assert_eq!(player.cvars.text("sensitivity"), "5");
    player.go_to("Up and down");
    player.press(&[keys::ENTER]);
    assert_eq!(player.cvars.text("m_pitch"), "-0.022");
    player.press(&[keys::ENTER]);
    assert_eq!(player.cvars.text("m_pitch"), "0.022");
}

#[test]
fn a_key_is_chosen_and_the_one_that_loses_it_is_named() {
    let mut player = Player::new(PageId::Keys);
    player.binds.set(keys::MOUSE2, "+zoom");
    player.go_to("Jump");
    player.press(&[keys::ENTER, keys::MOUSE2]);
    assert_eq!(player.binds.get(keys::MOUSE2), "+moveup");
    player.hears("MOUSE2 was for \"+zoom\"; that has no key now");
    player.press(&[keys::ENTER, keys::ESCAPE]);
    assert_eq!(player.binds.get(keys::ESCAPE), "");
    player.press(&[keys::DEL]);
    assert_eq!(player.ran, ["unbind +moveup"]);
    // A key's letter comes behind the key, and begins no search.
    player.press(&[keys::ENTER, u16::from(b'j')]);
    player.type_text("j");
    assert_eq!(player.binds.get(u16::from(b'j')), "+moveup");
    player.hears_first("Keys. ");
}

/// Types with the keys on the screen, by a pad's own.
fn type_by_pad(player: &mut Player, text: &str) {
    let [a, down, right] = [keys::PAD0_A, keys::PAD0_DPAD_DOWN, keys::PAD0_DPAD_RIGHT];
    let is_on = |player: &Player, key: &str| player.spoken().ends_with(&format!(" Key {key}"));
    for c in text.chars() {
        let key = match c {
            '\n' => "Done".to_owned(),
            '\x08' => "Delete".to_owned(),
            c => c.to_string(),
        };
        let ways = (0..5).flat_map(|_| [vec![right; 10], vec![down]].concat());
        for way in ways {
            if is_on(player, &key) {
                break;
            }
            player.press(&[way]);
        }
        assert!(is_on(player, &key), "{key}: {}", player.spoken());
        player.press(&[a]);
    }
}

#[test]
fn a_pad_types_names_and_searches() {
    let mut player = Player::new(PageId::Player);
    player.press(&[keys::PAD0_A]);
    type_by_pad(&mut player, &"\x08".repeat(16));
    type_by_pad(&mut player, "pad_7\n");
    assert_eq!(player.cvars.text("name"), "pad_7");
    player.press(&[keys::PAD0_Y]);
    type_by_pad(&mut player, "nopredict\n");
    player.hears_first("Search: nopredict. ");
    player.go_to("Without prediction");
    player.press(&[keys::PAD0_A]);
    assert_eq!(player.cvars.text("cg_nopredict"), "1");
    // What was begun is broken off, and nothing is taken.
    player.press(&[keys::PAD0_B, keys::PAD0_A]);
    type_by_pad(&mut player, "x");
    player.press(&[keys::PAD0_B]);
    assert_eq!(player.cvars.text("name"), "pad_7");
}

/// The middle of the key with this label, where it is drawn.
fn letter_at(player: &mut Player, label: &str) -> [f32; 2] {
    player.draw([1280.0, 720.0]);
    let letters = player.menu.letters.as_mut().expect("letters are shown");
    let all = (0..720)
        .step_by(4)
        .flat_map(|y| (0..1280).step_by(8).map(move |x| (x, y)));
    for at in all.map(|(x, y)| [x as f32, y as f32]) {
        if letters.point(at) && letters.chosen().label() == label {
            return at;
        }
    }
    panic!("no key {label}");
}

#[test]
fn a_mouse_types_names_and_searches() {
    let mut player = Player::new(PageId::Settings);
    player.draw([1280.0, 720.0]);
    // The search is the first row.
    player.menu.point([200.0, 76.0 + 12.0]);
    player.press(&[keys::MOUSE1]);
    for label in ["f", "o", "v", "Done"] {
        let at = letter_at(&mut player, label);
        player.menu.point(at);
        player.press(&[keys::MOUSE1]);
    }
    player.hears_first("Search: fov. ");
    assert!(player.menu.letters.is_none());
    // Whoever types with keys after all needs none on the screen.
    let mut player = Player::new(PageId::Player);
    player.draw([1280.0, 720.0]);
    player.menu.point([200.0, 76.0 + 12.0]);
    player.press(&[keys::MOUSE1]);
    assert!(player.menu.letters.is_some());
    player.type_text("ab");
    assert!(player.menu.letters.is_none());
    player.press(&[keys::ENTER]);
    assert!(player.cvars.text("name").ends_with("ab"));
}

#[test]
fn fingers_get_letters_where_the_device_shows_none() {
    for shows_keyboard in [true, false] {
        let mut player = Player::new(PageId::Player);
        player.shows_keyboard = shows_keyboard;
        player.draw([1280.0, 720.0]);
        player.menu.touch([200.0, 76.0 + 12.0]);
        player.with(|menu, input| menu.tap(input));
        assert_ne!(player.menu.letters.is_some(), shows_keyboard);
        assert!(player.menu.is_typing());
    }
}

#[test]
fn a_tap_takes_no_key() {
    let mut player = Player::new(PageId::Keys);
    player.draw([844.0, 390.0]);
    player.go_to("Jump");
    player.press(&[keys::ENTER]);
    player.with(|menu, input| menu.tap(input));
    assert_eq!(player.binds.get(keys::MOUSE1), "");
    player.hears("Settings, Touch");
}

/// Pictures of one row that lie over each other, and what was cut off of the screen.
#[test]
fn the_largest_text_stays_usable() {
    for screen in [
        [1280.0, 720.0],
        [1024.0, 768.0],
        [844.0, 390.0],
        [640.0, 480.0],
    ] {
        for is_touch in [false, true] {
            for &page in pages::ALL {
                let mut player = Player::new(page);
                player.servers = servers();
                player.view = vec![0, 1, 2, 3];
                player.watched = Some(0);
                let height: f32 = if is_touch { 400.0 } else { 600.0 };
                player.scale = 2.0 * (screen[1] / height).max(1.0);
                player.is_touch = is_touch;
                let pictures = player.draw(screen);
                let zones = player.menu.zones.clone();
                for zone in &zones {
                    let [_, top, _, height] = zone.rect();
                    // Letters and bars, without what lies under them.
                    let mut spans: Vec<[f32; 2]> = pictures
                        .iter()
                        .filter(|picture| {
                            let [_, y, width, _] = picture.rect;
                            y >= top && y < top + height && width < screen[0] / 3.0
                        })
                        .filter(|picture| picture.shader == ShaderId(0))
                        .map(|picture| [picture.rect[0], picture.rect[0] + picture.rect[2]])
                        .collect();
                    spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
                    let covers = |pair: &[[f32; 2]]| pair[1][0] < pair[0][1] - 1.0;
                    assert!(
                        !spans.windows(2).any(covers),
                        "{page:?} {screen:?} {is_touch} {spans:?}"
                    );
                }
                assert!(
                    !zones.is_empty() || page.items().len() < 2,
                    "{page:?} {screen:?}"
                );
            }
        }
    }
}

#[test]
fn letters_find_every_setting() {
    let mut player = Player::new(PageId::Settings);
    player.type_text("predict");
    player.go_to("Without prediction");
    player.press(&[keys::ENTER]);
    assert_eq!(player.cvars.text("cg_nopredict"), "1");
    player.press(&[keys::ESCAPE]);
    assert_eq!(player.menu.page(), PageId::Settings);
    player.type_text("cg_tracerlength");
    player.hears("The length of their streaks");
}

#[test]
fn a_mouse_points_clicks_and_pulls() {
    let mut player = Player::new(PageId::Sound);
    player.draw([1280.0, 720.0]);
    let zone = player.menu.zones[1];
    let share = (0..1280)
        .map(|x| [x as f32, 76.0 + 24.0 + 12.0])
        .filter(|at| zone.holds(*at))
        .find_map(|at| Some((at, zone.share(at).filter(|share| *share > 0.98)?)));
    let (at, _) = share.expect("the music's volume has a bar");
    player.menu.point(at);
    player.press(&[keys::MOUSE1]);
    assert_eq!(player.cvars.text("s_musicvolume"), "1");
    player.press(&[keys::MOUSE2]);
    assert!(player.is_closed);
}

#[test]
fn a_wheel_moves_the_rows_up_to_their_ends() {
    let mut player = Player::new(PageId::Keys);
    player.draw([1280.0, 720.0]);
    let rows = player
        .input(|input| rows::of_page(PageId::Keys, input))
        .len();
    let shown = player.menu.fitting;
    assert!(rows > shown);
    let at = [200.0, 76.0 + 12.0];
    for (key, first, last) in [
        (keys::MWHEELDOWN, rows - shown, rows),
        (keys::MWHEELUP, 0, shown),
    ] {
        for _ in 0..rows + 5 {
            player.menu.point(at);
            player.press(&[key]);
            player.draw([1280.0, 720.0]);
        }
        let seen: Vec<usize> = player.menu.zones.iter().map(|zone| zone.row).collect();
        assert!(
            seen.iter().all(|row| (first..last).contains(row)),
            "{seen:?}"
        );
        assert!(seen.len() > shown / 2, "{seen:?}");
        // The row under the pointer is chosen, or the nearest one under which a heading lies.
        let chosen = player.menu.path.last().expect("a page").row;
        assert!(chosen <= first + 1, "{chosen}");
    }
}

#[test]
fn a_pointer_that_rests_chooses_nothing() {
    let mut player = Player::new(PageId::Match);
    player.draw([1280.0, 720.0]);
    let before = player.spoken();
    let at = |row: f32| [200.0, 76.0 + (row + 0.5) * 24.0];
    player.menu.point(at(5.0));
    assert_eq!(player.spoken(), before);
    player.menu.point(at(5.2));
    assert_ne!(player.spoken(), before);
}

#[test]
fn every_setting_is_found_by_its_name() {
    let player = Player::new(PageId::Settings);
    for def in cvars::TABLE {
        if def.flags & crate::con::cvar::flag::READ_ONLY != 0 {
            continue;
        }
        let rows = player.input(|input| rows::found(def.name, input));
        let is_it = |row: &Row| matches!(&row.kind, RowKind::Setting(name, _) if name == def.name);
        assert!(rows.iter().take(3).any(is_it), "{}: {rows:?}", def.name);
    }
}

/// Servers of every kind, the last ones as bad as servers can be.
fn servers() -> Vec<Server> {
    let server = |name: &str, map: &str| Server {
        address: "[2001:db8:1234:5678:9abc:def0:1234:5678]:27960".to_owned(),
        lists: lists::FAVOURITE,
        ping_msec: Some(1999),
        name: name.to_owned(),
        map: map.to_owned(),
        mod_name: "m".repeat(24),
        game_type: -7,
        players: 1024,
        max_players: 1024,
        needs_password: true,
        names: vec!["Rill".to_owned()],
        ..Server::default()
    };
    vec![
        server("^1Red ^2green", "oa_dm1"),
        Server::new("silent.example.org:27960".to_owned(), lists::RECENT),
        server(&"W".repeat(40), &"M".repeat(24)),
        server(&"^1\u{fc}^9".repeat(20), "^^^"),
    ]
}

#[test]
fn a_server_is_chosen_looked_at_and_joined_by_keys_alone() {
    let mut player = Player::new(PageId::Play);
    player.servers = servers();
    player.view = vec![1, 0];
    player.go_to("Servers");
    player.press(&[keys::ENTER]);
    player.type_text("red");
    assert_eq!(player.menu.typed_on(PageId::Servers), "red");
    player.press(&[keys::DOWNARROW]);
    let place = player.input(|input| player.menu.chosen_server(input));
    assert_eq!(place, Some(1));
    player.hears("Red green, 1024 of 1024 players, oa_dm1");
    player.hears("Rill plays there");
    // The list is put into another order: the same server stays chosen.
    player.view = vec![0, 1, 2, 3];
    player.with(|menu, input| menu.choose_server(0, input));
    player.hears("Red green");
    player.press(&[keys::ENTER]);
    assert_eq!(player.menu.page(), PageId::Server);
    assert_eq!(player.watched, Some(0));
    player.go_to("Forget this favourite");
    player.press(&[keys::ENTER]);
    assert!(!player.is_closed);
    player.go_to("Join");
    player.press(&[keys::ENTER]);
    assert!(player.is_closed);
    let address = "[2001:db8:1234:5678:9abc:def0:1234:5678]:27960";
    let expected = [
        format!("favourite \"{address}\"\n"),
        format!("connect \"{address}\"\n"),
    ];
    assert_eq!(player.ran, expected);
}

#[test]
fn four_thousand_servers_cost_a_frame_no_more_than_forty() {
    let mut player = Player::new(PageId::Servers);
    player.servers = servers();
    player.view = vec![0; 40];
    let few = player.draw([1280.0, 720.0]).len();
    player.view = vec![0; 4000];
    let many = player.draw([1280.0, 720.0]).len();
    // The bar at the side is one more.
    assert!(many <= few + 1, "{many} pictures instead of {few}");
}

#[test]
fn every_page_stays_on_every_screen() {
    for &page in pages::ALL {
        for screen in [
            [640.0, 360.0],
            [320.0, 240.0],
            [3840.0, 2160.0],
            [400.0, 900.0],
            [1.0, 1.0],
        ] {
            let mut player = Player::new(page);
            player.servers = servers();
            player.view = vec![0, 1, 2, 3];
            player.watched = Some(3);
            player.details = Some(Details {
                rules: vec![("k".repeat(24), "v".repeat(96)); 30],
                players: vec![
                    DetailPlayer {
                        score: i32::MIN,
                        ping: 999,
                        name: "W".repeat(40),
                    };
                    3
                ],
            });
            for _ in 0..60 {
                player.press(&[keys::DOWNARROW]);
                for picture in player.draw(screen) {
                    let [x, y, width, height] = picture.rect;
                    let is_inside = x >= -1.0 && y >= -1.0 && x + width <= screen[0] + 1.0;
                    assert!(is_inside, "{page:?} {screen:?} {picture:?}");
                    assert!(
                        y + height <= screen[1] + 1.0,
                        "{page:?} {screen:?} {picture:?}"
                    );
                }
            }
        }
    }
}
