//! Which models, skins, animations and voices each player has, by what the paks hold.

use crate::cg::{
    settings::Settings,
    timeline::game_static::{ClientInfo, GameStatic, split_model},
};
use crate::{
    assets::{AnimationId, AssetState, Assets, Later},
    scene::{ModelId, ShaderId, SkinId, SoundId},
};
use shared::{bg::numbers::team, types::limits::MAX_CLIENTS};

/// The model that every game has.
const DEFAULT_MODEL: &str = "sarge";

/// Sounds that each model brings along; configstrings and events name them with a star.
pub const VOICES: [&str; 13] = [
    "*death1.wav",
    "*death2.wav",
    "*death3.wav",
    "*jump1.wav",
    "*pain25_1.wav",
    "*pain50_1.wav",
    "*pain75_1.wav",
    "*pain100_1.wav",
    "*falling1.wav",
    "*gasp.wav",
    "*drown.wav",
    "*fall1.wav",
    "*taunt.wav",
];

/// One player's media.
#[derive(Clone, Debug)]
pub struct PlayerMedia {
    pub legs: ModelId,
    pub torso: ModelId,
    pub head: ModelId,
    pub legs_skin: Option<SkinId>,
    pub torso_skin: Option<SkinId>,
    pub head_skin: Option<SkinId>,
    pub icon: ShaderId,
    pub animation: AnimationId,
    /// In the order of [`VOICES`].
    pub voices: [SoundId; VOICES.len()],
    /// All that is seen of the player is loaded.
    pub is_here: bool,
}

/// The media of all players by client number.
#[derive(Clone, Debug)]
pub struct PlayerMediaSet {
    all: Vec<Option<PlayerMedia>>,
    /// What they were made for.
    look_settings: LookSettings,
    /// Whoever is seen before anybody is dressed is drawn with these, where files come over a line.
    coarse: Option<PlayerMedia>,
}

/// What the watching player chose about everybody's looks.
#[derive(Clone, Debug, Default)]
struct LookSettings {
    force_model: bool,
    own: [String; 2],
    team_model: String,
    enemy_model: String,
    own_team: i32,
}

impl LookSettings {
    fn of(level: &GameStatic, settings: &Settings) -> Self {
        Self {
            force_model: settings.force_model,
            own: [settings.own_model.clone(), settings.own_head_model.clone()],
            team_model: settings.team_model.clone(),
            enemy_model: settings.enemy_model.clone(),
            own_team: own_team(level),
        }
    }
}

impl PartialEq<(&GameStatic, &Settings)> for LookSettings {
    /// Asked in every frame, so nothing is copied.
    fn eq(&self, (level, settings): &(&GameStatic, &Settings)) -> bool {
        self.force_model == settings.force_model
            && self.own[0] == settings.own_model
            && self.own[1] == settings.own_head_model
            && self.team_model == settings.team_model
            && self.enemy_model == settings.enemy_model
            && self.own_team == own_team(level)
    }
}

fn own_team(level: &GameStatic) -> i32 {
    let own = level.clients.get(level.client_num).and_then(Option::as_ref);
    own.map_or(team::SPECTATOR, |info| info.team)
}

impl PlayerMediaSet {
    pub fn register(level: &GameStatic, settings: &Settings, assets: &mut Assets) -> Self {
        let mut set = Self {
            all: vec![None; MAX_CLIENTS],
            look_settings: LookSettings::of(level, settings),
            coarse: None,
        };
        let own = level.clients.get(level.client_num).and_then(Option::as_ref);
        if let Some(own) = own.filter(|_| assets.puts_off()) {
            let wanted = WantedLooks::new(own, true, level, settings);
            set.coarse = Some(PlayerMedia::register(&wanted, true, assets));
        }
        assets.later(Later::Players, |assets| {
            for client in 0..MAX_CLIENTS {
                set.register_client(client, level, settings, assets);
            }
        });
        set
    }

    /// Dresses everybody anew if the player wants other looks or changed sides.
    pub fn follow(&mut self, level: &GameStatic, settings: &Settings, assets: &mut Assets) {
        if self.look_settings != (level, settings) {
            *self = Self::register(level, settings, assets);
        }
        for looks in self.all.iter_mut().flatten().filter(|looks| !looks.is_here) {
            looks.is_here = looks.has_arrived(assets);
        }
    }

    /// Reads a player's description again.
    pub fn register_client(
        &mut self,
        client: usize,
        level: &GameStatic,
        settings: &Settings,
        assets: &mut Assets,
    ) {
        let info = level.clients.get(client).and_then(Option::as_ref);
        if let Some(place) = self.all.get_mut(client) {
            *place = info.map(|info| {
                let is_own = client == level.client_num;
                let wanted = WantedLooks::new(info, is_own, level, settings);
                PlayerMedia::register(&wanted, false, assets)
            });
        }
    }

    /// What a player is drawn with: until his own looks are loaded, those of another, if possible of his side.
    pub fn shown(&self, client: i32, level: &GameStatic) -> Option<&PlayerMedia> {
        let own = self.get(client)?;
        if own.is_here {
            return Some(own);
        }
        let side = |number| {
            level
                .is_team_game()
                .then(|| level.client(number).map(|info| info.team))
        };
        let mate = self.stand_in(|number| side(number) == side(client));
        // Better in wrong colors than not seen at all.
        let other = mate
            .or_else(|| self.stand_in(|_| true))
            .or(self.coarse.as_ref());
        Some(other.unwrap_or(own))
    }

    fn stand_in(&self, is_alike: impl Fn(i32) -> bool) -> Option<&PlayerMedia> {
        (0..)
            .zip(&self.all)
            .filter(|&(number, _)| is_alike(number))
            .filter_map(|(_, looks)| looks.as_ref())
            .find(|looks| looks.is_here)
    }

    pub fn get(&self, client: i32) -> Option<&PlayerMedia> {
        usize::try_from(client)
            .ok()
            .and_then(|client| self.all.get(client)?.as_ref())
    }
}

/// What a player should look like.
#[derive(Clone, Debug)]
struct WantedLooks {
    model: String,
    skin: String,
    head_model: String,
    head_skin: String,
    /// `red` or `blue` in team games.
    team: Option<&'static str>,
}

impl WantedLooks {
    fn new(info: &ClientInfo, is_own: bool, level: &GameStatic, settings: &Settings) -> Self {
        let team = level.is_team_game().then_some(if info.team == team::BLUE {
            "blue"
        } else {
            "red"
        });
        let mut wanted = Self {
            model: info.model.clone(),
            skin: info.skin.clone(),
            head_model: info.head_model.clone(),
            head_skin: info.head_skin.clone(),
            team,
        };
        let has_sides = !settings.team_model.is_empty() || !settings.enemy_model.is_empty();
        match settings.force_model {
            // Models for team-mates and opponents take the place of one's own for all.
            true if has_sides => wanted.take_side(info, is_own, level, settings),
            true if team.is_some() => {
                DEFAULT_MODEL.clone_into(&mut wanted.model);
                DEFAULT_MODEL.clone_into(&mut wanted.head_model);
            }
            true => {
                (wanted.model, wanted.skin) = split_model(&settings.own_model);
                (wanted.head_model, wanted.head_skin) = split_model(&settings.own_head_model);
            }
            false => {}
        }
        wanted
    }

    /// The model that was chosen for all team-mates or all opponents, if one was.
    fn take_side(
        &mut self,
        info: &ClientInfo,
        is_own: bool,
        level: &GameStatic,
        settings: &Settings,
    ) {
        let own_team = own_team(level);
        let is_mate = level.is_team_game() && info.team == own_team;
        let forced = if is_own || own_team == team::SPECTATOR {
            ""
        } else if is_mate {
            &settings.team_model
        } else {
            &settings.enemy_model
        };
        if !forced.is_empty() {
            let (model, skin) = split_model(forced);
            (self.head_model, self.head_skin) = (model.clone(), skin.clone());
            (self.model, self.skin) = (model, skin);
        }
    }

    /// The same team and, in team games, the same skin, on the model that every game has.
    fn fallback(&self) -> Self {
        let skin = if self.team.is_some() {
            self.skin.clone()
        } else {
            "default".to_owned()
        };
        Self {
            model: DEFAULT_MODEL.to_owned(),
            head_model: DEFAULT_MODEL.to_owned(),
            head_skin: skin.clone(),
            skin,
            team: self.team,
        }
    }
}

/// File names that were found for a [`WantedLooks`].
struct Found {
    legs: String,
    torso: String,
    head: String,
    legs_skin: String,
    torso_skin: String,
    head_skin: String,
    icon: String,
    animation: String,
}

impl Found {
    /// The same with the coarsest models that there are.
    fn coarse(mut self, assets: &Assets) -> Self {
        for model in [&mut self.legs, &mut self.torso, &mut self.head] {
            let stem = model.trim_end_matches(".md3");
            let levels = ["_2", "_1"].map(|level| format!("{stem}{level}.md3"));
            if let Some(level) = levels.into_iter().find(|name| assets.vfs().exists(name)) {
                *model = level;
            }
        }
        self
    }
}

impl PlayerMedia {
    /// `is_coarse` takes the models for players who are far away: few bytes, which are here soon.
    fn register(wanted: &WantedLooks, is_coarse: bool, assets: &mut Assets) -> Self {
        let fallback = wanted.fallback();
        let looks = find(wanted, assets);
        // Whoever cannot look as he wants does not sound so either.
        let voice = match looks {
            Some(_) => &wanted.model,
            None => DEFAULT_MODEL,
        };
        let found = looks.or_else(|| find(&fallback, assets)).or_else(|| {
            // Without any team skin the plain one still shows where the player is.
            let plain = WantedLooks {
                team: None,
                skin: "default".into(),
                head_skin: "default".into(),
                ..fallback
            };
            find(&plain, assets)
        });
        let found = found.map(|found| match is_coarse {
            true => found.coarse(assets),
            false => found,
        });
        let mut looks = match found {
            Some(found) => Self {
                legs: assets.register_model(&found.legs),
                torso: assets.register_model(&found.torso),
                head: assets.register_model(&found.head),
                legs_skin: Some(assets.register_skin(&found.legs_skin)),
                torso_skin: Some(assets.register_skin(&found.torso_skin)),
                head_skin: Some(assets.register_skin(&found.head_skin)),
                icon: assets.register_shader_no_mip(&found.icon),
                animation: assets.register_animation(&found.animation),
                voices: voices(voice, assets),
                is_here: false,
            },
            // Nothing to wear at all: the names are asked for anyway, so that the console tells what is missing.
            None => Self {
                legs: assets.register_model("models/players/sarge/lower.md3"),
                torso: assets.register_model("models/players/sarge/upper.md3"),
                head: assets.register_model("models/players/sarge/head.md3"),
                legs_skin: None,
                torso_skin: None,
                head_skin: None,
                icon: assets.register_shader_no_mip("models/players/sarge/icon_default"),
                animation: assets.register_animation("models/players/sarge/animation.cfg"),
                voices: voices(DEFAULT_MODEL, assets),
                is_here: false,
            },
        };
        looks.is_here = looks.has_arrived(assets);
        looks
    }

    fn has_arrived(&self, assets: &Assets) -> bool {
        let is_dressed = |skin: SkinId| {
            let is_settled = |(_, shader): &(_, ShaderId)| assets.is_settled(*shader);
            assets.skin(skin).map_or(assets.is_missing(skin), |skin| {
                skin.surfaces.iter().all(is_settled)
            })
        };
        let models = [self.legs, self.torso, self.head];
        let skins = [self.legs_skin, self.torso_skin, self.head_skin];
        assets.state(self.animation) != AssetState::Wanted
            && models
                .into_iter()
                .all(|model| assets.state(model) != AssetState::Wanted)
            && skins.into_iter().flatten().all(is_dressed)
    }
}

fn voices(model: &str, assets: &mut Assets) -> [SoundId; VOICES.len()] {
    VOICES.map(|voice| {
        let own = format!("sound/player/{model}/{}", &voice[1..]);
        let name = if assets.vfs().exists(&own) {
            own
        } else {
            format!("sound/player/{DEFAULT_MODEL}/{}", &voice[1..])
        };
        assets.register_sound(&name)
    })
}

/// All files of a set, or `None` if one of them is missing (a missing icon alone is replaced).
fn find(wanted: &WantedLooks, assets: &Assets) -> Option<Found> {
    let first = |candidates: Vec<String>| {
        candidates
            .into_iter()
            .find(|name| assets.vfs().exists(name))
    };
    let body = |suffix: &str| {
        ["models/players", "models/players/characters"]
            .map(|folder| format!("{folder}/{}/{suffix}", wanted.model))
            .to_vec()
    };
    let (skin, head_skin) = (&wanted.skin, &wanted.head_skin);
    // A team has its colors of each skin, or its colors alone.
    let of_skin = wanted.team.unwrap_or("default");
    let body_skin = |part: &str| {
        let alone = wanted.team.unwrap_or(skin);
        let names = body(part).into_iter().flat_map(|path| {
            [
                format!("{path}_{skin}_{of_skin}.skin"),
                format!("{path}_{alone}.skin"),
            ]
        });
        names.collect()
    };
    let (head, head_folders) = head_places(&wanted.head_model);
    let head_file = |base: &str, extension: &str| -> Vec<String> {
        let alone = wanted.team.unwrap_or(head_skin);
        let names = head_folders.iter().flat_map(|folder| {
            [
                format!("{folder}/{head_skin}/{base}_{of_skin}.{extension}"),
                format!("{folder}/{base}_{alone}.{extension}"),
            ]
        });
        names.collect()
    };
    Some(Found {
        legs: first(body("lower.md3"))?,
        torso: first(body("upper.md3"))?,
        head: first(head)?,
        legs_skin: first(body_skin("lower"))?,
        torso_skin: first(body_skin("upper"))?,
        head_skin: first(head_file("head", "skin"))?,
        icon: first([head_file("icon", "skin"), head_file("icon", "tga")].concat())
            .unwrap_or_else(|| format!("models/players/{DEFAULT_MODEL}/icon_default")),
        animation: first(body("animation.cfg"))?,
    })
}

/// Candidates for the head's model, and the folders its skins may be in.
fn head_places(head: &str) -> (Vec<String>, Vec<String>) {
    match head.strip_prefix('*') {
        Some(name) => {
            let folder = format!("models/players/heads/{name}");
            (vec![format!("{folder}/{name}.md3")], vec![folder])
        }
        None => {
            let [own, shared] =
                ["players", "players/heads"].map(|at| format!("models/{at}/{head}"));
            let models = vec![format!("{own}/head.md3"), format!("{shared}/{head}.md3")];
            (models, vec![own, shared])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(number: u32, is_here: bool) -> PlayerMedia {
        PlayerMedia {
            legs: ModelId(number),
            torso: ModelId(number),
            head: ModelId(number),
            legs_skin: None,
            torso_skin: None,
            head_skin: None,
            icon: ShaderId(0),
            animation: AnimationId(0),
            voices: [SoundId(0); VOICES.len()],
            is_here,
        }
    }

    #[test]
    fn who_is_not_loaded_yet_wears_what_another_of_his_side_does() {
        let set = PlayerMediaSet {
            all: vec![
                Some(looks(0, true)),
                None,
                Some(looks(2, false)),
                Some(looks(3, true)),
            ],
            look_settings: LookSettings::default(),
            coarse: None,
        };
        let stand_in = |is_alike: fn(i32) -> bool| set.stand_in(is_alike).map(|looks| looks.legs);
        assert_eq!(stand_in(|_| true), Some(ModelId(0)));
        assert_eq!(stand_in(|number| number >= 2), Some(ModelId(3)));
        assert_eq!(stand_in(|number| number == 2), None);
    }

    #[test]
    fn looks_have_arrived_when_nothing_of_them_is_wanted_any_more() {
        let mut assets = Assets::new(crate::settings::assets());
        let mut looks = looks(0, false);
        looks.legs = assets.register_model("models/players/a/lower.md3");
        looks.torso = looks.legs;
        looks.head = looks.legs;
        looks.animation = assets.register_animation("models/players/a/animation.cfg");
        looks.head_skin = Some(assets.register_skin("models/players/a/head_default.skin"));
        assert!(!looks.has_arrived(&assets));
        assets.set_sources_complete();
        assets.poll(1 << 20);
        // Without any pak everything is missing, and nothing is left to wait for.
        assert!(looks.has_arrived(&assets));
    }
}
