import Foundation
import Testing

@testable import CommandLineKit

/// `hearth backup` and `hearth restore` with a running node.
@Suite struct BackupTests {
    @Test func `copies are streamed, checked, and kept in a number`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            """
            cd "$1"; export HEARTH_DIR=$1; set -o pipefail
            "$0" set /a '"kept"'
            "$0" backup --to - | cat > piped.sqlite; echo "piped $?"
            "$0" backup --to copy.sqlite; echo "copied $?"
            "$0" backup --to - > /dev/full; echo "full $?"
            ls n1/backups | wc -l
            "$0" restore --check missing.sqlite 2>&1; echo "missing $?"
            for number in 1 2 3; do "$0" backup daily --keep 2 > path 2> said; done; wc -c < said; ls n1/backups | grep -c '^daily-'
            "$0" restore --check "$(cat path)"; "$0" restore --check piped.sqlite
            head -c 5000 piped.sqlite > cut.sqlite; "$0" restore --check cut.sqlite; echo "cut $?"
            "$0" set /a '"later"'; "$0" cluster stop n1
            head -c 5000 piped.sqlite | "$0" restore - n1; echo "refused $?"
            cat piped.sqlite | "$0" restore - n1; echo "restored $?"
            "$0" cluster start n1; "$0" get /a
            "$0" backup; echo "unnamed $?"
            """, [cluster.folder.path])
        let lines = run.output.split(separator: "\n").map(String.init)
        let expected = [
            "piped 0", "copied 0", "full 73", "0",
            "error: cannot read missing.sqlite: No such file or directory", "missing 66", "0", "2",
            "piped.sqlite is a complete copy", "cut 65",
            "refused 66", "restored 0", "\"kept\"", "unnamed 64",
        ]
        #expect(
            lines.filter(expected.contains) == expected, "\(run.output)\(run.errors)")
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
