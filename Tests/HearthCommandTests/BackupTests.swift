import Foundation
import Testing

@testable import CommandLineKit

/// `hearth backup` and `hearth restore` with a running node.
@Suite struct BackupTests {
    @Test func `backups are streamed, checked, and kept in a number`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            """
            cd "$1"; export HEARTH_DIR=$1; set -o pipefail
            "$0" set /a '"kept"'; "$0" database create chat; "$0" set /c 1 --database chat
            "$0" backup --to - | cat > piped.tar; echo "piped $?"
            "$0" backup --to copy.tar; echo "copied $?"
            tar -tf copy.tar | paste -sd ' '
            "$0" backup --to - > /dev/full; echo "full $?"
            ls -A n1/backups | wc -l
            "$0" restore --check missing.sqlite 2>&1; echo "missing $?"
            for number in 1 2 3; do "$0" backup daily --keep 2 > path 2> said; done; wc -c < said; ls n1/backups | grep -c '^daily-'
            "$0" restore --check "$(cat path)" > /dev/null; echo "checked $?"; "$0" restore --check - < piped.tar | cut -d: -f1
            head -c 5000 piped.tar > cut.tar; "$0" restore --check cut.tar; echo "cut $?"
            "$0" backup x --database nosuch; echo "unknown $?"; "$0" database list | grep -c nosuch
            "$0" set /a '"later"'; "$0" set /c 2 --database chat; "$0" cluster stop n1
            head -c 5000 piped.tar | "$0" restore - n1; echo "refused $?"
            cat piped.tar | "$0" restore - n1; echo "restored $?"
            "$0" cluster start n1; "$0" get /a; "$0" get /c --database chat
            "$0" backup; echo "unnamed $?"
            """, [cluster.folder.path])
        let lines = run.output.split(separator: "\n").map(String.init)
        let expected = [
            "piped 0", "copied 0", "manifest.json _catalog.sqlite chat.sqlite default.sqlite",
            "full 73", "0",
            "error: cannot read missing.sqlite: No such file or directory", "missing 66", "0", "2",
            "checked 0", "standard input is a complete copy", "cut 66", "unknown 65", "0",
            "refused 66", "restored 0", "\"kept\"", "1", "unnamed 64",
        ]
        #expect(
            lines.filter(expected.contains) == expected, "\(run.output)\(run.errors)")
    }

    @Test func `a sleeping database is copied without waking it`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            """
            cd "$1"; export HEARTH_DIR=$1
            "$0" cluster down; sed -i 's/"durability"/"databaseSleepSeconds": 1, "durability"/' cluster.json
            "$0" cluster up --detach
            "$0" database create chat; "$0" set /c 1 --database chat
            for attempt in $(seq 100); do "$0" database list | grep -q 'chat *asleep' && break; sleep 0.1; done
            "$0" backup --to copy.tar; tar -tf copy.tar | grep chat
            "$0" database list | grep -c 'chat *asleep'
            "$0" get /c --database chat
            """, [cluster.folder.path])
        #expect(
            run.output.hasSuffix("chat.sqlite\n1\n1\n"), "\(run.output)\(run.errors)")
    }

    @Test func `a cluster returns to backups of its nodes, with all databases`() throws {
        let cluster = try CommandCluster(nodes: 3)
        let run = try Command.shell(
            """
            cd "$1"; export HEARTH_DIR=$1
            "$0" set /a 1; "$0" database create chat --nodes n2,n3; "$0" set /c 1 --database chat
            for node in n1 n2; do "$0" backup --to $node.tar --node $node; done
            "$0" set /a 2; "$0" set /c 2 --database chat; "$0" cluster down
            "$0" restore n1.tar n1 --whole-cluster 2>&1 | grep -c 'chat (on n2, n3)'
            "$0" restore n1.tar n1 --whole-cluster --with n2.tar
            "$0" restore n2.tar n2 --whole-cluster; "$0" restore n2.tar n3 --whole-cluster
            "$0" cluster up --detach; "$0" cluster wait --timeout 30
            "$0" get /a --node n3; "$0" get /c --database chat --node n1; "$0" cluster doctor
            """, [cluster.folder.path])
        #expect(
            run.output.contains("1\nrestored: default\n"), "\(run.output)\(run.errors)")
        #expect(
            run.output.hasSuffix("1\n1\nall 3 nodes are healthy\n"), "\(run.output)\(run.errors)")
    }

    @Test func `the unit of the timer makes a dated copy, protected like a node`() throws {
        func lines(of unit: String) throws -> [Substring] {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../configs/\(unit)")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        }
        let unit = try lines(of: "hearth-backup@.service")
        let protection = try lines(of: "hearth@.service").drop {
            !$0.hasPrefix("NoNewPrivileges=")
        }.filter { !$0.hasPrefix("[Install]") && !$0.hasPrefix("WantedBy=") }
        #expect(protection.count > 20 && Array(unit.suffix(protection.count)) == protection)
        let cluster = try CommandCluster(nodes: 1)
        let command = try #require(unit.first { $0.hasPrefix("ExecStart=") })
        let words = command.split(separator: " ").dropFirst().map { word in
            String(word).replacing("${HEARTH_BACKUP_KEEP}", with: "7")
                .replacing("/etc/hearth/cluster.json5", with: cluster.folder.path + "/cluster.json")
                .replacing("%i", with: "n1")
        }.filter { $0 != "--secret" && $0 != "/etc/hearth/backup.secret" }
        let run = try Command.run(words)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("/n1/backups/daily-"))
    }
}
