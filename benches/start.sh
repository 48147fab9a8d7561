#!/usr/bin/env bash
# Prints start.ld: the functions that a usual command runs through, as valgrind sees them.
#   WPATCH=PROGRAM benches/start.sh >start.ld
# The program has to be a release build with its symbols: CARGO_PROFILE_RELEASE_STRIP=none cargo build --release --bin wpatch
# Names go out of date as functions come and go, and all of them when compilers call functions otherwise: then tiny takes a
# tenth longer, and nothing else happens.
set -euo pipefail

: "${WPATCH:=target/release/wpatch}"
WPATCH=$(realpath "$WPATCH")
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

mkdir tree
seq -f 'line %g of the file' 1000 >tree/file
sed 's/^line 500 .*/another line/' tree/file >after
diff -u --label a/file --label b/file tree/file after >diff || true
printf '*** Begin Patch\n*** Update File: file\n@@\n-line 400 of the file\n+one more\n*** End Patch\n' >chunks
git init --quiet tree
cd tree

traced() { # runs wpatch under valgrind, and says which functions it enters
    # PR_GET_AUXV would tell it where the clock of the kernel is, in a page that valgrind has taken away.
    strace -f -qq -o /dev/null -e trace=prctl -e inject=prctl:error=EINVAL \
        valgrind -q --tool=callgrind --demangle=no --callgrind-out-file=../calls "$WPATCH" "$@" >/dev/null
    grep -oP '^c?fn=\(\d+\) \K_(ZN|R)\S+' ../calls
}

# A name is told by what stands in the source alone: hashes of compilers and what they append to copies are left out.
names() {
    { traced apply --durability none <../diff && traced check --json <../chunks && traced apply <../chunks; } |
        sed -E "s/'[0-9]+\$//; s/17h[0-9a-f]{16}E.*/17h*/; s/Cs[0-9A-Za-z]+_/Cs*_/g; s/\.(llvm\.)?[0-9]+\$//; s/[^*]\$/&*/" | sort -u
}

all=$(names)
cat <<'end'
/* The functions of a usual command, side by side: a program's pages are found one by one at each start, and of a tiny patch the
   search took a tenth of the time where these functions lay anywhere among those of all commands. Written by benches/start.sh;
   a name that is not there any more does no harm. */
SECTIONS
{
    .text.start :
    {
end
sed 's/.*/        *(.text.*&)/' <<<"$all"
cat <<'end'
    }
}
INSERT BEFORE .text;
end
