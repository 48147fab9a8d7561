//! Sets the flags of the linker for an add-on of Node.

fn main() {
    napi_build::setup();
}
