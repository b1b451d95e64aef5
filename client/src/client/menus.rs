//! The menus in the client: when they open, what they are made from, and what they do.

use super::Client;
use crate::{
    assets::AssetState,
    cg::crosshair_name,
    commands,
    con::keys,
    output::{Request, has_demo_ending},
    scene::{Draw2d, ShaderId},
    session::Session,
    ui::{
        console::Modifiers,
        font::{Font, PROPORTIONAL},
        menu::{
            Menu, MenuKey,
            draw::{self, MenuLook},
            pages::{ALL, PageId},
            rows::{MenuAction, MenuInput, keys_of},
        },
    },
};
use shared::base::{sort::sort, text::SKIP_NOTIFY};

/// The menus, open or not.
#[derive(Clone, Debug, Default)]
pub(super) struct Menus {
    open: Option<Menu>,
    /// Whether they open where nothing else is to be seen.
    opens_by_itself: bool,
    shows_keyboard: bool,
    /// Which way the left stick is pushed, to the side and up or down.
    stick: [i8; 2],
    /// What was told last of the chosen row.
    spoken: String,
    /// The crosshair that was looked at last: the life of the assets, its number, its picture.
    crosshair: Option<(u32, i32, ShaderId)>,
}

/// How far a stick is pushed before it counts as a key.
const STICK_COUNTS: f32 = 0.6;
/// Demos that are listed.
const MAX_DEMOS: usize = 1000;
/// The most rows that one movement of a finger moves.
const MAX_SLIDE: i32 = 50;
/// Servers that are remembered.
const MAX_RECENT: usize = 8;

impl Menus {
    pub fn new(opens_by_itself: bool, shows_keyboard: bool) -> Self {
        Self {
            opens_by_itself,
            shows_keyboard,
            ..Self::default()
        }
    }

    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether letters go into a value.
    pub fn is_typing(&self) -> bool {
        self.open.as_ref().is_some_and(Menu::is_typing)
    }

    /// The page that is shown.
    pub fn page(&self) -> Option<PageId> {
        self.open.as_ref().map(Menu::page)
    }

    /// What is typed on a page, if it is shown.
    pub fn typed_on(&self, page: PageId) -> String {
        let typed = self.open.as_ref().map(|menu| menu.typed_on(page));
        typed.unwrap_or_default().to_owned()
    }

    pub fn handle_char(&mut self, c: char) {
        if let Some(menu) = &mut self.open {
            menu.handle_char(c);
        }
    }
}

impl Client {
    /// Opens the first page: that of the match, or that of the program.
    pub(super) fn open_menus(&mut self) {
        self.open_page(match self.is_in_match() {
            true => PageId::Match,
            false => PageId::Start,
        });
    }

    pub(super) fn open_page(&mut self, page: PageId) {
        self.release_keys();
        self.chat = None;
        self.console.set_open(false, true);
        // A page has its own first screen behind ours.
        let is_first =
            page == PageId::Start && self.session.is_none() && self.menus.opens_by_itself;
        self.menus.open = Some(Menu::open(page, !is_first));
        self.request(Request::ListDemos);
    }

    /// `menu` opens or closes them, `menu NAME` opens a page.
    pub(crate) fn menu_command(&mut self, name: &str) {
        let is_called = |page: &&PageId| page.name().eq_ignore_ascii_case(name);
        match ALL.iter().find(is_called) {
            Some(PageId::Start) => self.open_menus(),
            Some(page) => self.open_page(*page),
            None if !name.is_empty() => {
                let names: Vec<&str> = ALL.iter().map(|page| page.name()).collect();
                self.print(&format!("menu NAME opens one of {}\n", names.join(", ")));
            }
            None if self.menus.is_open() => self.menus.open = None,
            None => self.open_menus(),
        }
    }

    /// The player's own demos, and those of the paks.
    fn all_demos(&self) -> Vec<String> {
        let mut demos = self.assets.vfs().list("demos", "");
        demos.retain(|name| has_demo_ending(name));
        demos.extend(self.demos.iter().cloned());
        sort(&mut demos);
        demos.dedup();
        demos.truncate(MAX_DEMOS);
        demos
    }

    pub(super) fn is_in_match(&self) -> bool {
        self.session.as_ref().is_some_and(Session::is_in_game)
    }

    /// Opens the first page where nothing else is to be seen, and closes what no longer fits.
    pub(super) fn follow_menus(&mut self) {
        let fits = match self.menus.open.as_ref().map(Menu::root) {
            Some(PageId::Start) => self.session.is_none(),
            Some(PageId::Match) => self.is_in_match(),
            _ => true,
        };
        if !fits {
            self.menus.open = None;
        }
        let is_idle = self.session.is_none() && self.local_server.is_none();
        let is_free = !self.menus.is_open() && !self.console.is_open();
        let is_in_own_match = self.local_server.is_some() && self.is_in_match();
        if !self.menus.opens_by_itself || !is_free || !(is_idle || is_in_own_match) {
            return;
        }
        if !self.greet() && is_idle {
            self.open_page(PageId::Start);
        }
    }

    pub(super) fn handle_menu_key(&mut self, key: u16, modifiers: Modifiers) {
        let told = self.with_menu(|menu, input| menu.handle_key(key, modifiers, input));
        self.follow_menu_key(told);
    }

    fn follow_menu_key(&mut self, told: Option<MenuKey>) {
        match told {
            None | Some(MenuKey::Handled) => {}
            Some(MenuKey::Closed) => self.menus.open = None,
            Some(MenuKey::Act(action)) => self.run_menu_action(action),
        }
    }

    /// A finger tapped on the menus.
    pub(super) fn tap_menu(&mut self, at: [f32; 2]) {
        self.touch_menu(at);
        let told = self.with_menu(Menu::tap);
        self.follow_menu_key(told);
    }

    fn run_menu_action(&mut self, action: MenuAction) {
        match action {
            MenuAction::Run(text) => {
                self.menus.open = None;
                self.buffer.append(&text);
            }
            MenuAction::Do(text) => {
                self.buffer.append(&text);
            }
            MenuAction::Watch(place) => self.watch_server(place),
            MenuAction::Set { name, value } => {
                commands::set_cvar(self, &name, &value);
            }
            MenuAction::Bind { key, command } => self.binds.set(key, &command),
            MenuAction::Unbind { command } => {
                let keys: Vec<u16> = keys_of(&self.binds, &command).collect();
                keys.into_iter().for_each(|key| self.binds.set(key, ""));
            }
        }
    }

    /// The pointer moved, in pixels.
    pub(super) fn point(&mut self, at: [f32; 2]) {
        if let Some(menu) = &mut self.menus.open {
            menu.point(at);
        }
    }

    /// A finger is on the menus.
    pub(super) fn touch_menu(&mut self, at: [f32; 2]) {
        if let Some(menu) = &mut self.menus.open {
            menu.touch(at);
        }
    }

    /// A finger slides over the menus: `since` pixels down since it came, which have moved so many rows already. Yields
    /// the rows that it has moved now.
    pub(super) fn slide_menu(&mut self, at: [f32; 2], since: f32, before: i32) -> i32 {
        let height = self.menus.open.as_ref().and_then(Menu::row_height);
        // The cast clamps; a finger slides a few rows.
        let rows = height.map_or(before, |height| (since / height.max(1.0)) as i32);
        let key = match rows > before {
            true => keys::MWHEELUP,
            false => keys::MWHEELDOWN,
        };
        if rows != before {
            self.touch_menu(at);
        }
        for _ in 0..(rows - before).abs().min(MAX_SLIDE) {
            self.handle_menu_key(key, Modifiers::default());
        }
        rows
    }

    /// A stick that is pushed far is a key of the menus.
    pub(super) fn push_stick(&mut self, axis: u8, value: f32) {
        const WAYS: [[u16; 2]; 2] = [
            [keys::LEFTARROW, keys::RIGHTARROW],
            [keys::UPARROW, keys::DOWNARROW],
        ];
        let axis = usize::from(axis);
        let (Some(ways), Some(before)) = (WAYS.get(axis), self.menus.stick.get_mut(axis)) else {
            return;
        };
        let way = match value {
            value if value <= -STICK_COUNTS => -1,
            value if value >= STICK_COUNTS => 1,
            _ => 0,
        };
        let is_new = std::mem::replace(before, way) != way;
        if is_new && way != 0 && self.menus.is_open() && !self.console.is_open() {
            let key = ways[usize::from(way > 0)];
            let told = self.with_menu(|menu, input| menu.push(key, input));
            self.follow_menu_key(told);
        }
    }

    /// Calls with the open menu and what its rows are made from.
    pub(super) fn with_menu<T>(
        &mut self,
        call: impl FnOnce(&mut Menu, MenuInput<'_>) -> T,
    ) -> Option<T> {
        let mut menu = self.menus.open.take()?;
        let maps = match menu.page() {
            PageId::Maps => self.maps(),
            _ => Vec::new(),
        };
        let players = match menu.page() {
            PageId::Vote | PageId::Mute => self.session.as_ref().map(Session::other_players),
            _ => None,
        };
        let demos = match menu.page() {
            PageId::Demos => self.all_demos(),
            _ => Vec::new(),
        };
        let input = MenuInput {
            cvars: &self.cvars,
            binds: &self.binds,
            maps: &maps,
            players: &players.unwrap_or_default(),
            muted: self.session.as_ref().map_or(0, Session::muted),
            demos: &demos,
            servers: self.browsing.rows(),
            shows_keyboard: self.menus.shows_keyboard,
        };
        let told = call(&mut menu, input);
        self.menus.open = Some(menu);
        Some(told)
    }

    pub(super) fn draw_menus(&mut self, out: &mut Vec<Draw2d>) {
        if !self.menus.is_open() {
            return;
        }
        let letters = self.title_letters;
        let has_letters = self.assets.state(letters) == AssetState::Ready;
        let crosshair = self.chosen_crosshair();
        let error = self.error.clone();
        let look = MenuLook {
            charset: self.charset,
            font: has_letters.then_some(Font {
                shader: letters,
                face: &PROPORTIONAL,
            }),
            screen: self.screen,
            // Twenty rows fill the screen beside title and foot, or six of those for fingers; letters stay legible on small ones.
            scale: match self.uses_touch() {
                true => self.screen[1] / 400.0,
                false => (self.screen[1] / 600.0).max(1.0),
            } * self.cvars.number("menu_scale"),
            is_touch: self.uses_touch(),
            cursor_is_on: (self.now.0 >> 8) & 1 == 0,
            crosshair,
            is_over_game: self.is_in_match(),
            has_contrast: self.cvars.is_on("menu_contrast"),
            error: error.as_deref(),
        };
        self.with_menu(|menu, input| draw::draw(menu, out, look, input));
    }

    /// The chosen crosshair and its size, on the page about it.
    fn chosen_crosshair(&mut self) -> Option<(ShaderId, f32)> {
        let page = self.menus.open.as_ref().map(Menu::page);
        let number = self.cvars.integer("cg_drawCrosshair");
        if page != Some(PageId::Crosshair) || number == 0 {
            return None;
        }
        let epoch = self.assets.epoch();
        let shader = match self.menus.crosshair {
            Some((of, known, shader)) if (of, known) == (epoch, number) => shader,
            _ => self.assets.register_shader_urgent(&crosshair_name(number)),
        };
        self.menus.crosshair = Some((epoch, number, shader));
        let is_ready = self.assets.state(shader) == AssetState::Ready;
        is_ready.then_some((shader, self.cvars.number("cg_crosshairSize")))
    }

    /// The chosen row in words; `menu_print` has it in the console as well, for programs that read a terminal aloud.
    pub(super) fn speak(&mut self) -> String {
        let spoken = self.with_menu(|menu, input| menu.spoken(input));
        let spoken = spoken.unwrap_or_default();
        if spoken != self.menus.spoken {
            self.menus.spoken.clone_from(&spoken);
            if self.cvars.is_on("menu_print") {
                self.print(&format!("{SKIP_NOTIFY}menu: {spoken}\n"));
            }
        }
        spoken
    }

    /// Remembers a server that was joined, the newest first.
    pub(super) fn remember_server(&mut self, server: &str) {
        if server.contains(char::is_whitespace) {
            return;
        }
        let before = self.cvars.text("menu_recent").split_ascii_whitespace();
        let others = before.filter(|known| *known != server);
        let recent = std::iter::once(server).chain(others).take(MAX_RECENT);
        let recent = recent.collect::<Vec<_>>().join(" ");
        // A list too long for a cvar stays as it was.
        let _ = self.cvars.set("menu_recent", &recent);
    }
}
