//! Random modules that obey every rule of the format, and random damage to modules.

/// Repeatable chance: xorshift64*.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Small numbers, large ones, and those at which things change.
    pub fn word(&mut self) -> i32 {
        match self.below(5) {
            0 => self.below(300) as i32 - 20,
            1 => self.pick(&[i32::MIN, i32::MAX, -1, 0, 1, 2, 32, 65535, 0x3f80_0000]),
            2 => 1 << self.below(32),
            3 => self.below(200_000) as i32,
            _ => self.next() as i32,
        }
    }
}

const BRANCHES: [u8; 16] = [
    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
];
const LOADS: [u8; 3] = [27, 28, 29];
const STORES: [u8; 3] = [30, 31, 32];
const UNARY: [u8; 4] = [35, 36, 37, 49];
const BINARY: [u8; 14] = [38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 50, 51, 52];
const FLOAT: [u8; 4] = [54, 55, 56, 57];
const ENTER: u8 = 3;
const LEAVE: u8 = 4;
const CALL: u8 = 5;
const PUSH: u8 = 6;
const POP: u8 = 7;
const CONST: u8 = 8;
const LOCAL: u8 = 9;
const JUMP: u8 = 10;
const LTI: u8 = 13;
const GTI: u8 = 15;
const LOAD4: u8 = 29;
const STORE4: u8 = 32;
const ARG: u8 = 33;
const BLOCK_COPY: u8 = 34;
const ADD: u8 = 38;
const LSH: u8 = 50;
const CVIF: u8 = 58;
const CVFI: u8 = 59;

/// Where the data segment's tables begin; before them lie words for constant addresses.
const TABLES: usize = 256;

const BSS: u32 = 70_000;

/// A module in the making.
struct Generator<'a> {
    chance: &'a mut Chance,
    code: Vec<(u8, i32)>,
    data: Vec<i32>,
    /// Where the functions begin, as far as they exist.
    starts: Vec<usize>,
    /// Constants and branches whose operand is the place of a function, known at the end.
    calls: Vec<(usize, usize)>,
    function_count: usize,
    frame: i32,
    /// Where statements of the function begin.
    statements: Vec<usize>,
    /// Branches and constants that wait for a statement.
    jumps: Vec<Jump>,
}

enum Jump {
    /// An operand in the code.
    Operand(usize),
    /// A word of the data.
    Word(usize),
}

/// A whole file.
pub fn module(chance: &mut Chance) -> Vec<u8> {
    let function_count = 1 + chance.below(4);
    let data = (0..TABLES / 4).map(|_| chance.word()).collect();
    let mut generator = Generator {
        chance,
        code: Vec::new(),
        data,
        starts: Vec::new(),
        calls: Vec::new(),
        function_count,
        frame: 0,
        statements: Vec::new(),
        jumps: Vec::new(),
    };
    for _ in 0..function_count {
        generator.function();
    }
    for (at, function) in std::mem::take(&mut generator.calls) {
        generator.code[at].1 = generator.starts[function] as i32;
    }
    file(&generator.code, &generator.data)
}

fn file(code: &[(u8, i32)], data: &[i32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (op, operand) in code {
        bytes.push(*op);
        match *op {
            ENTER | LEAVE | CONST | LOCAL | BLOCK_COPY | 11..=26 => {
                bytes.extend(operand.to_le_bytes());
            }
            ARG => bytes.push(*operand as u8),
            _ => {}
        }
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let (code_length, data_length) = (bytes.len() as u32, 4 * data.len() as u32);
    let header = [
        0x1272_1444,
        code.len() as u32,
        32,
        code_length,
        32 + code_length,
        data_length,
        0,
        BSS,
    ];
    let words = header.into_iter().flat_map(u32::to_le_bytes);
    let data = data.iter().flat_map(|word| word.to_le_bytes());
    words.chain(bytes).chain(data).collect()
}

impl Generator<'_> {
    fn put(&mut self, op: u8, operand: i32) {
        self.code.push((op, operand));
    }

    fn function(&mut self) {
        self.starts.push(self.code.len());
        self.frame = 16 + 4 * self.chance.below(40) as i32;
        self.statements.clear();
        self.put(ENTER, self.frame);
        for _ in 0..1 + self.chance.below(25) {
            self.statements.push(self.code.len());
            self.statement();
        }
        self.statements.push(self.code.len());
        self.put(PUSH, 0);
        self.put(LEAVE, self.frame);
        for jump in std::mem::take(&mut self.jumps) {
            let target = self.chance.pick(&self.statements) as i32;
            match jump {
                // A jump to itself is not allowed.
                Jump::Operand(at) if target == at as i32 => {
                    self.code[at].1 = self.statements[self.statements.len() - 1] as i32;
                }
                Jump::Operand(at) => self.code[at].1 = target,
                Jump::Word(at) => self.data[at] = target,
            }
        }
    }

    fn statement(&mut self) {
        match self.chance.below(16) {
            0..=3 => {
                self.address();
                self.value(3);
                let store = self.chance.pick(&STORES);
                self.put(store, 0);
            }
            4 => {
                self.value(2);
                let offset = 8 + 4 * self.chance.below((self.frame as usize - 8) / 4) as i32;
                self.put(ARG, offset);
            }
            5 => self.call(),
            6 => {
                let number = self
                    .chance
                    .pick(&[0, 100, 101, 103, 107, 500, 501, 502, 503, 999]);
                self.put(CONST, -1 - number);
                self.put(CALL, 0);
                self.put(POP, 0);
            }
            7..=9 => self.branch(),
            10 => {
                self.address();
                self.address();
                let bytes = self
                    .chance
                    .pick(&[0, 4, 5, 12, 28, 32, 36, 468, 2048, 66_000]);
                self.put(BLOCK_COPY, bytes);
            }
            11 => self.switch(),
            12 => {
                self.jumps.push(Jump::Operand(self.code.len()));
                self.put(CONST, 0);
                self.put(JUMP, 0);
            }
            13 if self.chance.below(3) == 0 => {
                self.put(LOCAL, 12);
                self.jumps.push(Jump::Operand(self.code.len()));
                self.put(CONST, 0);
                self.put(STORE4, 0);
                self.put(LOCAL, 12);
                self.put(LOAD4, 0);
                self.put(JUMP, 0);
            }
            14 => {
                // A branch with a value on the stack.
                self.address();
                self.value(1);
                self.value(1);
                let branch = self.chance.pick(&BRANCHES);
                self.put(branch, self.code.len() as i32 + 3);
                self.put(POP, 0);
                self.put(LOCAL, 8);
                self.value(2);
                self.put(STORE4, 0);
            }
            _ => {
                self.value(2);
                let op = if self.chance.below(6) == 0 {
                    LEAVE
                } else {
                    POP
                };
                self.put(op, self.frame);
            }
        }
    }

    fn branch(&mut self) {
        self.value(2);
        self.value(2);
        let branch = self.chance.pick(&BRANCHES);
        self.jumps.push(Jump::Operand(self.code.len()));
        self.put(branch, 0);
    }

    fn call(&mut self) {
        if self.function_count > 1 && self.chance.below(3) > 0 {
            let function = 1 + self.chance.below(self.function_count - 1);
            self.calls.push((self.code.len(), function));
            self.put(CONST, 0);
            if self.chance.below(3) == 0 {
                // Through memory, so that the target is not known.
                self.code.pop();
                self.calls.pop();
                self.put(LOCAL, 8);
                self.calls.push((self.code.len(), function));
                self.put(CONST, 0);
                self.put(STORE4, 0);
                self.put(LOCAL, 8);
                self.put(LOAD4, 0);
            }
        } else {
            self.address();
            self.put(LOAD4, 0);
        }
        self.put(CALL, 0);
        self.put(POP, 0);
    }

    /// As the compiler writes it, with a table of statements.
    fn switch(&mut self) {
        let first = self.chance.below(5) as i32 - 2;
        let last = first + self.chance.below(4) as i32;
        let table = 4 * self.data.len() as i32 - 4 * first;
        for _ in first..=last {
            self.jumps.push(Jump::Word(self.data.len()));
            self.data.push(0);
        }
        self.put(LOCAL, 8);
        self.value(1);
        self.put(STORE4, 0);
        for (bound, comparison) in [(first, LTI), (last, GTI)] {
            self.put(LOCAL, 8);
            self.put(LOAD4, 0);
            self.put(CONST, bound);
            self.jumps.push(Jump::Operand(self.code.len()));
            self.put(comparison, 0);
        }
        self.put(LOCAL, 8);
        self.put(LOAD4, 0);
        self.put(CONST, 2);
        self.put(LSH, 0);
        self.put(CONST, table);
        self.put(ADD, 0);
        self.put(LOAD4, 0);
        self.put(JUMP, 0);
    }

    fn address(&mut self) {
        match self.chance.below(4) {
            0 | 1 => {
                let offset = 8 + self.chance.below(self.frame as usize - 8 + 64) as i32;
                self.put(LOCAL, offset);
            }
            2 => {
                let address = self.chance.below(TABLES - 8) as i32;
                self.put(CONST, address);
            }
            _ => {
                let word = self.chance.word();
                self.put(LOCAL, 8);
                self.put(LOAD4, 0);
                self.put(CONST, word);
                self.put(ADD, 0);
            }
        }
    }

    fn value(&mut self, deepest: usize) {
        match self.chance.below(if deepest == 0 { 3 } else { 8 }) {
            0 | 1 => {
                let word = self.chance.word();
                self.put(CONST, word);
            }
            2 => {
                self.put(LOCAL, 8);
                self.put(LOAD4, 0);
            }
            3 => {
                self.address();
                let load = self.chance.pick(&LOADS);
                self.put(load, 0);
            }
            4 => {
                self.value(deepest - 1);
                let op = self.chance.pick(&UNARY);
                self.put(op, 0);
            }
            5 => {
                // Back to an integer at once: the bits of a NaN are nobody's promise.
                self.value(deepest - 1);
                self.put(CVIF, 0);
                self.value(deepest - 1);
                let op = self.chance.pick(&FLOAT);
                self.put(op, 0);
                self.put(CVFI, 0);
            }
            _ => {
                self.value(deepest - 1);
                self.value(deepest - 1);
                let op = self.chance.pick(&BINARY);
                self.put(op, 0);
            }
        }
    }
}

/// Changes a few bytes or words, most of them of the header or the code.
pub fn damage(chance: &mut Chance, file: &mut Vec<u8>) {
    for _ in 0..1 + chance.below(4) {
        if file.len() < 8 {
            return;
        }
        let at = match chance.below(8) {
            0 => chance.below(36.min(file.len())),
            _ => chance.below(file.len()),
        };
        match chance.below(6) {
            0 => file[at] ^= 1 << chance.below(8),
            1 | 2 => file[at] = chance.below(61) as u8,
            3 => {
                let at = at.min(file.len() - 4);
                let word = chance.word().to_le_bytes();
                file[at..at + 4].copy_from_slice(&word);
            }
            4 => {
                let from = chance.below(file.len());
                let length = chance.below(24).min(file.len() - at.max(from));
                file.copy_within(from..from + length, at);
            }
            _ if chance.below(20) == 0 => file.truncate(at),
            _ => file.swap(at, (at + 1) % 8),
        }
    }
}
