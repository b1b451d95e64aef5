//! Graphs and reports for those who study input and frames (`timegraph`, `cl_debugMove`, …).

use super::Client;
use crate::{
    con::{
        cvar::{Cvar, flag},
        keys,
    },
    scene::{Draw2d, text::TextStyle},
    session::Session,
    ui::graph::Graph,
};
use glam::Vec3;
use shared::base::text::SKIP_NOTIFY;

/// What the graphs are made of.
#[derive(Clone, Default)]
pub(super) struct FrameGraphs {
    graph: Graph,
    angles_before: Vec3,
}

impl Client {
    /// Takes note of the frame that was just made.
    pub(super) fn record_frame(&mut self) {
        let angles = self.input.view_angles();
        let turned = angles - self.frame_graphs.angles_before;
        self.frame_graphs.angles_before = angles;
        match self.cvars.integer("cl_debugMove") {
            1 => self.frame_graphs.graph.add(turned.y.abs()),
            2 => self.frame_graphs.graph.add(turned.x.abs()),
            _ if self.cvars.is_on("timegraph") => {
                self.frame_graphs.graph.add(self.frame_msec as f32 * 0.25);
            }
            _ => {}
        }
        let counts_per_msec = self.input.take_mouse_rate();
        if counts_per_msec != 0.0 && self.cvars.is_on("cl_showmouserate") {
            self.print(&format!(
                "mouse: {counts_per_msec:.2} counts a millisecond\n"
            ));
        }
    }

    pub(super) fn draw_graph(&self, out: &mut Vec<Draw2d>) {
        let names = ["timegraph", "debuggraph", "cl_debugMove"];
        if names.iter().any(|name| self.cvars.is_on(name)) {
            let graph = &self.frame_graphs.graph;
            graph.draw(out, self.charset, self.screen, self.text_scale());
        }
    }

    /// The size of the picture, in pixels.
    pub fn screen(&self) -> [f32; 2] {
        self.screen
    }

    /// Lines at the top left, for whoever watches a run again.
    pub fn draw_lines(&self, out: &mut Vec<Draw2d>, lines: &[String]) {
        let scale = self.text_scale();
        let style = TextStyle {
            size: [8.0 * scale, 12.0 * scale],
            color: [1.0, 1.0, 0.6, 1.0],
            has_shadow: true,
            ignores_codes: true,
        };
        let step = style.size[1] + 2.0 * scale;
        let height = step * lines.len() as f32 + 6.0 * scale;
        let back = [0.0, 0.0, self.screen[0], height];
        self.charset.fill(out, back, [0.0, 0.0, 0.0, 0.55]);
        for (row, line) in lines.iter().enumerate() {
            let y = 3.0 * scale + row as f32 * step;
            self.charset.line(out, 6.0 * scale, y, line, style);
        }
    }

    /// The newest snapshot as text: the player's state, then the entities.
    pub fn state_lines(&self) -> Vec<String> {
        let session = self.session.as_ref();
        session.map(Session::state_lines).unwrap_or_default()
    }

    /// Settings that are not as they are by default.
    pub fn changed_cvars(&self) -> Vec<String> {
        let is_changed =
            |cvar: &&Cvar| cvar.value() != cvar.default_value() && !cvar.has(flag::SECRET);
        let changed = self.cvars.iter().filter(is_changed);
        let lines: Vec<String> = changed
            .map(|cvar| format!("{} {:?}", cvar.name(), cvar.value()))
            .collect();
        lines.chunks(3).map(|three| three.join("   ")).collect()
    }

    pub(super) fn tell_key(&mut self, key: u16, is_down: bool) {
        if self.cvars.is_on("in_keyboardDebug") {
            let does = if is_down { "down" } else { "up" };
            self.print(&format!("key {key} {} {does}\n", keys::name(key)));
        }
    }

    /// Files that are missing or defective, each told once; players can do little about most of them.
    pub(super) fn tell_about_assets(&mut self) {
        let quiet = match self.cvars.is_on("developer") {
            true => "",
            false => SKIP_NOTIFY,
        };
        for message in self.assets.take_messages() {
            self.print(&format!("{quiet}^3{message}\n"));
        }
    }
}
