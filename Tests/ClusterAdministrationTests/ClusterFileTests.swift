import ClusterConfiguration
import Foundation
import Testing

@testable import ClusterAdministration

@Suite struct `The file of a cluster's folder` {
    @Test func `is read as it was written`() throws {
        let folder = try TemporaryFolder()
        var file = ClusterFile(nodeCount: 2, basePort: 7001, durability: "commit")
        file.nodes[0].routes["n2"] = PeerRoute(
            requests: "tcp://127.0.0.1:7101", updates: "tcp://127.0.0.1:7102")
        #expect(file.nodes.map(\.client) == ["http://127.0.0.1:7001", "http://127.0.0.1:7011"])
        try Data(file.json).write(to: URL(fileURLWithPath: folder.path + "/" + ClusterFile.name))
        #expect(try ClusterFile(inFolder: folder.path) == file)
        #expect(file.basePort == 7001)
    }

    @Test
    func `has the addresses of programs as they are now, also where earlier versions wrote it`()
        throws
    {
        let folder = try TemporaryFolder()
        let file = ClusterFile(nodeCount: 2, basePort: 7001, durability: "commit")
        let earlier = String(decoding: file.json, as: UTF8.self)
            .replacing("http://", with: "tcp://")
        try Data(earlier.utf8).write(
            to: URL(fileURLWithPath: folder.path + "/" + ClusterFile.name))
        #expect(try ClusterFile(inFolder: folder.path) == file)
    }
}
