//! The names of files that contain credentials in any directory.

/// File names that cannot be read in any directory under `secrets = "strict"`.
pub(in crate::policy) const STRICT_NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".dockercfg",
    ".dockerconfigjson",
    ".htpasswd",
    ".terraformrc",
    "credentials.tfrc.json",
    ".vault-token",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
];

/// Prefixes of such names: one file for each environment
/// (<https://github.com/motdotla/dotenv#faq>).
pub(in crate::policy) const STRICT_PREFIXES: &[&str] = &[".env."];

/// Names with such a prefix that projects publish as templates. They contain no values.
pub(in crate::policy) const STRICT_TEMPLATES: &[&str] =
    &[".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Suffixes of such names: private keys and key stores.
pub(in crate::policy) const STRICT_SUFFIXES: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".ppk",
    ".kdbx",
];
