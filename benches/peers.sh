#!/usr/bin/env bash
# Times wpatch beside its peers and beside the floor, on the same patches and trees, and says which target holds.
#   [RUNS=5] [WPATCH=target/release/wpatch] [FLOOR=target/release/examples/floor] benches/peers.sh [quick] [WORKLOAD...]
# CODEX names the program of Codex, if it is not in the path. STABLE and MAJOR name two trees each, "OLD NEW", of a real
# project for the workloads of these names. BEFORE is a command before each run, whose trees are copied to the directory
# TREES. See benches/README.md.
set -euo pipefail
shopt -s inherit_errexit # a copy that cannot be made must not become a patch applied elsewhere

here=$(cd "$(dirname "$0")" && pwd)
: "${RUNS:=5}" "${LIMIT:=60}" "${WPATCH:=target/release/wpatch}" "${FLOOR:=target/release/examples/floor}" "${CODEX:=codex}" "${STABLE:=}" "${MAJOR:=}" "${BEFORE:=}"
scale=1
if [ "${1:-}" = quick ]; then scale=50 RUNS=3 LIMIT=5 && shift; fi
only=" $* "
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
unset XDG_STATE_HOME # so that no history is kept outside a repository
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: "${TREES:=$scratch}"
export GIT_CEILING_DIRECTORIES=$scratch:$TREES
# All are copied now: how a program lies in memory, in small pages or in large ones, is a quarter of the time of its start.
install -m 755 "$WPATCH" "$scratch/wpatch" && WPATCH=$scratch/wpatch
install -m 755 "$FLOOR" "$scratch/floor" && FLOOR=$scratch/floor
install -m 755 "$(command -v git)" "$scratch/git" && GIT=$scratch/git
if command -v patch >/dev/null; then install -m 755 "$(command -v patch)" "$scratch/patch"; fi
cd "$scratch"
if command -v "$CODEX" >/dev/null; then ln -s "$(command -v "$CODEX")" apply_patch; fi # how it is called says what it does
# shellcheck source=workloads.sh
. "$here/workloads.sh"

# What has to hold: workload, who, what of it, beside whom, and how much of theirs at most; or with `+` so much more, in
# milliseconds or MiB; `patch` is the size of the patch. A factor of time is the median of those of the runs side by side.
# `batch` is a thousand jobs. NAME-plain is the workload NAME in directories without a repository, where no history is kept.
targets='
tiny         none   time   git          1.0
tiny         none   time   patch        1.3
tiny         full   time   floor-full   1.2
many         none   time   git          1.0
many         none   time   floor        1.1
many         full   time   floor-full   1.15
many         full   time   git-sync     1.0
many         none   memory git          0.333
many-plain   none   time   git          1.0
many-plain   none   time   floor        1.3
kinds        none   time   git          1.0
kinds        none   time   floor        1.1
kinds-plain  none   time   git          1.0
kinds-plain  none   time   floor        1.2
exact        none   time   git          0.02
exact        none   time   patch        1.0
exact        none   time   floor        1.5
shifted      none   time   git          0.02
shifted      none   time   patch        1.0
shifted      none   time   floor        1.5
repeated     none   time   git          0.02
repeated     none   time   patch        1.0
repeated     none   time   floor        1.5
misfit       none   time   git          +150
misfit       none   memory -            +150
stable       none   time   git          0.5
stable       none   time   floor        1.4
stable       none   memory git          0.5
stable-plain none   time   git          0.5
stable-plain none   time   floor        1.3
major        none   time   git          0.6
major        none   memory git          0.5
binary       none   time   git          0.6
binary       none   memory patch        +50
codex-files  codex-none time codex      0.3
codex-chunks codex-none time codex      0.2
many         brief  time   git-check    1.0
many         check  time   git-check    2.0
growth-1     none   memory patch        +100
growth-10    none   time   growth-1     12
growth-100   none   time   growth-10    12
growth-1000  none   time   growth-100   12
growth-100   none   memory patch        +100
growth-1000  none   memory patch        +100
batch        check  time   git          0.05
'

# --- measuring

now() { echo "${EPOCHREALTIME/[.,]/}"; }

command_of() { # sets `command` to what the tool $1 does; the patch $2 is its input
    input=$2
    case $1 in
    none) command=("$WPATCH" apply --durability none) ;;
    full) command=("$WPATCH" apply) ;;
    check) command=("$WPATCH" check --json) ;;
    brief) command=("$WPATCH" check --json --brief) ;;
    codex-none) command=("$WPATCH" apply --format codex --durability none) ;;
    git) command=("$GIT" apply --whitespace=nowarn -) ;;
    git-sync) command=(eval '"$GIT" apply --whitespace=nowarn - && sync -f .') ;;
    git-check) command=("$GIT" apply --whitespace=nowarn --check -) ;;
    patch) command=("$scratch/patch" -p1 --silent --force --no-backup-if-mismatch --reject-file=-) ;;
    floor) command=("$FLOOR" none .) input=${2%/*}/answer ;;
    floor-full) command=("$FLOOR" full .) input=${2%/*}/answer ;;
    floor-plain) command=("$FLOOR" plain .) input=${2%/*}/answer ;;
    codex) command=("$scratch/apply_patch") ;;
    esac
}

is_there() { # whether the tool $1 is on the machine
    case $1 in
    codex) [ -e "$scratch/apply_patch" ] ;;
    patch) command -v patch >/dev/null ;;
    esac
}

is_all() { # whether the tree $2 is as the workload $1 wants it, after a tool that ended with $3
    if [ -d "$1/after" ] && [[ $4 != *check && $4 != brief ]]; then
        [ "$3" = 0 ] && diff -rq --no-dereference --exclude=.git "$1/after" "$2" >/dev/null
    else
        [ "$3" = $([ -d "$1/after" ] && echo 0 || echo 1) ] && diff -rq --no-dereference --exclude=.git "$1/before" "$2" >/dev/null
    fi
}

warm() { # takes memory for the patch $1 and for as much as that makes, and gives it back: to find it is not on the clock
    dd if=/dev/zero of=/dev/null bs=$((2 * $(stat -c %s "$1") + (64 << 20))) count=1 status=none
}

copy_tree() { # makes the tree of the workload $1 at $2, in a repository of its own unless it is a plain one
    cp -a "$1/before" "$2"
    [[ $1 == *-plain ]] || git init --quiet --template= "$2"
}

measure() { # runs the tool $1 on the workload $2; prints microseconds, or - for another tree and > for more than LIMIT
    local copies=1 copy start end trees code=0 command input
    [ "$2" != tiny ] || copies=20 # too short for the clock
    $BEFORE
    trees=$(mktemp -d "$TREES/trees.XXXXXX")
    for ((copy = 0; copy < copies; copy++)); do
        copy_tree "$2" "$trees/$copy"
    done
    command_of "$1" "$scratch/$2/patch"
    sync -f "$trees" # what the copies left to write is not on the clock
    warm "$input"
    start=$(now)
    for ((copy = 0; copy < copies; copy++)); do
        cd "$trees/$copy"
        (ulimit -t "$LIMIT" && "${command[@]}" <"$input" >/dev/null 2>&1) || code=$?
    done
    end=$(now)
    cd "$scratch"
    if [ "$code" = 137 ] || [ "$code" = 152 ]; then # SIGKILL or SIGXCPU: the limit
        echo ">"
    elif is_all "$2" "$trees/0" "$code" "$1"; then
        echo $(((end - start) / copies))
    else
        echo -
    fi
}

memory() { # prints the most memory in KiB that the tool $1 has on the workload $2
    local tree command input
    $BEFORE
    tree=$(mktemp -d "$TREES/trees.XXXXXX")/0
    copy_tree "$2" "$tree"
    command_of "$1" "$scratch/$2/patch"
    (cd "$tree" && /usr/bin/time -q -f %M -o "$scratch/peak" "${command[@]}" <"$input" >/dev/null 2>&1) || true
    cat peak
}

make() { # makes the workload $1 and its answer; fails if it cannot be made here
    case $1 in
    *-plain)
        [ -d "${1%-plain}" ] || make "${1%-plain}" || return 1
        ln -s "${1%-plain}" "$1"
        return
        ;;
    stable | major)
        local -a pair
        read -ra pair <<<"$([ "$1" = stable ] && echo "$STABLE" || echo "$MAJOR")"
        [ ${#pair[@]} = 2 ] || return 1
        trees "$1" "${pair[@]}"
        ;;
    growth-*) growth "${1#growth-}" ;;
    *) "$1" ;;
    esac
    if [ -d "$1/after" ] && [[ $1 != codex* ]]; then "$FLOOR" answer "$1/before" "$1/after" "$1/patch" >"$1/answer"; fi
}

run() { # measures all tools that a target of the workload $1 names, in turns; writes $1/times and $1/memory
    local tool i value row tools=()
    if [[ $1 == growth-* ]]; then tools=(none); fi
    local -A is_slow=()
    for tool in $(awk -v name="$1" '$1 == name && $3 == "time" { print $2; print $4 }' <<<"$targets" | sort -u); do
        if [[ $1 != growth-* ]] && is_there "$tool"; then tools+=("$tool"); fi
    done
    echo "${tools[*]}" >"$1/times"
    for ((i = -1; i < RUNS; i++)); do
        row=
        for tool in "${tools[@]}"; do
            value=">"
            if [ -z "${is_slow[$tool]:-}" ]; then value=$(measure "$tool" "$1"); fi
            if [ "$value" = ">" ]; then is_slow[$tool]=1; fi
            row+="$value "
        done
        if ((i >= 0)); then echo "$row" >>"$1/times"; fi # the first warms the caches
    done
    for tool in $(awk -v name="$1" '$1 == name && $3 == "memory" { print $2; print $4 }' <<<"$targets" | sort -u); do
        case $tool in
        -) echo "- 0" ;;
        patch) echo "patch $(($(stat -c %s "$1/patch") / 1024))" ;;
        *) echo "$tool $(memory "$tool" "$1")" ;;
        esac
    done >"$1/memory"
}

batches() { # writes batch/times: a thousand jobs of a batch, one at a time, beside a loop of git
    mkdir -p batch && : >batch/memory
    echo "check git" >batch/times
    local part=$((scale > 1 ? 10 : 1))
    export RUNS WPATCH JOBS=$((10000 / part)) SAMPLE=$((300 / part)) COMMITS=$((300 / part))
    "$here/batch.sh" |
        awk '$1 == "--jobs" && $2 == "1:" { printf "%d %d\n", 1e9 / $4, 1e9 / $7 }' >>batch/times
}

judge() { # prints a row for each target of the workload $1
    awk -v name="$1" -v limit="$LIMIT" '
        function median(values, count,   i, j, t) {
            for (i = 2; i <= count; i++) for (j = i; j > 1 && values[j] < values[j - 1]; j--) { t = values[j]; values[j] = values[j - 1]; values[j - 1] = t }
            return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
        }
        function time(tool, run) { return (tool, run) in times ? times[tool, run] : "-" }
        function milliseconds(tool,   run, values, count) {
            for (run = 1; run <= runs[tool]; run++) { if (times[tool, run] !~ /^[0-9]+$/) return times[tool, run]; values[++count] = times[tool, run] / 1000 }
            return count ? median(values, count) : "-"
        }
        function seen(value) { return value == ">" ? ">" limit * 1000 : value ~ /^[0-9]/ ? sprintf("%.1f", value) : value }
        FILENAME ~ /times$/ && FNR == 1 { split(FILENAME, parts, "/"); of = parts[1] == name ? "" : parts[1]; n = split($0, tools, " "); next }
        FILENAME ~ /times$/ { for (i = 1; i <= n; i++) { tool = of == "" ? tools[i] : of; if (of == "" || tools[i] == "none") times[tool, FNR - 1] = $i; runs[tool] = FNR - 1 } next }
        FILENAME ~ /memory$/ { peak[$1] = $2 / 1024; next }
        $1 != name { next }
        {
            is_more = $5 ~ /^\+/; most = $5 + 0; verdict = ""
            if ($3 == "time") { mine = milliseconds($2); theirs = milliseconds($4) } else { mine = peak[$2]; theirs = peak[$4] }
            if (mine !~ /^[0-9]/) { verdict = "NO: it failed"; found = "-" }
            else if (theirs == "-") { verdict = "not measured: no " $4; found = "-" }
            else if (theirs == ">") { found = mine / (limit * 1000); is_bound = 1; verdict = found <= most ? "yes" : "not known"; found = sprintf("<%.3f", found) }
            else {
                if (is_more) found = mine - theirs
                else if ($3 == "memory" || ($4 ~ /^growth/)) found = mine / theirs
                else { count = 0; for (run = 1; run <= runs[$2]; run++) ratios[++count] = times[$2, run] / times[$4, run]; found = median(ratios, count) }
                verdict = found <= most ? "yes" : "NO"
                found = sprintf(is_more ? "%+.1f" : "%.3f", found)
            }
            printf "%-13s %-10s %-6s %10s  %-10s %10s %9s %7s  %s\n", name, $2, $3, seen(mine), $4, seen(theirs), found, $5, verdict
        }' "$1"/times "$1"/memory $(ls -d growth-*/times 2>/dev/null | grep -v "^$1/") <(echo "$targets")
}

for tool in patch codex; do is_there $tool || echo "peers.sh: $tool is not on this machine" >&2; done
echo "wpatch $("$WPATCH" --version | awk '{ print $2 }'), $(git --version), $(patch --version | head -1); $RUNS runs, $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-13s %-10s %-6s %10s  %-10s %10s %9s %7s  %s\n' workload who what measured beside measured ratio target holds
for workload in $(awk 'NF { print $1 }' <<<"$targets" | uniq | awk '!seen[$0]++'); do
    if [ "$only" != "  " ] && [[ $only != *" $workload "* ]]; then continue; fi
    if [ $scale != 1 ] && [[ $workload == growth-1000 ]]; then continue; fi
    if [ "$workload" = batch ]; then
        if command -v jq >/dev/null; then batches || echo "check git" >batch/times; judge batch; else echo "batch: not measured, as there is no jq"; fi
        continue
    fi
    if ! make "$workload"; then
        echo "$workload: not measured, as $(tr '[:lower:]' '[:upper:]' <<<"$workload") names no trees"
        continue
    fi
    run "$workload" && judge "$workload"
    # Other trees go at the very end: ext4 is slow to make files where others were removed a moment ago.
    case $workload in growth-* | stable-plain | major) rm -rf trees.* "${workload:?}"/{before,after} ;; esac
done
