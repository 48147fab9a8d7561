#!/usr/bin/env bash
# Replays histories: the diff of each of N commits, applied to its (first) parent's tree, has to give the commit's tree -
# bytes, modes and links - and -R has to give the parent's tree back. --stat, --numstat and --summary have to be those of
# git byte for byte, also with -z and with long names; check has to say what apply does, and to leave not even a time
# stamp behind.
#   [N=200] [WPATCH=target/release/wpatch] [DIFF='--binary -M'] [APPLY=] [COMMITS='--no-merges HEAD'] [PAIRS=]
#       benches/replay.sh REPOSITORY...
# APPLY holds options for apply, such as -p0. With --index among them the work copy is a repository, where git converts
# what its attributes say, and what git status says has to be that nothing differs from the commit, after -R from its
# parent. SERIES=10 takes the mailbox that format-patch makes of ten commits in place of the diff of one, and with
# LOG=--format= or the like what git log -p says of them. Exit 0 when everything is complete.
# With -B git writes patches that leave out what was at a path before, and refuses to
# apply them: such a step is left out where wpatch refuses it too.
#
# One work copy moves from commit to commit. What is in it is compared by git with an index of its own: git hashes every
# file whose times, size or inode changed since it hashed it last, and the last tree of all is hashed anew.
: "${DIFF:=--binary -M}" "${APPLY:=}"
. "$(dirname "$0")/history.sh"
tree=$scratch/tree
far=a-directory/whose-name/is-longer/than-what/a-line-of-git/has-room-for/in-a-diffstat

is_staged() { # whether the index changes with the tree
    [[ " $APPLY " = *" --index "* ]]
}

is_at() { # says in what the work copy differs from the tree of the commit $1, and fails if it does
    local wrong
    looked_at tree read-tree --reset "$1"
    wrong=$(
        looked_at tree update-index -q --refresh >/dev/null || true
        looked_at tree diff-files --raw --ignore-submodules=none
        looked_at tree ls-files --others --directory
        ! is_staged || unclean "$1"
    )
    [ -z "$wrong" ] || { echo "$wrong" | head -5 >&2; return 1; }
}

unclean() { # says what git status has to say of the work copy when its HEAD is the commit $1
    copy tree update-ref --no-deref HEAD "$1"
    copy tree status --porcelain --ignore-submodules=none
    [ "$(copy tree write-tree)" = "$(looked_at tree write-tree)" ] || echo "the tree of the index is another"
}

says() { # prints what a program says of the patch with the options $2..., or how it failed
    # shellcheck disable=SC2086
    (cd "$tree" && "$1" apply "${@:2}" ${APPLY/--index/} <"$scratch/patch" 2>&1) || echo "exit $?"
}

is_said_alike() { # whether the statistics are those of git
    # git prints names raw in --summary, and a terminal obeys them: where such a name is, wpatch quotes it.
    local options summary=--summary
    ! grep -aqE '^diff --git .*\\([abtnvfr]|[01][0-7][0-7]|177)' "$scratch/patch" || summary=
    for options in "--stat --numstat $summary" "-z --numstat $summary" "-z --stat" "--stat --directory=$far"; do
        # shellcheck disable=SC2086
        cmp -s <(says git $options) <(says "$WPATCH" $options) || return 1
        statistics=$((statistics + 1))
    done
}

traces() { # prints what can be seen of the work copy without reading it
    find "$tree" -printf '%P %m %n %i %s %T@ %C@ %l\n' | sort | sha256sum
}

check_says() { # has check say what it would do, and fails if it leaves a trace; saves what apply has to say
    local before
    before=$(traces)
    # shellcheck disable=SC2086
    (cd "$tree" && "$WPATCH" check --json $APPLY <"$scratch/patch") | facts >"$scratch/checked"
    [ "$before" = "$(traces)" ]
}

facts() { # leaves what check and apply have in common in their reports; only what applies warns of white space, as with git
    jq -c 'del(.command, .outcome, .changed, .transaction, .files[].diff, .files[].diff_truncated, .files[].whitespace)
        | .problems |= map(select(.code != "wpatch::whitespace::errors"))' | sha256sum
}

apply_says() { # applies, and fails if it does not do what check has said
    # shellcheck disable=SC2086
    (cd "$tree" && "$WPATCH" apply --json --durability none $APPLY <"$scratch/patch") >"$scratch/report" ||
        jq -c .error "$scratch/report" >&2
    facts <"$scratch/report" | cmp -s "$scratch/checked"
}

is_refused_by_all() { # whether the diff is one of those that say too little
    [[ " $DIFF " = *" -B"* ]] || return 1
    # shellcheck disable=SC2086
    ! (cd "$tree" && git apply --check $APPLY <"$scratch/patch") 2>/dev/null &&
        ! (cd "$tree" && "$WPATCH" check $APPLY <"$scratch/patch") >/dev/null 2>&1
}

replay() { # replays the repository $1
    local all=0 forward=0 backward=0 alike=0 agreed=0 statistics=0 commit parent last= kinds=
    open_copy tree "$1" "$(! is_staged || echo repository)"
    rm -f "$scratch/tree.index"
    while read -r commit parent; do
        say_step tree "$commit" "$parent" >"$scratch/patch"
        [ -s "$scratch/patch" ] || continue
        go_to tree "$parent"
        ! is_refused_by_all || { echo "$commit: left out, git refuses its own diff" >&2; continue; }
        all=$((all + 1)) last=$parent
        is_said_alike && alike=$((alike + 1)) || echo "$commit: the statistics are not those of git" >&2
        check_says && apply_says && agreed=$((agreed + 1)) || echo "$commit: check does not agree with apply" >&2
        if is_at "$commit"; then
            forward=$((forward + 1))
            # shellcheck disable=SC2086
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
    rm -f "$scratch/tree.index"
    is_at "$last" || backward=$((backward - 1))
    printf '%s: applied %d/%d, reversed %d/%d, check agrees %d/%d, statistics %d/%d (%d outputs)\n' \
        "$1" "$forward" "$all" "$backward" "$all" "$agreed" "$all" "$alike" "$all" "$statistics"
    printf '%s' "$kinds" | sort | uniq -c |
        awk 'NF > 1 { count = $1; $1 = ""; printf "%s%s %d", (n++ ? "," : "   with"), $0, count } END { if (n) print "" }'
    [ "$all" -gt 0 ] && [ "$forward$backward$agreed$alike" = "$all$all$all$all" ]
}

for_each replay "$@"
