import Testing

@testable import ClusterNode

@Suite struct `Connections to the ports for peers` {
    @Test func `are cut, the oldest first, if too many have not authenticated`() {
        var connections = PeerConnections()
        let limit = Int32(PeerConnections.unknownLimit)
        for descriptor in 1...limit {
            #expect(connections.accept(descriptor) { _ in false } == [])
        }
        #expect(connections.accept(limit + 1) { _ in false } == [1])
        #expect(connections.accept(limit + 2) { _ in false } == [2])
        #expect(connections.count == Int(limit))
    }

    @Test func `stay if they have authenticated`() {
        var connections = PeerConnections()
        let limit = Int32(PeerConnections.unknownLimit)
        for descriptor in 1...limit + 10 {
            let cut = connections.accept(descriptor) { $0 == 1 || $0 == 2 }
            #expect(cut == (descriptor > limit + 2 ? [descriptor - limit] : []))
        }
    }

    @Test func `make room when they end, and their descriptors name others then`() {
        var connections = PeerConnections()
        let limit = Int32(PeerConnections.unknownLimit)
        for descriptor in 1...limit { _ = connections.accept(descriptor) { _ in false } }
        connections.end(1)
        #expect(connections.accept(1) { _ in false } == [])
        // The descriptor 1 is the newest now.
        #expect(connections.accept(limit + 1) { _ in false } == [2])
    }

    @Test func `have a limit even if all have authenticated`() {
        var connections = PeerConnections()
        for descriptor in 1...Int32(PeerConnections.limit) {
            #expect(connections.accept(descriptor) { _ in true } == [])
        }
        #expect(connections.accept(5_000) { _ in true } == [5_000])
    }
}
