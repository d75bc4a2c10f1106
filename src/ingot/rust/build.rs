// Generates the C++ side of the bridges, compiles it into the static library, and lays the headers that C++ includes
// as "ingot/rust/NAME.h" into the folder named by INGOT_BRIDGE_INCLUDE (set by bridge.cmake).
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const BRIDGES: [&str; 2] = ["template", "tokenizer"];

fn main() -> io::Result<()> {
    let sources = BRIDGES.map(|name| format!("src/{name}.rs"));
    cxx_build::bridges(&sources).std("c++20").compile("ingot_bridge_cxx");

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=INGOT_BRIDGE_INCLUDE");
    for source in &sources {
        println!("cargo:rerun-if-changed={source}");
    }
    if let Some(include) = env::var_os("INGOT_BRIDGE_INCLUDE") {
        let include = PathBuf::from(include);
        let generated = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("cxxbridge/include");
        publish(&generated.join("rust/cxx.h"), &include.join("rust/cxx.h"))?;
        for name in BRIDGES {
            let header = generated.join(format!("ingot-bridge/src/{name}.rs.h"));
            publish(&header, &include.join(format!("ingot/rust/{name}.h")))?;
        }
    }
    Ok(())
}

// Leaves an equal file alone, so that nothing that includes it is compiled again.
fn publish(from: &Path, to: &Path) -> io::Result<()> {
    let text = fs::read(from)?;
    if fs::read(to).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::create_dir_all(to.parent().expect("a file in a folder"))?;
    fs::write(to, text)
}
