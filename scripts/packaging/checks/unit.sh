#!/bin/bash
# Runs as root under systemd in a minimal root with the package: three nodes of the unit, from their start to the purge. The
# argument is the file of a newer package.
set -uo pipefail

fail() { # problem
    echo "failed: $1"
    journalctl --no-pager -o short-precise -n 80 2>&1
    exit 1
}
passed() { echo "passed: $1"; }
eventually() { # problem, command and its arguments
    local problem=$1 attempt
    shift
    for attempt in {1..150}; do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    fail "$problem"
}
property() { systemctl show -P "$2" "hearth@$1"; } # node, property
says() { [[ $(property "$1" StatusText) == "$2" ]]; } # node, text
has_restarted() { [[ $(property "$1" MainPID) != @(0|"$2") ]] && systemctl is-active --quiet "hearth@$1"; } # node, old process
pids() { for node in n1 n2 n3; do property $node MainPID; done | tr '\n' ' '; }
failed_often() { (($(property "$1" NRestarts) > 7)); } # node
reads() { [[ $(hearth get "$2" --config /etc/hearth/cluster.json5 --node "$1") == "$3" ]]; } # node, path, value
writes() { hearth set "$2" "$3" --config /etc/hearth/cluster.json5 --node "$1"; } # node, path, value

write_configuration() {
    local folder=/etc/hearth number node
    hearth keys new n1 n2 n3 --out "$folder" >/dev/null
    {
        echo "{cluster: 'test', directory: '/var/lib/hearth',"
        hearth keys secret "$folder/admin.secret"
        hearth keys monitor-secret "$folder/backup.secret"
        echo 'nodes: ['
        for number in 1 2 3; do
            node=n$number
            echo "{id: '$node', client: 'http://127.0.0.1:7${number}01', requests: 'tcp://127.0.0.1:7${number}02',"
            echo "updates: 'tcp://127.0.0.1:7${number}03', publicKey: '$(hearth keys show "$folder/$node.key")'},"
        done
        echo ']}'
    } >"$folder/cluster.json5"
    chown -R hearth: "$folder"
}

[[ $(stat -c '%a %U' /var/lib/hearth) == '700 hearth' ]] || fail 'the mode of /var/lib/hearth'
ip link set lo up 2>/dev/null
write_configuration
export HEARTH_SECRET_FILE=/etc/hearth/admin.secret
hearth node --check --config /etc/hearth/cluster.json5 >/dev/null || fail 'the configuration is wrong'

systemctl enable --now --no-block hearth@n1
eventually 'n1 does not say that it waits' says n1 'Waiting for contact with the other nodes'
[[ $(property n1 ActiveState) == activating ]] || fail 'n1 is started before it serves'
systemctl enable --now hearth@n2 hearth@n3 || fail 'the nodes do not start'
eventually 'n1 does not serve' systemctl is-active --quiet hearth@n1
says n1 'Serving clients' || fail 'the status of n1'
writes n1 /a 1 >/dev/null || fail 'no write'
passed 'a new cluster starts, and is started once it serves'

[[ $(stat -c %a /var/lib/hearth/n1) == 700 && $(stat -c %a /var/lib/hearth/n1/log.sqlite) == 600 ]] || fail 'modes of files'
exposure=$(systemd-analyze security hearth@n1 --no-pager 2>/dev/null | sed -n 's/.*Overall exposure level.*: \([0-9.]*\).*/\1/p')
awk -v level="$exposure" 'BEGIN { exit !(level != "" && level <= 1.5) }' || fail "systemd rates the unit $exposure"
passed "systemd rates the exposure of the unit $exposure"

systemctl enable --now hearth-backup@n1.timer || fail 'the timer of backups does not start'
for _ in 1 2; do
    systemctl start hearth-backup@n1 || fail 'the unit of backups failed'
    sleep 1 # The name of a copy has its second.
done
copies=(/var/lib/hearth/n1/backups/daily-*.tar)
[[ ${#copies[@]} == 2 && $(stat -c '%a %U' "${copies[0]}") == '600 hearth' ]] || fail "the copies: $(ls -l "${copies[@]}")"
for copy in "${copies[@]}"; do hearth restore --check "$copy" >/dev/null || fail "$copy is not complete"; done
mv /etc/hearth/backup.secret /etc/hearth/backup.kept
! systemctl start hearth-backup@n1 2>/dev/null || fail 'a backup without its secret succeeds'
passed 'the timer of backups starts, and its unit makes checked copies'

before=$(property n2 MainPID)
kill -9 "$before"
eventually 'n2 does not return' has_restarted n2 "$before"
eventually 'n2 lost a write' reads n2 /a 1
passed 'a killed node returns with its data'

systemctl stop hearth@n3
sed -i.kept "s/7303'/7203'/" /etc/hearth/cluster.json5
systemctl start hearth@n3 && fail 'n3 starts with a mistake in the configuration'
sleep 3
[[ $(property n3 ActiveState) == failed && $(property n3 ExecMainStatus) == 78 && $(property n3 NRestarts) == 0 ]] ||
    fail 'a mistake in the configuration is retried, or has another status'
mv /etc/hearth/cluster.json5.kept /etc/hearth/cluster.json5
chown hearth: /etc/hearth/cluster.json5
passed 'a mistake in the configuration ends with 78, and is not retried'
# systemd gives a unit up after five failed starts in ten seconds by default.
mv /usr/bin/hearth /usr/bin/hearth.kept
printf '#!/bin/sh\nexit 69\n' >/usr/bin/hearth
chmod 755 /usr/bin/hearth
systemctl start --no-block hearth@n3
eventually 'n3 is given up' failed_often n3
mv /usr/bin/hearth.kept /usr/bin/hearth
eventually 'n3 does not start after many failures' systemctl is-active --quiet hearth@n3
passed 'other failures are retried without a limit'

before=$(pids)
dpkg -i "$1" >/tmp/upgrade.log 2>&1 || { cat /tmp/upgrade.log && fail 'the upgrade'; }
for node in n1 n2 n3; do
    grep -q "restarted hearth@$node.service" /tmp/upgrade.log || fail "$node was not restarted: $(cat /tmp/upgrade.log)"
    eventually "$node lost a write" reads $node /a 1
done
for pid in $before; do [[ ! -e /proc/$pid ]] || fail "process $pid runs the old version"; done
passed 'an upgrade restarts the nodes one by one, and they keep their data'

apt-get -y -q remove hearth >/tmp/remove.log 2>&1 || { cat /tmp/remove.log && fail 'the removal'; }
! pgrep -x hearth >/dev/null || fail 'nodes run after the removal'
! systemctl is-active --quiet hearth-backup@n1.timer || fail 'the timer runs after the removal'
[[ -e /var/lib/hearth/n1 && -e /etc/hearth/n1.key ]] || fail 'the removal deletes data'
passed 'removal stops the nodes and keeps their data'
apt-get -y -q purge hearth >/tmp/purge.log 2>&1 || { cat /tmp/purge.log && fail 'the purge'; }
for path in /etc/hearth /var/lib/hearth /usr/share/doc/hearth /var/lib/systemd/timers/stamp-hearth*; do [[ ! -e $path ]] || fail "$path is left"; done
! getent passwd hearth && ! getent group hearth || fail 'the user or the group is left'
[[ -z $(find /etc/systemd -name 'hearth*@*') ]] || fail 'enabled units are left'
passed 'a purge leaves nothing'
