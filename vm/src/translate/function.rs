//! One function as WebAssembly: structured where its loops have one entry each, else a loop that dispatches.
//!
//! The structured form follows Ramsey, "Beyond Relooper": a block's code is followed by the blocks below it in the
//! dominator tree; what is reached over several ways stands behind the `block` that those ways leave.

use super::{
    blocks::{self, BlockTranslation, NEXT, SCRATCH, STACK, charge},
    dominators::Nesting,
    support::fail,
};
use crate::{
    budget,
    error::Fault,
    flow::{self, Block, Blocks, Exit, Targets},
    image::{Function, Image},
};
use wasm_encoder::{BlockType, InstructionSink};

/// The dispatch form is for what no compiler writes; more blocks than this take engines too long.
const MAX_DISPATCH_BLOCKS: usize = 16384;

pub(super) struct FunctionTranslation<'image> {
    image: &'image Image,
    function: Function,
    base: u32,
    blocks: Vec<Block>,
    has_any_jump: bool,
    /// How many WebAssembly blocks, loops and ifs are open.
    open: u32,
    /// For each block, how many were open around the `block` that ends before it.
    before: Vec<u32>,
    /// The same for the `loop` that it heads.
    around: Vec<u32>,
}

/// What remains to be put out, the next one last.
enum Task {
    Tree(usize),
    Body(usize),
    Branch { at: u32, from: usize, to: usize },
    End,
}

impl<'image> FunctionTranslation<'image> {
    pub(super) fn new(image: &'image Image, number: usize, base: u32) -> Self {
        let function = image.functions[number];
        let Blocks {
            blocks,
            has_any_jump,
        } = flow::blocks(image, function);
        Self {
            image,
            function,
            base,
            open: 0,
            before: vec![0; blocks.len()],
            around: vec![0; blocks.len()],
            blocks,
            has_any_jump,
        }
    }

    /// `None` if the function is too large.
    pub(super) fn run(mut self) -> Option<wasm_encoder::Function> {
        let mut body = wasm_encoder::Function::new(blocks::locals(self.image, self.function));
        let mut sink = body.instructions();
        self.enter(&mut sink);
        let nesting = match self.has_any_jump {
            true => None,
            false => Nesting::of(&self.blocks),
        };
        match nesting {
            Some(nesting) => self.structured(&nesting, &mut sink),
            None if self.blocks.len() <= MAX_DISPATCH_BLOCKS => self.dispatch(&mut sink),
            None => return None,
        }
        sink.unreachable().end();
        Some(body)
    }

    fn enter(&self, sink: &mut InstructionSink) {
        let start = self.function.start;
        let cost = budget::function_cost(self.function.end - start);
        charge(sink, cost, start);
        sink.local_get(STACK)
            .i32_const(self.function.frame as i32)
            .i32_sub()
            .local_tee(STACK)
            .i32_const(self.image.memory.lowest_stack as i32)
            .i32_lt_s()
            .if_(BlockType::Empty);
        fail(sink, Fault::Stack, start, None);
        sink.end();
    }

    fn block_code(&self, block: usize, sink: &mut InstructionSink) {
        let block = &self.blocks[block];
        BlockTranslation::new(self.image, self.function, self.base, block).emit(block, sink);
    }

    fn structured(&mut self, nesting: &Nesting, sink: &mut InstructionSink) {
        let mut tasks = vec![Task::Tree(0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Tree(block) => {
                    if nesting.is_loop[block] {
                        sink.loop_(BlockType::Empty);
                        self.around[block] = self.open;
                        self.open += 1;
                        tasks.push(Task::End);
                    }
                    for &merge in &nesting.merges[block] {
                        sink.block(BlockType::Empty);
                        self.before[merge] = self.open;
                        self.open += 1;
                        tasks.push(Task::Tree(merge));
                        tasks.push(Task::End);
                    }
                    tasks.push(Task::Body(block));
                }
                Task::Body(block) => {
                    self.block_code(block, sink);
                    self.exit(block, nesting, &mut tasks, sink);
                }
                Task::Branch { at, from, to } => match self.label(from, to, nesting) {
                    Some(label) => self.jump(at, to, label, sink),
                    None => tasks.push(Task::Tree(to)),
                },
                Task::End => {
                    sink.end();
                    self.open -= 1;
                }
            }
        }
    }

    /// The way to a block that has a `block` or `loop` of its own, from where the translation is now.
    fn label(&self, from: usize, to: usize, nesting: &Nesting) -> Option<u32> {
        if nesting.order[to] <= nesting.order[from] {
            Some(self.open - 1 - self.around[to])
        } else if nesting.is_merge[to] {
            Some(self.open - 1 - self.before[to])
        } else {
            None
        }
    }

    fn jump(&self, at: u32, to: usize, label: u32, sink: &mut InstructionSink) {
        if let Some(cost) = budget::jump_cost(at, self.blocks[to].code.start) {
            charge(sink, cost, at);
        }
        sink.br(label);
    }

    fn exit(
        &mut self,
        from: usize,
        nesting: &Nesting,
        tasks: &mut Vec<Task>,
        sink: &mut InstructionSink,
    ) {
        let at = self.blocks[from].code.end - 1;
        match self.blocks[from].exit.clone() {
            Exit::Return => {
                sink.return_();
            }
            Exit::Next(to) | Exit::Jump(to) => tasks.push(Task::Branch { at, from, to }),
            Exit::Branch { taken, next } => {
                tasks.push(Task::Branch { at, from, to: next });
                let is_free = budget::jump_cost(at, self.blocks[taken].code.start).is_none();
                match self.label(from, taken, nesting) {
                    Some(label) if is_free => {
                        sink.br_if(label);
                    }
                    _ => {
                        sink.if_(BlockType::Empty);
                        self.open += 1;
                        tasks.push(Task::End);
                        tasks.push(Task::Branch {
                            at,
                            from,
                            to: taken,
                        });
                    }
                }
            }
            Exit::Computed(targets) => {
                sink.local_set(SCRATCH);
                charge(sink, self.computed_cost(at), at);
                sink.block(BlockType::Empty);
                self.open += 1;
                let labels = targets.iter().map(|&to| {
                    let label = self.label(from, to, nesting);
                    let label = label.expect("targets of computed jumps have labels");
                    (self.blocks[to].code.start, label)
                });
                table(labels, sink);
                sink.end();
                self.open -= 1;
                fail(sink, Fault::JumpTarget, at, Some(SCRATCH));
            }
            Exit::ComputedAny => unreachable!("such functions are dispatched"),
        }
    }

    fn computed_cost(&self, at: u32) -> i32 {
        budget::computed_jump_cost(at, self.function.start)
    }

    /// Block after block, each behind the end of a WebAssembly block of its own, all in one loop that begins with a
    /// table of them. Jumps forward leave those blocks; only jumps backward go through the table.
    fn dispatch(&mut self, sink: &mut InstructionSink) {
        let count = self.blocks.len() as u32;
        sink.loop_(BlockType::Empty);
        for _ in 0..=count {
            sink.block(BlockType::Empty);
        }
        // The innermost one is for what cannot be.
        sink.local_get(NEXT);
        let mut entries = vec![0; (self.function.end - self.function.start) as usize];
        for (number, block) in self.blocks.iter().enumerate() {
            entries[(block.code.start - self.function.start) as usize] = number as u32 + 1;
        }
        sink.br_table(entries, 0).end().unreachable();
        for block in 0..self.blocks.len() {
            sink.end();
            // The following blocks are open, and the loop around them.
            let to_loop = count - 1 - block as u32;
            self.block_code(block, sink);
            self.dispatch_exit(block, to_loop, sink);
        }
        sink.end();
    }

    fn dispatch_exit(&self, from: usize, to_loop: u32, sink: &mut InstructionSink) {
        let at = self.blocks[from].code.end - 1;
        match &self.blocks[from].exit {
            Exit::Return => {
                sink.return_();
            }
            Exit::Next(_) => {}
            Exit::Jump(to) => self.dispatch_jump(at, from, *to, to_loop, sink),
            Exit::Branch { taken, .. } => {
                sink.if_(BlockType::Empty);
                self.dispatch_jump(at, from, *taken, to_loop + 1, sink);
                sink.end();
            }
            Exit::Computed(_) | Exit::ComputedAny => {
                sink.local_set(SCRATCH);
                charge(sink, self.computed_cost(at), at);
                sink.block(BlockType::Empty).block(BlockType::Empty);
                match self.image.jumps.of(at) {
                    Targets::Table(targets) => {
                        table(targets.iter().map(|target| (*target, 1)), sink);
                    }
                    any @ Targets::Any => {
                        let all = self.function.start..self.function.end;
                        let targets =
                            all.filter(|target| any.allows(self.image, self.function, *target));
                        table(targets.map(|target| (target, 1)), sink);
                    }
                }
                sink.end();
                fail(sink, Fault::JumpTarget, at, Some(SCRATCH));
                sink.end()
                    .local_get(SCRATCH)
                    .i32_const(self.function.start as i32)
                    .i32_sub()
                    .local_set(NEXT)
                    .br(to_loop);
            }
        }
    }

    /// `to_loop` is the label of the loop from here.
    fn dispatch_jump(
        &self,
        at: u32,
        from: usize,
        to: usize,
        to_loop: u32,
        sink: &mut InstructionSink,
    ) {
        let start = self.blocks[to].code.start;
        if to > from {
            let last = self.blocks.len() - 1;
            sink.br(to_loop - 1 - (last - to) as u32);
            return;
        }
        if let Some(cost) = budget::jump_cost(at, start) {
            charge(sink, cost, at);
        }
        sink.i32_const((start - self.function.start) as i32)
            .local_set(NEXT)
            .br(to_loop);
    }
}

/// Jumps to the label that belongs to the target in [`SCRATCH`]; out of the innermost block if it has none. Targets
/// come in order.
fn table(labels: impl Iterator<Item = (u32, u32)>, sink: &mut InstructionSink) {
    let labels = labels.collect::<Vec<_>>();
    let Some(&(first, _)) = labels.first() else {
        return;
    };
    let mut entries = Vec::new();
    for (target, label) in labels {
        entries.resize((target - first) as usize, 0);
        entries.push(label);
    }
    sink.local_get(SCRATCH)
        .i32_const(first as i32)
        .i32_sub()
        .br_table(entries, 0);
}
