#!/bin/bash
# Runs as root in namespaces of its own, with the root file system of the image as argument: the demo and a node, as the user
# of the image, with a read-only root.
set -euo pipefail

target=$1
hearth=(chroot --userspec=10001:10001 "$target" /usr/bin/hearth)

cat >"$target/etc/hearth/cluster.json5" <<'END'
{cluster: 'image', directory: '/var/lib/hearth', nodes: [{id: 'n1', client: 'http://127.0.0.1:7001',
  requests: 'tcp://127.0.0.1:7002', updates: 'tcp://127.0.0.1:7003'}]}
END
ip link set lo up
mount --bind "$target" "$target"
mount -o remount,bind,ro "$target"
mount -t proc proc "$target/proc"
mount --rbind /dev "$target/dev"
mount -t tmpfs -o mode=1777 tmpfs "$target/tmp"
mount -t tmpfs -o mode=700,uid=10001 tmpfs "$target/var/lib/hearth"

export HOME=/tmp HEARTH_CONFIG=/etc/hearth/cluster.json5 HEARTH_NODE_ID=n1
"${hearth[@]}" demo >/tmp/hearth-image.log 2>&1 || { cat /tmp/hearth-image.log && exit 1; }
echo 'the demo passed in the image'
status=0
"${hearth[@]}" node --health 2>/dev/null || status=$?
((status == 69)) || { echo "the health check of a missing node ends with $status" && exit 1; }
"${hearth[@]}" node 2>"$target/tmp/log" &
node=$!
for attempt in {1..100}; do
    "${hearth[@]}" node --health 2>/dev/null && break
    sleep 0.2
done
((attempt < 100)) || { cat "$target/tmp/log" && exit 1; }
kill "$node"
wait "$node"
echo 'a node and its health check passed in the image'
