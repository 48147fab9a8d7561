#!/usr/bin/env bash
# Takes the patches of commits to trees that are older than they are made for, beside git: each of N commits, spread
# over a history, onto the tree 1, 5 and 20 commits before it, once with each of the MODES. Verdict, index and work
# tree have to be those of git apply with the same options. Where git apply --3way leaves conflicts, the tree has to
# stay as it was; with --conflict markers the same files have conflicts, the index is git's, and it is counted how often
# the work tree is, too. Versions of a file can be compared in more than one way: what wpatch merges and git apply does
# not has to be what git merge-file makes of it with another --diff-algorithm.
#   [N=50] [WPATCH=target/release/wpatch] [DISTANCES='1 5 20'] [MODES='plain index 3way'] [COMMITS='--no-merges HEAD']
#       benches/onto.sh REPOSITORY...
# Exit 0 when everything is as said.
: "${N:=50}" "${DISTANCES:=1 5 20}" "${MODES:=plain index 3way}" "${DIFF:=--binary --full-index}"
. "$(dirname "$0")/history.sh"

state() { # prints what the index of the work copy $1 has, and on the next line what its work tree has
    copy "$1" ls-files -s | sha256sum
    (cd "$scratch/$1" && looked_at "$1" add -A -f . 2>&1 && looked_at "$1" write-tree)
}

applies() { # has wpatch apply the patch with the options $@
    (cd "$scratch/ours" && "$WPATCH" apply --durability none "$@" ../patch) >"$scratch/said" 2>&1
}

is_merged_otherwise() { # whether the files that git left conflicts in are merged as git does it with another algorithm
    local name stage algorithm names=()
    readarray -d '' names < <(copy theirs ls-files -u -z | cut -z -f2- | sort -zu)
    for name in "${names[@]}"; do
        for stage in 1 2 3; do
            copy theirs cat-file blob ":$stage:$name" >"$scratch/stage$stage" || return 1
        done
        for algorithm in minimal patience histogram none; do
            [ $algorithm != none ] || return 1
            ! git merge-file -p --diff-algorithm=$algorithm "$scratch"/stage{2,1,3} 2>/dev/null |
                cmp -s - "$scratch/ours/$name" || break
        done
    done
    [ ${#names[@]} -gt 0 ]
}

try() { # applies the patch to the tree of the commit $1 in the mode $2, with both, and says what is wrong
    local options=() git=0 wpatch=0 before ours theirs
    [ "$2" = plain ] || options=("--$2")
    go_to theirs "$1"
    go_to ours "$1"
    before=$(state ours)
    (cd "$scratch/theirs" && git apply "${options[@]}" ../patch) >"$scratch/git-said" 2>&1 || git=$?
    applies "${options[@]}" || wpatch=$?
    if [ $git$wpatch = 10 ] && is_merged_otherwise; then
        otherwise=$((otherwise + 1))
    elif [ $((git > 0)) != $((wpatch > 0)) ]; then
        echo "git ends with $git, wpatch with $wpatch: $(head -3 "$scratch/said")"
    elif [ $git = 0 ]; then
        fits=$((fits + 1))
        [ "$(state ours)" = "$(state theirs)" ] || echo "the trees differ"
    elif [ "$(state ours)" != "$before" ]; then
        echo "refused, and the tree is another"
    elif [ "$(state theirs)" != "$before" ]; then
        marked=$((marked + 1))
        wpatch=0
        applies --3way --conflict markers || wpatch=$?
        ours=$(state ours) theirs=$(state theirs)
        [ "$wpatch ${ours%%$'\n'*}" = "$git ${theirs%%$'\n'*}" ] || echo "the conflicts differ: $wpatch $(head -3 "$scratch/said")"
        [ "$ours" != "$theirs" ] || alike=$((alike + 1))
    fi
}

onto() { # goes through the history of the repository $1
    local commit distance mode wrong all=0 good=0 fits=0 marked=0 alike=0 otherwise=0 pairs=0 base
    open_copy ours "$1" repository
    open_copy theirs "$1" repository
    rm -f "$scratch"/{ours,theirs}.index
    while read -r commit base; do
        say_step ours "$commit" "$base" >"$scratch/patch"
        [ -s "$scratch/patch" ] || continue
        for distance in $DISTANCES; do
            base=$(source_git "$1" rev-parse -q --verify "$commit~$distance") || continue
            pairs=$((pairs + 1))
            for mode in $MODES; do
                all=$((all + 1))
                try "$base" "$mode" >"$scratch/wrong"
                wrong=$(cat "$scratch/wrong")
                if [ -z "$wrong" ]; then good=$((good + 1)); else echo "$commit onto ~$distance, $mode: $wrong" >&2; fi
            done
        done
    done < <(steps_of "$1")
    printf '%s: %d of %d as git apply has them, of %d patches and trees; it takes %d, and marks conflicts in %d (%d alike); %d more merge\n' \
        "$1" "$good" "$all" "$pairs" "$fits" "$marked" "$alike" "$otherwise"
    [ "$all" -gt 0 ] && [ "$good" = "$all" ]
}

for_each onto "$@"
