import Foundation
import Testing

@testable import ClusterNode

@Suite struct `The open files of a node` {
    @Test func `leave room for clients beside the database, peers and refused clients`() {
        let files = OpenFiles(limit: 20_000)
        let room = files.clientLimit(forPeers: 2)
        #expect((19_000..<20_000).contains(room))
        // Each peer has seven descriptors.
        #expect(files.clientLimit(forPeers: 3) == room - 7)
        #expect(OpenFiles(limit: 50).clientLimit(forPeers: 2) == 16)
        #expect(files.shortage(forClients: room, peers: 2) == nil)
    }

    @Test func `are too few for many connections, and the message names the limit to set`() throws {
        let files = OpenFiles(limit: 20_000)
        let room = files.clientLimit(forPeers: 2)
        let shortage = try #require(files.shortage(forClients: 100_000, peers: 2))
        let needed = 100_000 + 20_000 - room
        #expect(
            shortage.hasPrefix(
                #"accepts \#(room) connections of clients instead of 100000 ("maxConnections")"#))
        #expect(shortage.contains("raise the limit to \(needed) (LimitNOFILE"))
        // With that limit, there is exactly enough room.
        #expect(OpenFiles(limit: needed).clientLimit(forPeers: 2) == 100_000)
        #expect(OpenFiles(limit: needed).shortage(forClients: 100_000, peers: 2) == nil)
        #expect(OpenFiles(limit: needed - 1).shortage(forClients: 100_000, peers: 2) != nil)
    }

    /// Each file limits the open files of nodes by a word and a number.
    @Test(arguments: [("compose.yaml", "nofile: "), ("hearth@.service", "LimitNOFILE=")])
    func `of the packaged services suffice for 65,000 clients`(file: String, word: String) throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../configs/\(file)").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.contains(word) })
        let limit = try #require(Int(line.filter(\.isNumber)))
        #expect(OpenFiles(limit: limit).shortage(forClients: 65_000, peers: 8) == nil)
    }
}
