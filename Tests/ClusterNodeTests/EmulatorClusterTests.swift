import Foundation
import TLS
import Testing

@testable import ClusterAdministration

/// What `hearth cluster up` starts, as processes.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A cluster of this machine` {
    private static func write(_ secret: Secret, to path: String) throws {
        try (secret.text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func curl(_ url: String, _ words: String...) throws -> String {
        try Program("/usr/bin/env", ["curl", "-sS", "--max-time", "5", url] + words).end().output
    }

    @Test func `is open without rules, and its rules apply to all but the owner`() throws {
        let cluster = try TestCluster()
        let base = cluster.address(2)
        #expect(try curl(base + "/a.json", "-X", "PUT", "-d", "1") == "1")
        #expect(
            try curl(base + "/.settings/rules.json") == #"{"rules":{".read":true,".write":true}}"#)
        let rules = try cluster.folder.write(#"{"rules":{"b":{".read":true}}}"#, to: "rules.json")
        let set = try Program.hearth(
            "rules", "set", rules, "--confirm", "all", "--dir", cluster.folder.path
        ).end()
        #expect(set.status == 0 && !set.errors.contains("warning"), "\(set.errors)")
        for node in 1...3 {
            let base = cluster.address(node)
            #expect(try curl(base + "/a.json").contains("Permission denied"))
            #expect(try curl(base + "/b.json") == "null")
            #expect(try curl(base + "/a.json?auth=owner") == "1")
            #expect(
                try curl(base + "/.settings/rules/status.json").contains("\"isEnforced\":true"))
        }
        // The command is an administrator of a cluster that it finds by its folder.
        let get = try Program.hearth("get", "/a", "--dir", cluster.folder.path).end()
        #expect(get.output == "1\n", "\(get.errors)")
        let named = try Program.hearth(
            "get", "/a", "--dir", cluster.folder.path, "--node", cluster.address(3)
        ).end()
        #expect(named.output == "1\n", "\(named.errors)")
        let stranger = try Program.hearth("get", "/a", "--node", base, "--timeout", "1").end()
        #expect(stranger.status == 77, "\(stranger.errors)")
        let owner = try Program.hearth("get", "/a", "--node", base, "--token", "owner").end()
        #expect(owner.output == "1\n", "\(owner.errors)")
    }

    @Test func `keeps the tokens and origins of its file, and starts with them`() throws {
        let cluster = try TestCluster()
        try cluster.run("down")
        let path = cluster.folder.path + "/cluster.json"
        try Self.write(Secret.random(), to: cluster.folder.path + "/token.secret")
        let text = try String(contentsOfFile: path, encoding: .utf8).replacing(
            "\"emulator\": true",
            with: "tokens: {issuers: [{secrets: ['token.secret'], admin: 'admin'}]} /* ours */")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let up = try cluster.up().end()
        #expect(up.status == 0, "\(up.errors)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        #expect(try curl(cluster.address(1) + "/a.json?auth=owner").contains("auth token"))
        try cluster.run("kill", "n2")
        try cluster.run("start", "n2")
        try cluster.run("down")
        let next = try Program.hearth(
            "cluster", "up", "--dir", cluster.folder.path, "--detach", "--origin",
            "https://app.example.com"
        ).end()
        #expect(next.status == 0, "\(next.errors)")
        let file = try ClusterFile(inFolder: cluster.folder.path)
        #expect(file.origins == ["https://app.example.com"] && file.settings["tokens"] != nil)
    }

    @Test func `starts nodes whose status only others may see`() throws {
        let cluster = try TestCluster()
        try cluster.run("down")
        let path = cluster.folder.path + "/cluster.json"
        let hash = String(repeating: "ab", count: 32)
        let text = try String(contentsOfFile: path, encoding: .utf8).replacing(
            "\"emulator\": true", with: "\"secrets\": [\"\(hash)\"]")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let up = try cluster.up().end()
        #expect(up.status == 0, "\(up.errors)")
        try cluster.run("kill", "n2")
        try cluster.run("start", "n2")
        #expect(try curl(cluster.address(2) + "/health").contains("ok"))
    }
}
