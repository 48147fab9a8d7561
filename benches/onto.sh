#!/usr/bin/env bash
# Takes the patches of commits to trees that are older than they are made for, beside git: each of N commits, spread
# over a history, onto the tree 1, 5 and 20 commits before it, once with each of the MODES. Verdict, index and work
# tree have to be those of git apply with the same options; onto its own parent, --index has to leave what git status
# takes for the commit's tree. Where git apply --3way leaves conflicts, the tree has to stay as it was.
#   [N=50] [WPATCH=target/release/wpatch] [DISTANCES='1 5 20'] [MODES='plain index 3way'] benches/onto.sh REPOSITORY...
# Exit 0 when everything is as said.
set -euo pipefail

: "${N:=50}" "${WPATCH:=target/release/wpatch}" "${DISTANCES:=1 5 20}" "${MODES:=plain index 3way}"
[ $# -gt 0 ] || { echo "usage: onto.sh REPOSITORY..." >&2; exit 2; }
WPATCH=$(cd "$(dirname "$WPATCH")" && pwd)/$(basename "$WPATCH")
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

commits_of() { # prints N commits of the repository $1, oldest first, that have enough before them
    git -C "$1" log --first-parent --no-merges --reverse --format=%H |
        awk -v want="$N" '{ commit[NR] = $1 } END {
            step = NR - 20 > want ? (NR - 20) / want : 1
            for (i = 0; i < want && 21 + i * step <= NR; i++) print commit[int(21 + i * step)]
        }'
}

go_to() { # makes the copy $1 a clean checkout of the commit $2
    git -C "$1" checkout -q -f --detach "$2"
    git -C "$1" clean -q -f -d -x
}

state() { # prints what the index of the copy $1 has, and what its work tree has
    git -C "$1" ls-files -s | sha256sum
    (export GIT_INDEX_FILE=$scratch/index && git -C "$1" add -A -f . && git -C "$1" write-tree)
    rm -f "$scratch/index"
}

is_commit() { # whether git takes the copy $1 for a clean checkout of the commit $2, but for its HEAD
    # Trees of the first versions of git have modes that it writes no more: they are not compared by their names.
    [ -z "$(git -C "$1" diff-index --cached "$2"; git -C "$1" diff-files; git -C "$1" ls-files --others)" ]
}

try() { # applies the patch of the commit $1 to the tree of $2 in the mode $3, with both, and says what is wrong
    local options=() theirs=0 ours=0 before
    [ "$3" = plain ] || options=("--$3")
    go_to "$scratch/theirs" "$2"
    go_to "$scratch/ours" "$2"
    before=$(state "$scratch/ours")
    (cd "$scratch/theirs" && git apply "${options[@]}" ../patch) >/dev/null 2>&1 || theirs=$?
    (cd "$scratch/ours" && "$WPATCH" apply --durability none "${options[@]}" ../patch) >"$scratch/said" 2>&1 || ours=$?
    if [ $((theirs > 0)) != $((ours > 0)) ]; then
        echo "git ends with $theirs, wpatch with $ours: $(head -3 "$scratch/said")"
    elif [ $theirs -gt 0 ]; then
        [ "$(state "$scratch/ours")" = "$before" ] || echo "refused, and the tree is another"
    elif [ "$(state "$scratch/ours")" != "$(state "$scratch/theirs")" ]; then
        echo "the trees differ"
    elif [ "$3 $2" = "index $(git -C "$scratch/ours" rev-parse "$1^")" ]; then
        is_commit "$scratch/ours" "$1" || echo "git status is not clean"
    fi
    [ $theirs -gt 0 ] || fits=$((fits + 1))
}

onto() { # goes through the history of the repository $1
    local commit distance mode wrong all=0 good=0 fits=0 base
    for copy in ours theirs; do
        rm -rf "${scratch:?}/$copy"
        git clone -q --shared --no-checkout "$1" "$scratch/$copy"
    done
    while read -r commit; do
        git -C "$1" diff --binary --full-index "$commit^" "$commit" >"$scratch/patch"
        [ -s "$scratch/patch" ] || continue
        for distance in $DISTANCES; do
            base=$(git -C "$1" rev-parse "$commit~$distance")
            for mode in $MODES; do
                all=$((all + 1))
                try "$commit" "$base" "$mode" >"$scratch/wrong"
                wrong=$(cat "$scratch/wrong")
                if [ -z "$wrong" ]; then good=$((good + 1)); else echo "$commit onto ~$distance, $mode: $wrong" >&2; fi
            done
        done
    done < <(commits_of "$1")
    echo "$(basename "$1"): $good of $all as git apply has them, of which it takes $fits"
    [ "$all" -gt 0 ] && [ "$good" = "$all" ]
}

complete=0
for repository; do
    onto "$repository" || complete=1
done
exit $complete
