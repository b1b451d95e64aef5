//! Parses the shaders for pages that draw by WebGL, which would have to fetch a parser of them otherwise.

fn main() {
    println!("cargo::rerun-if-changed=src/render/shaders");
    #[cfg(feature = "webgl")]
    parsed::write_all();
}

#[cfg(feature = "webgl")]
mod parsed {
    use std::{env, fs, path::Path};

    pub fn write_all() {
        let out = env::var_os("OUT_DIR").expect("cargo names the folder");
        for name in ["stage", "brightness"] {
            let source = format!("src/render/shaders/{name}.wgsl");
            let text =
                fs::read_to_string(&source).unwrap_or_else(|error| panic!("{source}: {error}"));
            let module = naga::front::wgsl::parse_str(&text)
                .unwrap_or_else(|error| panic!("{source}: {}", error.emit_to_string(&text)));
            let bytes = postcard::to_allocvec(&module).expect("modules can be written");
            let target = Path::new(&out).join(name).with_extension("naga");
            fs::write(&target, bytes)
                .unwrap_or_else(|error| panic!("{}: {error}", target.display()));
        }
    }
}
