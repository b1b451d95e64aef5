//! The shaders as the graphics interface takes them.

/// The shader in `shaders/NAME.wgsl`.
#[cfg(not(feature = "webgl"))]
macro_rules! shader_source {
    ($name:literal) => {
        wgpu::ShaderSource::Wgsl(include_str!(concat!("shaders/", $name, ".wgsl")).into())
    };
}

/// The shader in `shaders/NAME.wgsl`, which the build has parsed.
#[cfg(feature = "webgl")]
macro_rules! shader_source {
    ($name:literal) => {{
        let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".naga"));
        let module = postcard::from_bytes(bytes).expect("the build wrote it by the same library");
        wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module))
    }};
}

pub(super) use shader_source;
