//! The instructions of the virtual machine, read from their bytes.

use crate::image::ImageError;

/// What an instruction does; the numbers are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Op {
    Undef,
    Ignore,
    Break,
    Enter,
    Leave,
    Call,
    Push,
    Pop,
    Const,
    Local,
    Jump,
    Eq,
    Ne,
    Lti,
    Lei,
    Gti,
    Gei,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Eqf,
    Nef,
    Ltf,
    Lef,
    Gtf,
    Gef,
    Load1,
    Load2,
    Load4,
    Store1,
    Store2,
    Store4,
    Arg,
    BlockCopy,
    Sex8,
    Sex16,
    Negi,
    Add,
    Sub,
    Divi,
    Divu,
    Modi,
    Modu,
    Muli,
    Mulu,
    Band,
    Bor,
    Bxor,
    Bcom,
    Lsh,
    Rshi,
    Rshu,
    Negf,
    Addf,
    Subf,
    Divf,
    Mulf,
    Cvif,
    Cvfi,
}

/// Every operation at its number.
#[rustfmt::skip]
const OPS: [Op; 60] = [
    Op::Undef, Op::Ignore, Op::Break, Op::Enter, Op::Leave, Op::Call, Op::Push, Op::Pop, Op::Const, Op::Local,
    Op::Jump, Op::Eq, Op::Ne, Op::Lti, Op::Lei, Op::Gti, Op::Gei, Op::Ltu, Op::Leu, Op::Gtu, Op::Geu, Op::Eqf,
    Op::Nef, Op::Ltf, Op::Lef, Op::Gtf, Op::Gef, Op::Load1, Op::Load2, Op::Load4, Op::Store1, Op::Store2, Op::Store4,
    Op::Arg, Op::BlockCopy, Op::Sex8, Op::Sex16, Op::Negi, Op::Add, Op::Sub, Op::Divi, Op::Divu, Op::Modi, Op::Modu,
    Op::Muli, Op::Mulu, Op::Band, Op::Bor, Op::Bxor, Op::Bcom, Op::Lsh, Op::Rshi, Op::Rshu, Op::Negf, Op::Addf,
    Op::Subf, Op::Divf, Op::Mulf, Op::Cvif, Op::Cvfi,
];

/// One instruction with its operand; 0 where it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub op: Op,
    pub operand: i32,
}

impl Op {
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        OPS.get(usize::from(byte)).copied()
    }

    pub(crate) fn operand_bytes(self) -> usize {
        match self {
            Self::Arg => 1,
            Self::Enter | Self::Leave | Self::Const | Self::Local | Self::BlockCopy => 4,
            _ if self.is_branch() => 4,
            _ => 0,
        }
    }

    /// A conditional jump to its operand.
    pub(crate) fn is_branch(self) -> bool {
        (Self::Eq..=Self::Gef).contains(&self)
    }

    pub(crate) fn is_load(self) -> bool {
        (Self::Load1..=Self::Load4).contains(&self)
    }

    pub(crate) fn is_store(self) -> bool {
        (Self::Store1..=Self::Store4).contains(&self)
    }

    /// How many values it takes from the operand stack, and how many it leaves there.
    pub(crate) fn stack_effect(self) -> (u8, u8) {
        match self {
            Self::Undef | Self::Ignore | Self::Break | Self::Enter => (0, 0),
            Self::Push | Self::Const | Self::Local => (0, 1),
            Self::Leave | Self::Pop | Self::Jump | Self::Arg => (1, 0),
            Self::Call | Self::Sex8 | Self::Sex16 | Self::Negi | Self::Bcom => (1, 1),
            Self::Negf | Self::Cvif | Self::Cvfi => (1, 1),
            Self::Load1 | Self::Load2 | Self::Load4 => (1, 1),
            Self::Store1 | Self::Store2 | Self::Store4 | Self::BlockCopy => (2, 0),
            _ if self.is_branch() => (2, 0),
            _ => (2, 1),
        }
    }
}

/// Reads `count` instructions; the caller has bounded `count` by the length of `code`.
pub(crate) fn decode(code: &[u8], count: usize) -> Result<Vec<Instruction>, ImageError> {
    let mut instructions = Vec::with_capacity(count);
    let mut rest = code;
    for at in 0..count {
        let cut = ImageError::CodeEnds { at: at as u32 };
        let (&byte, operands) = rest.split_first().ok_or(cut.clone())?;
        let op = Op::from_byte(byte).ok_or(ImageError::BadOpcode {
            at: at as u32,
            opcode: byte,
        })?;
        let (operand, after) = operands.split_at_checked(op.operand_bytes()).ok_or(cut)?;
        let operand = match *operand {
            [byte] => i32::from(byte),
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        instructions.push(Instruction { op, operand });
        rest = after;
    }
    Ok(instructions)
}

#[cfg(test)]
mod tests {
    use super::{OPS, Op};

    #[test]
    fn every_operation_stands_at_its_number() {
        for (number, op) in OPS.iter().enumerate() {
            assert_eq!(*op as usize, number);
        }
        assert_eq!(Op::from_byte(60), None);
    }
}
