//! The places where programs store credentials according to their documentation. `.ssh` is in
//! [`super::secrets`], because it has exceptions.
//!
//! To add a place, add a row. The paths are those of the default configuration. If an environment
//! variable such as `AWS_SHARED_CREDENTIALS_FILE` moves a file, a policy must name the new path.

mod home;
mod names;

pub(super) use home::AT_HOME;
pub(super) use names::{STRICT_NAMES, STRICT_PREFIXES, STRICT_SUFFIXES, STRICT_TEMPLATES};

/// A file, or a directory with everything in it.
pub(super) struct SecretPath {
    /// The path below the directory of the table.
    pub(super) path: &'static str,
    /// The denied accesses.
    pub(super) protection: Protection,
    /// The documentation of the program about this place.
    #[allow(
        dead_code,
        reason = "the source of the row, for readers and for the test"
    )]
    pub(super) source: &'static str,
}

/// How a secret is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// All accesses are denied.
    All,
    /// Writing is denied.
    Write,
}

const fn deny_all(path: &'static str, source: &'static str) -> SecretPath {
    SecretPath {
        path,
        protection: Protection::All,
        source,
    }
}

/// Places below `/etc`.
pub(super) const IN_ETC: &[SecretPath] = &[
    deny_all("shadow", "shadow(5)"),
    deny_all("gshadow", "gshadow(5)"),
    deny_all("sudoers", "sudoers(5)"),
    deny_all("sudoers.d", "sudoers(5)"),
    deny_all(
        "kubernetes/admin.conf",
        "https://kubernetes.io/docs/reference/setup-tools/kubeadm/implementation-details",
    ),
    deny_all(
        "kubernetes/super-admin.conf",
        "https://kubernetes.io/docs/reference/setup-tools/kubeadm/implementation-details",
    ),
    deny_all(
        "kubernetes/pki",
        "https://kubernetes.io/docs/setup/best-practices/certificates",
    ),
    deny_all("rancher/k3s/k3s.yaml", "https://docs.k3s.io/cluster-access"),
];

/// Places below `/run` and `/var/run`.
pub(super) const IN_RUN: &[SecretPath] = &[deny_all(
    "secrets",
    "https://docs.docker.com/engine/swarm/secrets https://kubernetes.io/docs/concepts/security/service-accounts",
)];
