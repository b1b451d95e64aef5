//! Traps: what the arguments of each system call are, so that what lies behind its pointers can be written down.

/// What lies behind the pointer that is argument `.0`; a length may stand in another argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    Text(usize),
    /// From an offset on, so many bytes.
    Bytes(usize, i32, i32),
    /// So many bytes for each that the other argument counts.
    Each(usize, usize, i32),
    /// So many bytes for each that the result counts.
    EachResult(usize, i32),
    /// At an offset, so many bytes for each that the word at another offset counts.
    EachInside {
        argument: usize,
        at: i32,
        count_at: i32,
        bytes: i32,
    },
}

use Block::{Bytes, Each, EachInside, EachResult, Text};

/// One system call.
#[derive(Clone, Copy, Debug)]
pub struct Trap {
    pub number: i32,
    pub name: &'static str,
    /// A letter for each argument: `i` number, `f` fraction, `p` pointer, and handles: `s` shader, `m` model, `k` skin,
    /// `a` sound, `h` file.
    pub arguments: &'static str,
    /// Read by the call, and written by it.
    pub reads: &'static [Block],
    pub writes: &'static [Block],
    /// What the result is, by the same letters; `-` where it says nothing.
    pub result: char,
}

const fn trap(
    number: i32,
    name: &'static str,
    arguments: &'static str,
    reads: &'static [Block],
    writes: &'static [Block],
    result: char,
) -> Trap {
    Trap {
        number,
        name,
        arguments,
        reads,
        writes,
        result,
    }
}

/// The places of the display's description from which modules read.
const DISPLAY_FROM: i32 = 11_264;

#[rustfmt::skip]
pub const TRAPS: &[Trap] = &[
    trap(0, "Print", "p", &[Text(0)], &[], '-'),
    trap(1, "Error", "p", &[Text(0)], &[], '-'),
    trap(2, "Milliseconds", "", &[], &[], 'i'),
    trap(3, "Cvar_Register", "pppi", &[Text(1), Text(2)], &[Bytes(0, 8, 264)], '-'),
    trap(4, "Cvar_Update", "p", &[], &[Bytes(0, 8, 24)], '-'),
    trap(5, "Cvar_Set", "pp", &[Text(0), Text(1)], &[], '-'),
    trap(6, "Cvar_VariableStringBuffer", "ppi", &[Text(0)], &[Text(1)], '-'),
    trap(7, "Argc", "", &[], &[], 'i'),
    trap(8, "Argv", "ipi", &[], &[Text(1)], '-'),
    trap(9, "Args", "pi", &[], &[Text(0)], '-'),
    trap(10, "FS_FOpenFile", "ppi", &[Text(0)], &[], 'i'),
    trap(11, "FS_Read", "pih", &[], &[Each(0, 1, 1)], '-'),
    trap(12, "FS_Write", "pih", &[Each(0, 1, 1)], &[], '-'),
    trap(13, "FS_FCloseFile", "h", &[], &[], '-'),
    trap(14, "SendConsoleCommand", "p", &[Text(0)], &[], '-'),
    trap(15, "AddCommand", "p", &[Text(0)], &[], '-'),
    trap(16, "SendClientCommand", "p", &[Text(0)], &[], '-'),
    trap(17, "UpdateScreen", "", &[], &[], '-'),
    trap(18, "CM_LoadMap", "p", &[Text(0)], &[], '-'),
    trap(19, "CM_NumInlineModels", "", &[], &[], 'i'),
    trap(20, "CM_InlineModel", "i", &[], &[], 'i'),
    trap(22, "CM_TempBoxModel", "pp", &[Bytes(0, 0, 12), Bytes(1, 0, 12)], &[], 'i'),
    trap(23, "CM_PointContents", "pi", &[Bytes(0, 0, 12)], &[], 'i'),
    trap(24, "CM_TransformedPointContents", "pipp", &[Bytes(0, 0, 12), Bytes(2, 0, 12), Bytes(3, 0, 12)], &[], 'i'),
    trap(25, "CM_BoxTrace", "pppppii", &[Bytes(1, 0, 12), Bytes(2, 0, 12), Bytes(3, 0, 12), Bytes(4, 0, 12)],
        &[Bytes(0, 0, 56)], '-'),
    trap(26, "CM_TransformedBoxTrace", "pppppiipp", &[Bytes(1, 0, 12), Bytes(2, 0, 12), Bytes(3, 0, 12),
        Bytes(4, 0, 12), Bytes(7, 0, 12), Bytes(8, 0, 12)], &[Bytes(0, 0, 56)], '-'),
    trap(27, "CM_MarkFragments", "ippipip", &[Each(1, 0, 12), Bytes(2, 0, 12)],
        &[EachResult(6, 8), Each(4, 3, 12)], 'i'),
    trap(28, "S_StartSound", "piia", &[Bytes(0, 0, 12)], &[], '-'),
    trap(29, "S_StartLocalSound", "ai", &[], &[], '-'),
    trap(30, "S_ClearLoopingSounds", "i", &[], &[], '-'),
    trap(31, "S_AddLoopingSound", "ippa", &[Bytes(1, 0, 12), Bytes(2, 0, 12)], &[], '-'),
    trap(32, "S_UpdateEntityPosition", "ip", &[Bytes(1, 0, 12)], &[], '-'),
    trap(33, "S_Respatialize", "ippi", &[Bytes(1, 0, 12), Bytes(2, 0, 36)], &[], '-'),
    trap(34, "S_RegisterSound", "pi", &[Text(0)], &[], 'a'),
    trap(35, "S_StartBackgroundTrack", "pp", &[Text(0), Text(1)], &[], '-'),
    trap(36, "R_LoadWorldMap", "p", &[Text(0)], &[], '-'),
    trap(37, "R_RegisterModel", "p", &[Text(0)], &[], 'm'),
    trap(38, "R_RegisterSkin", "p", &[Text(0)], &[], 'k'),
    trap(39, "R_RegisterShader", "p", &[Text(0)], &[], 's'),
    trap(40, "R_ClearScene", "", &[], &[], '-'),
    trap(41, "R_AddRefEntityToScene", "p", &[Bytes(0, 0, 140)], &[], '-'),
    trap(42, "R_AddPolyToScene", "sip", &[Each(2, 1, 24)], &[], '-'),
    trap(43, "R_AddLightToScene", "pffff", &[Bytes(0, 0, 12)], &[], '-'),
    trap(44, "R_RenderScene", "p", &[Bytes(0, 0, 368)], &[], '-'),
    trap(45, "R_SetColor", "p", &[Bytes(0, 0, 16)], &[], '-'),
    trap(46, "R_DrawStretchPic", "ffffffffs", &[], &[], '-'),
    trap(47, "R_ModelBounds", "mpp", &[], &[Bytes(1, 0, 12), Bytes(2, 0, 12)], '-'),
    trap(48, "R_LerpTag", "pmiifp", &[Text(5)], &[Bytes(0, 0, 48)], 'i'),
    trap(49, "GetGlconfig", "p", &[], &[Bytes(0, DISPLAY_FROM, 68)], '-'),
    trap(50, "GetGameState", "p", &[], &[Bytes(0, 0, 20_100)], '-'),
    trap(51, "GetCurrentSnapshotNumber", "pp", &[], &[Bytes(0, 0, 4), Bytes(1, 0, 4)], '-'),
    trap(52, "GetSnapshot", "ip", &[], &[Bytes(1, 0, 516),
        EachInside { argument: 1, at: 516, count_at: 512, bytes: 208 }, Bytes(1, 53_768, 4)], 'i'),
    trap(53, "GetServerCommand", "i", &[], &[], 'i'),
    trap(54, "GetCurrentCmdNumber", "", &[], &[], 'i'),
    trap(55, "GetUserCmd", "ip", &[], &[Bytes(1, 0, 24)], 'i'),
    trap(56, "SetUserCmdValue", "if", &[], &[], '-'),
    trap(57, "R_RegisterShaderNoMip", "p", &[Text(0)], &[], 's'),
    trap(58, "MemoryRemaining", "", &[], &[], 'i'),
    trap(59, "R_RegisterFont", "pip", &[Text(0)], &[], '-'),
    trap(60, "Key_IsDown", "i", &[], &[], 'i'),
    trap(61, "Key_GetCatcher", "", &[], &[], 'i'),
    trap(62, "Key_SetCatcher", "i", &[], &[], '-'),
    trap(63, "Key_GetKey", "p", &[Text(0)], &[], 'i'),
    trap(69, "S_StopBackgroundTrack", "", &[], &[], '-'),
    trap(70, "RealTime", "p", &[], &[], 'i'),
    trap(71, "SnapVector", "p", &[Bytes(0, 0, 12)], &[Bytes(0, 0, 12)], '-'),
    trap(72, "RemoveCommand", "p", &[Text(0)], &[], '-'),
    trap(73, "R_LightForPoint", "pppp", &[Bytes(0, 0, 12)],
        &[Bytes(1, 0, 12), Bytes(2, 0, 12), Bytes(3, 0, 12)], 'i'),
    trap(74, "CIN_PlayCinematic", "piiiii", &[Text(0)], &[], 'i'),
    trap(75, "CIN_StopCinematic", "i", &[], &[], 'i'),
    trap(76, "CIN_RunCinematic", "i", &[], &[], 'i'),
    trap(77, "CIN_DrawCinematic", "i", &[], &[], '-'),
    trap(78, "CIN_SetExtents", "iiiii", &[], &[], '-'),
    trap(79, "R_RemapShader", "ppp", &[Text(0), Text(1), Text(2)], &[], '-'),
    trap(80, "S_AddRealLoopingSound", "ippa", &[Bytes(1, 0, 12), Bytes(2, 0, 12)], &[], '-'),
    trap(81, "S_StopLoopingSound", "i", &[], &[], '-'),
    trap(86, "GetEntityToken", "pi", &[], &[Text(0)], 'i'),
    trap(88, "R_inPVS", "pp", &[Bytes(0, 0, 12), Bytes(1, 0, 12)], &[], 'i'),
    trap(89, "FS_Seek", "hii", &[], &[], 'i'),
    trap(100, "memset", "pii", &[], &[], '-'),
    trap(101, "memcpy", "ppi", &[], &[], '-'),
    trap(102, "strncpy", "ppi", &[], &[], '-'),
    trap(103, "sin", "f", &[], &[], 'f'),
    trap(104, "cos", "f", &[], &[], 'f'),
    trap(105, "atan2", "ff", &[], &[], 'f'),
    trap(106, "sqrt", "f", &[], &[], 'f'),
    trap(107, "floor", "f", &[], &[], 'f'),
    trap(108, "ceil", "f", &[], &[], 'f'),
    trap(111, "acos", "f", &[], &[], 'f'),
];

pub fn named(number: i32) -> Option<&'static Trap> {
    TRAPS.iter().find(|trap| trap.number == number)
}
