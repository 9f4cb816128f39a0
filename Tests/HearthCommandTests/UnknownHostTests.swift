import Testing

@Suite(.timeLimit(.minutes(1))) struct `A command for a host that nobody knows` {
    @Test func `names the host, and tries the other nodes first`() throws {
        let outcome = try Command.run(["get", "/a", "--node", "http://nowhere.invalid:7001"])
        #expect(outcome.status == 69)
        #expect(
            outcome.errors.contains("cannot find the host of http://nowhere.invalid:7001"),
            "\(outcome.errors)")
        let cluster = try CommandCluster(nodes: 1)
        let status = try cluster.run("cluster", "status", "--json")
        let address = try #require(status.output.firstMatch(of: /http:\/\/127.0.0.1:(\d+)/))
        let served = try Command.run([
            "get", "/a", "--node", "http://nowhere.invalid:7001", "--node",
            "http://localhost:\(address.1)",
        ])
        #expect(served.status == 0 && served.output == "null\n", "\(served.errors)")
    }
}
