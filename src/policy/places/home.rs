//! The places below a home directory where programs store credentials.

use super::{Protection, SecretPath, deny_all};

/// Places below a home directory.
pub(in crate::policy) const AT_HOME: &[SecretPath] = &[
    // Clouds.
    deny_all(
        ".aws",
        "https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html",
    ),
    deny_all(
        ".azure",
        "https://learn.microsoft.com/en-us/cli/azure/azure-cli-configuration",
    ),
    deny_all(
        ".config/gcloud",
        "https://cloud.google.com/docs/authentication/application-default-credentials",
    ),
    deny_all(".boto", "https://cloud.google.com/storage/docs/boto-gsutil"),
    deny_all(
        ".oci",
        "https://docs.oracle.com/en-us/iaas/Content/API/Concepts/sdkconfig.htm",
    ),
    deny_all(
        ".aliyun",
        "https://www.alibabacloud.com/help/en/cli/configure-credentials",
    ),
    deny_all(
        ".bluemix",
        "https://cloud.ibm.com/docs/cli?topic=cli-ibmcloud_cli",
    ),
    deny_all(
        ".config/doctl",
        "https://docs.digitalocean.com/reference/doctl/how-to/install",
    ),
    deny_all(".config/hcloud", "https://github.com/hetznercloud/cli"),
    deny_all(
        ".config/linode-cli",
        "https://techdocs.akamai.com/cloud-computing/docs/getting-started-with-the-linode-cli",
    ),
    deny_all(
        ".config/scw",
        "https://www.scaleway.com/en/docs/scaleway-cli/quickstart",
    ),
    deny_all(".fly", "https://fly.io/docs/flyctl/auth"),
    deny_all(
        ".wrangler",
        "https://developers.cloudflare.com/workers/wrangler/commands/#login",
    ),
    deny_all(
        ".config/.wrangler",
        "https://developers.cloudflare.com/workers/wrangler/commands/#login",
    ),
    deny_all(
        ".config/netlify",
        "https://docs.netlify.com/api-and-cli-guides/cli-guides/get-started-with-cli",
    ),
    deny_all(
        ".local/share/com.vercel.cli",
        "https://vercel.com/docs/project-configuration/global-configuration",
    ),
    deny_all(
        ".config/heroku",
        "https://devcenter.heroku.com/articles/authentication",
    ),
    deny_all(
        ".config/rclone",
        "https://rclone.org/docs/#config-config-file",
    ),
    deny_all(
        ".rclone.conf",
        "https://rclone.org/docs/#config-config-file",
    ),
    deny_all(".s3cfg", "https://s3tools.org/kb/item14.htm"),
    deny_all(".passwd-s3fs", "https://github.com/s3fs-fuse/s3fs-fuse"),
    deny_all(
        ".databrickscfg",
        "https://docs.databricks.com/aws/en/dev-tools/auth/config-profiles",
    ),
    deny_all(
        ".snowflake",
        "https://docs.snowflake.com/en/developer-guide/snowflake-cli/connecting/configure-cli",
    ),
    deny_all(
        ".config/snowflake",
        "https://docs.snowflake.com/en/developer-guide/snowflake-cli/connecting/configure-cli",
    ),
    // Containers and infrastructure.
    deny_all(
        ".docker",
        "https://docs.docker.com/reference/cli/docker/login",
    ),
    deny_all(
        ".dockercfg",
        "https://kubernetes.io/docs/concepts/configuration/secret/#docker-config-secrets",
    ),
    deny_all(".config/containers/auth.json", "containers-auth.json(5)"),
    deny_all(
        ".kube",
        "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig",
    ),
    deny_all(".config/helm", "https://helm.sh/docs/helm/helm"),
    deny_all(
        ".terraformrc",
        "https://developer.hashicorp.com/terraform/cli/config/config-file#credentials-1",
    ),
    deny_all(
        ".terraform.d/credentials.tfrc.json",
        "https://developer.hashicorp.com/terraform/cli/commands/login",
    ),
    deny_all(
        ".config/opentofu",
        "https://opentofu.org/docs/cli/config/config-file",
    ),
    deny_all(
        ".tofurc",
        "https://opentofu.org/docs/cli/config/config-file",
    ),
    deny_all(
        ".pulumi/credentials.json",
        "https://www.pulumi.com/docs/iac/cli/commands/pulumi_login",
    ),
    deny_all(
        ".vault-token",
        "https://developer.hashicorp.com/vault/docs/commands/login",
    ),
    deny_all(
        ".ansible/galaxy_token",
        "https://docs.ansible.com/ansible/latest/galaxy/user_guide.html",
    ),
    // Version control and hosting services.
    deny_all(
        ".git-credentials",
        "https://git-scm.com/docs/git-credential-store",
    ),
    deny_all(
        ".config/git/credentials",
        "https://git-scm.com/docs/git-credential-store",
    ),
    deny_all(
        ".config/gh/hosts.yml",
        "https://cli.github.com/manual/gh_auth_login",
    ),
    deny_all(".config/glab-cli", "https://docs.gitlab.com/cli/auth/login"),
    deny_all(".config/hub", "https://hub.github.com/hub.1.html"),
    deny_all(".config/tea", "https://gitea.com/gitea/tea"),
    deny_all(".hgrc", "hgrc(5), section auth"),
    deny_all(
        ".subversion/auth",
        "https://svnbook.red-bean.com/en/1.7/svn.serverconfig.netmodel.html",
    ),
    deny_all(
        ".config/github-copilot",
        "https://docs.github.com/en/copilot",
    ),
    // Packages.
    deny_all(".npmrc", "https://docs.npmjs.com/cli/configuring-npm/npmrc"),
    deny_all(".config/pnpm/rc", "https://pnpm.io/npmrc"),
    deny_all(".yarnrc", "https://classic.yarnpkg.com/en/docs/yarnrc"),
    deny_all(".yarnrc.yml", "https://yarnpkg.com/configuration/yarnrc"),
    deny_all(
        ".pypirc",
        "https://packaging.python.org/en/latest/specifications/pypirc",
    ),
    deny_all(
        ".config/pypoetry/auth.toml",
        "https://python-poetry.org/docs/repositories/#configuring-credentials",
    ),
    deny_all(
        ".local/share/uv/credentials",
        "https://docs.astral.sh/uv/concepts/authentication",
    ),
    deny_all(
        ".cargo/credentials",
        "https://doc.rust-lang.org/cargo/reference/config.html#credentials",
    ),
    deny_all(
        ".cargo/credentials.toml",
        "https://doc.rust-lang.org/cargo/reference/config.html#credentials",
    ),
    deny_all(
        ".gem/credentials",
        "https://guides.rubygems.org/api-key-scopes",
    ),
    deny_all(
        ".local/share/gem/credentials",
        "https://guides.rubygems.org/api-key-scopes",
    ),
    deny_all(
        ".bundle/config",
        "https://bundler.io/man/bundle-config.1.html",
    ),
    deny_all(
        ".composer/auth.json",
        "https://getcomposer.org/doc/articles/authentication-for-private-packages.md",
    ),
    deny_all(
        ".config/composer/auth.json",
        "https://getcomposer.org/doc/articles/authentication-for-private-packages.md",
    ),
    deny_all(
        ".m2/settings.xml",
        "https://maven.apache.org/settings.html#servers",
    ),
    deny_all(
        ".m2/settings-security.xml",
        "https://maven.apache.org/guides/mini/guide-encryption.html",
    ),
    deny_all(
        ".gradle/gradle.properties",
        "https://docs.gradle.org/current/userguide/build_environment.html",
    ),
    deny_all(
        ".sbt/.credentials",
        "https://www.scala-sbt.org/1.x/docs/Publishing.html#Credentials",
    ),
    deny_all(
        ".ivy2/.credentials",
        "https://www.scala-sbt.org/1.x/docs/Publishing.html#Credentials",
    ),
    deny_all(
        ".nuget/NuGet/NuGet.Config",
        "https://learn.microsoft.com/en-us/nuget/reference/nuget-config-file",
    ),
    deny_all(
        ".config/NuGet",
        "https://learn.microsoft.com/en-us/nuget/reference/nuget-config-file",
    ),
    deny_all(
        ".hex/hex.config",
        "https://hexdocs.pm/hex/Mix.Tasks.Hex.User.html",
    ),
    deny_all(
        ".config/pub-tokens.json",
        "https://dart.dev/tools/pub/cmd/pub-token",
    ),
    deny_all(
        ".conan/.conan.db",
        "https://docs.conan.io/1/reference/commands/misc/user.html",
    ),
    deny_all(
        ".condarc",
        "https://docs.conda.io/projects/conda/en/stable/user-guide/configuration/use-condarc.html",
    ),
    // Databases and data sets.
    deny_all(
        ".pgpass",
        "https://www.postgresql.org/docs/current/libpq-pgpass.html",
    ),
    deny_all(
        ".my.cnf",
        "https://dev.mysql.com/doc/refman/8.4/en/password-security-user.html",
    ),
    deny_all(
        ".mylogin.cnf",
        "https://dev.mysql.com/doc/refman/8.4/en/mysql-config-editor.html",
    ),
    deny_all(".kaggle", "https://www.kaggle.com/docs/api"),
    deny_all(".config/kaggle", "https://www.kaggle.com/docs/api"),
    deny_all(
        ".huggingface",
        "https://huggingface.co/docs/huggingface_hub/quick-start",
    ),
    deny_all(
        ".cache/huggingface/token",
        "https://huggingface.co/docs/huggingface_hub/quick-start",
    ),
    deny_all(
        ".cache/huggingface/stored_tokens",
        "https://huggingface.co/docs/huggingface_hub/quick-start",
    ),
    // Networks, mail and tunnels.
    deny_all(".netrc", "https://everything.curl.dev/usingcurl/netrc.html"),
    deny_all("_netrc", "https://everything.curl.dev/usingcurl/netrc.html"),
    deny_all(
        ".authinfo",
        "https://www.gnu.org/software/emacs/manual/html_mono/auth.html",
    ),
    deny_all(
        ".authinfo.gpg",
        "https://www.gnu.org/software/emacs/manual/html_mono/auth.html",
    ),
    deny_all(".msmtprc", "https://marlam.de/msmtp/msmtp.html"),
    deny_all(".config/msmtp", "https://marlam.de/msmtp/msmtp.html"),
    deny_all(".fetchmailrc", "fetchmail(1)"),
    deny_all(".mbsyncrc", "mbsync(1)"),
    deny_all(".ngrok2", "https://ngrok.com/docs/agent/config"),
    deny_all(".config/ngrok", "https://ngrok.com/docs/agent/config"),
    deny_all(".config/stripe", "https://docs.stripe.com/stripe-cli/keys"),
    // Keys and key stores.
    deny_all(
        ".gnupg",
        "https://www.gnupg.org/documentation/manuals/gnupg/GPG-Configuration.html",
    ),
    SecretPath {
        path: ".ssh/authorized_keys",
        protection: Protection::Write,
        source: "sshd(8), AUTHORIZED_KEYS FILE FORMAT",
    },
    deny_all(".password-store", "https://www.passwordstore.org"),
    deny_all(
        ".local/share/gopass",
        "https://github.com/gopasspw/gopass/blob/master/docs/config.md",
    ),
    deny_all(
        ".local/share/keyrings",
        "https://wiki.gnome.org/Projects/GnomeKeyring",
    ),
    deny_all(
        ".local/share/kwalletd",
        "https://docs.kde.org/stable5/en/kwalletmanager/kwallet5",
    ),
    deny_all(
        "Library/Keychains",
        "https://support.apple.com/guide/keychain-access",
    ),
    deny_all(
        ".config/sops/age",
        "https://getsops.io/docs/#encrypting-using-age",
    ),
    deny_all(
        ".op",
        "https://developer.1password.com/docs/cli/config-directories",
    ),
    deny_all(
        ".config/op",
        "https://developer.1password.com/docs/cli/config-directories",
    ),
    // Agents.
    deny_all(
        ".claude/.credentials.json",
        "https://code.claude.com/docs/en/authentication",
    ),
    deny_all(
        ".codex/auth.json",
        "https://developers.openai.com/codex/auth",
    ),
    deny_all(
        ".gemini/oauth_creds.json",
        "https://github.com/google-gemini/gemini-cli/blob/main/docs/get-started/authentication.md",
    ),
    deny_all(
        ".local/share/opencode/auth.json",
        "https://opencode.ai/docs/providers",
    ),
];
