import Foundation
import Testing

/// Real nodes that come back with less than they had.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `A node that comes back` {
    private func database(_ cluster: TestCluster, _ id: String) -> String {
        cluster.folder.file("\(id)/log.sqlite")
    }

    @Test func `gets everything from its peers when its disk is lost`() throws {
        let cluster = try TestCluster()
        _ = try cluster.push(500, labelled: "a", to: 2).end()
        try cluster.waitUntilEqual()
        try cluster.run("kill", "n2")
        // With its folder, as when another disk is mounted there.
        let folder = URL(fileURLWithPath: database(cluster, "n2")).deletingLastPathComponent()
        try FileManager.default.removeItem(at: folder)
        try cluster.run("start", "n2")
        #expect(try cluster.list(at: 2).count == 500)
        _ = try cluster.push(10, labelled: "b", to: 2).end()
        try cluster.waitUntilEqual()
    }

    @Test func `sets a damaged database aside, and gets everything from its peers`() throws {
        let cluster = try TestCluster()
        _ = try cluster.push(500, labelled: "a", to: 2).end()
        try cluster.waitUntilEqual()
        try cluster.run("kill", "n2")
        try? FileManager.default.removeItem(atPath: database(cluster, "n2") + "-wal")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: database(cluster, "n2")))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8_192))
        try file.close()
        try cluster.run("start", "n2")
        #expect(try cluster.list(at: 2).count == 500)
        let files = try FileManager.default.contentsOfDirectory(
            atPath: cluster.folder.file("n2"))
        #expect(files.contains { $0.hasPrefix("log.sqlite.damaged-") })
        #expect(try cluster.run("logs", "n2").contains("fetches the data from its peers"))
    }

    @Test func `starts on a copy that was made while it ran`() throws {
        let cluster = try TestCluster()
        _ = try cluster.push(300, labelled: "a", to: 2).end()
        try cluster.waitUntilEqual()
        let backup = try Program.hearth(
            "backup", "monday", "--node", "n2", "--dir", cluster.folder.path
        ).end()
        #expect(backup.status == 0, "\(backup.errors)")
        let path = backup.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(path.hasSuffix("n2/backups/monday.tar"))
        _ = try cluster.push(300, labelled: "b", to: 2).end()
        try cluster.run("down")
        let restored = try Program.hearth(
            "restore", path, "n2", "--dir", cluster.folder.path
        ).end()
        #expect(restored.status == 0, "\(restored.errors)")
        let up = try cluster.up().end()
        #expect(up.status == 0, "\(up.errors)")
        _ = try cluster.push(10, labelled: "c", to: 2).end()
        try cluster.waitUntilEqual()
        #expect(try cluster.list(at: 2).count == 610)
    }

    @Test func `comes back after it was voted out`() throws {
        let cluster = try TestCluster()
        _ = try cluster.push(300, labelled: "a", to: 3).end()
        try cluster.waitUntilEqual()
        try cluster.run("kill", "n3")
        try cluster.run("evict", "n3", "--node", "n1")
        _ = try cluster.push(300, labelled: "b", to: 1).end()
        try cluster.run("start", "n3")
        try cluster.waitUntilEqual()
        try eventually("n3 takes writes") {
            try cluster.push(10, labelled: "c", to: 3).end().status == 0
        }
        try cluster.waitUntilEqual()
    }
}
