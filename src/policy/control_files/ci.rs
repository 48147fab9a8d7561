//! The files of CI systems.

use super::ProgramFiles;

pub(super) const CI_SYSTEMS: &[ProgramFiles] = &[
    ProgramFiles {
        program: "GitHub Actions",
        source: "https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax",
        paths: &[".github/workflows", ".github/actions"],
    },
    ProgramFiles {
        program: "Forgejo and Gitea Actions",
        source: "https://forgejo.org/docs/latest/user/actions https://docs.gitea.com/usage/actions/overview",
        paths: &[".forgejo/workflows", ".gitea/workflows"],
    },
    ProgramFiles {
        program: "GitLab CI/CD",
        source: "https://docs.gitlab.com/ci/yaml",
        paths: &[".gitlab-ci.yml", ".gitlab/ci"],
    },
    ProgramFiles {
        program: "CircleCI",
        source: "https://circleci.com/docs/configuration-reference",
        paths: &[".circleci"],
    },
    ProgramFiles {
        program: "Jenkins",
        source: "https://www.jenkins.io/doc/book/pipeline/jenkinsfile",
        paths: &["Jenkinsfile"],
    },
    ProgramFiles {
        program: "Azure Pipelines",
        source: "https://learn.microsoft.com/en-us/azure/devops/pipelines/yaml-schema",
        paths: &[
            "azure-pipelines.yml",
            "azure-pipelines.yaml",
            ".azure-pipelines",
        ],
    },
    ProgramFiles {
        program: "Travis CI",
        source: "https://docs.travis-ci.com/user/customizing-the-build",
        paths: &[".travis.yml"],
    },
    ProgramFiles {
        program: "Bitbucket Pipelines",
        source: "https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference",
        paths: &["bitbucket-pipelines.yml"],
    },
    ProgramFiles {
        program: "Buildkite",
        source: "https://buildkite.com/docs/pipelines",
        paths: &[".buildkite"],
    },
    ProgramFiles {
        program: "Drone",
        source: "https://docs.drone.io/pipeline/overview",
        paths: &[".drone.yml", ".drone.star"],
    },
    ProgramFiles {
        program: "Woodpecker CI",
        source: "https://woodpecker-ci.org/docs/usage/workflow-syntax",
        paths: &[".woodpecker", ".woodpecker.yml", ".woodpecker.yaml"],
    },
    ProgramFiles {
        program: "AppVeyor",
        source: "https://www.appveyor.com/docs/appveyor-yml",
        paths: &["appveyor.yml", ".appveyor.yml"],
    },
    ProgramFiles {
        program: "Cirrus CI",
        source: "https://cirrus-ci.org/guide/writing-tasks",
        paths: &[".cirrus.yml", ".cirrus.star"],
    },
    ProgramFiles {
        program: "Semaphore",
        source: "https://docs.semaphore.io/reference/pipeline-yaml",
        paths: &[".semaphore"],
    },
    ProgramFiles {
        program: "TeamCity",
        source: "https://www.jetbrains.com/help/teamcity/kotlin-dsl.html",
        paths: &[".teamcity"],
    },
    ProgramFiles {
        program: "AWS CodeBuild",
        source: "https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html",
        paths: &["buildspec.yml"],
    },
    ProgramFiles {
        program: "Google Cloud Build",
        source: "https://cloud.google.com/build/docs/build-config-file-schema",
        paths: &["cloudbuild.yaml"],
    },
    ProgramFiles {
        program: "Read the Docs",
        source: "https://docs.readthedocs.com/platform/stable/config-file/v2.html",
        paths: &[".readthedocs.yaml", ".readthedocs.yml"],
    },
    ProgramFiles {
        program: "Netlify",
        source: "https://docs.netlify.com/build/configure-builds/file-based-configuration",
        paths: &["netlify.toml"],
    },
    ProgramFiles {
        program: "Vercel",
        source: "https://vercel.com/docs/project-configuration",
        paths: &["vercel.json"],
    },
];
