import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand

/// `hearth rules` as a user sees it, against nodes.
@Suite(.serialized) struct RulesClusterTests {
    private static let document =
        #"{"rules": {"a": {".write": "auth.uid == 'ada'", "n": {".validate": "newData.isNumber()"}}}}"#

    @Test func `rules are set at one node, and every node has them`() throws {
        let cluster = try CommandCluster(nodes: 2)
        let none = try cluster.run("rules", "get")
        #expect(none.status == CommandLineKit.ExitStatus.checkFailed.rawValue)
        #expect(none.errors.hasPrefix("error: the default database has no rules:"))
        #expect(try cluster.run("database", "create", "chat").status == 0)
        let chat = try cluster.run("rules", "get", "--database", "chat").errors
        #expect(chat.hasPrefix("error: the database chat has no rules:"))
        #expect(chat.contains("`hearth rules set FILE --database chat`"))
        let removal = try cluster.run("remove", "/", "--database", "chat").errors
        #expect(removal.contains("removes all data of the database chat"))
        try cluster.folder.write(Array(Self.document.utf8), to: "rules.json")
        let file = cluster.folder.path + "/rules.json"
        let set = try cluster.run("rules", "set", file, "--confirm", "all", "--node", "n1")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.hasSuffix("are installed; before: none\n"))
        let get = try cluster.run("rules", "get", "--node", "n2")
        #expect(get.output == Self.document + "\n")
        #expect(get.errors.hasSuffix("; before: none\n"))
        let stale = try cluster.run("rules", "set", file, "--replacing", "none")
        #expect(stale.status == CommandLineKit.ExitStatus.unavailable.rawValue)
    }

    @Test func `rules that lack a member name it, and those of before are set again`() throws {
        let cluster = try CommandCluster(nodes: 2)
        try cluster.folder.write(Array(Self.document.utf8), to: "rules.json")
        try cluster.folder.write(Array(#"{"rules": {}}"#.utf8), to: "other.json")
        let folder = cluster.folder.path
        #expect(
            try cluster.run("rules", "set", folder + "/rules.json", "--confirm", "all").status == 0)
        #expect(
            try cluster.run("rules", "set", folder + "/other.json", "--confirm", "all").status == 0)
        let history = try cluster.run("rules", "history", "--node", "n2").output.split(
            separator: "\n")
        try #require(history.count == 2)
        #expect(history[0].hasSuffix("  in force") && history[0].contains("  n1  13 bytes"))
        let digest = String(history[1].prefix(9))
        #expect(try cluster.run("rules", "history", "--json").output.contains(#""source":"#))
        let unknown = try cluster.run("rules", "set", "--from", "nothing")
        #expect(unknown.errors.contains("no rules with the digest nothing"))
        #expect(try cluster.run("rules", "set").status == CommandLineKit.ExitStatus.usage.rawValue)
        #expect(try cluster.run("cluster", "pause", "n2").status == 0)
        let set = try cluster.run(
            "rules", "set", "--from", digest, "--confirm", "all", "--timeout", "0.3", "--node", "n1"
        )
        #expect(set.status == CommandLineKit.ExitStatus.lessDurable.rawValue)
        #expect(set.errors.contains("durable on one node, not on n2"), "\(set.errors)")
        #expect(try cluster.run("rules", "get", "--node", "n1").output == Self.document + "\n")
        _ = try cluster.run("cluster", "resume", "n2")
    }

    @Test func `a node says why it would deny an operation, and which data no rule permits`() throws
    {
        let cluster = try CommandCluster(nodes: 1)
        try cluster.folder.write(Array(Self.document.utf8), to: "rules.json")
        try #require(
            try cluster.run("rules", "set", cluster.folder.path + "/rules.json").status == 0)
        let denied = try cluster.run("rules", "simulate", "write /a/n 'x' as {uid: 'ada'}")
        #expect(denied.status == 1)
        #expect(denied.output.hasPrefix("denied\n    the data at /a/n is not valid\n"))
        let allowed = try cluster.run("rules", "simulate", "write /a/n 1 as {uid: 'ada'}")
        #expect(allowed.output == "allowed\n")
        let eve = try cluster.run("rules", "simulate", "write /a/n 1", "--as", "eve")
        #expect(eve.output.contains("auth.uid == 'ada' is false, as auth.uid is \"eve\"\n"))
        try cluster.folder.write(
            Array(#"{"rules": {".write": "auth.age > 9"}}"#.utf8), to: "other.json")
        try cluster.folder.write(Array(#"{"age": 10}"#.utf8), to: "claims.json")
        let folder = cluster.folder.path
        let other = try cluster.run(
            "rules", "simulate", "write /a/n 'x'", "--rules", folder + "/other.json", "--as",
            folder + "/claims.json")
        #expect(other.output == "allowed\n")
        #expect(try cluster.run("rules", "audit").status == 0)
        let writes = try cluster.run("rules", "writes", "--json")
        #expect(writes.output.hasSuffix(#""paths":["/.settings/rules"]}"# + "\n"))
        #expect(try cluster.run("rules", "writes", "--outdated").output == "")
        _ = try cluster.run("set", "/a", #"{"n": "x"}"#)
        let audit = try cluster.run("rules", "audit")
        #expect(audit.status == 1)
        #expect(
            audit.output.hasPrefix(
                "/a/n: .validate of /a/n, line 1, at /a/n: newData.isNumber() is false"))
    }
}
