# The workloads of peers.sh, made where it stands: each function makes NAME/before, NAME/after, NAME/patch; without an after/
# the patch has to be refused. $scale divides the numbers of files, lines and bytes.

words() { # the awk function that gives the text of line $1 of a file; equal words have equal numbers
    echo 'function text(i) { return "line " i " of the file, some words, " (i * 7919) % 10007 }'
}

tiny() {
    mkdir -p tiny/before tiny/after
    awk "$(words)"'BEGIN { for (i = 1; i <= 400; i++) print text(i) }' >tiny/before/a.c
    sed '200s/words/other words/' tiny/before/a.c >tiny/after/a.c
    unified tiny
}

unified() { # writes $1/patch, with git's headers; names have no prefix in front
    (cd "$1" && { git diff --no-index --no-color --binary -M "${@:2}" --src-prefix= --dst-prefix= before after || true; } >patch)
    sed -i -E 's#^(rename (from|to)) (before|after)/#\1 #' "$1/patch"
}

many() { # files of 4 KiB, one hunk each
    mkdir -p many/before many/after
    awk -v count=$((50000 / scale)) "$(words)"'
        function put(name, all) { printf "%s", all >name; close(name) }
        BEGIN {
            for (i = 0; i < count; i++) {
                directory = "d" int(i / 250)
                if (i % 250 == 0) system("mkdir many/before/" directory " many/after/" directory)
                place = 10 + i % 80; old = new = ""
                for (line = 1; line <= 95; line++) {
                    old = old text(line + i) "\n"
                    new = new text(line + i) (line == place ? " and more" : "") "\n"
                }
                name = directory "/f" i ".c"
                put("many/before/" name, old); put("many/after/" name, new)
                printf "diff --git before/%s after/%s\n--- before/%s\n+++ after/%s\n", name, name, name, name >"many/patch"
                printf "@@ -%d,7 +%d,7 @@\n", place - 3, place - 3 >"many/patch"
                for (line = place - 3; line <= place + 3; line++) {
                    if (line != place) { print " " text(line + i) >"many/patch"; continue }
                    print "-" text(line + i) "\n+" text(line + i) " and more" >"many/patch"
                }
            }
        }'
}

kinds() { # files that come, that go, that get another name
    mkdir -p kinds/before kinds/after
    awk -v count=$((20000 / scale)) "$(words)"'
        function body(first, sign,   line, all) { for (line = first; line < first + 30; line++) all = all sign text(line) "\n"; return all }
        function put(name, all) { printf "%s", all >name; close(name) }
        function section(name, kind, old, new, range, all) {
            printf "diff --git before/%s after/%s\n%s file mode 100644\n--- %s\n+++ %s\n@@ %s @@\n%s", name, name, kind, old, new, range, all >"kinds/patch"
        }
        BEGIN {
            for (i = 0; i < count; i++) {
                at = int(i / 250)
                if (i % 250 == 0) system("mkdir -p kinds/before/gone" at " kinds/after/made" at " kinds/before/old" at " kinds/after/new" at)
                name = "gone" at "/" i; put("kinds/before/" name, body(i, ""))
                section(name, "deleted", "before/" name, "/dev/null", "-1,30 +0,0", body(i, "-"))
                name = "made" at "/" i; put("kinds/after/" name, body(i + 7, ""))
                section(name, "new", "/dev/null", "after/" name, "-0,0 +1,30", body(i + 7, "+"))
                if (i % 4) continue
                old = "old" at "/" i; new = "new" at "/" i
                put("kinds/before/" old, body(i + 3, "")); put("kinds/after/" new, body(i + 3, ""))
                printf "diff --git before/%s after/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n", old, new, old, new >"kinds/patch"
            }
        }'
    find kinds/before kinds/after -type d -empty -delete
}

hunks() { # a file of a million lines: where the hunks say, further down, and of few different lines
    mkdir -p {exact,shifted,repeated}/{before,after}
    local form
    for form in exact repeated; do
        awk -v lines=$((1000000 / scale)) -v form="$form" "$(words)"'
            function line(i) { return form == "exact" ? text(i) : text(number[i]) }
            BEGIN {
                state = 1
                for (i = 1; form == "repeated" && i <= lines; i++) { state = (state * 69069 + 1) % 4294967296; number[i] = int(state / 85899346) }
                for (i = 1; i <= lines; i++) {
                    print line(i) >(form "/before/big")
                    print line(i) (i % 20 == 10 ? " changed" : "") >(form "/after/big")
                }
                print "diff --git before/big after/big\n--- before/big\n+++ after/big" >(form "/patch")
                for (place = 10; place + 3 <= lines; place += 20) {
                    printf "@@ -%d,7 +%d,7 @@\n", place - 3, place - 3 >(form "/patch")
                    for (i = place - 3; i <= place + 3; i++)
                        print i == place ? "-" line(i) "\n+" line(i) " changed" : " " line(i) >(form "/patch")
                }
            }'
    done
    cp exact/patch shifted/patch
    local side
    for side in before after; do
        in_front "shifted/$side/big" "exact/$side/big"
        mv "repeated/$side/big" repeated/big && in_front "repeated/$side/big" repeated/big && rm repeated/big
    done
}

in_front() { # writes the file $2 to $1 behind some lines of its own
    { seq -f 'line %.0f in front' 17 && cat "$2"; } >"$1"
}
exact() { [ -d exact ] || hunks; }
shifted() { exact; }
repeated() { exact; }

misfit() { # a hunk that fits nowhere
    exact
    mkdir -p misfit/before
    cp exact/before/big misfit/before/big
    {
        printf '%s\n' '--- before/big' '+++ after/big' "@@ -$((500000 / scale)),7 +$((500000 / scale)),7 @@"
        sed -n "$((500000 / scale)),$((500000 / scale + 6))p" misfit/before/big |
            sed -e '4s/words/strange words/' -e 's/^/ /' -e '4s/^ \(.*\)/-\1\n+\1 and more/'
    } >misfit/patch
}

trees() { # the workload $1 from the trees $2 and $3 of a real project
    mkdir "$1"
    cp -a --reflink=auto "$2" "$1/before" && cp -a --reflink=auto "$3" "$1/after"
    unified "$1"
}

binary() { # files of a megabyte: half of them are others, half have a piece in their midst changed
    mkdir -p binary/before binary/after
    local i size=$((1000000 / (scale > 10 ? 10 : scale)))
    for ((i = 0; i < 200 / (scale > 10 ? 10 : scale); i++)); do
        head -c $size /dev/urandom >binary/before/$i
        if ((i % 2)); then
            head -c $size /dev/urandom >binary/after/$i
        else
            { head -c $((size / 2)) binary/before/$i && head -c 1000 /dev/urandom && tail -c $((size / 2 - 1000)) binary/before/$i; } >binary/after/$i
        fi
    done
    unified binary --full-index
}

models() { # patches in the format of Codex: many files, and many chunks in one
    mkdir -p codex-files/{before,after} codex-chunks/{before,after}
    awk -v count=$((2000 / scale)) -v lines=$((200000 / scale)) "$(words)"'
        function put(name, all) { printf "%s", all >name; close(name) }
        BEGIN {
            patch = "codex-files/patch"
            print "*** Begin Patch" >patch
            for (i = 0; i < count; i++) {
                old = new = ""
                for (line = 1; line <= 95; line++) {
                    old = old text(line + i) "\n"
                    new = new text(line + i) (line == 40 ? " and more" : "") "\n"
                }
                put("codex-files/before/f" i, old); put("codex-files/after/f" i, new)
                print "*** Update File: f" i "\n@@\n " text(39 + i) "\n-" text(40 + i) "\n+" text(40 + i) " and more\n " text(41 + i) >patch
            }
            print "*** End Patch" >patch
            patch = "codex-chunks/patch"
            print "*** Begin Patch\n*** Update File: big" >patch
            for (i = 1; i <= lines; i++) {
                print text(i) >"codex-chunks/before/big"
                print text(i) (i % 100 == 50 ? " and more" : "") >"codex-chunks/after/big"
                if (i % 100 == 50) print "@@\n " text(i - 1) "\n-" text(i) "\n+" text(i) " and more\n " text(i + 1) >patch
            }
            print "*** End Patch" >patch
        }'
}
codex-files() { [ -d codex-files ] || models; }
codex-chunks() { codex-files; }

growth() { # growth-MEGABYTES: every line of files of 64 KiB is another one
    local size=$1
    mkdir -p "growth-$size"/{before,after}
    awk -v size="$size" '
        BEGIN {
            for (i = 0; i < size * 8; i++) {
                directory = "d" int(i / 250)
                if (i % 250 == 0) system("mkdir growth-" size "/before/" directory " growth-" size "/after/" directory)
                name = directory "/f" i
                old = new = gone = come = ""
                for (line = 1; line <= 1024; line++) {
                    content = "line " line " of file " i " and what else there may be to fill it up"
                    old = old content "\n"; gone = gone "-" content "\n"
                    new = new content "!\n"; come = come "+" content "!\n"
                }
                printf "--- before/%s\n+++ after/%s\n@@ -1,1024 +1,1024 @@\n%s%s", name, name, gone, come >("growth-" size "/patch")
                file = "growth-" size "/before/" name; printf "%s", old >file; close(file)
                file = "growth-" size "/after/" name; printf "%s", new >file; close(file)
            }
        }'
}
