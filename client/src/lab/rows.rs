//! The rows of the lab's panel: what can be set for each side, and the values to choose from.

/// Who is told the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowTarget {
    Client,
    Server,
}

/// Where a row stands on the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelTable {
    Line,
    Netcode,
}

/// A setting that the sides can have different values of.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub table: PanelTable,
    pub label: &'static str,
    pub cvar: &'static str,
    pub set_on: RowTarget,
    pub values: SliderValues,
    /// The value that an experiment begins with which does not name the row.
    pub default: &'static str,
}

/// The values to choose from, from left to right on the slider.
#[derive(Clone, Copy, Debug)]
pub struct SliderValues {
    /// What the cvar is set to.
    pub all: &'static [&'static str],
    reads: Reads,
}

/// How values read.
#[derive(Clone, Copy, Debug)]
enum Reads {
    /// As they are, with this behind them.
    With(&'static str),
    /// By these words, one for each.
    As(&'static [&'static str]),
}

const fn with(unit: &'static str, all: &'static [&'static str]) -> SliderValues {
    let reads = Reads::With(unit);
    SliderValues { all, reads }
}

const fn named(all: &'static [&'static str], words: &'static [&'static str]) -> SliderValues {
    let reads = Reads::As(words);
    SliderValues { all, reads }
}

const fn row(
    label: &'static str,
    cvar: &'static str,
    values: SliderValues,
    default: &'static str,
) -> Row {
    Row {
        table: PanelTable::Netcode,
        label,
        cvar,
        set_on: RowTarget::Client,
        values,
        default,
    }
}

/// Of the table of the line.
const fn of_line(row: Row) -> Row {
    let table = PanelTable::Line;
    Row { table, ..row }
}

/// One that the server is told.
const fn of_server(row: Row) -> Row {
    let set_on = RowTarget::Server;
    Row { set_on, ..row }
}

const DELAY: SliderValues = with(
    " ms",
    &[
        "0", "10", "20", "30", "40", "50", "75", "100", "150", "200", "300",
    ],
);
const JITTER: SliderValues = with(" ms", &["0", "5", "10", "20", "40", "80"]);
const LOSS: SliderValues = with(" %", &["0", "1", "2", "5", "10", "20", "40"]);
const LINE_RATE: SliderValues = named(
    &["2000", "3000", "5000", "10000", "25000", "0"],
    &["2 kB/s", "3 kB/s", "5 kB/s", "10 kB/s", "25 kB/s", "any"],
);
const RATE: SliderValues = with("", &["2000", "3000", "5000", "10000", "25000", "90000"]);
const SMOOTHING: SliderValues = named(
    &["0", "50", "100", "200"],
    &["off", "50 ms", "100 ms", "200 ms"],
);
const NUDGE: SliderValues = with(" ms", &["-30", "-20", "-10", "0", "10", "20", "30"]);
const REPEATS: SliderValues = with("", &["0", "1", "2", "3", "5", "auto"]);
const PACKETS: SliderValues = with("", &["15", "30", "40", "60", "100", "125"]);
const SNAPSHOTS: SliderValues = with("", &["5", "10", "20", "40", "125"]);
const SERVER_FRAMES: SliderValues = with("", &["10", "20", "30", "40", "60", "125"]);
/// Of a cvar that turns something off.
const NOT: SliderValues = named(&["1", "0"], &["off", "on"]);
const OFF_ON: SliderValues = named(&["0", "1"], &["off", "on"]);
const CAMERA: SliderValues = named(&["0", "1"], &["eyes", "behind"]);

/// All rows, table by table.
pub const ROWS: &[Row] = &[
    of_line(row("delay up", "net_delayUp", DELAY, "50")),
    of_line(row("delay down", "net_delay", DELAY, "50")),
    of_line(row("jitter up", "net_jitterUp", JITTER, "0")),
    of_line(row("jitter down", "net_jitter", JITTER, "0")),
    of_line(row("loss up", "net_lossUp", LOSS, "0")),
    of_line(row("loss down", "net_loss", LOSS, "0")),
    of_line(row("rate up", "net_rateUp", LINE_RATE, "0")),
    of_line(row("rate down", "rate", RATE, "25000")),
    row("prediction", "cg_nopredict", NOT, "0"),
    row("predict others", "cg_predictOthers", OFF_ON, "0"),
    row("smooth others", "cg_smoothOthers", SMOOTHING, "0"),
    row("timeNudge", "cl_timeNudge", NUDGE, "0"),
    row("packetdup", "cl_packetdup", REPEATS, "auto"),
    row("maxpackets", "cl_maxpackets", PACKETS, "40"),
    row("snaps", "snaps", SNAPSHOTS, "40"),
    of_server(row("sv_fps", "sv_fps", SERVER_FRAMES, "20")),
    of_server(row("unlagged", "g_unlagged", OFF_ON, "1")),
    row("camera", "cg_thirdPerson", CAMERA, "0"),
];

/// The number of the row of a cvar.
pub fn find(cvar: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.cvar == cvar)
}

/// The rows of a table with their numbers.
pub fn of(table: PanelTable) -> impl Iterator<Item = (usize, &'static Row)> {
    let rows = ROWS.iter().enumerate();
    rows.filter(move |(_, row)| row.table == table)
}

impl Row {
    /// The place of a value on the slider.
    pub fn place(&self, value: &str) -> Option<usize> {
        self.values.all.iter().position(|known| *known == value)
    }

    /// What the value at a place reads as.
    pub fn shown(&self, place: usize) -> String {
        match self.values.reads {
            Reads::With(unit) => format!("{}{unit}", self.value(place)),
            Reads::As(words) => words.get(place).map_or("", |word| word).to_owned(),
        }
    }

    /// What the cvar is at a place.
    pub fn value(&self, place: usize) -> &'static str {
        self.values
            .all
            .get(place)
            .map_or(self.default, |value| value)
    }
}
