#!/bin/bash
# Runs in a minimal root, as a user without rights: the demo, and a cluster with a killed node that returns.
set -euo pipefail

export HOME=/tmp HEARTH_DIR=/tmp/cluster
hearth demo >/tmp/demo.log 2>&1 || { cat /tmp/demo.log && exit 1; }
echo 'the demo passed'

hearth cluster up --nodes 3 --detach >/tmp/up.log 2>&1
hearth set /kept '"before the kill"' --node n1 --concern majority
hearth cluster kill n2 >/dev/null
hearth set /missed '"while n2 is away"' --node n1
hearth cluster start n2 >/dev/null
for node in n1 n2 n3; do
    for attempt in {1..100}; do
        data=$(hearth get / --node "$node" 2>&1 || true)
        [[ $data == *'before the kill'* && $data == *'while n2 is away'* ]] && break
        sleep 0.2
    done
    ((attempt < 100)) || { echo "$node has only: $data" && exit 1; }
done
hearth cluster down >/dev/null
echo 'a cluster passed, with a killed node that returned'
