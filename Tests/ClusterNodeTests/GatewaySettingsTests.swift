import ClusterConfiguration
import GatewayCore
import Testing

@testable import ClusterNode

@Suite struct `The settings of a node's port` {
    @Test func `are those of its cluster's configuration`() throws {
        let nodes = [("n1", nil), ("n2", "db2.test:8443")].map { id, host in
            NodeConfiguration.Member(
                id: id, client: "http://127.0.0.1:1", requests: "tcp://127.0.0.1:2",
                updates: "tcp://127.0.0.1:3", publicHost: host)
        }
        var description = NodeConfiguration(
            cluster: "a", durability: .commit, directory: "/nowhere", nodes: nodes)
        let usual = GatewayConfiguration(description, of: nodes[0])
        // No two incarnations give sessions the same names.
        let other = GatewayConfiguration(description, of: nodes[0])
        #expect(usual.nameSeed.count > 30 && usual.nameSeed != other.nameSeed)
        #expect(usual.secrets == nil && usual.limits.bodyBytes == 32 << 20)
        #expect(usual.connectionLimit == 10_000 && usual.connectionLimitPerHost == 500)
        description.http.hosts = ["db.test"]
        description.http.origins = ["null"]
        description.http.maxBodyMegabytes = 3
        description.http.maxConnections = 100_000
        description.http.maxConnectionsPerAddress = 7
        description.maxDatabases = 4
        description.secrets = [[UInt8](repeating: 7, count: 32)]
        let own = GatewayConfiguration(description, of: nodes[0])
        #expect(own.hosts == ["db.test", "db2.test"] && own.origins == ["null"])
        #expect(own.limits.bodyBytes == 3 << 20 && own.secrets != nil)
        #expect(own.connectionLimit == 100_000 && own.connectionLimitPerHost == 7)
        #expect(own.databaseLimit == 4)
        #expect(own.clientHosts == ["n1": "127.0.0.1:1", "n2": "db2.test:8443"])
        #expect(own.redirectHost == "db2.test:8443")
        #expect(GatewayConfiguration(description, of: nodes[1]).redirectHost == nil)
        description.nodes[0].client = "http://db1.test:1"
        let named = GatewayConfiguration(description, of: description.nodes[0])
        #expect(named.hosts == ["db.test", "db2.test", "db1.test"])
    }
}
