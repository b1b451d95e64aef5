//! A run that is watched again from its journal: it pauses, goes on by frames and by snapshots, and back. What it asks of
//! the outside is not done.

use crate::{
    assets::{source::FoundSource, vfs::ReadRequest},
    client::Client,
    con::keys,
    event::Event,
    journal::{Position, Replay, ReplayError, Step},
    output::{Output, Request},
    scene::Scene,
};
use std::sync::Arc;

/// How long one picture may take while the run is to come to a place further on.
const SLICE_MSEC: f64 = 30.0;
const JUMP_MSEC: i32 = 10_000;
/// A copy of the client is kept at least so far from the one before.
const KEYFRAME_MSEC: i32 = 5_000;
/// Each is some megabytes.
const MAX_KEYFRAMES: usize = 24;
const FASTEST: f64 = 32.0;
const SLOWEST: f64 = 1.0 / 32.0;

/// Where a run that is watched again stands.
pub struct Rerun {
    replay: Replay,
    /// The paks that there are now.
    here: Vec<FoundSource>,
    goal: Goal,
    speed: f64,
    /// When the last picture was made, and the time of the run that it was to show.
    pictured_at: f64,
    due_msec: f64,
    scene: Scene,
    page: Page,
    window: [f32; 2],
    /// Why it goes no further.
    end: Option<String>,
    /// By their time; the way back begins at one of them.
    keyframes: Vec<Keyframe>,
    /// What the watcher has changed, in that order.
    changes: Vec<String>,
}

/// The run as it was at some time.
struct Keyframe {
    msec: i32,
    snapshots: u32,
    position: Position,
    client: Box<Client>,
    /// How many changes it has.
    changes: usize,
}

/// How far it is to go.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Goal {
    Pause,
    /// With the clock.
    Play,
    Frame(u64),
    Msec(i32),
    Snapshot(u32),
}

/// What is told beside the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Line,
    State,
    Cvars,
}

impl Rerun {
    /// # Errors
    /// These bytes are no journal.
    pub fn open(journal: Arc<[u8]>) -> Result<(Self, Client), ReplayError> {
        let mut replay = Replay::open(journal)?;
        let client = replay.begin();
        let rerun = Self {
            replay,
            here: Vec::new(),
            goal: Goal::Play,
            speed: 1.0,
            pictured_at: 0.0,
            due_msec: 0.0,
            scene: Scene::default(),
            page: Page::Line,
            window: [0.0; 2],
            end: None,
            keyframes: Vec::new(),
            changes: Vec::new(),
        };
        Ok((rerun, client))
    }

    /// What the files have brought.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::SourceFound(source) => self.here.push(source),
            Event::FileRead { id, result } => self.replay.give(id, result),
            _ => {}
        }
    }

    /// Does what keys and typed lines ask for; true if the run has to begin anew, with the client that comes of
    /// [`Rerun::begin`].
    pub fn obey(
        &mut self,
        client: &mut Client,
        events: Vec<Event>,
        requests: &mut Vec<Request>,
    ) -> bool {
        let mut begins = false;
        for event in events {
            match event {
                Event::Key {
                    key, is_down: true, ..
                } => begins |= self.press(key, client, requests),
                Event::Command(line) => self.change(client, &line),
                Event::Resized { width, height } => self.window = [width as f32, height as f32],
                Event::Quit => requests.push(Request::Quit),
                _ => {}
            }
        }
        begins
    }

    fn press(&mut self, key: u16, client: &mut Client, requests: &mut Vec<Request>) -> bool {
        let frames = self.replay.frames();
        let snapshots = snapshots(client);
        match key {
            keys::ESCAPE => requests.push(Request::Quit),
            keys::SPACE => {
                self.goal = if self.goal == Goal::Play {
                    Goal::Pause
                } else {
                    Goal::Play
                }
            }
            keys::RIGHTARROW => self.goal = Goal::Frame(frames + 1),
            keys::LEFTARROW => return self.go_back(Goal::Frame(frames.saturating_sub(1))),
            keys::PGDN => self.goal = Goal::Msec(self.replay.msec() + JUMP_MSEC),
            keys::PGUP => return self.go_back(Goal::Msec(self.replay.msec() - JUMP_MSEC)),
            keys::HOME => return self.go_back(Goal::Frame(1)),
            keys::UPARROW => self.speed = (self.speed * 2.0).min(FASTEST),
            keys::DOWNARROW => self.speed = (self.speed / 2.0).max(SLOWEST),
            keys::TAB => {
                self.page = match self.page {
                    Page::Line => Page::State,
                    Page::State => Page::Cvars,
                    Page::Cvars => Page::Line,
                };
            }
            key if key == u16::from(b'.') => self.goal = Goal::Snapshot(snapshots + 1),
            key if key == u16::from(b',') => {
                return self.go_back(Goal::Snapshot(snapshots.saturating_sub(1)));
            }
            key if key == u16::from(b'n') => self.change(client, "toggle cg_nopredict"),
            key if key == u16::from(b'g') => self.change(client, "toggle cg_drawGhosts"),
            key if key == u16::from(b'm') => self.change(client, "toggle cg_showmiss 0 2"),
            key if key == u16::from(b'i') => self.change(client, "inspector"),
            _ => {}
        }
        self.due_msec = f64::from(self.replay.msec());
        false
    }

    fn go_back(&mut self, goal: Goal) -> bool {
        self.goal = goal;
        true
    }

    /// Changes what is shown; what leaves the client must stay as it was.
    fn change(&mut self, client: &mut Client, line: &str) {
        self.changes.push(line.to_owned());
        self.apply(client, self.changes.len() - 1);
    }

    /// Makes the changes from this one on.
    fn apply(&mut self, client: &mut Client, first: usize) {
        for line in &self.changes[first..] {
            self.replay.allow_change();
            client.pump_files(vec![Event::Command(format!("{line}\n"))]);
        }
    }

    /// Goes back to the last keyframe before what is wanted, or to the beginning.
    pub fn begin(&mut self) -> Client {
        self.end = None;
        let goal = self.goal;
        let is_before = |keyframe: &&Keyframe| match goal {
            Goal::Frame(number) => keyframe.position.frames() <= number,
            Goal::Msec(msec) => keyframe.msec <= msec,
            Goal::Snapshot(number) => keyframe.snapshots < number,
            Goal::Pause | Goal::Play => false,
        };
        let (mut client, changes) = match self.keyframes.iter().rfind(is_before) {
            Some(keyframe) => {
                self.replay.go_to(keyframe.position.clone());
                (Client::clone(&keyframe.client), keyframe.changes)
            }
            None => (self.replay.begin(), 0),
        };
        self.apply(&mut client, changes);
        self.due_msec = f64::from(self.replay.msec());
        client
    }

    /// Keeps a keyframe if the last one is long ago.
    fn keep(&mut self, client: &Client) {
        let msec = self.replay.msec();
        let newest = self.keyframes.last().map_or(0, |keyframe| keyframe.msec);
        if msec - newest < KEYFRAME_MSEC {
            return;
        }
        let (Some(position), Some(copy)) = (self.replay.position(), client.keyframe()) else {
            return;
        };
        if self.keyframes.len() == MAX_KEYFRAMES {
            let times: Vec<i32> = self
                .keyframes
                .iter()
                .map(|keyframe| keyframe.msec)
                .collect();
            self.keyframes.remove(least_missed(&times, msec));
        }
        self.keyframes.push(Keyframe {
            msec,
            snapshots: snapshots(client),
            position,
            client: Box::new(copy),
            changes: self.changes.len(),
        });
    }

    /// Whether it shows what was wanted and waits.
    pub fn is_paused(&self) -> bool {
        self.goal == Goal::Pause
    }

    /// Why it goes no further.
    pub fn end(&self) -> Option<&str> {
        self.end.as_deref()
    }

    /// One picture, and the parts of files that are to be read. `now` is in milliseconds.
    pub fn frame(
        &mut self,
        client: &mut Client,
        now: impl Fn() -> f64,
    ) -> (Output, Vec<ReadRequest>) {
        let began_at = now();
        let elapsed = (began_at - self.pictured_at).clamp(0.0, 250.0);
        self.pictured_at = began_at;
        if self.goal == Goal::Play {
            self.due_msec += elapsed * self.speed;
        }
        let mut output = Output::default();
        let mut reads = Vec::new();
        while self.end.is_none() && !self.is_there(client) {
            match self.replay.step(client) {
                Ok(Step::Frame(made)) => {
                    self.scene = made.scene;
                    output.sounds.extend(made.sounds);
                    output.printed.extend(made.printed);
                    self.keep(client);
                }
                Ok(Step::Files) => {}
                Ok(Step::Waits) => break,
                Ok(Step::End) => self.end = Some("The run ends here; all was the same.".to_owned()),
                Err(error) => self.end = Some(error.to_string()),
            }
            let wanted = self.replay.wanted();
            reads.extend(
                wanted
                    .into_iter()
                    .filter_map(|part| self.read_here(&part.source, part.request)),
            );
            if now() - began_at > SLICE_MSEC {
                break;
            }
        }
        if self.is_there(client) && self.goal != Goal::Play {
            self.goal = Goal::Pause;
        }
        if self.goal != Goal::Play || self.end.is_some() {
            self.due_msec = f64::from(self.replay.msec());
            // What jumps is not heard.
            output.sounds.clear();
        }
        output.scene = self.scene.clone();
        client.draw_lines(&mut output.scene.draw2d, &self.lines(client));
        fit(&mut output.scene, client.screen(), self.window);
        (output, reads)
    }

    fn is_there(&self, client: &Client) -> bool {
        match self.goal {
            Goal::Pause => true,
            Goal::Play => f64::from(self.replay.msec()) >= self.due_msec,
            Goal::Frame(number) => self.replay.frames() >= number,
            Goal::Msec(msec) => self.replay.msec() >= msec,
            Goal::Snapshot(number) => snapshots(client) >= number,
        }
    }

    /// The same part of the pak as it is called now.
    fn read_here(&mut self, wanted: &FoundSource, request: ReadRequest) -> Option<ReadRequest> {
        match self.here.iter().find(|source| source.is_same(wanted)) {
            Some(source) => Some(ReadRequest {
                source: source.id,
                ..request
            }),
            None => {
                let reason = format!("{}/{} is not here", wanted.game, wanted.name);
                self.replay.give(request.id, Err(reason));
                None
            }
        }
    }

    fn lines(&self, client: &Client) -> Vec<String> {
        let seconds = f64::from(self.replay.msec()) / 1000.0;
        let share = self.replay.share() * 100.0;
        let pace = match self.goal {
            Goal::Pause => "paused".to_owned(),
            Goal::Play => format!("x {}", self.speed),
            _ => "going there".to_owned(),
        };
        let frames = self.replay.frames();
        let mut lines = vec![format!(
            "frame {frames}, {seconds:.3} s, {share:.0} %, {pace}"
        )];
        lines.extend(self.end.clone());
        match self.page {
            Page::Line => lines.push("SPACE pause  ARROWS frame, speed  , . snapshot  PGUP PGDN 10 s  TAB state  n g m i".to_owned()),
            Page::State => lines.extend(client.state_lines()),
            Page::Cvars => lines.extend(client.changed_cvars()),
        }
        lines
    }
}

/// Which of some times, ascending, is the one to do without: its neighbours are close together, and long ago.
fn least_missed(times: &[i32], now: i32) -> usize {
    let gap = |index: usize| {
        let before = index.checked_sub(1).map_or(0, |before| times[before]);
        let after = times.get(index + 1).copied().unwrap_or(now);
        f64::from(after - before) / f64::from(now - times[index]).max(1.0)
    };
    let indices = 0..times.len();
    indices
        .min_by(|one, other| gap(*one).total_cmp(&gap(*other)))
        .unwrap_or(0)
}

/// The run's window had another size than this one.
fn fit(scene: &mut Scene, from: [f32; 2], to: [f32; 2]) {
    if from == to || from.contains(&0.0) || to.contains(&0.0) {
        return;
    }
    let scale = [to[0] / from[0], to[1] / from[1]];
    let rects = scene.draw2d.iter_mut().map(|picture| &mut picture.rect);
    let views = scene.views.iter_mut().map(|view| &mut view.viewport);
    for [x, y, width, height] in rects.chain(views) {
        (*x, *width) = (*x * scale[0], *width * scale[0]);
        (*y, *height) = (*y * scale[1], *height * scale[1]);
    }
}

fn snapshots(client: &Client) -> u32 {
    client
        .status()
        .session
        .map_or(0, |session| session.stats.snapshots)
}

#[cfg(test)]
mod tests {
    use super::least_missed;

    #[test]
    fn what_is_long_ago_is_kept_more_sparsely() {
        let mut times = Vec::new();
        for now in (1..=720).map(|number| number * 5000) {
            if times.len() == 24 {
                times.remove(least_missed(&times, now));
            }
            times.push(now);
        }
        // An hour: some seconds back is near, and nothing is further than a part of its age from a keyframe.
        let now = 3_600_000;
        for pair in times.windows(2) {
            let (gap, age) = (pair[1] - pair[0], now - pair[0]);
            assert!(gap <= (age / 2).max(10_000), "{gap} ms, {age} ms ago");
        }
        assert!(times[0] < 1_200_000, "{times:?}");
    }
}
