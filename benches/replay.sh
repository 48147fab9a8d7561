#!/usr/bin/env bash
# Replays histories: the diff of each of N commits, applied to its parent's tree, has to give the commit's tree - bytes,
# modes and links - and -R has to give the parent's tree back. --numstat and --summary have to be those of git.
#   [N=200] [WPATCH=target/release/wpatch] [DIFF='--binary -M'] benches/replay.sh REPOSITORY...
# Exit 0 when everything is complete.
#
# One work copy moves from commit to commit. What is in it is compared by git with an index of its own: git hashes every
# file whose times, size or inode changed since it hashed it last, and the last tree of all is hashed anew.
set -euo pipefail

: "${N:=200}" "${WPATCH:=target/release/wpatch}" "${DIFF:=--binary -M}"
[ $# -gt 0 ] || { echo "usage: replay.sh REPOSITORY..." >&2; exit 2; }
WPATCH=$(cd "$(dirname "$WPATCH")" && pwd)/$(basename "$WPATCH")
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_OPTIONAL_LOCKS=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_CEILING_DIRECTORIES=$scratch

copy() { # git on the work copy; nothing is converted between it and the objects
    git --git-dir="$scratch/git" --work-tree="$tree" -c core.autocrlf=false -c core.fileMode=true -c core.symlinks=true \
        -c core.trustctime=true -c diff.renameLimit=100000 "$@"
}

open_copy() { # makes an empty work copy of the repository $1
    rm -rf "$scratch/git" "$scratch/tree"
    tree=$scratch/tree
    mkdir "$tree"
    git init -q --bare "$scratch/git"
    local objects
    objects=$(cd "$1" && cd "$(git -c safe.directory='*' rev-parse --git-path objects)" && pwd)
    echo "$objects" >"$scratch/git/objects/info/alternates"
    mkdir -p "$scratch/git/info"
    echo '* -text !eol -filter -ident !working-tree-encoding !diff' >"$scratch/git/info/attributes"
}

commits_of() { # prints N commits of the repository $1 that have one parent, spread over its history, oldest first
    git -c safe.directory='*' -C "$1" rev-list --reverse --topo-order --min-parents=1 --max-parents=1 --parents HEAD |
        awk -v want="$N" '{ line[NR] = $0 } END {
            step = NR > want ? NR / want : 1
            for (i = 0; i < want && i < NR; i++) print line[int(i * step) + 1]
        }'
}

go_to() { # makes the work copy the tree of the commit $1
    copy read-tree --reset -u "$1"
    local rest
    rest=$(copy ls-files --others --directory | head -c 1)
    [ -z "$rest" ] || { rm -rf "$tree" && mkdir "$tree" && rm -f "$scratch/git/index" && copy read-tree --reset -u "$1"; }
}

is_at() { # says in what the work copy differs from the tree of the commit $1, and fails if it does
    copy read-tree --reset "$1"
    copy update-index -q --refresh >/dev/null || true
    local wrong
    wrong=$(copy diff-files --raw --ignore-submodules=none; copy ls-files --others --directory)
    [ -z "$wrong" ] || { echo "$wrong" | head -5 >&2; return 1; }
}

says() { # prints what a program says of the patch, or how it failed
    # git apply prints raw names in --summary, so that a name with a newline is two lines: not where names are quoted.
    local summary=--summary
    ! grep -aqE '^diff --git .*"' "$scratch/patch" || summary=
    (cd "$tree" && "$@" --numstat $summary <"$scratch/patch" 2>&1) || echo "exit $?"
}

replay() { # replays the repository $1
    local all=0 forward=0 backward=0 numbers=0 commit parent last= kinds=
    open_copy "$1"
    while read -r commit parent; do
        copy diff $DIFF "$parent" "$commit" >"$scratch/patch"
        [ -s "$scratch/patch" ] || continue
        all=$((all + 1)) last=$parent
        go_to "$parent"
        if [ "$(says git apply)" = "$(says "$WPATCH" apply)" ]; then
            numbers=$((numbers + 1))
        else
            echo "$commit: --numstat or --summary is not that of git" >&2
        fi
        if (cd "$tree" && "$WPATCH" apply --durability none <"$scratch/patch") && is_at "$commit"; then
            forward=$((forward + 1))
            if (cd "$tree" && "$WPATCH" apply -R --durability none <"$scratch/patch") && is_at "$parent"; then
                backward=$((backward + 1))
            else
                echo "$commit: -R does not give the parent's tree" >&2
            fi
        else
            echo "$commit: not the commit's tree" >&2
        fi
        kinds+=$(
            git apply --summary "$scratch/patch" 2>/dev/null | grep -aoE '^ (create|delete|rename|copy|mode|rewrite)\b'
            grep -aoE '^(GIT binary patch|new file mode 1[26]0000)' "$scratch/patch"
        )$'\n'
    done < <(commits_of "$1")
    rm -f "$scratch/git/index"
    is_at "$last" || backward=$((backward - 1))
    printf '%s: applied %d/%d, reversed %d/%d, numstat and summary %d/%d\n' \
        "$(basename "$1")" "$forward" "$all" "$backward" "$all" "$numbers" "$all"
    printf '%s' "$kinds" | sort | uniq -c |
        awk 'NF > 1 { count = $1; $1 = ""; printf "%s%s %d", (n++ ? "," : "   with"), $0, count } END { if (n) print "" }'
    [ "$all" -gt 0 ] && [ "$forward$backward$numbers" = "$all$all$all" ]
}

complete=0
for repository; do
    replay "$repository" || complete=1
done
exit $complete
