#!/bin/sh
# A language server. A line with BAD is an error, one with MEH a warning, and one with NEEDS and a name is an error if there
# is no such file. Its only argument says how it behaves.
LC_ALL=C
cr=$(printf '\r')

say() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }

# The value of a key that is a text without quotes in it.
value() { rest=${body#*"\"$1\":\""}; printf '%s' "${rest%%\"*}"; }

# The diagnostics of a text, in which line feeds are still escaped.
items() {
    printf '%s\n' "$1" | sed 's/\\n/\
/g' | awk '
        function put(severity, message) {
            range = "{\"start\":{\"line\":" NR - 1 ",\"character\":0},\"end\":{\"line\":" NR - 1 ",\"character\":3}}"
            printf "%s{\"range\":%s,\"severity\":%d,\"code\":\"f1\",\"source\":\"fake\",\"message\":\"%s\"}", \
                comma, range, severity, message
            comma = ","
        }
        /BAD/ { put(1, "this is bad") }
        /MEH/ { put(2, "this is so-so") }
        /NEEDS/ { if ((getline line < $2) < 0) put(1, $2 " is missing"); else close($2) }'
}

# One error whose words quote a file. Others point to it in the rest of it.
range='"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}}'
quote() {
    printf '{%s,"severity":1,"source":"fake","message":"no such key: %s"%s}' "$range" "$1" "$2"
}

# What is wrong elsewhere, of which somebody may not be told.
gossip() {
    publish "$1/.env" "$(quote 'password=1')"
    publish "$1/b.x" "$(quote 'password=2')"
    publish 'file:///etc/other' "$(quote 'password=3')"
    publish "$1/c.x" "$(quote 'c')"
    pointed=",\"relatedInformation\":[{\"location\":{\"uri\":\"$1/.env\",$range},\"message\":\"here\"}]"
    publish "$1/a.x" "$(quote 'password=4' "$pointed"),$(quote 'a')"
}

# More warnings than the client takes of one file.
many() {
    seq 10000 | sed "s/.*/{$range,\"severity\":2,\"source\":\"fake\",\"message\":\"&\"}/" | paste -sd , -
}

# Diagnostics of more files than the client takes, after empty ones of as many others.
spread() {
    seq 20001 | awk -v range="$range" '{
        said = NR > 10000 ? "{" range ",\"message\":\"m\"}" : ""
        body = "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":\"file:///" \
            NR "\",\"diagnostics\":[" said "]}}"
        printf "Content-Length: %d\r\n\r\n%s", length(body), body
    }'
}

publish() {
    say "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":\"$1\",\"diagnostics\":[$2]}}"
}

case $1 in
    dies) echo 'no licence' >&2; exit 3 ;;
    chats) echo 'welcome to the server' ;;
    floods) while :; do publish 'file:///elsewhere' ''; done ;;
    promises) printf 'Content-Length: 99999999999\r\n\r\n{' ;;
    deaf) trap '' TERM; echo $$ > pid; sleep 1000 & wait; sleep 1000 ;;
esac

while IFS= read -r header; do
    case $header in
        Content-Length:*) length=${header#Content-Length: }; length=${length%"$cr"}; continue ;;
        "$cr") body=$(head -c "$length") ;;
        *) exit 1 ;;
    esac
    id=${body#*'"id":'}; id=${id%%[!0-9]*}
    # An idle server finds nothing.
    case $1$body in
        idle*'"method":"textDocument/diagnostic"'*) answer '{"kind":"full","items":[]}'; continue ;;
        idle*'"method":"textDocument/'*) continue ;;
    esac
    case $body in
        *'"method":"initialize"'*)
            case $1 in pull | idle | stale | refreshes) provider=',"diagnosticProvider":{}' ;; esac
            say '{"jsonrpc":"2.0","id":"q","method":"workspace/configuration","params":{"items":[{"section":"fake.level"}]}}'
            answer "{\"capabilities\":{\"textDocumentSync\":1$provider},\"serverInfo\":{\"name\":\"fake\",\"version\":\"1.5\"}}" ;;
        *'"method":"textDocument/didOpen"'* | *'"method":"textDocument/didChange"'*)
            uri=$(value uri) text=$(value text)
            name=text_$(printf '%s' "$uri" | tr -c 'A-Za-z0-9' _)
            eval "$name=\$text"
            case $1 in
                pull | stale | refreshes | mute) ;;
                crowds) case $text in *BAD\\ntwo*) publish "$uri" "$(many),$(items "$text")" ;; *) publish "$uri" ;; esac ;;
                spreads) publish "$uri" "$(items "$text")"; spread ;;
                gossips) case $text in *BAD*) gossip "${uri%/*}" ;; *) publish "$uri" ;; esac ;;
                *) publish "$uri" "$(items "$text")" ;;
            esac ;;
        *'"method":"textDocument/diagnostic"'*)
            name=text_$(value uri | tr -c 'A-Za-z0-9' _)
            eval "text=\$$name"
            case $1 in
                stale)
                    say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32801,\"message\":\"modified\"}}"
                    continue ;;
                refreshes) say '{"jsonrpc":"2.0","id":"r","method":"workspace/diagnostic/refresh"}' ;;
            esac
            answer "{\"kind\":\"full\",\"items\":[$(items "$text")]}" ;;
        *'"method":"shutdown"'*) answer null ;;
        *'"method":"exit"'*) echo done > "${2:-/dev/null}"; exit 0 ;;
    esac
done
