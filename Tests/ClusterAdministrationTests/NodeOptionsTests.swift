import CommandLineKit
import Testing

@testable import ClusterAdministration

/// The nodes that a command names by their hosts.
@Suite struct NodeOptionsTests {
    @Test(arguments: [
        ("localhost:7301", "http://localhost:7301"), ("localhost", "http://localhost:7001"),
        ("127.0.0.1", "http://127.0.0.1:7001"), ("10.0.0.1:80", "http://10.0.0.1:80"),
        ("db1.example.com", "http://db1.example.com:7001"), ("[::1]", "http://[::1]:7001"),
        ("[::1]:7011", "http://[::1]:7011"),
    ])
    func `a host is an address`(word: String, address: String) {
        #expect(NodeOptions.hostAddress(word) == address)
    }

    /// Options, and the address that the command connects to.
    @Test(arguments: [
        ([], "http://10.0.0.1:7001"), (["--database", "chat"], "http://10.0.0.1:7001?ns=chat"),
        // The host may name another database.
        (["--database", "default"], "http://10.0.0.1:7001?ns=default"),
    ])
    func `a command sends the database that it names`(options: [String], address: String) throws {
        let words = ["--node", "http://10.0.0.1:7001"] + options
        let verb = Verb("get", "Reads.", options: NodeOptions.all, examples: ["hearth get"]) {
            _ in .success
        }
        guard case .run(let invocation) = try CommandParser(root: verb).parse(words) else {
            Issue.record("the words are no command")
            return
        }
        #expect(try NodeOptions.databaseAddresses(of: invocation) == [address])
    }

    @Test func `a plain word is the name of a node`() {
        #expect(NodeOptions.hostAddress("n1") == nil)
    }

    @Test func `the report of evicted nodes names them`() {
        let rest = "the write is on all other nodes, and evicted nodes get it when they rejoin"
        #expect(EvictedNodes.report(["n3"]) == "n3 is evicted: \(rest)")
        #expect(EvictedNodes.report(["n2", "n3"]) == "n2 and n3 are evicted: \(rest)")
        let rules = "the rules are on all other nodes, and evicted nodes get them when they rejoin"
        #expect(
            EvictedNodes.report(["n3"], lacking: "the rules are", as: "them")
                == "n3 is evicted: \(rules)")
    }
}
