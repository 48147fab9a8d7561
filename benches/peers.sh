#!/usr/bin/env bash
# Times wpatch, git apply and GNU patch on the same patches and trees, one after the other in turns.
#   [RUNS=7] [WPATCH=target/release/wpatch] benches/peers.sh [quick] [WORKLOAD...]
# Each run gets a fresh copy of the tree, made and compared outside the timed part; copies are removed at the very end,
# because ext4 is slow to make files where others were removed a moment ago. Prints medians in milliseconds and the
# medians of the ratios of the runs that stood side by side. "-" stands for a tool that failed or gave another tree,
# ">N" for one that was stopped after LIMIT seconds, and is not run again.
set -euo pipefail
shopt -s inherit_errexit # a copy that cannot be made must not become a patch applied elsewhere

: "${RUNS:=7}" "${WPATCH:=target/release/wpatch}" "${LIMIT:=20}"
WPATCH=$(cd "$(dirname "$WPATCH")" && pwd)/$(basename "$WPATCH")
size=100
if [ "${1:-}" = quick ]; then size=10 RUNS=5 && shift; fi
workloads=("$@")
if [ $# = 0 ]; then workloads=(small files exact shifted kinds misfit); fi
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_CEILING_DIRECTORIES=$scratch
cd "$scratch"
# Installed, as the others are: a program as the linker has left it lies in small pages, and takes longer to start.
install -m 755 "$WPATCH" wpatch && WPATCH=$scratch/wpatch
tools=(wpatch git patch)

# --- the workloads: NAME/before, NAME/after, NAME/patch; without an after/ it has to be refused

lines() { # prints $1 lines, all different, every $2-th one marked with $3
    awk -v lines="$1" -v every="$2" -v mark="$3" 'BEGIN {
        for (i = 1; i <= lines; i++) print "line " i " of the file, some words, " (i * 7919) % 10007 (every && i % every == 0 ? mark : "")
    }'
}

diff_of() { # writes $1/patch
    (cd "$1" && { git diff --no-index --no-color -M --src-prefix= --dst-prefix= before after || true; } >patch)
}

# git writes before/x and after/x: -p1 takes that off again, but a rename line has no prefix to take off.
unprefix() { sed -i -E 's#^(rename (from|to)) (before|after)/#\1 #' "$1/patch"; }

small() {
    mkdir -p small/before small/after
    lines 400 0 '' >small/before/a.c
    sed '200s/words/other words/' small/before/a.c >small/after/a.c
    diff_of small
}

files() {
    mkdir -p files/before files/after
    local i name
    for ((i = 0; i < size * 10; i++)); do
        name=d$((i % 40))/f$i.c
        mkdir -p "files/before/d$((i % 40))" "files/after/d$((i % 40))"
        lines $((100 + i % 300)) 0 '' >"files/before/$name"
        sed "$((10 + i % 80))s/words/other words/" "files/before/$name" >"files/after/$name"
    done
    diff_of files
}

hunks() { # one large file: the patch where it belongs, and in a file with lines in front
    mkdir -p exact/before exact/after shifted/before shifted/after
    lines $((size * 10000)) 0 '' >exact/before/big
    lines $((size * 10000)) 20 ' changed' >exact/after/big
    diff_of exact
    cp exact/patch shifted/patch
    for side in before after; do { lines 17 1 ' in front' && cat "exact/$side/big"; } >"shifted/$side/big"; done
}

kinds() { # creates, deletes and renames
    mkdir -p kinds/before/{gone,old} kinds/after/{made,new}
    local i
    for ((i = 0; i < size * 3; i++)); do
        lines 30 1 " gone $i" >"kinds/before/gone/$i"
        lines 30 1 " made $i" | tac >"kinds/after/made/$i"
        lines 90 1 " moved $i" | tee "kinds/before/old/$i" | sed '40s/words/other words/' >"kinds/after/new/$i"
    done
    diff_of kinds
    unprefix kinds
}

misfit() { # a hunk that fits nowhere
    mkdir -p misfit/before
    cp exact/before/big misfit/before/big
    printf '%s\n' '--- a/big' '+++ b/big' '@@ -5000,3 +5000,3 @@' ' nowhere 1' '-nowhere 2' '+nowhere 3' ' nowhere 4' >misfit/patch
}

# --- measuring

now() { echo "${EPOCHREALTIME/[.,]/}"; }

timed() { # applies with the tool $1 the patch $2 in each directory of $3; prints exit code and microseconds
    local patch=$2 trees=${3:?} copy start end code=0
    case $1 in
    wpatch) set -- "$WPATCH" apply --durability none ;;
    git) set -- git apply --whitespace=nowarn - ;;
    patch) set -- patch -p1 --silent --force --no-backup-if-mismatch --reject-file=- ;;
    esac
    ulimit -t "$LIMIT"
    start=$(now)
    for copy in "$trees"/*; do
        cd "$copy"
        "$@" <"$patch" >/dev/null 2>&1 || code=$?
    done
    end=$(now)
    echo "$code $((end - start))"
}

is_all() { # is every tree in $2 like $1
    local copy
    for copy in "$2"/*; do diff -rq --no-dereference "$1" "$copy" >/dev/null || return 1; done
}

measure() { # runs the tool $1 on the workload $2 and prints microseconds, - or >
    local copies=1 copy code time trees
    [ "$2" != small ] || copies=25 # too short for the clock
    trees=$(mktemp -d "$scratch/trees.XXXXXX")
    for ((copy = 0; copy < copies; copy++)); do cp -a "$2/before" "$trees/$copy"; done
    read -r code time < <(timed "$1" "$scratch/$2/patch" "$trees")
    local expected=$2/before is_refused=1
    if [ -d "$2/after" ]; then expected=$2/after is_refused=0; fi
    if [ "$code" = 137 ] || [ "$code" = 152 ]; then # SIGKILL or SIGXCPU: the limit
        echo ">"
    elif [ "$((code != 0))" = $is_refused ] && [ "$code" -lt 128 ] && is_all "$expected" "$trees"; then
        echo $((time / copies))
    else
        echo -
    fi
}

run() { # measures all tools on the workload $1 in turns and prints a row
    local i tool row
    local -A is_slow=()
    for tool in "${tools[@]}"; do # warms the caches
        if [ "$(measure "$tool" "$1")" = ">" ]; then is_slow[$tool]=1; fi
    done
    : >"$1/times"
    for ((i = 0; i < RUNS; i++)); do
        row=
        for tool in "${tools[@]}"; do
            if [ -n "${is_slow[$tool]:-}" ]; then row+='> '; else row+="$(measure "$tool" "$1") "; fi
        done
        echo "$row" >>"$1/times"
    done
    awk -v name="$1" -v limit="$LIMIT" '
        function median(values, count,   i, j, t) {
            if (!count) return "-"
            for (i = 2; i <= count; i++) for (j = i; j > 1 && values[j] < values[j - 1]; j--) { t = values[j]; values[j] = values[j - 1]; values[j - 1] = t }
            return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
        }
        function shown(value, form, is_slow) { return is_slow ? ">" limit * 1000 : value == "-" ? value : sprintf(form, value) }
        function ratio(value, is_slow) { return value == "-" ? value : (is_slow ? "<" : "") sprintf("%.3f", value) }
        function time(column) { if ($column == ">") { is_slow[column] = 1; return limit * 1000000 } return $column }
        { for (tool = 1; tool <= 3; tool++) {
            t = time(tool)
            if (t == "-") continue
            times[tool, ++count[tool]] = t / 1000
            if ($1 != "-" && $1 != ">") ratios[tool, ++both[tool]] = $1 / t
        } }
        function of(table, tool, size,   i, values) { for (i = 1; i <= size; i++) values[i] = table[tool, i]; return median(values, size) }
        END {
            printf "%-8s", name
            for (tool = 1; tool <= 3; tool++) printf " %10s", shown(of(times, tool, count[tool]), "%.1f", is_slow[tool])
            for (tool = 2; tool <= 3; tool++) printf " %12s", ratio(of(ratios, tool, both[tool]), is_slow[tool])
            print ""
        }' "$1/times"
}

for workload in "${workloads[@]}"; do
    case $workload in
    small | files | kinds) "$workload" ;;
    exact | shifted) [ -d exact ] || hunks ;;
    misfit) { [ -d exact ] || hunks; } && misfit ;;
    *) echo "peers.sh: no workload $workload" >&2 && exit 2 ;;
    esac
done
echo "wpatch $("$WPATCH" --version 2>/dev/null | awk '{ print $2 }'), $(git --version), $(patch --version | head -1); $RUNS runs, $(nproc) processors"
printf '%-8s %10s %10s %10s %12s %12s\n' '' wpatch git patch wpatch/git wpatch/patch
for workload in "${workloads[@]}"; do run "$workload"; done
if [ -d misfit ]; then
    start=$(now) && cat misfit/before/big >/dev/null && echo "reading the file of misfit alone: $((($(now) - start) / 1000)) ms"
fi
