#!/usr/bin/env bash
# Measures the errors of `--guard syntax` on source code in public histories.
#   [STEP=1] [CHANGES=2500] [PATHS=.] benches/syntax.sh history REPOSITORY...
#       Judges every STEP-th modified file of each history, and prints each refused change, and for each language the
#       errors, and the time for a change and the size of its file. A refused change is a false alarm, unless the commit
#       really broke the file: look at each.
#   [TOKENS=any] [FILES=40] [COUNT=8] benches/syntax.sh deletions EXTENSION REPOSITORY...
#       Deletes COUNT tokens of each of FILES files, and prints how many of the broken files the guard refuses. An
#       independent program judges whether a file is valid before and broken after it (benches/syntax/judge).
#       TOKENS=bracket deletes only brackets, and needs no judge: that always breaks a file.
# Needs no network. The repositories are directories of git, bare or not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${SYNTAX:=$here/../target/release/examples/syntax}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

history() {
    for repository in "$@"; do
        git -C "$repository" log --no-merges --diff-filter=M --no-renames --raw --no-abbrev --format= -- "${PATHS:-.}" |
            awk -v step="${STEP:-1}" 'NR % step == 0' | head -n "${CHANGES:-2500}" | "$SYNTAX" history "$repository"
    done | tee "$scratch/lines" | grep -a '^alarm' || true
    table "$scratch/lines"
    [ -z "${KEEP:-}" ] || cp "$scratch/lines" "$KEEP"
}

table() { # LINES: prints a row for each language
    local format='%-12s %8s %8s %8s %8s %10s %10s %8s %8s\n'
    # shellcheck disable=SC2059 # the format is a constant
    printf "\n$format" language changes refused unknown skipped 'median B' 'median µs' 'mean µs' MB/s
    {
        grep -ah '^total' "$@"
        grep -ah '^change' "$@" | sort -t $'\t' -k2,2 -k3,3n | awk -F '\t' '{ print "size\t" $2 "\t" $3 }'
        grep -ah '^change' "$@" | sort -t $'\t' -k2,2 -k4,4n | awk -F '\t' '{ print "time\t" $2 "\t" $4 }'
    } | awk -F '\t' -v format="$format" '
        $1 == "total" { changes[$2] += $3; refused[$2] += $4; unknown[$2] += $5; skipped[$2] += $6; next }
        { sum[$1, $2] += $3; if (++count[$1, $2] == int((changes[$2] + 1) / 2)) median[$1, $2] = $3 }
        END { for (name in changes)
            printf format, name, changes[name], refused[name], unknown[name], skipped[name], median["size", name],
                median["time", name], int(sum["time", name] / changes[name]),
                sprintf("%.1f", sum["size", name] / (sum["time", name] ? sum["time", name] : 1)) }' | sort
}

deletions() { # EXTENSION REPOSITORY...
    local extension=$1
    shift
    mkdir "$scratch/whole" "$scratch/broken"
    for repository in "$@"; do
        git -C "$repository" ls-tree -r -l HEAD | awk -v end="\\.$extension\$" '$4 > 500 && $4 < 60000 && $0 ~ end' |
            awk -v count="${FILES:-40}" '{ lines[NR] = $0 } END {
                step = NR > count ? NR / count : 1
                for (at = 1; at <= NR && int(at); at += step) print lines[int(at)] }' |
            while read -r _ _ object _; do
                git -C "$repository" cat-file blob "$object" >"$scratch/whole/f$object.$extension"
            done
    done
    if [ "${TOKENS:-any}" = any ]; then
        "$here/syntax/judge" "$extension" "$scratch/whole" | awk '$2 == "broken" { print $1 }' |
            while read -r name; do rm "$scratch/whole/$name.$extension"; done
    fi
    "$SYNTAX" deletions "$scratch/broken" "${TOKENS:-any}" "${COUNT:-8}" "$scratch/whole"/* >"$scratch/lines"
    if [ "${TOKENS:-any}" = bracket ]; then
        grep -a '^token' "$scratch/lines" | awk -F '\t' '{ print $2 "\tbroken" }' >"$scratch/judged"
    else
        "$here/syntax/judge" "$extension" "$scratch/broken" >"$scratch/judged"
    fi
    awk -F '\t' -v extension="$extension" '
        NR == FNR { broken[$1] = $2 == "broken"; next }
        $1 == "file" { files++; valid += $3 == "true" }
        $1 == "token" && broken[$2] { count++; refused += $7 == "refused"; noted += $7 == "note" }
        $1 == "token" && !broken[$2] { unbroken++; wrong += $7 == "refused" }
        END { printf "%s: %d of %d files are valid for the grammar; %d deletions break a file, %d refused (%.1f %%), " \
            "%d noted; %d deletions break no file, %d of them refused\n", extension, valid, files, count, refused,
            count ? 100 * refused / count : 0, noted, unbroken, wrong }' "$scratch/judged" "$scratch/lines"
    [ -z "${KEEP:-}" ] || cp -r "$scratch" "$KEEP"
}

"$@"
