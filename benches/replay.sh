#!/usr/bin/env bash
# Replays histories: the diff of each of N commits, applied to its (first) parent's tree, has to give the commit's tree -
# bytes, modes and links - and -R has to give the parent's tree back. --numstat and --summary have to be those of git;
# check has to say what apply does, and to leave not even a time stamp behind.
#   [N=200] [WPATCH=target/release/wpatch] [DIFF='--binary -M'] [APPLY=] [COMMITS='--no-merges HEAD'] [PAIRS=]
#       benches/replay.sh REPOSITORY...
# APPLY holds options for apply, such as -p0; COMMITS arguments of git log, such as --merges; PAIRS trees, as in 'v1.0..v1.1 v1.1..v2.0',
# in place of commits. SERIES=10 takes the mailbox that format-patch makes of ten commits in place of the diff of one,
# and with LOG=--format= or the like what git log -p says of them. Exit 0 when everything is complete.
# With -B git writes patches that leave out what was at a path before, and refuses to
# apply them: such a step is left out where wpatch refuses it too.
#
# One work copy moves from commit to commit. What is in it is compared by git with an index of its own: git hashes every
# file whose times, size or inode changed since it hashed it last, and the last tree of all is hashed anew.
set -euo pipefail

: "${N:=200}" "${WPATCH:=target/release/wpatch}" "${DIFF:=--binary -M}" "${APPLY:=}" "${COMMITS:=--no-merges HEAD}" "${PAIRS:=}" \
    "${SERIES:=0}" "${LOG:=}"
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

steps_of() { # prints N steps of the repository $1, new and old, spread over its history, oldest first
    local pair
    if [ -n "$PAIRS" ]; then
        for pair in $PAIRS; do
            git -c safe.directory='*' -C "$1" rev-parse "${pair#*..}^{commit}" "${pair%..*}^{commit}" | xargs
        done
        return
    fi
    git -c safe.directory='*' -C "$1" log --reverse --topo-order --min-parents=1 --format='%H %P' $COMMITS |
        awk -v want="$N" -v length_="$SERIES" '{ parent[$1] = $2; is_merge[$1] = NF > 2; commit[NR] = $1 } END {
            for (i = 1; i <= NR; i++) {
                old = length_ ? commit[i] : parent[commit[i]]
                for (left = length_; left > 0 && old in parent && !is_merge[old]; left--) old = parent[old]
                if (left == 0) line[++steps] = commit[i] " " old
            }
            step = steps > want ? steps / want : 1
            for (i = 0; i < want && i < steps; i++) print line[int(i * step) + 1]
        }'
}

say_step() { # prints the patch from the commit $2 to the commit $1
    if [ "$SERIES" = 0 ]; then
        copy diff $DIFF "$2" "$1"
    elif [ -n "$LOG" ]; then
        copy log -p --reverse $LOG $DIFF "$2..$1"
    else
        copy format-patch --stdout $DIFF "$2..$1"
    fi
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
    (cd "$tree" && "$@" --numstat $summary $APPLY <"$scratch/patch" 2>&1) || echo "exit $?"
}

traces() { # prints what can be seen of the work copy without reading it
    find "$tree" -printf '%P %m %n %i %s %T@ %C@ %l\n' | sort | sha256sum
}

check_says() { # has check say what it would do, and fails if it leaves a trace; saves what apply has to say
    local before
    before=$(traces)
    (cd "$tree" && "$WPATCH" check --json $APPLY <"$scratch/patch") | facts >"$scratch/checked"
    [ "$before" = "$(traces)" ]
}

facts() { # leaves what check and apply have in common in their reports
    jq -c 'del(.command, .outcome, .changed, .transaction)' | sha256sum
}

apply_says() { # applies, and fails if it does not do what check has said
    (cd "$tree" && "$WPATCH" apply --json --durability none $APPLY <"$scratch/patch") >"$scratch/report" ||
        jq -c .error "$scratch/report" >&2
    facts <"$scratch/report" | cmp -s "$scratch/checked"
}

is_refused_by_all() { # whether the diff is one of those that say too little
    [[ " $DIFF " = *" -B"* ]] || return 1
    ! (cd "$tree" && git apply --check $APPLY <"$scratch/patch") 2>/dev/null &&
        ! (cd "$tree" && "$WPATCH" check $APPLY <"$scratch/patch") >/dev/null 2>&1
}

replay() { # replays the repository $1
    local all=0 forward=0 backward=0 numbers=0 agreed=0 commit parent last= kinds=
    open_copy "$1"
    while read -r commit parent; do
        say_step "$commit" "$parent" >"$scratch/patch"
        [ -s "$scratch/patch" ] || continue
        go_to "$parent"
        ! is_refused_by_all || { echo "$commit: left out, git refuses its own diff" >&2; continue; }
        all=$((all + 1)) last=$parent
        if [ "$(says git apply)" = "$(says "$WPATCH" apply)" ]; then
            numbers=$((numbers + 1))
        else
            echo "$commit: --numstat or --summary is not that of git" >&2
        fi
        check_says && apply_says && agreed=$((agreed + 1)) || echo "$commit: check does not agree with apply" >&2
        if is_at "$commit"; then
            forward=$((forward + 1))
            if (cd "$tree" && "$WPATCH" apply -R --durability none $APPLY <"$scratch/patch") && is_at "$parent"; then
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
    done < <(steps_of "$1")
    rm -f "$scratch/git/index"
    is_at "$last" || backward=$((backward - 1))
    printf '%s: applied %d/%d, reversed %d/%d, check agrees %d/%d, numstat and summary %d/%d\n' \
        "$(basename "$1")" "$forward" "$all" "$backward" "$all" "$agreed" "$all" "$numbers" "$all"
    printf '%s' "$kinds" | sort | uniq -c |
        awk 'NF > 1 { count = $1; $1 = ""; printf "%s%s %d", (n++ ? "," : "   with"), $0, count } END { if (n) print "" }'
    [ "$all" -gt 0 ] && [ "$forward$backward$agreed$numbers" = "$all$all$all$all" ]
}

complete=0
for repository; do
    replay "$repository" || complete=1
done
exit $complete
