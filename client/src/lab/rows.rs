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

/// A setting and its values, from left to right on the slider: what the cvar is set to, and how that reads.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub table: PanelTable,
    pub label: &'static str,
    pub cvar: &'static str,
    pub set_on: RowTarget,
    pub values: &'static [(&'static str, &'static str)],
    /// The value that an experiment begins with which does not name the row.
    pub default: &'static str,
}

const fn line(
    label: &'static str,
    cvar: &'static str,
    values: &'static [(&'static str, &'static str)],
    default: &'static str,
) -> Row {
    Row {
        table: PanelTable::Line,
        label,
        cvar,
        set_on: RowTarget::Client,
        values,
        default,
    }
}

const fn netcode(
    label: &'static str,
    cvar: &'static str,
    set_on: RowTarget,
    values: &'static [(&'static str, &'static str)],
    default: &'static str,
) -> Row {
    Row {
        table: PanelTable::Netcode,
        label,
        cvar,
        set_on,
        values,
        default,
    }
}

const DELAY: &[(&str, &str)] = &[
    ("0", "0 ms"),
    ("10", "10 ms"),
    ("20", "20 ms"),
    ("30", "30 ms"),
    ("40", "40 ms"),
    ("50", "50 ms"),
    ("75", "75 ms"),
    ("100", "100 ms"),
    ("150", "150 ms"),
    ("200", "200 ms"),
    ("300", "300 ms"),
];
const JITTER: &[(&str, &str)] = &[
    ("0", "0 ms"),
    ("5", "5 ms"),
    ("10", "10 ms"),
    ("20", "20 ms"),
    ("40", "40 ms"),
    ("80", "80 ms"),
];
const LOSS: &[(&str, &str)] = &[
    ("0", "0 %"),
    ("1", "1 %"),
    ("2", "2 %"),
    ("5", "5 %"),
    ("10", "10 %"),
    ("20", "20 %"),
    ("40", "40 %"),
];
const LINE_RATE: &[(&str, &str)] = &[
    ("2000", "2 kB/s"),
    ("3000", "3 kB/s"),
    ("5000", "5 kB/s"),
    ("10000", "10 kB/s"),
    ("25000", "25 kB/s"),
    ("0", "any"),
];
const RATE: &[(&str, &str)] = &[
    ("2000", "2000"),
    ("3000", "3000"),
    ("5000", "5000"),
    ("10000", "10000"),
    ("25000", "25000"),
    ("90000", "90000"),
];
const OFF_ON: &[(&str, &str)] = &[("0", "off"), ("1", "on")];

/// All rows, table by table.
pub const ROWS: &[Row] = &[
    line("delay up", "net_delayUp", DELAY, "50"),
    line("delay down", "net_delay", DELAY, "50"),
    line("jitter up", "net_jitterUp", JITTER, "0"),
    line("jitter down", "net_jitter", JITTER, "0"),
    line("loss up", "net_lossUp", LOSS, "0"),
    line("loss down", "net_loss", LOSS, "0"),
    line("rate up", "net_rateUp", LINE_RATE, "0"),
    line("rate down", "rate", RATE, "25000"),
    netcode(
        "prediction",
        "cg_nopredict",
        RowTarget::Client,
        &[("1", "off"), ("0", "on")],
        "0",
    ),
    netcode(
        "predict others",
        "cg_predictOthers",
        RowTarget::Client,
        OFF_ON,
        "0",
    ),
    netcode(
        "smooth others",
        "cg_smoothOthers",
        RowTarget::Client,
        &[
            ("0", "off"),
            ("50", "50 ms"),
            ("100", "100 ms"),
            ("200", "200 ms"),
        ],
        "0",
    ),
    netcode(
        "timeNudge",
        "cl_timeNudge",
        RowTarget::Client,
        &[
            ("-30", "-30 ms"),
            ("-20", "-20 ms"),
            ("-10", "-10 ms"),
            ("0", "0 ms"),
            ("10", "10 ms"),
            ("20", "20 ms"),
            ("30", "30 ms"),
        ],
        "0",
    ),
    netcode(
        "packetdup",
        "cl_packetdup",
        RowTarget::Client,
        &[
            ("0", "0"),
            ("1", "1"),
            ("2", "2"),
            ("3", "3"),
            ("5", "5"),
            ("auto", "auto"),
        ],
        "auto",
    ),
    netcode(
        "maxpackets",
        "cl_maxpackets",
        RowTarget::Client,
        &[
            ("15", "15"),
            ("30", "30"),
            ("40", "40"),
            ("60", "60"),
            ("100", "100"),
            ("125", "125"),
        ],
        "40",
    ),
    netcode(
        "snaps",
        "snaps",
        RowTarget::Client,
        &[
            ("5", "5"),
            ("10", "10"),
            ("20", "20"),
            ("40", "40"),
            ("125", "125"),
        ],
        "40",
    ),
    netcode(
        "sv_fps",
        "sv_fps",
        RowTarget::Server,
        &[
            ("10", "10"),
            ("20", "20"),
            ("30", "30"),
            ("40", "40"),
            ("60", "60"),
            ("125", "125"),
        ],
        "20",
    ),
    netcode("unlagged", "g_unlagged", RowTarget::Server, OFF_ON, "1"),
    netcode(
        "camera",
        "cg_thirdPerson",
        RowTarget::Client,
        &[("0", "eyes"), ("1", "behind")],
        "0",
    ),
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
        self.values.iter().position(|(known, _)| *known == value)
    }

    /// What the value at a place reads as.
    pub fn shown(&self, place: usize) -> &'static str {
        self.values.get(place).map_or("", |(_, shown)| shown)
    }

    /// What the cvar is at a place.
    pub fn value(&self, place: usize) -> &'static str {
        self.values
            .get(place)
            .map_or(self.default, |(value, _)| value)
    }
}
