#!/usr/bin/env bash
# Makes a repository with a history of everything that git can say: always the same one.
#   benches/make-history.sh DIRECTORY [COMMITS]
set -euo pipefail

directory=${1:?usage: make-history.sh DIRECTORY [COMMITS]}
commits=${2:-300}
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=Author GIT_AUTHOR_EMAIL=author@example.com
export GIT_COMMITTER_NAME=Author GIT_COMMITTER_EMAIL=author@example.com

seed=20240229
pick() { # sets REPLY to a number below $1
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    REPLY=$(((seed >> 8) % $1))
}

names=(plain 'two words' 'tab	here' 'quo"te' 'back\slash' $'latin-\xe9' 'naïve-名' ' leading' 'trailing ' -dash 'semi;colon' "it's" 'per%cent' 'new
line' '#hash' 'a b/c d' 'deep/er/and/deeper/still' x.c y.rs .hidden)
new_name() { # sets REPLY to a name that is not taken
    local base tries=0
    pick 6
    local directory=$REPLY
    while :; do
        pick ${#names[@]}
        base=${names[REPLY]}
        pick 1000
        REPLY="d$directory/$base.$REPLY"
        [ -e "$REPLY" ] || [ -L "$REPLY" ] || break
        tries=$((tries + 1))
    done
    mkdir -p -- "$(dirname -- "$REPLY")"
}

some() { # sets REPLY to a tracked file of kind $1 (as for test), or returns 1
    local found=() name
    while IFS= read -r -d '' name; do
        case $1 in
        -L) [ -L "$name" ] && found+=("$name") ;;
        *) [ -f "$name" ] && [ ! -L "$name" ] && found+=("$name") ;;
        esac
    done < <(git ls-files -z)
    [ ${#found[@]} -gt 0 ] || return 1
    pick ${#found[@]}
    REPLY=${found[REPLY]}
}

text() { # prints $1 lines that end in $2
    pick 100000
    awk -v seed="$REPLY" -v lines="$1" -v end="$2" 'BEGIN {
        for (i = 1; i <= lines; i++) { seed = (seed * 16807) % 2147483647; printf "%s%d: word %d%s", (seed % 5 ? "" : "    "), i, seed % 40, end }
    }'
}

binary() { # prints $1 bytes, NUL among them
    pick 100000
    awk -v seed="$REPLY" -v bytes="$1" 'BEGIN {
        for (i = 0; i < bytes; i++) { seed = (seed * 16807) % 2147483647; printf "\\x%02x", seed % 251 }
    }' | xargs -0 printf '%b'
}

edit() { # changes, takes away and adds lines of the file $1
    pick 100000
    awk -v seed="$REPLY" '{
        seed = (seed * 16807) % 2147483647
        if (seed % 23 == 0) print $0 " changed"
        else if (seed % 23 == 1) print $0 "\nadded " seed % 100
        else if (seed % 23 != 2) print
    }' "./$1" >.edited
    cat .edited >"./$1"
    rm .edited
}

change() { # makes one change
    pick 22
    case $REPLY in
    0 | 1 | 2 | 3) some -f && edit "$REPLY" ;;
    4 | 5) new_name && pick 200 && lines=$REPLY && new_name && text "$lines" $'\n' >"$REPLY" ;;
    6) new_name && text 20 $'\r\n' >"$REPLY" ;;
    7) new_name && text 9 $'\n' | head -c -1 >"$REPLY" ;;
    8) new_name && : >"$REPLY" ;;
    9) new_name && binary 700 >"$REPLY" ;;
    10) some -f && binary 300 >>"./$REPLY" ;;
    11 | 12) some -f && from=$REPLY && new_name && mv -- "$from" "$REPLY" ;;
    13) some -f && from=$REPLY && new_name && mv -- "$from" "$REPLY" && edit "$REPLY" ;;
    14) some -f && from=$REPLY && new_name && cp -- "$from" "$REPLY" ;;
    15) some -f && if [ -x "./$REPLY" ]; then chmod -x -- "$REPLY"; else chmod +x -- "$REPLY"; fi ;;
    16) new_name && ln -s -- "target of $seed" "$REPLY" ;;
    17) some -L && ln -sfn -- "other $seed" "./$REPLY" ;;
    18) some -f && rm -- "$REPLY" && ln -s -- elsewhere "$REPLY" ;;
    19) some -L && rm -- "$REPLY" && text 5 $'\n' >"$REPLY" ;;
    20) some -f && rm -- "$REPLY" ;;
    21) some -f && rm -- "$REPLY" && mkdir -p -- "$REPLY" && text 3 $'\n' >"./$REPLY/inside" ;;
    esac || true
}

submodule() { # makes a submodule, moves it on, takes it away
    local commit
    commit=$(printf '%040x' "$seed")
    case $(($1 % 3)) in
    0) mkdir -p "modules/m$1" && git update-index --add --cacheinfo "160000,$commit,modules/m$1" ;;
    1) [ -d "modules/m$(($1 - 1))" ] && git update-index --cacheinfo "160000,$commit,modules/m$(($1 - 1))" ;;
    2) rm -rf "modules/m$(($1 - 2))" ;;
    esac || true
}

git init -q -b main "$directory"
cd "$directory"
git config core.autocrlf false
git config core.precomposeUnicode false
git config advice.addEmbeddedRepo false
for ((commit = 0; commit <= commits; commit++)); do
    pick 6
    changes=$((commit == 0 ? 60 : 1 + REPLY))
    for ((i = 0; i < changes; i++)); do change; done
    if ((commit % 50 == 7)); then # a directory gives way to a file
        pick 6
        victim=d$REPLY
        rm -rf "$victim"
        text 4 $'\n' >"$victim"
    elif ((commit % 50 == 8)) && [ -f "$victim" ]; then
        rm -- "$victim"
    fi
    find . -path ./.git -prune -o -type d -empty -not -path './modules/*' -print0 | xargs -0r rmdir -p --ignore-fail-on-non-empty -- 2>/dev/null || true
    if ((commit % 10 == 5)); then git add -A && submodule $((commit / 10)); fi
    git add -A
    GIT_AUTHOR_DATE="$((1700000000 + commit * 60)) +0000" GIT_COMMITTER_DATE="$((1700000000 + commit * 60)) +0000" \
        git commit -q --allow-empty -m "Change $commit"
done
echo "$(git rev-list --count HEAD) commits, $(git ls-files | wc -l) files: $(git rev-parse HEAD)"
