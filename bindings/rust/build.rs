//! Finds libsdimage: in SDIMAGE_LIB_DIR, or else by pkg-config.

use std::env;
use std::process::Command;

/// The folders from pkg-config; empty if the linker finds the library by itself.
fn folders_of_pkg_config() -> Result<Vec<String>, String> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let done = Command::new(&program).args(["--libs-only-L", "sdimage"]).output().map_err(|why| format!("{program}: {why}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).trim().to_string());
    }
    let flags = String::from_utf8_lossy(&done.stdout).into_owned();
    Ok(flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-L")).map(str::to_string).collect())
}

fn main() {
    for name in ["SDIMAGE_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let folders = match env::var("SDIMAGE_LIB_DIR") {
        Ok(folder) => vec![folder],
        Err(_) => folders_of_pkg_config().unwrap_or_else(|why| {
            println!(
                "cargo:warning=libsdimage is not found by pkg-config ({why}); set SDIMAGE_LIB_DIR to the folder of libsdimage.so"
            );
            std::process::exit(1);
        }),
    };
    for folder in folders {
        println!("cargo:rustc-link-search=native={folder}");
        // The programs of this package run from here; the README explains to others how they find the library.
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-lib=dylib=sdimage");
}
