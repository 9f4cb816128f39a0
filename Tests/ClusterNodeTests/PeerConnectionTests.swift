import Sockets
import Testing

@testable import ClusterNode

@Suite struct `A connection to a named peer` {
    /// What a connection has done to its socket, and written to the log.
    private final class Sink {
        var calls: [String] = []
        var log: [String] = []
    }

    private func connection(_ sink: Sink) -> PeerConnection {
        PeerConnection(
            to: "db2.test", of: "n2",
            connect: { sink.calls.append("connect \($0)") },
            disconnect: { sink.calls.append("disconnect \($0)") },
            log: { sink.log.append($0) })
    }

    private func answer(_ host: String) throws -> HostAnswer {
        .found(try #require(HTTPAddress("http://\(host):1")).resolved())
    }

    @Test func `follows the name to another address`() throws {
        let sink = Sink()
        let connection = connection(sink)
        connection.follow(try answer("10.0.0.1"), isConnected: false)
        connection.follow(try answer("10.0.0.1"), isConnected: true)
        #expect(sink.calls == ["connect 10.0.0.1"] && sink.log.isEmpty)
        sink.calls = []
        connection.follow(try answer("[fd00::2]"), isConnected: true)
        #expect(
            sink.calls == ["disconnect 10.0.0.1", "connect [fd00::2]"])
        #expect(
            sink.log == ["n2 is looked for at another address: db2.test is [fd00::2] now"])
    }

    @Test func `stays where it is while the name is not found, and reports that once`() throws {
        let sink = Sink()
        let connection = connection(sink)
        for _ in 0..<2 { connection.follow(.unknown, isConnected: false) }
        #expect(
            sink.log == [
                "cannot find db2.test, the host of n2: no host has this name; tries again"
            ])
        connection.follow(try answer("10.0.0.1"), isConnected: false)
        connection.follow(.unanswered, isConnected: true)
        #expect(sink.calls == ["connect 10.0.0.1"])
        #expect(
            sink.log.last
                == "cannot find db2.test, the host of n2: the name service does not answer; stays at 10.0.0.1"
        )
    }

    @Test func `keeps the address of a live connection, and tries all others in turn`() {
        let hosts = ["a", "b", "c"]
        #expect(PeerConnection.next(of: hosts, after: nil, isConnected: false) == "a")
        #expect(PeerConnection.next(of: hosts, after: "b", isConnected: true) == "b")
        #expect(PeerConnection.next(of: hosts, after: "b", isConnected: false) == "c")
        #expect(PeerConnection.next(of: hosts, after: "c", isConnected: false) == "a")
        #expect(PeerConnection.next(of: hosts, after: "d", isConnected: true) == "a")
        #expect(PeerConnection.next(of: ["a"], after: "a", isConnected: false) == "a")
    }
}
