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
        try cluster.folder.write(Array(Self.document.utf8), to: "rules.json")
        let file = cluster.folder.path + "/rules.json"
        let set = try cluster.run("rules", "set", file, "--confirm", "all", "--node", "n1")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.hasSuffix("are set, in place of none\n"))
        let get = try cluster.run("rules", "get", "--node", "n2")
        #expect(get.output == Self.document + "\n")
        #expect(get.errors.hasSuffix(", in place of none\n"))
        let stale = try cluster.run("rules", "set", file, "--replacing", "none")
        #expect(stale.status == CommandLineKit.ExitStatus.unavailable.rawValue)
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
