//! The menus: pages of rows over cvars, commands and keys, chosen by keyboard, mouse or pad.
//!
//! A page is data ([`pages`]); what its rows show and do follows from the cvars' own table ([`rows`]). Letters typed on a
//! page search all settings; whoever has no keys to type with gets some on the screen ([`letters`]).

pub mod draw;
mod entry;
pub mod letters;
pub mod pages;
pub mod rows;
pub mod servers;
#[cfg(test)]
mod tests;

use crate::{
    con::{edit::EditField, keys},
    ui::console::{Modifiers, handle_edit_key},
};
use letters::Letters;
use pages::{PageId, RowDef};
use rows::{MenuAction, MenuInput, Row, RowKind, ValueKind};

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuKey {
    Handled,
    /// The player is done with the menus.
    Closed,
    /// Something is to be done; commands close the menus, all else leaves them open.
    Act(MenuAction),
}

/// The open menus.
#[derive(Clone, Debug, Default)]
pub struct Menu {
    /// From the first page to the one that is shown.
    path: Vec<Opened>,
    search: EditField,
    entry: Entry,
    /// Keys on the screen, while a text is typed without others.
    letters: Option<Letters>,
    /// What was used last to choose with cannot type: it takes letters on the screen.
    needs_letters: bool,
    /// The last key was taken for a command: what it types is no search.
    has_taken_key: bool,
    /// Where the rows lay when they were drawn last, and where the pointer is.
    zones: Vec<draw::Zone>,
    /// The title, which leads back.
    back_zone: Option<draw::Zone>,
    pointer: [f32; 2],
    /// Nobody has moved the pointer since the menus opened: it rests somewhere, and chooses nothing.
    is_at_rest: bool,
    /// How many rows were shown, and whether other ones lie under the pointer since.
    fitting: usize,
    has_slid: bool,
    /// What was just done, such as which key lost its command.
    notice: String,
    /// Whether the first page can be left.
    can_close: bool,
}

#[derive(Clone, Copy, Debug)]
struct Opened {
    page: PageId,
    row: usize,
    top: usize,
}

/// What keys do to the row that is chosen.
#[derive(Clone, Debug, Default)]
enum Entry {
    #[default]
    None,
    /// Letters go into its value.
    Text(EditField),
    /// Letters go into the search.
    Search,
    /// The next key is taken for its command.
    Key,
}

/// Keys of pads that stand for those of a keyboard.
const PAD_KEYS: [(u16, u16); 10] = [
    (keys::PAD0_A, keys::ENTER),
    (keys::PAD0_B, keys::ESCAPE),
    (keys::PAD0_START, keys::ESCAPE),
    (keys::PAD0_DPAD_UP, keys::UPARROW),
    (keys::PAD0_DPAD_DOWN, keys::DOWNARROW),
    (keys::PAD0_DPAD_LEFT, keys::LEFTARROW),
    (keys::PAD0_DPAD_RIGHT, keys::RIGHTARROW),
    (keys::PAD0_LEFTSHOULDER, keys::PGUP),
    (keys::PAD0_RIGHTSHOULDER, keys::PGDN),
    (keys::PAD0_X, keys::DEL),
];

/// The pad's key that begins a search.
const PAD_SEARCH: u16 = keys::PAD0_Y;
const NO_KEYS: &str =
    "Keys, mouse buttons and pads can be chosen here; Settings, Touch moves what fingers touch.";

impl Menu {
    /// Opens a page; without a match behind it the first page stays.
    pub fn open(page: PageId, can_close: bool) -> Self {
        let mut menu = Self {
            pointer: [-1.0; 2],
            is_at_rest: true,
            can_close,
            ..Self::default()
        };
        menu.enter(page);
        menu
    }

    /// The page that is shown.
    pub fn page(&self) -> PageId {
        self.path.last().map_or(PageId::Start, |opened| opened.page)
    }

    /// The page that was opened first.
    pub fn root(&self) -> PageId {
        self.path
            .first()
            .map_or(PageId::Start, |opened| opened.page)
    }

    fn enter(&mut self, page: PageId) {
        self.path.push(Opened {
            page,
            row: 0,
            top: 0,
        });
        self.search.set("");
        self.end_entry();
    }

    /// The row of what a search finds first: below the heading in the list of servers, else at the top.
    fn first_found(&self) -> usize {
        let mut items = self.page().items().iter();
        let list = items.position(|item| matches!(item, RowDef::Servers));
        list.map_or(0, |row| row + 1)
    }

    fn is_searching(&self) -> bool {
        !self.search.text().is_empty()
    }

    fn rows(&self, input: MenuInput<'_>) -> Vec<Row> {
        if self.is_searching() && self.page() != PageId::Servers {
            rows::found(self.search.text(), input)
        } else {
            rows::of_page(self.page(), input)
        }
    }

    /// What is typed on this page, if it is the one that is shown.
    pub fn typed_on(&self, page: PageId) -> &str {
        match self.page() == page {
            true => self.search.text(),
            false => "",
        }
    }

    /// The place of the chosen server in the list, if one is chosen.
    pub fn chosen_server(&self, input: MenuInput<'_>) -> Option<usize> {
        let rows = self.rows(input);
        match rows.get(self.chosen(&rows)?)?.kind {
            RowKind::Server(place) => Some(place),
            _ => None,
        }
    }

    /// Chooses a server by its place, which has changed.
    pub fn choose_server(&mut self, place: usize, input: MenuInput<'_>) {
        let rows = self.rows(input);
        let is_it = |row: &Row| row.kind == RowKind::Server(place);
        if let Some(row) = rows.iter().position(is_it) {
            self.choose(row);
        }
    }

    /// The number of the chosen row: the nearest that can be chosen.
    fn chosen(&self, rows: &[Row]) -> Option<usize> {
        let wanted = self.path.last().map_or(0, |opened| opened.row);
        let at_or_after = (wanted..rows.len()).find(|&row| rows[row].is_choosable());
        at_or_after.or_else(|| (0..rows.len()).rfind(|&row| rows[row].is_choosable()))
    }

    fn choose(&mut self, row: usize) {
        if let Some(opened) = self.path.last_mut()
            && opened.row != row
        {
            opened.row = row;
            self.notice.clear();
        }
    }

    /// Goes `by` rows on, over those that cannot be chosen, and round the ends where it is one step.
    fn go(&mut self, rows: &[Row], by: isize) {
        let choosable: Vec<usize> = (0..rows.len())
            .filter(|&row| rows[row].is_choosable())
            .collect();
        let Some(chosen) = self.chosen(rows) else {
            return;
        };
        let at = choosable.iter().position(|&row| row == chosen).unwrap_or(0) as isize;
        let last = choosable.len() as isize - 1;
        let next = match at + by {
            next if by.abs() == 1 && next < 0 => last,
            next if by.abs() == 1 && next > last => 0,
            next => next.clamp(0, last),
        };
        self.choose(choosable[next as usize]);
        if next == 0 {
            self.show_head();
        }
    }

    /// Shows the heading above the first row that can be chosen as well.
    fn show_head(&mut self) {
        if let Some(opened) = self.path.last_mut() {
            opened.top = 0;
        }
    }

    /// Moves the rows themselves, up or down; none where all are to be seen.
    fn slide(&mut self, rows: &[Row], by: isize) {
        let (Some(chosen), Some(opened)) = (self.chosen(rows), self.path.last_mut()) else {
            return;
        };
        let last = rows.len().saturating_sub(self.fitting);
        opened.top = opened.top.saturating_add_signed(by).min(last);
        let shown = opened.top..(opened.top + self.fitting).min(rows.len());
        let nearest = shown
            .filter(|&row| rows[row].is_choosable())
            .min_by_key(|row| row.abs_diff(chosen));
        self.choose(nearest.unwrap_or(chosen));
        self.has_slid = true;
    }

    /// Takes a key that was pressed.
    pub fn handle_key(&mut self, key: u16, modifiers: Modifiers, input: MenuInput<'_>) -> MenuKey {
        let stands_for = PAD_KEYS.iter().find(|(pad, _)| *pad == key);
        let is_pointer = matches!(key, keys::MOUSE1 | keys::MOUSE2);
        self.needs_letters = is_pointer || key >= keys::PAD0_A;
        self.has_taken_key = matches!(self.entry, Entry::Key);
        if self.has_taken_key {
            return self.take_key(key, input);
        }
        if key == PAD_SEARCH && !self.is_typing() {
            self.begin_entry(Entry::Search);
            return MenuKey::Handled;
        }
        let key = stands_for.map_or(key, |(_, key)| *key);
        self.handle_meaning(key, modifiers, input)
    }

    /// A finger tapped where the pointer is.
    pub fn tap(&mut self, input: MenuInput<'_>) -> MenuKey {
        self.needs_letters = !input.shows_keyboard;
        if matches!(self.entry, Entry::Key) {
            self.entry = Entry::None;
            self.notice = NO_KEYS.to_owned();
            return MenuKey::Handled;
        }
        self.handle_meaning(keys::MOUSE1, Modifiers::default(), input)
    }

    /// A stick was pushed far; the key is the arrow that way.
    pub fn push(&mut self, key: u16, input: MenuInput<'_>) -> MenuKey {
        self.needs_letters = true;
        if matches!(self.entry, Entry::Key) {
            return MenuKey::Handled;
        }
        self.handle_meaning(key, Modifiers::default(), input)
    }

    fn handle_meaning(&mut self, key: u16, modifiers: Modifiers, input: MenuInput<'_>) -> MenuKey {
        if !self.is_typing() {
            return self.choose_key(key, modifiers, input);
        }
        if let Some(told) = self.handle_letters_key(key, input) {
            return told;
        }
        match (key, &mut self.entry) {
            (keys::ESCAPE | keys::MOUSE2, _) => {
                if matches!(self.entry, Entry::Search) {
                    self.search.set("");
                }
                self.end_entry();
                MenuKey::Handled
            }
            (keys::ENTER | keys::KP_ENTER | keys::TAB, _) => self.finish_typing(input),
            (keys::UPARROW | keys::DOWNARROW, Entry::Text(_)) => self.finish_typing(input),
            // What is clicked comes next.
            (keys::MOUSE1, Entry::Text(_)) => self.finish_typing(input),
            (_, Entry::Text(field)) => {
                handle_edit_key(field, key, modifiers);
                MenuKey::Handled
            }
            (keys::BACKSPACE, _) => {
                self.search.backspace();
                MenuKey::Handled
            }
            _ => {
                self.end_entry();
                self.choose_key(key, modifiers, input)
            }
        }
    }

    fn choose_key(&mut self, key: u16, modifiers: Modifiers, input: MenuInput<'_>) -> MenuKey {
        const PAGE: isize = 8;
        const END: isize = 10_000;
        let rows = self.rows(input);
        match key {
            keys::ESCAPE | keys::MOUSE2 => return self.back(),
            keys::UPARROW | keys::KP_UPARROW => self.go(&rows, -1),
            keys::DOWNARROW | keys::KP_DOWNARROW => self.go(&rows, 1),
            keys::MWHEELUP => self.slide(&rows, -1),
            keys::MWHEELDOWN => self.slide(&rows, 1),
            keys::TAB => self.go(&rows, if modifiers.shift { -1 } else { 1 }),
            keys::PGUP | keys::KP_PGUP => self.go(&rows, -PAGE),
            keys::PGDN | keys::KP_PGDN => self.go(&rows, PAGE),
            keys::HOME | keys::KP_HOME => self.go(&rows, -END),
            keys::END | keys::KP_END => self.go(&rows, END),
            keys::LEFTARROW | keys::KP_LEFTARROW => return self.step(&rows, input, -1, false),
            keys::RIGHTARROW | keys::KP_RIGHTARROW => return self.step(&rows, input, 1, false),
            keys::ENTER | keys::KP_ENTER => return self.activate(&rows, input),
            keys::BACKSPACE if self.is_searching() => {
                self.search.backspace();
                self.choose(0);
                self.show_head();
            }
            keys::DEL => return self.reset(&rows, input),
            keys::MOUSE1 => return self.click(&rows, input),
            _ => {}
        }
        MenuKey::Handled
    }

    /// The pointer chooses what it is over, once somebody has moved it.
    pub fn point(&mut self, at: [f32; 2]) {
        let rests = std::mem::replace(&mut self.is_at_rest, false);
        self.pointer = at;
        if !rests {
            self.choose_pointed();
        }
    }

    /// A finger chooses what it is on, and takes the rows along that it slides over.
    pub fn touch(&mut self, at: [f32; 2]) {
        self.is_at_rest = false;
        self.pointer = at;
        self.choose_pointed();
    }

    /// The height of a row in pixels, as drawn last.
    pub fn row_height(&self) -> Option<f32> {
        self.zones.first().map(draw::Zone::height)
    }

    fn choose_pointed(&mut self) {
        if let Some(letters) = &mut self.letters {
            letters.point(self.pointer);
            return;
        }
        let row = (self.zones.iter())
            .find(|zone| zone.holds(self.pointer))
            .map(|zone| zone.row);
        if let (Entry::None, Some(row)) = (&self.entry, row) {
            self.choose(row);
        }
    }

    /// What is drawn of so many rows where `count` fit: the chosen row is among them. Yields the first.
    fn scroll(&mut self, chosen: Option<usize>, rows: usize, count: usize) -> usize {
        self.fitting = count;
        let Some(opened) = self.path.last_mut() else {
            return 0;
        };
        let chosen = chosen.unwrap_or(0);
        let least = (chosen + 1).saturating_sub(count);
        opened.top = opened.top.clamp(least, chosen.max(least));
        opened.top = opened.top.min(rows.saturating_sub(count));
        opened.top
    }

    fn back(&mut self) -> MenuKey {
        self.notice.clear();
        if self.is_searching() {
            self.search.set("");
            self.choose(0);
            self.show_head();
            return MenuKey::Handled;
        }
        if self.path.len() > 1 {
            self.path.pop();
            return MenuKey::Handled;
        }
        match self.can_close {
            true => MenuKey::Closed,
            false => MenuKey::Handled,
        }
    }

    fn step(&mut self, rows: &[Row], input: MenuInput<'_>, by: i32, wraps: bool) -> MenuKey {
        let row = self.chosen(rows).and_then(|row| rows.get(row));
        act(row.and_then(|row| row.step(input, by, wraps)))
    }

    fn activate(&mut self, rows: &[Row], input: MenuInput<'_>) -> MenuKey {
        let Some(row) = self.chosen(rows).and_then(|row| rows.get(row)) else {
            return MenuKey::Handled;
        };
        match &row.kind {
            RowKind::Heading | RowKind::Fact(_) => MenuKey::Handled,
            RowKind::Search => {
                self.begin_entry(Entry::Search);
                MenuKey::Handled
            }
            RowKind::Mute { number, is_muted } => {
                let word = if *is_muted { "unmute" } else { "mute" };
                MenuKey::Act(MenuAction::Do(format!("{word} {number}\n")))
            }
            RowKind::Do(command) => MenuKey::Act(MenuAction::Do(format!("{command}\n"))),
            RowKind::Server(place) => {
                self.enter(PageId::Server);
                MenuKey::Act(MenuAction::Watch(*place))
            }
            RowKind::Page(page) => {
                self.enter(*page);
                MenuKey::Handled
            }
            RowKind::Run(command) if command.is_empty() => MenuKey::Closed,
            RowKind::Run(command) => MenuKey::Act(MenuAction::Run(format!("{command}\n"))),
            RowKind::Pick(name, value) => {
                self.back();
                act(Some(MenuAction::Set {
                    name: (*name).to_owned(),
                    value: value.clone(),
                }))
            }
            RowKind::Key(_) => {
                self.entry = Entry::Key;
                MenuKey::Handled
            }
            RowKind::Setting(name, ValueKind::Text | ValueKind::Range(_)) => {
                let mut field = EditField::default();
                field.set(input.cvars.text(name));
                self.begin_entry(Entry::Text(field));
                MenuKey::Handled
            }
            RowKind::Setting(..) => act(row.step(input, 1, true)),
        }
    }

    fn click(&mut self, rows: &[Row], input: MenuInput<'_>) -> MenuKey {
        if self.back_zone.is_some_and(|zone| zone.holds(self.pointer)) {
            return self.back();
        }
        let Some(zone) = self.zones.iter().find(|zone| zone.holds(self.pointer)) else {
            return MenuKey::Handled;
        };
        let (row, share) = (zone.row, zone.share(self.pointer));
        self.choose(row);
        match share.and_then(|share| rows.get(row)?.at_share(share)) {
            Some(action) => act(Some(action)),
            None => self.activate(rows, input),
        }
    }

    /// Takes a setting's own value back, or a command's keys away.
    fn reset(&mut self, rows: &[Row], input: MenuInput<'_>) -> MenuKey {
        match self.chosen(rows).map(|row| &rows[row].kind) {
            Some(RowKind::Setting(name, _)) => {
                let default = input.cvars.get(name).map(|cvar| MenuAction::Set {
                    name: name.clone(),
                    value: cvar.default_value().to_owned(),
                });
                act(default)
            }
            Some(RowKind::Key(command)) => act(Some(MenuAction::Unbind {
                command: (*command).to_owned(),
            })),
            _ => MenuKey::Handled,
        }
    }

    /// The chosen row in words, for those who hear rather than see it.
    pub fn spoken(&self, input: MenuInput<'_>) -> String {
        let rows = self.rows(input);
        let title = self.title();
        let Some(row) = self.chosen(&rows).map(|row| &rows[row]) else {
            return format!("{title}: nothing");
        };
        let value = match &self.entry {
            Entry::Text(field) => format!("typing {}", field.text()),
            Entry::Search => "typing".to_owned(),
            Entry::Key => "press a key".to_owned(),
            Entry::None => row.value(input),
        };
        let notice = &self.notice;
        if let Some(letters) = &self.letters {
            let key = letters.chosen().label();
            return format!("{title}. {} {value}. Key {key}", row.label);
        }
        format!(
            "{title}. {} {value}. {} {notice}",
            row.label,
            row.help(input)
        )
    }

    /// Whether there is something to go back to.
    fn leads_back(&self) -> bool {
        self.can_close || self.path.len() > 1 || self.is_searching() || self.is_typing()
    }

    fn title(&self) -> String {
        match self.is_searching() || matches!(self.entry, Entry::Search) {
            true => format!("Search: {}", self.search.text()),
            false => self.page().title().to_owned(),
        }
    }
}

fn act(action: Option<MenuAction>) -> MenuKey {
    action.map_or(MenuKey::Handled, MenuKey::Act)
}
