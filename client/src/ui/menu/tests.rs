//! The menus by keys, mouse and pad, on screens of every size.

use super::{
    draw::{MenuLook, draw},
    *,
};
use crate::{
    con::{bind::Binds, cvar::Cvars, cvars},
    scene::{Draw2d, ShaderId, text::Charset},
};

/// The menus with what they change.
struct Player {
    menu: Menu,
    cvars: Cvars,
    binds: Binds,
    ran: Vec<String>,
    is_closed: bool,
}

impl Player {
    fn new(page: PageId) -> Self {
        Self {
            menu: Menu::open(page, true),
            cvars: Cvars::new(cvars::TABLE),
            binds: Binds::default(),
            ran: Vec::new(),
            is_closed: false,
        }
    }

    fn press(&mut self, keys: &[u16]) {
        for &key in keys {
            let input = MenuInput {
                cvars: &self.cvars,
                binds: &self.binds,
                maps: &["oa_dm1".to_owned(), "strafe1".to_owned()],
                players: &[(3, "Rill".to_owned())],
            };
            match self.menu.handle_key(key, Modifiers::default(), input) {
                MenuKey::Handled => {}
                MenuKey::Closed => self.is_closed = true,
                MenuKey::Act(action) => {
                    self.is_closed |= matches!(action, MenuAction::Run(_));
                    match action {
                        MenuAction::Run(text) => self.ran.push(text),
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
        let input = MenuInput {
            cvars: &self.cvars,
            binds: &self.binds,
            maps: &["oa_dm1".to_owned(), "strafe1".to_owned()],
            players: &[(3, "Rill".to_owned())],
        };
        self.menu.spoken(input)
    }

    fn draw(&mut self, screen: [f32; 2]) -> Vec<Draw2d> {
        let input = MenuInput {
            cvars: &self.cvars,
            binds: &self.binds,
            maps: &[],
            players: &[],
        };
        let look = MenuLook {
            charset: Charset {
                shader: ShaderId(0),
                white: ShaderId(1),
            },
            font: None,
            screen,
            scale: 1.0,
            cursor_is_on: true,
            crosshair: None,
            is_over_game: true,
            error: None,
        };
        let mut out = Vec::new();
        draw(&mut self.menu, &mut out, look, input);
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
    let [a, b, down] = [keys::PAD0_A, keys::PAD0_A + 1, keys::PAD0_DPAD_UP + 1];
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
    let spoken = player.spoken();
    assert!(
        spoken.contains("MOUSE2 was for \"+zoom\"; that has no key now"),
        "{spoken}"
    );
    player.press(&[keys::ENTER, keys::ESCAPE]);
    assert_eq!(player.binds.get(keys::ESCAPE), "");
    player.press(&[keys::DEL]);
    assert_eq!(player.ran, ["unbind +moveup"]);
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
    assert!(
        player.spoken().contains("The length of their streaks"),
        "{}",
        player.spoken()
    );
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
