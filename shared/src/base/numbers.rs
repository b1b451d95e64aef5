//! The form in which tables of numbers are written: a row of a name, a value and a meaning makes a constant.

/// Constants of one type, one row each: name, value and meaning.
macro_rules! numbers {
    ($type:ty: $($name:ident = $value:expr, $meaning:literal;)+) => {
        $(
            #[doc = $meaning]
            pub const $name: $type = $value;
        )+
    };
}
