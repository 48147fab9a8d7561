//! Images of other file systems, mounted by FUSE drivers.

use std::path::{Path, PathBuf};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use super::folding::driver::{FoldingDriver, Rules};
use super::mounts::Served;
use super::must;
use crate::systems::{fed, program};

/// The option of a mount that reports permission bits for all users.
///
/// A command that writes nothing tests with a file without a name whether the bits mean anything.
/// POSIX has no such file. The bits then count, so the mount reports none that let others write.
pub(super) const SHARED: &str = if cfg!(wpatch_plain_unix) {
    "umask=022"
} else {
    "allow_other"
};

/// A mounted image, in a directory of its own.
pub(super) struct Mounted {
    directory: TempDir,
    _served: Option<Served>,
    _driver: Option<fuser::BackgroundSession>,
    loop_device: Option<Loop>,
    /// The command that mounts the image, without its two paths.
    mount: Vec<String>,
}

/// A loop device, which outlives its mount.
struct Loop(String);

impl Drop for Loop {
    fn drop(&mut self) {
        must("losetup", &["--detach", &self.0]);
    }
}

impl Mounted {
    fn new(make: &[&str], mount: &[&str]) -> Self {
        let directory = TempDir::new().unwrap();
        let [image, place] =
            ["image", "place"].map(|name| directory.path().join(name).display().to_string());
        fs::create_dir(&place).unwrap();
        fs::File::create(&image).unwrap().set_len(16 << 20).unwrap();
        must(make[0], &[&make[1..], &[&image]].concat());
        // The driver for exFAT mounts block devices alone; the kernel waits for those of others
        // when they are unmounted.
        let needs_device = ["mount.exfat-fuse", "lowntfs-3g"].contains(&mount[0]);
        let device =
            || String::from_utf8(must("losetup", &["--find", "--show", &image]).stdout).unwrap();
        let loop_device = needs_device.then(|| Loop(device().trim().to_owned()));
        let source = loop_device.as_ref().map_or(&image, |device| &device.0);
        must(mount[0], &[&mount[1..], &[source, &place]].concat());
        Self {
            directory,
            _served: Some(Served(place)),
            _driver: None,
            loop_device,
            mount: mount.iter().map(|&word| word.to_owned()).collect(),
        }
    }

    pub(super) fn ntfs(options: &str) -> Self {
        Self::new(&["mkntfs", "-q", "-F"], &["ntfs-3g", "-o", options])
    }

    /// NTFS as Windows has it: two spellings of a name are one. Listings have them in lower case.
    pub(super) fn folding_ntfs() -> Self {
        Self::new(
            &["mkntfs", "-q", "-F"],
            &["lowntfs-3g", "-o", "ignore_case", "-o", SHARED],
        )
    }

    /// Lets `look` see the root of a [`Mounted::folding_ntfs`] through a driver that tells case
    /// apart.
    pub(super) fn seen_by_case(&self, look: impl FnOnce(&Path)) {
        self.mount_with(&["ntfs-3g"]);
        look(&self.directory.path().join("place/root"));
        self.mount_again();
    }

    /// Unmounts the image, and mounts it as before.
    pub(super) fn mount_again(&self) {
        let mount: Vec<_> = self.mount.iter().map(String::as_str).collect();
        self.mount_with(&mount);
    }

    /// Unmounts the image, and mounts it with the command `mount`.
    fn mount_with(&self, mount: &[&str]) {
        let [image, place] =
            ["image", "place"].map(|name| self.directory.path().join(name).display().to_string());
        let source = self.loop_device.as_ref().map_or(&image, |device| &device.0);
        must("umount", &[&place]);
        must(mount[0], &[&mount[1..], &[source, &place]].concat());
    }

    /// A file system in memory with these rules for names.
    pub(super) fn with_rules(rules: Rules) -> Self {
        let directory = TempDir::new().unwrap();
        let place = directory.path().join("place");
        fs::create_dir(&place).unwrap();
        Self {
            _driver: Some(FoldingDriver::mount(rules, &place)),
            directory,
            _served: None,
            loop_device: None,
            mount: Vec::new(),
        }
    }

    pub(super) fn exfat() -> Self {
        Self::exfat_with(SHARED)
    }

    pub(super) fn exfat_with(options: &str) -> Self {
        Self::new(&["mkfs.exfat"], &["mount.exfat-fuse", "-o", options])
    }

    /// Makes the root with these files.
    pub(super) fn root(&self, files: &[(&str, &str)]) -> PathBuf {
        let root = self.directory.path().join("place/root");
        fs::create_dir(&root).unwrap();
        for (name, text) in files {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
        root
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // What is mounted lazily goes a moment later, and its device only then.
        let place = self.directory.path().join("place").display().to_string();
        if self.loop_device.is_some() {
            must("umount", &[&place]);
            must("mount", &["-t", "tmpfs", "none", &place]);
        }
    }
}

/// Returns the report of `wpatch <arguments> --json`.
pub(super) fn says(root: &Path, arguments: &[&str], patch: &str) -> Value {
    let output = fed(
        &mut program(root, &[arguments, &["--json"]].concat()),
        patch.as_bytes(),
    );
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Returns the exit code and the names of what is in the root then.
pub(super) fn ends(root: &Path, arguments: &[&str], patch: &str) -> (Value, Vec<String>) {
    let report = says(root, arguments, patch);
    (report["exit_code"].clone(), names(root))
}

pub(super) fn names(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(super) fn is(code: i32, names: &[&str]) -> (Value, Vec<String>) {
    (code.into(), names.iter().map(ToString::to_string).collect())
}

pub(super) fn text(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}
