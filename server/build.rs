//! The migrations are embedded while building: a new one has to be noticed.

fn main() {
    println!("cargo::rerun-if-changed=../migrations");
}
