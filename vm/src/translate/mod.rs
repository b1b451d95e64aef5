//! One WebAssembly module from one image: imports, helpers, and a function for each function.
//!
//! The module imports `host.memory`, `host.syscall(number, stack, depth) -> i32` and `host.fail(fault, instruction,
//! value)`, which must not return. It exports `vm_main(stack, depth) -> i32` and the mutable global `budget`. A stack is
//! the address of a frame in the module's memory, with the arguments from byte 8 on; a depth counts the calls around, so
//! that a host knows what the module can have taken of the engine's own stack. It is as safe as its imports: every
//! address is masked or lies within checked bounds, every call and jump goes where [`Image::parse`] has looked.

mod blocks;
mod dominators;
mod function;
mod support;

use crate::image::Image;
use function::FunctionTranslation;
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    FunctionSection, GlobalSection, GlobalType, ImportSection, MemoryType, Module, RefType,
    TableSection, TableType, TypeSection, ValType,
};

/// The module that the imports belong to.
pub const IMPORT_MODULE: &str = "host";

/// Engines refuse larger functions.
const MAX_FUNCTION_BYTES: usize = 7_654_321;

/// Engines refuse more functions; some are the translation's own.
const MAX_FUNCTIONS: usize = 1_000_000 - 16;

const WASM_PAGE_BYTES: u32 = 65536;

/// Why a valid image has no translation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslateError {
    #[error("function {function} at instruction {at} is too large for WebAssembly")]
    FunctionTooLarge { function: usize, at: u32 },
    #[error("the module has {0} functions, more than WebAssembly allows")]
    TooManyFunctions(usize),
    #[error("the module's memory does not fit behind address {0}")]
    Base(u32),
}

/// Translates; the module's memory begins at address `base` of the imported memory, and belongs to it alone for
/// [`MemoryLayout::reserved_bytes`](crate::MemoryLayout::reserved_bytes).
///
/// # Errors
/// Where engines would refuse the result.
pub fn translate(image: &Image, base: u32) -> Result<Vec<u8>, TranslateError> {
    let end = base
        .checked_add(image.memory.reserved_bytes())
        .filter(|end| *end <= u32::MAX - WASM_PAGE_BYTES)
        .ok_or(TranslateError::Base(base))?;
    if image.functions.len() > MAX_FUNCTIONS {
        return Err(TranslateError::TooManyFunctions(image.functions.len()));
    }
    let mut code = CodeSection::new();
    support::code(image, base, &mut code);
    for number in 0..image.functions.len() {
        let too_large = TranslateError::FunctionTooLarge {
            function: number,
            at: image.functions[number].start,
        };
        let body = FunctionTranslation::new(image, number, base)
            .run()
            .filter(|body| body.byte_len() <= MAX_FUNCTION_BYTES)
            .ok_or(too_large)?;
        code.function(&body);
    }
    let mut module = Module::new();
    module.section(&types());
    module.section(&imports(end.div_ceil(WASM_PAGE_BYTES)));
    module.section(&function_types(image.functions.len()));
    let functions = image.functions.len() as u32;
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        minimum: u64::from(functions),
        maximum: Some(u64::from(functions)),
        table64: false,
        shared: false,
    });
    module.section(&tables);
    let mut globals = GlobalSection::new();
    globals.global(
        GlobalType {
            val_type: ValType::I32,
            mutable: true,
            shared: false,
        },
        &ConstExpr::i32_const(0),
    );
    module.section(&globals);
    let mut exports = ExportSection::new();
    exports.export("vm_main", ExportKind::Func, support::FIRST_FUNCTION);
    exports.export("budget", ExportKind::Global, support::BUDGET);
    module.section(&exports);
    let mut elements = ElementSection::new();
    let all = (support::FIRST_FUNCTION..support::FIRST_FUNCTION + functions).collect::<Vec<_>>();
    elements.active(
        None,
        &ConstExpr::i32_const(0),
        Elements::Functions(all.into()),
    );
    module.section(&elements);
    module.section(&code);
    Ok(module.finish())
}

fn types() -> TypeSection {
    const I32: ValType = ValType::I32;
    let mut types = TypeSection::new();
    types.ty().function([I32], [I32]);
    types.ty().function([I32, I32], [I32]);
    types.ty().function([I32, I32, I32], [I32]);
    types.ty().function([I32, I32, I32, I32], [I32]);
    types.ty().function([I32, I32, I32], []);
    types
}

fn imports(pages: u32) -> ImportSection {
    let mut imports = ImportSection::new();
    imports.import(
        IMPORT_MODULE,
        "memory",
        MemoryType {
            minimum: u64::from(pages),
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        },
    );
    imports.import(
        IMPORT_MODULE,
        "syscall",
        EntityType::Function(support::TYPE_3_TO_1),
    );
    imports.import(
        IMPORT_MODULE,
        "fail",
        EntityType::Function(support::TYPE_3_TO_0),
    );
    imports
}

fn function_types(count: usize) -> FunctionSection {
    let mut functions = FunctionSection::new();
    for kind in support::TYPES {
        functions.function(kind);
    }
    for _ in 0..count {
        functions.function(support::TYPE_2_TO_1);
    }
    functions
}
