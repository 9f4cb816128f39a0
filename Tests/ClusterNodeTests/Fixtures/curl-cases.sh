#!/usr/bin/env bash
# The cases of the gateway's specification for curl, against two nodes of one cluster with an empty tree:
#
#     curl-cases.sh http://127.0.0.1:9000 http://127.0.0.1:9010
#
# Prints what differs, and exits with the number of differences.
set -uo pipefail

H=$1
other=$2
failures=0
folder=$(mktemp -d)
stream=
trap '[[ -z $stream ]] || kill -KILL "$stream" 2>/dev/null; rm -rf "$folder"' EXIT

get() { curl -s -m 20 "$@"; }
status() { curl -s -m 20 -o /dev/null -w '%{http_code}' "$@"; }
field() { # name of a header, arguments of curl
    local name=$1
    shift
    curl -s -m 20 -o /dev/null -D - "$@" | tr -d '\r' | sed -n "s/^$name: //Ip"
}
expect() { # case, expected, actual
    [[ $2 == "$3" ]] && return
    printf 'case %s: expected %s, got %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}
eventually() { # case, expected, command and its arguments
    local number=$1 expected=$2 actual='' deadline=$((SECONDS + 10))
    shift 2
    while ((SECONDS < deadline)); do
        actual=$("$@")
        [[ $actual == "$expected" ]] && return
        sleep 0.05
    done
    expect "$number" "$expected" "$actual"
}

# 1 to 3: put and get.
body='{"ada":{"n":3},"bob":{"n":1}}'
expect 1 "$body" "$(get -X PUT -d "$body" "$H/u.json")"
for target in u/ada.json u/ada/.json //u//ada.json; do
    expect 2 '{"n":3}' "$(get "$H/$target")"
done
expect 2 'application/json; charset=utf-8' "$(field content-type "$H/u/ada.json")"
expect 3 null "$(get "$H/none.json")"

# 4: a hundred posts.
for _ in {1..100}; do get -d '{"t":1}' "$H/l.json"; done |
    grep -o '"[^"]*"}' | tr -d '"}' >"$folder/names"
expect 4 100 "$(grep -cE '^.{20}$' "$folder/names")"
expect 4 '' "$(LC_ALL=C sort -c "$folder/names" 2>&1)"
expect 4 100 "$(sort -u "$folder/names" | wc -l)"

# 5 to 8: patch, delete, silence, shallow reads.
expect 5 200 "$(status -X PATCH -d '{"ada/n":4,"cy":{"n":9}}' "$H/u.json")"
expect 5 '{"ada":{"n":4},"bob":{"n":1},"cy":{"n":9}}' "$(get "$H/u.json")"
expect 6 null "$(get -X DELETE "$H/u/bob.json")"
expect 6 null "$(get "$H/u/bob.json")"
expect 7 204 "$(status -X PUT -d 1 "$H/s.json?print=silent")"
expect 7 '' "$(get -X PUT -d 1 "$H/s.json?print=silent")$(field content-type -X PUT -d 1 "$H/s.json?print=silent")"
expect 8 '{"ada":true,"cy":true}' "$(get "$H/u.json?shallow=true")"
expect 8 1 "$(get "$H/s.json?shallow=true")"

# 9 to 12: queries.
expect 9 '{"cy":{"n":9}}' "$(get -g "$H/u.json?orderBy=\"n\"&limitToLast=1")"
expect 10 '{"cy":{"n":9}}' "$(get -g "$H/u.json?orderBy=\"\$key\"&startAfter=\"ada\"")"
expect 10 '{"cy":{"n":9}}' "$(get -g "$H/u.json?orderBy=\"%24key\"&startAfter=\"ada\"")"
expect 11 400 "$(status "$H/u.json?limitToFirst=1")"
expect 11 1 "$(get "$H/u.json?limitToFirst=1" |
    grep -c 'orderBy must be defined when other query parameters are defined')"
expect 12 400 "$(status -g "$H/u.json?orderBy=\"n\"&equalTo=1&startAt=1")"
expect 12 1 "$(get -g "$H/u.json?orderBy=\"n\"&equalTo=1&startAt=1" |
    grep -c 'equalTo cannot be specified in addition to startAt or endAt')"

# 13 to 15: arrays, priorities, server values.
get -X PUT -d '["a","b",null,"d"]' "$H/a.json" >"$folder/out"
expect 13 '["a","b",null,"d"]' "$(get "$H/a.json")"
expect 13 '{"0":"a","1":"b","3":"d"}' "$(get "$H/a.json?format=export")"
get -X PUT -d '{".value":5,".priority":2}' "$H/p.json" >"$folder/out"
expect 14 5 "$(get "$H/p.json")"
expect 14 '{".value":5,".priority":2}' "$(get "$H/p.json?format=export")"
for _ in 1 2; do get -X PUT -d '{".sv":{"increment":2}}' "$H/c.json" >"$folder/out"; done
expect 15 4 "$(get "$H/c.json")"
time=$(get -X PUT -d '{".sv":"timestamp"}' "$H/time.json")
age=$((${time:-0} - $(date +%s%3N)))
expect 15 1 "$((age > -5000 && age < 5000))"

# 16 to 18: ETags.
tag=$(field etag -H 'X-Firebase-ETag: true' "$H/c.json")
expect 16 28 "${#tag}"
expect 16 412 "$(status -X PUT -H 'if-match: wrong' -d 5 "$H/c.json")"
expect 16 "$tag" "$(field etag -X PUT -H 'if-match: wrong' -d 5 "$H/c.json")"
expect 16 4 "$(get -X PUT -H 'if-match: wrong' -d 5 "$H/c.json")"
next=$(field etag -X PUT -H "if-match: $tag" -d 5 "$H/c.json")
expect 16 5 "$(get "$H/c.json")"
expect 16 1 "$([[ -n $next && $next != "$tag" ]] && echo 1)"
expect 17 200 "$(status -X PUT -H 'if-match: null_etag' -d 1 "$H/new.json")"
expect 17 412 "$(status -X PUT -H 'if-match: null_etag' -d 1 "$H/new.json")"
expect 18 304 "$(status -H "if-none-match: $next" "$H/c.json")"
expect 18 '' "$(get -H "if-none-match: $next" "$H/c.json")"

# 19 to 21: what is no data, no JSON, another method.
for body in '{"a":' '{"a.b":1}'; do
    expect 19 400 "$(status -X PUT -d "$body" "$H/x.json")"
    expect 19 1 "$(get -X PUT -d "$body" "$H/x.json" | grep -c "Invalid data; couldn't parse JSON")"
done
expect 19 null "$(get "$H/x.json")"
expect 20 404 "$(status "$H/u")"
expect 20 'append .json to your request URI to use the REST API.' "$(get "$H/u")"
expect 21 '{"z":1}' "$(get -H 'X-HTTP-Method-Override: PATCH' -d '{"z":1}' "$H/u.json")"
expect 21 'f(1);' "$(get "$H/s.json?callback=f")"

# 22: a stream of events, its keep-alive, and its end.
streams() { get "$H/metrics" | sed -n 's/^hearth_connections{kind="event_stream"} //p'; }
curl -s -N -H 'Accept: text/event-stream' "$H/u.json" >"$folder/events" &
stream=$!
eventually 22 1 streams
eventually 22 1 grep -c '^data: {"path":"/","data":{"ada":{"n":4},"cy":{"n":9},"z":1}}$' "$folder/events"
get -X PATCH -d '{"ada/n":5,"cy":{"n":8}}' "$H/u.json" >"$folder/out"
get -X DELETE "$H/u/z.json" >"$folder/out"
eventually 22 1 grep -c '^data: {"path":"/z","data":null}$' "$folder/events"
expect 22 'put patch put' "$(sed -n 's/^event: //p' "$folder/events" | xargs)"
if [[ -n ${HEARTH_KEEP_ALIVE-} ]]; then
    sleep 31
    expect 22 1 "$(grep -c '^event: keep-alive$' "$folder/events")"
fi
# Who starts this script may have blocked milder signals.
kill -KILL "$stream"
stream=
eventually 22 0 streams

# 23: what one node was given is at the other.
get -X PUT -d 7 "$H/far.json" >"$folder/out"
eventually 23 7 get "$other/far.json"

# 24: other hosts, other pages, compressed bodies.
expect 24 421 "$(status -H 'Host: evil.test' "$H/u.json")"
expect 24 403 "$(status -H 'Origin: http://evil.test' -X POST -d 1 "$H/evil.json")"
expect 24 null "$(get "$H/evil.json")"
expect 24 415 "$(status -H 'Content-Encoding: gzip' -X PUT -d 1 "$H/evil.json")"

# 25: large bodies, health, metrics.
head -c 41943040 /dev/zero >"$folder/40MB"
curl -s -m 20 -o "$folder/out" -D "$folder/head" -w '%{size_upload}' -T "$folder/40MB" "$H/big.json" >"$folder/sent"
expect 25 1 "$(grep -c '^HTTP/1.1 413 ' "$folder/head")"
expect 25 0 "$(grep -c '^HTTP/1.1 100 ' "$folder/head")"
expect 25 0 "$(cat "$folder/sent")"
{ printf '"'; head -c 1048576 /dev/zero | tr '\0' x; printf '"'; } >"$folder/1MB.json"
expect 25 200 "$(status -H 'Transfer-Encoding: chunked' -T "$folder/1MB.json" "$H/mid.json")"
expect 25 1048578 "$(get "$H/mid.json" | wc -c)"
expect 25 '{"status":"ok"}' "$(get "$H/health")"
expect 25 200 "$(status "$H/metrics")"

((failures == 0)) && echo 'all as specified'
exit "$failures"
