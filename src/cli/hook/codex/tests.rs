//! Tests of the search for a patch in a script.

use super::*;

#[test]
fn only_a_heredoc_or_a_word_alone_is_a_patch() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
    let takes = |script: &str| {
        parse_plain_call(script).map(|(directory, patch)| (directory.to_owned(), patch.to_owned()))
    };
    for mark in ["EOF", "'EOF'", "\"EOF\"", " 'EOF'"] {
        let script = format!("apply_patch <<{mark}\n{patch}EOF\n");
        assert_eq!(
            takes(&script),
            Some((String::new(), patch.to_owned())),
            "{script}"
        );
    }
    let below = format!("cd 'a dir' && applypatch <<'X'\n{patch}X");
    assert_eq!(takes(&below), Some(("a dir".to_owned(), patch.to_owned())));
    for script in [
        format!("apply_patch '{patch}'"),
        format!("apply_patch  \"{patch}\"\n"),
    ] {
        assert_eq!(
            takes(&script),
            Some((String::new(), patch.to_owned())),
            "{script}"
        );
    }
    let others = [
        format!("apply_patch '{patch}' '{patch}'"),
        format!("apply_patch '{patch}'; rm 'x'"),
        format!("apply_patch'{patch}'"),
        format!("apply_patch \"{patch}$(x)\""),
        format!("apply_patch \"{patch}\\n\""),
        format!("apply_patch '{patch}"),
        format!("apply_patch <<'EOF'\n{patch}EOF\nrm -r x"),
        format!("apply_patch <<'EOF'; rm x\n{patch}EOF"),
        format!("cd a && cd b && apply_patch <<'EOF'\n{patch}EOF"),
        format!("cd $(x) && apply_patch <<'EOF'\n{patch}EOF"),
        format!("apply_patch <<'EOF'\n{patch}EOF\nEOF"),
        format!("echo; apply_patch <<'EOF'\n{patch}EOF"),
        format!("apply_patch <<EOF\n{}EOF", patch.replace("+x", "+$(rm x)")),
        format!("apply_patch <<EOF\n{}EOF", patch.replace("+x", "+`rm x`")),
        format!(
            "apply_patch <<EOF\n{}EOF",
            patch.replace("File: a", "File: ${G}hooks")
        ),
        format!("apply_patch <<EOF\n{}EOF", patch.replace("+x", "+\\x")),
        format!("cd - && apply_patch <<'EOF'\n{patch}EOF"),
    ];
    let code = patch.replace("+x", "+$x");
    assert_eq!(
        takes(&format!("apply_patch <<'EOF'\n{code}EOF")),
        Some((String::new(), code))
    );
    for script in others {
        assert_eq!(takes(&script), None, "{script}");
    }
}

#[test]
fn the_tool_is_named_also_with_quotes_and_escapes() {
    for command in [
        "apply_patch < p",
        "ls; apply_patch < p",
        "true && apply\\_patch <<EOF\nx\nEOF",
        "apply\"\"_patch < p",
        "'apply'_pat\\\nch < p",
        "/usr/bin/applypatch < p",
        "p=apply_patch; $p < x",
        "$(apply_patch<p)",
        "grep -h '' p | apply_patch",
        "cat $(apply_patch<p)",
        "find . -exec apply_patch {} +",
        "codex --codex-run-as-apply-patch \"$(cat p)\"",
        "sh -c 'x' '*** Begin Patch'",
        "x '*** Begin'\" Patch\"",
    ] {
        assert!(has_tool_name(command), "{command}");
    }
    for command in [
        "ls",
        "cat src/apply_patch.rs",
        "cargo test apply_patch_works",
        "ls src/apply_patch/mod.rs",
    ] {
        assert!(!has_tool_name(command), "{command}");
    }
}

#[test]
fn a_name_that_a_reading_command_receives_is_not_executed() {
    for command in [
        "rg -n apply_patch src",
        "grep -rn 'apply_patch(' src | head -5",
        "cd src && grep apply_patch a.rs 2>/dev/null; ls",
        "git commit -m 'fix apply_patch'",
        "git grep -n \"apply_patch\\(\" && git log --oneline -- apply_patch",
        "sed -n 1,5p apply_patch",
        "sed -n '1,$p' apply_patch",
        "which apply_patch || command -v apply_patch",
        "find . -name apply_patch >/dev/null",
        "cat apply_patch 2>&1 | wc -l",
        "wc < apply_patch",
    ] {
        assert!(
            has_tool_name(command) && shell::is_read_only(command, &has_tool_name),
            "{command}"
        );
    }
}

#[test]
fn a_name_that_any_other_command_receives_can_be_executed() {
    for command in [
        "rg apply_patch; apply_patch < p",
        "rg x | apply_patch",
        "echo x & apply_'patch' < p",
        "ls\napply_patch < p",
        "ls # it's\napply_patch < p # it's",
        "echo 'a\\'' ; apply_patch < p ; echo '' '",
        "grep x \"$(apply_patch < p)\"",
        "cat <(apply_patch < p)",
        "cat <<E | sh\napply_patch < p\nE",
        "echo 'apply_patch < p' | sh",
        "echo apply_patch | xargs -I% sh -c % ",
        "echo apply_patch |& head | bash",
        "echo 'apply_patch < p' > x; sh x",
        "cat p > apply_patch &",
        "echo apply_patch &> x; sh x",
        "ls &> /dev/null apply_patch",
        "sh < apply_patch",
        "sh -c 'apply_patch < p'",
        "env apply_patch",
        "exec apply_patch",
        "x=apply_patch",
        "if apply_patch < p; then ls; fi",
        "alias ls=apply_patch; ls",
        "trap apply_patch EXIT",
        "rg --pre apply_patch x",
        "rg --pre=apply_patch x",
        "find . -exec apply_patch ;",
        "find . -execdir apply_patch +",
        "git grep -Oapply_patch x",
        "git grep -nOapply_patch x",
        "git grep --open-files=apply_patch x",
        "git log --format=apply_patch --output=x",
        "git -c core.pager=apply_patch log",
        "git apply_patch",
        "sed -n '1e apply_patch' x",
        "sed -n p -e '1e apply_patch' x",
        "sed 's/x/apply_patch/e' x",
        "command apply_patch",
        "printf -v 'a[$(apply_patch)]' x",
        "./grep apply_patch",
        "grep apply_patch 'x",
        "{ apply_patch; }",
        "(apply_patch)",
        "! apply_patch",
        "> /dev/null apply_patch",
        "cat apply_patch <> x",
    ] {
        assert!(!shell::is_read_only(command, &has_tool_name), "{command}");
    }
}
