# shellcheck shell=bash
# What replay.sh and onto.sh share: the steps of a history, and work copies that go from one to the next. They source it.
#   N         steps, spread over the history
#   COMMITS   which commits, as arguments of git log: --merges, v1.0..v2.0
#   PAIRS     trees in place of commits: 'v1.0..v1.1 v1.1..v2.0'
#   SERIES    how many commits one step takes (0: the diff of one is taken, more: what format-patch makes of them)
#   DIFF      options of git diff
set -euo pipefail

: "${N:=200}" "${WPATCH:=target/release/wpatch}" "${COMMITS:=--no-merges HEAD}" "${PAIRS:=}" "${SERIES:=0}" "${LOG:=}"
[ $# -gt 0 ] || { echo "usage: $(basename "$0") REPOSITORY..." >&2; exit 2; }
WPATCH=$(cd "$(dirname "$WPATCH")" && pwd)/$(basename "$WPATCH")
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_OPTIONAL_LOCKS=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_CEILING_DIRECTORIES=$scratch XDG_STATE_HOME=$scratch/state XDG_CONFIG_HOME=$scratch/config

source_git() { # git on the repository $1, which is never written to
    git -c safe.directory='*' -C "$@"
}

copy() { # git on the work copy $1
    local name=$1
    shift
    git --git-dir="$scratch/$name.git" --work-tree="$scratch/$name" "$@"
}

open_copy() { # makes an empty work copy $1 of the repository $2, which is one itself if $3 is `repository`
    rm -rf "${scratch:?}/$1" "$scratch/$1.git"
    mkdir "$scratch/$1"
    if [ "${3:-}" = repository ]; then
        git init -q "$scratch/$1"
        ln -s "$1/.git" "$scratch/$1.git"
    else
        # Nothing is converted between it and the objects.
        git init -q --bare "$scratch/$1.git"
        mkdir -p "$scratch/$1.git/info"
        echo '* -text !eol -filter -ident !working-tree-encoding !diff' >"$scratch/$1.git/info/attributes"
    fi
    local objects
    objects=$(cd "$2" && cd "$(source_git . rev-parse --git-path objects)" && pwd)
    echo "$objects" >"$scratch/$1.git/objects/info/alternates"
    local setting
    for setting in core.autocrlf=false core.fileMode=true core.symlinks=true core.trustctime=true gc.auto=0 \
        advice.detachedHead=false diff.renameLimit=100000; do
        copy "$1" config "${setting%=*}" "${setting#*=}"
    done
}

go_to() { # makes the work copy $1 a clean checkout of the commit $2
    copy "$1" checkout -q -f --detach "$2"
    (cd "$scratch/$1" && copy "$1" clean -q -f -f -d -x)
}

looked_at() { # git on the work copy $1 with an index that nobody else has: it hashes what it has not seen as it is
    GIT_INDEX_FILE=$scratch/$1.index copy "$@"
}

steps_of() { # prints N steps of the repository $1, new and old, spread over its history, oldest first
    local pair
    if [ -n "$PAIRS" ]; then
        for pair in $PAIRS; do
            source_git "$1" rev-parse "${pair#*..}^{commit}" "${pair%..*}^{commit}" | xargs
        done
        return
    fi
    # shellcheck disable=SC2086
    source_git "$1" log --reverse --topo-order --min-parents=1 --format='%H %P' $COMMITS |
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

say_step() { # prints the patch from the commit $3 to the commit $2 of the work copy $1
    # shellcheck disable=SC2086
    if [ "$SERIES" = 0 ]; then
        copy "$1" diff $DIFF "$3" "$2"
    elif [ -n "$LOG" ]; then
        copy "$1" log -p --reverse $LOG $DIFF "$3..$2"
    else
        copy "$1" format-patch --stdout $DIFF "$3..$2"
    fi
}

for_each() { # calls $1 with each of the other arguments, and exits with 0 if all of the calls succeed
    local deed=$1 complete=0 repository
    shift
    for repository; do
        "$deed" "$repository" || complete=1
    done
    exit $complete
}
