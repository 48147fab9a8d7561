#!/usr/bin/env bash
# Measures sizes beyond those of peers.sh: time, memory, and how both grow from one size to ten times as much.
#   [SCALES="100 10 1"] [WPATCH=target/release/wpatch] [TREES=/tmp] benches/sizes.sh [patch|hunks|tree|batch]...
# A scale divides the full sizes: `patch` is a patch of 10 GB that changes 1,000,000 files, `hunks` a file of 4 GB with
# 1,000,000 hunks, `tree` a tree of 5,000,000 files of which three change, `batch` 1,000,000 jobs against one object store.
# The full sizes need 40 GB of disk and 16 GB of memory. A slope is the quotient of two times, divided by that of the two
# sizes: 1 is linear. The tree and the patch of the full `patch` have 18 GB: unless they fit into the page cache beside the
# program, its time is the time of the disk. The time of the kernel also grows faster in a virtual machine that first has to
# get the memory from its host. The user time shows how the program itself grows.
set -euo pipefail
shopt -s inherit_errexit

here=$(cd "$(dirname "$0")" && pwd)
: "${SCALES:=100 10 1}" "${WPATCH:=target/release/wpatch}" "${TREES:=${TMPDIR:-/tmp}}"
WPATCH=$(cd "$(dirname "$WPATCH")" && pwd)/$(basename "$WPATCH")
export LC_ALL=C GIT_CEILING_DIRECTORIES=$TREES
unset XDG_STATE_HOME
scratch=$(mktemp -d "$TREES/sizes.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

patch() { # $1 files of 5 KB, each of whose lines is replaced
    awk -v count="$1" 'BEGIN {
        for (line = 1; line <= 50; line++) {
            text = sprintf("%090d line %03d", line, line)
            old = old text "\n"; gone = gone "-" text "\n"; come = come "+" text "!\n"
        }
        for (i = 0; i < count; i++) {
            directory = "d" int(i / 1000)
            if (i % 1000 == 0) system("mkdir tree/" directory)
            name = directory "/f" i
            printf "%d\n%s", i, old >("tree/" name); close("tree/" name)
            printf "--- a/%s\n+++ b/%s\n@@ -1,51 +1,51 @@\n-%d\n%s+%d!\n%s", name, name, i, gone, i, come
        }
    }' >change.patch
}

hunks() { # a file of $1 * 4 KB with a hunk in each 4 KB
    awk -v count="$1" 'BEGIN {
        print "--- a/big\n+++ b/big"
        for (i = 0; i < count; i++) {
            for (line = 1; line <= 20; line++) printf "%0190d line %03d\n", i, line >"tree/big"
            printf "@@ -%d,7 +%d,7 @@\n", i * 20 + 7, i * 20 + 7
            for (line = 7; line <= 13; line++) {
                if (line != 10) { printf " %0190d line %03d\n", i, line; continue }
                printf "-%0190d line %03d\n+%0190d line %03d!\n", i, line, i, line
            }
        }
    }' >change.patch
}

tree() { # $1 files, three of which change
    awk -v count="$1" 'BEGIN {
        for (i = 0; i < count; i++) {
            directory = "d" int(i / 1000)
            if (i % 1000 == 0) system("mkdir tree/" directory)
            name = directory "/f" i
            print i >("tree/" name); close("tree/" name)
            if (i == 0 || i == int(count / 2) || i == count - 1)
                printf "--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-%d\n+%d!\n", name, name, i, i
        }
    }' >change.patch
}

batch() { # $1 jobs: the diff of each commit of a history against the tree of its parent, over and over
    local commit
    if [ ! -d history ]; then
        "$here/make-history.sh" history 300 >/dev/null
        git -C history gc --quiet
        for commit in $(git -C history log --no-merges --min-parents=1 --format=%H); do
            git -C history diff --binary "$commit^" "$commit" >diff
            [ ! -s diff ] || echo "$(git -C history rev-parse "$commit^") $(base64 -w0 diff)"
        done >commits
    fi
    awk -v count="$1" -v git="$PWD/history/.git" '
        { parent[NR] = $1; text[NR] = $2 }
        END {
            for (i = 0; i < count; i++)
                printf "{\"id\": %d, \"git_dir\": \"%s\", \"rev\": \"%s\", \"patch_base64\": \"%s\"}\n",
                    i, git, parent[i % NR + 1], text[i % NR + 1]
        }' commits >change.patch
}

report() { # prints a row for the workload $1 of the size $2, the command $3, and the result of time(1); computes the slopes
    echo "$1 $2 $3 $(<peak)" >>all
    awk -v name="$1" -v what="$3" '
        $1 == name && $3 == what {
            growth = size ? $2 / size : 0
            slope = growth && elapsed ? sprintf("%.2f", $4 / elapsed / growth) : "-"
            user_slope = growth && user ? sprintf("%.2f", $5 / user / growth) : "-"
            size = $2; elapsed = $4; user = $5; kernel = $6; memory = $7
        }
        END {
            printf "%-6s %-6s %10d %9.2f s %8s %9.2f s %8s %9.2f s %9.1f MB\n",
                name, what, size, elapsed, slope, user, user_slope, kernel, memory / 1024
        }' all
}

run() { # measures the command $3... on the workload $1 of the size $2; its input is change.patch
    local name=$1 size=$2
    shift 2
    (cd tree && sync -f . && /usr/bin/time -f '%e %U %S %M' -o "$scratch/peak" "$WPATCH" "$@" <"$scratch/change.patch" >/dev/null)
    report "$name" "$size" "$1"
}

printf '%-6s %-6s %10s %11s %8s %11s %8s %11s %12s\n' size what count time slope user slope kernel memory
for name in ${*:-patch hunks tree batch}; do
    for scale in $SCALES; do
        case $name in
        tree) size=$((5000000 / scale)) ;;
        *) size=$((1000000 / scale)) ;;
        esac
        mkdir tree
        "$name" "$size"
        if [ "$name" = batch ]; then
            run batch "$size" check --batch
        else
            run "$name" "$size" check --max-files "$size" --max-file 5000000000 --max-patch 20000000000
            run "$name" "$size" apply --max-files "$size" --max-file 5000000000 --max-patch 20000000000 --durability none
        fi
        rm -rf tree change.patch
    done
done
