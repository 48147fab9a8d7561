#!/usr/bin/env bash
# Times `wpatch check --batch` on JOBS jobs against one object store, and beside it loops of git on SAMPLE of the same jobs.
#   [JOBS=10000] [SAMPLE=300] [RUNS=1] [WPATCH=target/release/wpatch] benches/batch.sh [REPOSITORY]
# Without a repository one is made by make-history.sh, of COMMITS commits. A job is the diff of a commit against the tree of
# its parent, over and over when there are fewer commits than jobs. Every tenth job is broken, in turns: the commit is there
# already, the line is no JSON, nothing has the name of the revision. What git says of each diff is what a job has to say;
# each has to be answered once, or the run fails.
#
# git has no such mode. The fastest loop that it has, and that looks at the same things, is a `git read-tree` of the
# revision into an index of its own and a `git apply --check --cached`: two processes a job, no checkout. It is timed as one
# loop, beside --jobs 1, and as one for each processor, beside the usual number of jobs, RUNS times in turns. Only jobs
# that fit are timed.
set -euo pipefail
shopt -s inherit_errexit

: "${JOBS:=10000}" "${SAMPLE:=300}" "${RUNS:=1}" "${COMMITS:=300}" "${WPATCH:=target/release/wpatch}"
here=$(cd "$(dirname "$0")" && pwd)
WPATCH=$(cd "$(dirname "$WPATCH")" && pwd)/$(basename "$WPATCH")
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ $# -gt 0 ]; then
    GIT_DIR=$(git -C "$1" rev-parse --absolute-git-dir)
else
    "$here/make-history.sh" "$scratch/history" "$COMMITS" >/dev/null
    # A repository of some age is packed.
    git -C "$scratch/history" gc --quiet
    GIT_DIR=$scratch/history/.git
fi
export GIT_DIR
cd "$scratch"
mkdir patches
processors=$(nproc)

now() { echo "${EPOCHREALTIME/[.,]/}"; }

fits() { # whether git takes the diff of the commit $1 onto the tree of $2, by the index $3
    GIT_INDEX_FILE=$3 git read-tree "$2" && GIT_INDEX_FILE=$3 git apply --check --cached "patches/$1" 2>/dev/null
}

loop() { # does every $2-th job of the sample from the $1-th on
    local commit parent
    while read -r commit parent; do
        fits "$commit" "$parent" "index.$1" || { echo "batch.sh: git does not take $commit" >&2 && return 1; }
    done < <(awk -v first="$1" -v step="$2" 'NR % step == first % step' sample)
}

write_diffs() { # writes patches/COMMIT, a list of those that fit, and of those of them that do not fit twice
    local commit parent
    while read -r commit parent; do
        git diff --binary -M "$parent" "$commit" >"patches/$commit"
        [ -s "patches/$commit" ] && fits "$commit" "$parent" index || continue
        base64 -w0 "patches/$commit" >"patches/$commit.64"
        echo "$commit $parent" >>fitting
        fits "$commit" "$commit" index || echo "$commit" >>stale
    done < <(git log --no-merges --min-parents=1 --max-count="$JOBS" --format='%H %P' HEAD)
}

write_jobs() { # writes jobs.jsonl, and in expected the index and the outcome of each
    local index=0 good=0 bad=0 commit parent text outcome fitting stale
    mapfile -t fitting <fitting
    mapfile -t stale <stale
    for ((; index < JOBS; index++)); do
        outcome=would_apply
        if ((index % 10 == 9)); then
            commit=${stale[bad % ${#stale[@]}]} parent=$commit
            case $((bad % 3)) in
            0) outcome=does_not_apply ;;
            1) echo '{"id": "no job'; outcome=usage ;;
            2) parent=no-such-revision outcome=failed ;;
            esac
            bad=$((bad + 1))
        else
            read -r commit parent <<<"${fitting[good % ${#fitting[@]}]}"
            good=$((good + 1))
        fi
        echo "$index $outcome" >&3
        [ "$outcome" != usage ] || continue
        text=$(<"patches/$commit.64")
        echo "{\"id\": $index, \"git_dir\": \"$GIT_DIR\", \"rev\": \"$parent\", \"patch_base64\": \"$text\"}"
    done >jobs.jsonl 3>expected
}

batch() { # does the jobs with the options $@; prints microseconds and the most memory in KiB: of wpatch, of its gits together
    local start pid own=0 gits=0 value child sum code=0
    start=$(now)
    "$WPATCH" check --batch "$@" jobs.jsonl >reports.jsonl &
    pid=$!
    while value=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$value" ]; do
        own=$value sum=0
        for child in $(cat "/proc/$pid/task/"*/children 2>/dev/null || true); do
            value=$(awk '/^VmHWM/ { print $2 }' "/proc/$child/status" 2>/dev/null || true)
            sum=$((sum + ${value:-0}))
        done
        ((sum > gits)) && gits=$sum
        sleep 0.01
    done
    wait "$pid" || code=$?
    [ "$code" = 1 ] || { echo "batch.sh: exit code $code" >&2 && return 1; }
    echo "$(($(now) - start)) $own $gits"
}

is_complete() { # whether every job was answered once, and as git does
    jq -r '"\(.index) \(if .id == null or .id == .index then .report.outcome else .id end)"' reports.jsonl |
        sort -n | diff expected - >differences || { head -5 differences >&2 && return 1; }
}

rate() { awk -v count="$1" -v time="$2" 'BEGIN { printf "%.1f", count * 1e6 / time }'; }

compare() { # times $1 jobs at a time beside as many loops of git, and prints both rates
    local jobs=$1 measured time own gits start loops=() i pid git wpatch
    measured=$(batch --jobs "$jobs")
    read -r time own gits <<<"$measured"
    is_complete || { echo "batch.sh: an answer is missing or wrong" >&2 && exit 1; }
    start=$(now)
    for ((i = 0; i < jobs; i++)); do loop "$i" "$jobs" & loops+=($!); done
    for pid in "${loops[@]}"; do wait "$pid"; done
    git=$(rate "$SAMPLE" $(($(now) - start)))
    wpatch=$(rate "$JOBS" "$time")
    echo "--jobs $jobs: wpatch $wpatch jobs/s, git $git jobs/s, wpatch/git $(awk "BEGIN { printf \"%.1f\", $wpatch / $git }");" \
        "peak memory $((own / 1024)) MiB, and $((gits / 1024)) MiB of git; load $(cut -d' ' -f1 /proc/loadavg)"
}

write_diffs
write_jobs
awk -v want="$SAMPLE" '{ line[NR] = $0 } END { for (i = 0; i < want; i++) print line[i % NR + 1] }' fitting >sample
echo "wpatch $("$WPATCH" --version | awk '{ print $2 }'), $(git --version), $processors processors, load $(cut -d' ' -f1 /proc/loadavg)"
echo "$JOBS jobs of $(wc -l <fitting) commits, $(git ls-tree -r HEAD | wc -l) files, $(wc -c <jobs.jsonl) bytes"

for jobs in 1 "$processors"; do
    for ((run = 0; run < RUNS; run++)); do compare "$jobs"; done
done
