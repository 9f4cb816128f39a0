import DataTree
import ReplicaCore
import SyncProtocol
import Testing

@testable import ClusterSimulator

@Suite struct SilentUserTests {
    private static let session = SessionID(number: 1)
    private static let place = UserProgram.path("rooms", "a", "gone", "u1")

    /// The violations in a step that executes a user's on-disconnect writes without permitting rules.
    private static func problem(of identity: UserIdentity, isSilent: Bool) -> String? {
        var watch = AccessWatch("n1")
        let left = [Write(path: place, value: .string("c1-1"))]
        watch.sessions[session] = AccessWatch.Session(identity: identity, left: left)
        if isSilent { watch.silence(session) }
        let writer = WriterID(bits: 7)
        var (tree, vector) = (Value.null, VersionVector())
        let before = AccessMoment(tree: tree, vector: vector, milliseconds: 0)
        tree.set(.string("c1-1"), at: place)
        vector[writer] = 1
        let after = AccessMoment(tree: tree, vector: vector, milliseconds: 0)
        watch.check(
            AccessEvent(
                kind: .other, before: before, after: after, writer: writer, isExempt: false),
            RulesHistory([])
        ) { _ in nil }
        return watch.tally.failures[.writesAreAllowed]
    }

    @Test func `the end of a silent user writes only what rules allow`() {
        #expect(Self.problem(of: .user("u1"), isSilent: true) != nil)
        #expect(Self.problem(of: .signedOut, isSilent: true) != nil)
    }

    @Test func `administrators may write, and others write the same`() {
        #expect(Self.problem(of: .administrator, isSilent: true) == nil)
        #expect(Self.problem(of: .user("u1"), isSilent: false) == nil)
    }
}
