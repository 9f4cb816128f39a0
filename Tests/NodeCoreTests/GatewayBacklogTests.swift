import GatewayCore
import SyncProtocol
import Testing

@testable import NodeCore

/// The requests and connections that wait for the next turn.
@Suite struct GatewayBacklogTests {
    private let first = SessionID(number: 1)
    private let second = SessionID(number: 2)

    @Test func `a request is due at once, unless the replica answers`() {
        var backlog = GatewayBacklog()
        let isKeptWhileIdle = backlog.keep(.open(first), whileAnswering: false)
        #expect(!isKeptWhileIdle)
        #expect(backlog.isEmpty)
        let isKeptWhileAnswering = backlog.keep(.open(first), whileAnswering: true)
        #expect(isKeptWhileAnswering)
        #expect(!backlog.isEmpty)
    }

    @Test func `a request waits behind those that wait`() {
        var backlog = GatewayBacklog()
        let isFirstKept = backlog.keep(.open(first), whileAnswering: true)
        #expect(isFirstKept)
        let isSecondKept = backlog.keep(.end(second), whileAnswering: false)
        #expect(isSecondKept)
        #expect(backlog.removeRequests() == [.open(first), .end(second)])
        #expect(backlog.isEmpty)
        let isThirdKept = backlog.keep(.end(first), whileAnswering: false)
        #expect(!isThirdKept)
    }

    @Test func `eight connections have room in a turn, in their order`() {
        var backlog = GatewayBacklog()
        let sessions = (1...10).map { SessionID(number: $0) }
        for session in sessions { backlog.append(writable: session) }
        #expect(backlog.removeWritable() == Array(sessions[..<8]))
        #expect(!backlog.isEmpty)
        #expect(backlog.removeWritable() == Array(sessions[8...]))
        #expect(backlog.isEmpty && backlog.removeWritable().isEmpty)
    }

    @Test(
        arguments: [
            (false, true, .refusesWrites, true, Availability.unavailable(reason: "stopping")),
            (true, false, .refusesWrites, true, .unavailable(reason: "starting")),
            (true, true, .refusesWrites, true, .impaired(reason: "the disk accepts no writes")),
            (true, true, .isMissing, true, .impaired(reason: "the database was deleted or moved")),
            (true, true, nil, true, .impaired(reason: "evicted")),
            (true, true, nil, false, .serving),
        ] as [(Bool, Bool, StorageTrouble?, Bool, Availability)])
    func `the first reason not to serve counts`(
        isRunning: Bool, isServing: Bool, trouble: StorageTrouble?, isEvicted: Bool,
        expected: Availability
    ) {
        #expect(
            Availability(
                isRunning: isRunning, isServing: isServing, storageTrouble: trouble,
                isEvicted: isEvicted) == expected)
    }

    @Test func `a node without its latest disk names the nodes that it waits for`() {
        for isServing in [false, true] {
            let availability = Availability(
                isRunning: true, isServing: isServing, awaited: ["n2", "n3"],
                storageTrouble: nil, isEvicted: false)
            #expect(availability == .waiting(for: ["n2", "n3"], isServing: isServing))
            #expect(availability.reason(withNames: true) == "waiting for n2, n3")
            #expect(availability.reason(withNames: false) == "waiting for other nodes")
        }
    }
}
