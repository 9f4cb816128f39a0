import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// Clients without administrator rights learn nothing about the node and the cluster.
@Suite struct StrangerTests {
    private static let rules = #"{"open": {".read": true, ".write": "auth != null"}}"#
    private var node = RuledReplica(StrangerTests.rules, data: ["open": 1, "shut": 2])

    /// The messages to a native client, with ends of frames.
    private mutating func told(
        _ message: ClientMessage, _ session: SessionID
    ) -> [NodeMessage] {
        node.told([.requested(message.frame, by: session)])[session] ?? []
    }

    private static func holds(_ messages: [NodeMessage]) -> VersionVector? {
        for message in messages {
            if case .seen(_, let holds) = message { return holds }
        }
        return nil
    }

    /// Says hello; the name and what the node holds, as it says it.
    private mutating func greeting(_ session: SessionID) -> (name: String, holds: VersionVector)? {
        guard
            case .ready(_, let name, _, _, let holds)? = told(
                .hello(id: 1, seen: VersionVector()), session
            ).first
        else { return nil }
        return (name, holds)
    }

    @Test mutating func `a user learns neither the node's name nor its versions`() {
        for session in [RuledReplica.user, RuledReplica.guest] {
            let greeting = greeting(session)
            #expect(greeting?.name == "" && greeting?.holds == VersionVector())
        }
        let greeting = greeting(RuledReplica.administrator)
        #expect(greeting?.name == "n1" && greeting?.holds.entries.isEmpty == false)
    }

    private static let denied: [ClientMessage] = [
        .get(id: 2, path: "shut"), .children(id: 2, path: "shut"), .listen(id: 2, path: "shut"),
        .put(id: 2, path: "open", value: 2), .status(id: 2), .ping(id: 2),
        .onDisconnectCancel(id: 2, path: "open"), .awaitStable(id: 2, milliseconds: 0),
        .put(id: 2, path: "open", value: 2, condition: Condition(DataHash(of: 1))),
    ]

    @Test(arguments: StrangerTests.denied)
    mutating func `an answer without data reveals no versions`(
        message: ClientMessage
    ) {
        _ = greeting(RuledReplica.guest)
        #expect(Self.holds(told(message, RuledReplica.guest)) == nil)
        _ = node.ask(.put(id: 9, path: "shut", value: 3))
        #expect(Self.holds(told(message, RuledReplica.guest)) == nil)
    }

    private static let permitted: [ClientMessage] = [
        .get(id: 2, path: "open"), .children(id: 2, path: "open"), .listen(id: 2, path: "open"),
        .put(id: 2, path: "open", value: 2),
        .merge(id: 2, path: "open", writes: [Write(path: "a", value: 1)]),
        .put(id: 2, path: "open", value: 2, condition: Condition(DataHash(of: 1))),
    ]

    @Test(arguments: StrangerTests.permitted)
    mutating func `an answer with permitted data has its versions`(message: ClientMessage) {
        _ = greeting(RuledReplica.user)
        let holds = Self.holds(told(message, RuledReplica.user))
        // The rules, the data and what the request itself has written.
        #expect(holds == node.vector && holds != nil)
        _ = node.ask(.put(id: 9, path: "shut", value: 3))
        #expect(Self.holds(told(.ping(id: 3), RuledReplica.user)) == node.vector)
    }

    @Test mutating func `a client that becomes an administrator learns the versions`() {
        _ = greeting(RuledReplica.guest)
        _ = node.identify(RuledReplica.guest, as: .administrator(name: nil))
        #expect(Self.holds(told(.get(id: 2, path: "shut"), RuledReplica.guest)) == node.vector)
    }

    @Test mutating func `a full disk has no path and no status for users`() {
        _ = node.told([.storageFailed(problem: "/data/n1 is full", fix: "free some of 7 GB")])
        for message in [ClientMessage.status(id: 2), .put(id: 2, path: "open", value: 2)] {
            let told = told(message, RuledReplica.user)
            guard case .error(_, .unavailable, let problem, let fix)? = told.first else {
                Issue.record("\(told) is another answer")
                continue
            }
            #expect(!problem.contains("n1") && !problem.contains("full") && !fix.contains("GB"))
        }
        guard case .value? = told(.status(id: 2), RuledReplica.administrator).first else {
            Issue.record("an administrator does not get the status")
            return
        }
    }

    @Test mutating func `only signed-in users wait for stable data`() {
        let message = ClientMessage.awaitStable(id: 2, milliseconds: 0)
        let permits = [RuledReplica.guest, RuledReplica.user].map {
            node.permits(message, by: $0)
        }
        #expect(permits == [false, true])
    }
}
