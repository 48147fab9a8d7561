//! The places below a home directory where programs store credentials.

use super::{Protection, SecretPath, all};

/// Places below a home directory.
pub(in crate::policy) const AT_HOME: &[SecretPath] = &[
    // Clouds.
    all(
        ".aws",
        "https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html",
    ),
    all(
        ".azure",
        "https://learn.microsoft.com/en-us/cli/azure/azure-cli-configuration",
    ),
    all(
        ".config/gcloud",
        "https://cloud.google.com/docs/authentication/application-default-credentials",
    ),
    all(".boto", "https://cloud.google.com/storage/docs/boto-gsutil"),
    all(
        ".oci",
        "https://docs.oracle.com/en-us/iaas/Content/API/Concepts/sdkconfig.htm",
    ),
    all(
        ".aliyun",
        "https://www.alibabacloud.com/help/en/cli/configure-credentials",
    ),
    all(
        ".bluemix",
        "https://cloud.ibm.com/docs/cli?topic=cli-ibmcloud_cli",
    ),
    all(
        ".config/doctl",
        "https://docs.digitalocean.com/reference/doctl/how-to/install",
    ),
    all(".config/hcloud", "https://github.com/hetznercloud/cli"),
    all(
        ".config/linode-cli",
        "https://techdocs.akamai.com/cloud-computing/docs/getting-started-with-the-linode-cli",
    ),
    all(
        ".config/scw",
        "https://www.scaleway.com/en/docs/scaleway-cli/quickstart",
    ),
    all(".fly", "https://fly.io/docs/flyctl/auth"),
    all(
        ".wrangler",
        "https://developers.cloudflare.com/workers/wrangler/commands/#login",
    ),
    all(
        ".config/.wrangler",
        "https://developers.cloudflare.com/workers/wrangler/commands/#login",
    ),
    all(
        ".config/netlify",
        "https://docs.netlify.com/api-and-cli-guides/cli-guides/get-started-with-cli",
    ),
    all(
        ".local/share/com.vercel.cli",
        "https://vercel.com/docs/project-configuration/global-configuration",
    ),
    all(
        ".config/heroku",
        "https://devcenter.heroku.com/articles/authentication",
    ),
    all(
        ".config/rclone",
        "https://rclone.org/docs/#config-config-file",
    ),
    all(
        ".rclone.conf",
        "https://rclone.org/docs/#config-config-file",
    ),
    all(".s3cfg", "https://s3tools.org/kb/item14.htm"),
    all(".passwd-s3fs", "https://github.com/s3fs-fuse/s3fs-fuse"),
    all(
        ".databrickscfg",
        "https://docs.databricks.com/aws/en/dev-tools/auth/config-profiles",
    ),
    all(
        ".snowflake",
        "https://docs.snowflake.com/en/developer-guide/snowflake-cli/connecting/configure-cli",
    ),
    all(
        ".config/snowflake",
        "https://docs.snowflake.com/en/developer-guide/snowflake-cli/connecting/configure-cli",
    ),
    // Containers and infrastructure.
    all(
        ".docker",
        "https://docs.docker.com/reference/cli/docker/login",
    ),
    all(
        ".dockercfg",
        "https://kubernetes.io/docs/concepts/configuration/secret/#docker-config-secrets",
    ),
    all(".config/containers/auth.json", "containers-auth.json(5)"),
    all(
        ".kube",
        "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig",
    ),
    all(".config/helm", "https://helm.sh/docs/helm/helm"),
    all(
        ".terraformrc",
        "https://developer.hashicorp.com/terraform/cli/config/config-file#credentials-1",
    ),
    all(
        ".terraform.d/credentials.tfrc.json",
        "https://developer.hashicorp.com/terraform/cli/commands/login",
    ),
    all(
        ".config/opentofu",
        "https://opentofu.org/docs/cli/config/config-file",
    ),
    all(
        ".tofurc",
        "https://opentofu.org/docs/cli/config/config-file",
    ),
    all(
        ".pulumi/credentials.json",
        "https://www.pulumi.com/docs/iac/cli/commands/pulumi_login",
    ),
    all(
        ".vault-token",
        "https://developer.hashicorp.com/vault/docs/commands/login",
    ),
    all(
        ".ansible/galaxy_token",
        "https://docs.ansible.com/ansible/latest/galaxy/user_guide.html",
    ),
    // Version control and hosting services.
    all(
        ".git-credentials",
        "https://git-scm.com/docs/git-credential-store",
    ),
    all(
        ".config/git/credentials",
        "https://git-scm.com/docs/git-credential-store",
    ),
    all(
        ".config/gh/hosts.yml",
        "https://cli.github.com/manual/gh_auth_login",
    ),
    all(".config/glab-cli", "https://docs.gitlab.com/cli/auth/login"),
    all(".config/hub", "https://hub.github.com/hub.1.html"),
    all(".config/tea", "https://gitea.com/gitea/tea"),
    all(".hgrc", "hgrc(5), section auth"),
    all(
        ".subversion/auth",
        "https://svnbook.red-bean.com/en/1.7/svn.serverconfig.netmodel.html",
    ),
    all(
        ".config/github-copilot",
        "https://docs.github.com/en/copilot",
    ),
    // Packages.
    all(".npmrc", "https://docs.npmjs.com/cli/configuring-npm/npmrc"),
    all(".config/pnpm/rc", "https://pnpm.io/npmrc"),
    all(".yarnrc", "https://classic.yarnpkg.com/en/docs/yarnrc"),
    all(".yarnrc.yml", "https://yarnpkg.com/configuration/yarnrc"),
    all(
        ".pypirc",
        "https://packaging.python.org/en/latest/specifications/pypirc",
    ),
    all(
        ".config/pypoetry/auth.toml",
        "https://python-poetry.org/docs/repositories/#configuring-credentials",
    ),
    all(
        ".local/share/uv/credentials",
        "https://docs.astral.sh/uv/concepts/authentication",
    ),
    all(
        ".cargo/credentials",
        "https://doc.rust-lang.org/cargo/reference/config.html#credentials",
    ),
    all(
        ".cargo/credentials.toml",
        "https://doc.rust-lang.org/cargo/reference/config.html#credentials",
    ),
    all(
        ".gem/credentials",
        "https://guides.rubygems.org/api-key-scopes",
    ),
    all(
        ".local/share/gem/credentials",
        "https://guides.rubygems.org/api-key-scopes",
    ),
    all(
        ".bundle/config",
        "https://bundler.io/man/bundle-config.1.html",
    ),
    all(
        ".composer/auth.json",
        "https://getcomposer.org/doc/articles/authentication-for-private-packages.md",
    ),
    all(
        ".config/composer/auth.json",
        "https://getcomposer.org/doc/articles/authentication-for-private-packages.md",
    ),
    all(
        ".m2/settings.xml",
        "https://maven.apache.org/settings.html#servers",
    ),
    all(
        ".m2/settings-security.xml",
        "https://maven.apache.org/guides/mini/guide-encryption.html",
    ),
    all(
        ".gradle/gradle.properties",
        "https://docs.gradle.org/current/userguide/build_environment.html",
    ),
    all(
        ".sbt/.credentials",
        "https://www.scala-sbt.org/1.x/docs/Publishing.html#Credentials",
    ),
    all(
        ".ivy2/.credentials",
        "https://www.scala-sbt.org/1.x/docs/Publishing.html#Credentials",
    ),
    all(
        ".nuget/NuGet/NuGet.Config",
        "https://learn.microsoft.com/en-us/nuget/reference/nuget-config-file",
    ),
    all(
        ".config/NuGet",
        "https://learn.microsoft.com/en-us/nuget/reference/nuget-config-file",
    ),
    all(
        ".hex/hex.config",
        "https://hexdocs.pm/hex/Mix.Tasks.Hex.User.html",
    ),
    all(
        ".config/pub-tokens.json",
        "https://dart.dev/tools/pub/cmd/pub-token",
    ),
    all(
        ".conan/.conan.db",
        "https://docs.conan.io/1/reference/commands/misc/user.html",
    ),
    all(
        ".condarc",
        "https://docs.conda.io/projects/conda/en/stable/user-guide/configuration/use-condarc.html",
    ),
    // Databases and data sets.
    all(
        ".pgpass",
        "https://www.postgresql.org/docs/current/libpq-pgpass.html",
    ),
    all(
        ".my.cnf",
        "https://dev.mysql.com/doc/refman/8.4/en/password-security-user.html",
    ),
    all(
        ".mylogin.cnf",
        "https://dev.mysql.com/doc/refman/8.4/en/mysql-config-editor.html",
    ),
    all(".kaggle", "https://www.kaggle.com/docs/api"),
    all(".config/kaggle", "https://www.kaggle.com/docs/api"),
    all(
        ".huggingface",
        "https://huggingface.co/docs/huggingface_hub/quick-start",
    ),
    all(
        ".cache/huggingface/token",
        "https://huggingface.co/docs/huggingface_hub/quick-start",
    ),
    all(
        ".cache/huggingface/stored_tokens",
        "https://huggingface.co/docs/huggingface_hub/quick-start",
    ),
    // Networks, mail and tunnels.
    all(".netrc", "https://everything.curl.dev/usingcurl/netrc.html"),
    all("_netrc", "https://everything.curl.dev/usingcurl/netrc.html"),
    all(
        ".authinfo",
        "https://www.gnu.org/software/emacs/manual/html_mono/auth.html",
    ),
    all(
        ".authinfo.gpg",
        "https://www.gnu.org/software/emacs/manual/html_mono/auth.html",
    ),
    all(".msmtprc", "https://marlam.de/msmtp/msmtp.html"),
    all(".config/msmtp", "https://marlam.de/msmtp/msmtp.html"),
    all(".fetchmailrc", "fetchmail(1)"),
    all(".mbsyncrc", "mbsync(1)"),
    all(".ngrok2", "https://ngrok.com/docs/agent/config"),
    all(".config/ngrok", "https://ngrok.com/docs/agent/config"),
    all(".config/stripe", "https://docs.stripe.com/stripe-cli/keys"),
    // Keys and key stores.
    all(
        ".gnupg",
        "https://www.gnupg.org/documentation/manuals/gnupg/GPG-Configuration.html",
    ),
    SecretPath {
        path: ".ssh/authorized_keys",
        protection: Protection::Write,
        source: "sshd(8), AUTHORIZED_KEYS FILE FORMAT",
    },
    all(".password-store", "https://www.passwordstore.org"),
    all(
        ".local/share/gopass",
        "https://github.com/gopasspw/gopass/blob/master/docs/config.md",
    ),
    all(
        ".local/share/keyrings",
        "https://wiki.gnome.org/Projects/GnomeKeyring",
    ),
    all(
        ".local/share/kwalletd",
        "https://docs.kde.org/stable5/en/kwalletmanager/kwallet5",
    ),
    all(
        "Library/Keychains",
        "https://support.apple.com/guide/keychain-access",
    ),
    all(
        ".config/sops/age",
        "https://getsops.io/docs/#encrypting-using-age",
    ),
    all(
        ".op",
        "https://developer.1password.com/docs/cli/config-directories",
    ),
    all(
        ".config/op",
        "https://developer.1password.com/docs/cli/config-directories",
    ),
    // Agents.
    all(
        ".claude/.credentials.json",
        "https://code.claude.com/docs/en/authentication",
    ),
    all(
        ".codex/auth.json",
        "https://developers.openai.com/codex/auth",
    ),
    all(
        ".gemini/oauth_creds.json",
        "https://github.com/google-gemini/gemini-cli/blob/main/docs/get-started/authentication.md",
    ),
    all(
        ".local/share/opencode/auth.json",
        "https://opencode.ai/docs/providers",
    ),
];
