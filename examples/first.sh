#!/bin/sh
# Applies a patch in a temporary directory, shows the result, and undoes it.
set -eu

PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
wpatch init

printf 'one\ntwo\nthree\n' > list.txt
cat > change.diff <<'PATCH'
--- a/list.txt
+++ b/list.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
PATCH

set -x
wpatch show change.diff
wpatch apply -v change.diff
cat list.txt
wpatch undo
cat list.txt
set +x 2>/dev/null
