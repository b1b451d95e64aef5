//! Control flow: where computed jumps may go, and each function's basic blocks with their exits.

use crate::{
    code::{Instruction, Op},
    image::{Function, Image},
    validate::constant_jump,
};
use std::ops::Range;

/// Tables with more entries are not looked at; the largest known has 90.
const MAX_TABLE: i64 = 1024;

/// All tables of a module together; beyond this, jumps count as unlimited ones.
const MAX_ALL_TARGETS: usize = 1 << 20;

/// How far before a jump its bounds are looked for.
const BOUNDS_WITHIN: usize = 64;

/// Every computed jump of a module, and where it may go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jumps {
    /// By instruction; the range is one of `targets`.
    tables: Vec<(u32, Option<Range<usize>>)>,
    targets: Vec<u32>,
}

/// Where one computed jump may go; anything else ends the call with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Targets<'image> {
    /// To these instructions: the entries of its switch table, in order.
    Table(&'image [u32]),
    /// To any instruction of its function that expects an empty operand stack.
    Any,
}

impl Jumps {
    pub(crate) fn of(&self, at: u32) -> Targets<'_> {
        let found = self
            .tables
            .binary_search_by_key(&at, |(jump, _)| *jump)
            .ok()
            .and_then(|index| self.tables[index].1.clone());
        match found {
            Some(range) => Targets::Table(&self.targets[range]),
            None => Targets::Any,
        }
    }
}

impl Targets<'_> {
    pub(crate) fn allows(self, image: &Image, function: Function, target: u32) -> bool {
        match self {
            Self::Table(targets) => targets.binary_search(&target).is_ok(),
            Self::Any => is_target(&image.depths, function, target),
        }
    }
}

fn is_target(depths: &[u8], function: Function, target: u32) -> bool {
    (function.start + 1..function.end).contains(&target) && depths[target as usize] == 0
}

/// Finds every computed jump, and its switch table where the code around it has the one form that compilers write.
pub(crate) fn computed_jumps(
    instructions: &[Instruction],
    functions: &[Function],
    depths: &[u8],
    data: &[u8],
) -> Jumps {
    let mut jumps = Jumps::default();
    for function in functions {
        for at in function.start as usize..function.end as usize {
            if instructions[at].op != Op::Jump || constant_jump(instructions, at).is_some() {
                continue;
            }
            let code = &instructions[function.start as usize..at];
            let range = table_addresses(code)
                .and_then(|addresses| read_table(data, addresses))
                .filter(|table| {
                    table
                        .iter()
                        .all(|target| is_target(depths, *function, *target))
                })
                .filter(|table| jumps.targets.len() + table.len() <= MAX_ALL_TARGETS)
                .map(|mut table| {
                    table.sort_unstable();
                    table.dedup();
                    let start = jumps.targets.len();
                    jumps.targets.extend(table);
                    start..jumps.targets.len()
                });
            jumps.tables.push((at as u32, range));
        }
    }
    jumps
}

/// Before the jump stand `x; 2; LSH; CONST table; ADD; LOAD4`, and before those the comparisons of x with the first
/// and the last case. The 2 and what equals it may be kept in a local.
fn table_addresses(code: &[Instruction]) -> Option<Range<i64>> {
    let [
        before @ ..,
        Instruction { op: Op::Lsh, .. },
        Instruction {
            op: Op::Const,
            operand: table,
        },
        Instruction { op: Op::Add, .. },
        Instruction { op: Op::Load4, .. },
    ] = code
    else {
        return None;
    };
    let two = match before {
        [
            ..,
            Instruction {
                op: Op::Local,
                operand,
            },
            Instruction { op: Op::Load4, .. },
        ] => Some(*operand),
        [
            ..,
            Instruction {
                op: Op::Const,
                operand: 2,
            },
        ] => None,
        _ => return None,
    };
    let bound = |comparison: Op| {
        let near = &before[before.len().saturating_sub(BOUNDS_WITHIN)..];
        let at = near.iter().rposition(|found| found.op == comparison)?;
        match &near[..at] {
            [
                ..,
                Instruction {
                    op: Op::Const,
                    operand,
                },
            ] => Some(i64::from(*operand)),
            [
                ..,
                Instruction {
                    op: Op::Local,
                    operand,
                },
                Instruction { op: Op::Load4, .. },
            ] if Some(*operand) == two => Some(2),
            _ => None,
        }
    };
    let (first, last) = (bound(Op::Lti)?, bound(Op::Gti)?);
    let table = i64::from(*table);
    (first <= last && last - first < MAX_TABLE).then(|| table + 4 * first..table + 4 * (last + 1))
}

fn read_table(data: &[u8], addresses: Range<i64>) -> Option<Vec<u32>> {
    let range = usize::try_from(addresses.start).ok()?..usize::try_from(addresses.end).ok()?;
    let (words, _) = data.get(range)?.as_chunks::<4>();
    Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// One function as basic blocks, in the order of the code.
pub(crate) struct Blocks {
    pub blocks: Vec<Block>,
    /// It has a jump whose targets are not known.
    pub has_any_jump: bool,
}

/// Instructions that are always executed one after the other.
pub(crate) struct Block {
    pub code: Range<u32>,
    pub exit: Exit,
}

/// How a block is left; numbers are those of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Next(usize),
    Jump(usize),
    Branch { taken: usize, next: usize },
    Computed(Vec<usize>),
    ComputedAny,
    Return,
}

impl Exit {
    pub(crate) fn successors(&self) -> impl Iterator<Item = usize> + '_ {
        let (pair, many): ([Option<usize>; 2], &[usize]) = match self {
            Self::Next(to) | Self::Jump(to) => ([Some(*to), None], &[]),
            Self::Branch { taken, next } => ([Some(*taken), Some(*next)], &[]),
            Self::Computed(targets) => ([None, None], targets),
            Self::ComputedAny | Self::Return => ([None, None], &[]),
        };
        pair.into_iter().flatten().chain(many.iter().copied())
    }
}

/// Cuts a function into blocks.
pub(crate) fn blocks(image: &Image, function: Function) -> Blocks {
    let (leads, has_any_jump) = leaders(image, function);
    let starts = (function.start..function.end)
        .filter(|at| leads[(at - function.start) as usize])
        .collect::<Vec<_>>();
    let block_of = |target: u32| {
        starts
            .binary_search(&target)
            .expect("every target leads a block")
    };
    let blocks = starts
        .iter()
        .enumerate()
        .map(|(index, &start)| {
            let end = starts.get(index + 1).copied().unwrap_or(function.end);
            let last = end - 1;
            let Instruction { op, operand } = image.instructions[last as usize];
            let exit = match op {
                Op::Leave => Exit::Return,
                Op::Jump => match constant_jump(&image.instructions, last as usize) {
                    Some(target) => Exit::Jump(block_of(target as u32)),
                    None => match image.jumps.of(last) {
                        Targets::Table(targets) => {
                            Exit::Computed(targets.iter().map(|target| block_of(*target)).collect())
                        }
                        Targets::Any => Exit::ComputedAny,
                    },
                },
                _ if op.is_branch() => Exit::Branch {
                    taken: block_of(operand as u32),
                    next: index + 1,
                },
                _ => Exit::Next(index + 1),
            };
            Block {
                code: start..end,
                exit,
            }
        })
        .collect();
    Blocks {
        blocks,
        has_any_jump,
    }
}

/// Which instructions begin a block, and whether a jump may go anywhere.
fn leaders(image: &Image, function: Function) -> (Vec<bool>, bool) {
    let mut leads = vec![false; (function.end - function.start) as usize];
    leads[0] = true;
    let index = |target: u32| (target - function.start) as usize;
    let mut has_any_jump = false;
    for at in function.start..function.end {
        let Instruction { op, operand } = image.instructions[at as usize];
        match op {
            Op::Jump => match constant_jump(&image.instructions, at as usize) {
                Some(target) => leads[index(target as u32)] = true,
                None => match image.jumps.of(at) {
                    Targets::Table(targets) => {
                        targets
                            .iter()
                            .for_each(|target| leads[index(*target)] = true);
                    }
                    Targets::Any => has_any_jump = true,
                },
            },
            Op::Leave => {}
            _ if op.is_branch() => leads[index(operand as u32)] = true,
            _ => continue,
        }
        if at + 1 < function.end {
            leads[index(at + 1)] = true;
        }
    }
    if has_any_jump {
        for at in function.start + 1..function.end {
            leads[index(at)] |= image.depths[at as usize] == 0;
        }
    }
    (leads, has_any_jump)
}
