import Convergence
import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Operations of many writes, which turns apply in parts and show at once.
@Suite struct LargeOperationTests {
    // MARK: The tree

    @Test(arguments: [false, true])
    func `operations in parts make the tree that all together make`(priorities: Bool) {
        var random = Generator(seed: priorities ? 12 : 11)
        for number in 0..<3_000 {
            let mix = Mix.draw(&random, priorities: priorities)
            var operations = (0..<Int.random(in: 2...6, using: &random)).map {
                mix.operation(&random, stamp: $0 + 1, depth: 3)
            }
            operations.shuffle(using: &random)
            if let failure = Self.failure(of: operations, &random) {
                Issue.record("case \(number): \(operations): \(failure)")
                return
            }
        }
    }

    /// Applies operations, those of several writes in parts, in between others; returns what was wrong first.
    private static func failure(
        of operations: [SyncProtocol.Operation], _ random: inout Generator
    ) -> String? {
        var tree = ConvergentTree()
        var large = LargeOperations()
        func check(_ changes: [Change], from before: Value) -> String? {
            ArrivalCheck.failure(in: changes, from: before, to: tree.value)
        }
        func advance() -> String? {
            let before = tree.value
            guard let done = large.advance(&tree, limit: 1) else {
                return tree.value == before ? nil : "a part shows"
            }
            return check(done.changes, from: before)
        }
        for operation in operations {
            let before = tree.value
            if operation.writes.count > 1 {
                large.append(operation, after: VersionVector())
            } else {
                let changes = tree.apply(operation)
                large.applyToCopy(operation)
                if let failure = check(changes, from: before) { return failure }
            }
            while random.chance(0.6) { if let failure = advance() { return failure } }
        }
        while !large.isEmpty { if let failure = advance() { return failure } }
        let want = SequentialExecution.value(after: operations)
        if tree.digest != TreeDigest(of: want) { return "the digest is not that of \(want)" }
        return tree.value == want ? nil : "\(tree.value), want \(want)"
    }

    // MARK: Replicas

    private static var limits: ReplicaLimits {
        var limits = ReplicaLimits()
        (limits.writesAtOnce, limits.writesPerTurn) = (4, 3)
        return limits
    }

    /// Writes of `k0` to `k9`.
    private static let writes = (0..<10).map {
        Write(path: Path([Key(unchecked: "k\($0)")]), value: .integer(Int64($0)))
    }

    private static let all = Universe.object(
        Dictionary(uniqueKeysWithValues: (0..<10).map { ("k\($0)", .integer(Int64($0))) }))

    /// The value that a listener shows after some changes.
    private static func shown(by notices: [NodeMessage]) -> Value {
        var shown = Value.null
        for case .change(1, let writes) in notices {
            for write in writes { shown.set(write.value, at: write.path) }
        }
        return shown
    }

    @Test func `registers of large updates are forgotten as fast as updates make them`() {
        var replica = TestReplica()
        for round in 0..<20 {
            let writes = (0..<3_000).map { number in
                Write(path: Path([Key(unchecked: "k\(number)")]), value: 1)
            }
            let update = ClientMessage.merge(
                id: 1, path: Path([Key(unchecked: "u\(round)")]), writes: writes)
            let session = SessionID(number: 1)
            _ = replica.turn([.requested(update.frame, by: session)], after: 1_000)
            while replica.hasDueWork { _ = replica.turn([]) }
        }
        // Those of the last five seconds, in which a write may still be repeated.
        #expect(replica.status().data.registers < 8 * 3_000)
    }

    private func cluster(_ count: Int = 2) -> TestCluster {
        var cluster = TestCluster(count, limits: Self.limits)
        cluster.send(.listen(id: 1, path: "list", query: Query(), held: nil), by: 2, to: "n1")
        _ = cluster.takeReplies(of: 2)
        cluster.send(.merge(id: 1, path: "list", writes: Self.writes), to: "n1")
        return cluster
    }

    @Test func `an update of many writes shows and is answered once all are applied`() {
        var cluster = cluster()
        for _ in 0..<2 {
            #expect(cluster["n1"].hasDueWork)
            #expect(cluster["n1"].value == .null)
            #expect(cluster.takeReplies().isEmpty)
            #expect(cluster.takeReplies(of: 2).isEmpty)
            cluster.turn("n1", [])
        }
        cluster.turn("n1", [])
        #expect(cluster["n1"].value == Universe.object(["list": Self.all]))
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        cluster.turn("n1", [])
        #expect(!cluster["n1"].hasDueWork)
        let notices = cluster.takeReplies(of: 2)
        #expect(notices.count == 1)
        #expect(Self.shown(by: notices) == Self.all)
        // The peer has held the operation from the beginning.
        #expect(cluster["n2"].vector.covers(cluster["n1"].vector))
        cluster.quiesce(milliseconds: 500)
        #expect(cluster["n2"].value == cluster["n1"].value)
    }

    @Test func `later requests of the session wait, others are served`() {
        var cluster = cluster()
        let messages: [ClientMessage] = [
            .get(id: 2, path: "list/k3"), .put(id: 3, path: "list/k3", value: .string("mine")),
        ]
        cluster.turn(
            "n1",
            messages.map { .requested($0.frame, by: 1) } + [
                .requested(ClientMessage.get(id: 4, path: "list/k3").frame, by: 3)
            ])
        #expect(cluster.takeReplies().isEmpty)
        #expect(cluster.takeReplies(of: 3) == [.value(id: 4, value: .null)])
        cluster.quiesce(milliseconds: 500)
        #expect(cluster.takeReplies() == [.ok(id: 1), .value(id: 2, value: 3), .ok(id: 3)])
        #expect(cluster["n1"].value["list/k3" as Path] == .string("mine"))
        #expect(cluster["n2"].value == cluster["n1"].value)
    }

    @Test func `a write in between wins, and listeners see all of it`() {
        var cluster = cluster()
        cluster.send(.put(id: 9, path: "list/k9", value: .string("later")), by: 3, to: "n1")
        #expect(cluster.takeReplies(of: 3) == [.ok(id: 9)])
        #expect(
            cluster["n1"].value
                == Universe.object(["list": Universe.object(["k9": .string("later")])]))
        cluster.quiesce(milliseconds: 500)
        let seen = Self.shown(by: cluster.takeReplies(of: 2))
        #expect(seen == cluster["n1"].value["list" as Path])
        #expect(seen["k9" as Path] == .string("later"))
        #expect(seen["k8" as Path] == 8)
        #expect(cluster["n2"].value == cluster["n1"].value)
    }

    @Test func `a conditional put waits, because it compares the value`() {
        var cluster = cluster()
        let condition = Condition(DataHash(of: .integer(3)), isLocal: true)
        cluster.send(
            .put(id: 5, path: "list/k3", value: 33, condition: condition), by: 3, to: "n1")
        #expect(cluster.takeReplies(of: 3).isEmpty)
        let absent = Condition(DataHash(of: .null), isLocal: true)
        cluster.send(.put(id: 6, path: "x", value: 1, condition: absent), by: 4, to: "n1")
        #expect(cluster.takeReplies(of: 4) == [.ok(id: 6)], "it compares something else")
        cluster.quiesce(milliseconds: 500)
        #expect(cluster.takeReplies(of: 3) == [.ok(id: 5)])
        #expect(cluster["n2"].value["list/k3" as Path] == 33)
    }

    @Test func `updates of many writes wait for each other`() {
        var cluster = cluster()
        cluster.send(.merge(id: 7, path: "other", writes: Self.writes), by: 3, to: "n1")
        cluster.send(.put(id: 8, path: "other/k0", value: 8), by: 3, to: "n1")
        let held = cluster["n1"].vector
        cluster.quiesce(milliseconds: 500)
        #expect(cluster["n1"].vector.total == held.total + 2, "it was not accepted before")
        #expect(cluster.takeReplies(of: 3) == [.ok(id: 7), .ok(id: 8)])
        #expect(cluster["n1"].value["other/k0" as Path] == 8)
        #expect(cluster["n2"].value == cluster["n1"].value)
    }

    @Test func `a client that has seen the operation elsewhere waits until it shows`() {
        var cluster = cluster()
        let seen = cluster["n1"].vector
        cluster.send(.hello(id: 6, seen: seen), by: 4, to: "n2")
        #expect(cluster["n2"].hasDueWork)
        #expect(cluster.takeReplies(of: 4).isEmpty)
        cluster.quiesce(milliseconds: 500)
        guard case .ready(id: 6, _, _, _, _)? = cluster.takeReplies(of: 4).first else {
            Issue.record("not welcomed")
            return
        }
    }

    @Test func `a client that leaves gets no answer, and its update stays`() {
        var cluster = cluster()
        cluster.turn("n1", [.closed(1)])
        cluster.quiesce(milliseconds: 500)
        #expect(cluster.takeReplies().isEmpty)
        #expect(cluster["n2"].value == Universe.object(["list": Self.all]))
    }

    @Test func `a node that stops completes the operation, and one that dies has it in its log`() {
        for isClean in [true, false] {
            var cluster = cluster()
            if isClean { cluster.stop("n1") } else { cluster.crash("n1") }
            #expect(cluster.takeReplies() == (isClean ? [.ok(id: 1)] : []))
            cluster.start("n1")
            #expect(cluster["n1"].value == Universe.object(["list": Self.all]))
            cluster.quiesce(milliseconds: 500)
            #expect(cluster["n2"].value == cluster["n1"].value)
        }
    }

    @Test func `a node whose disk is lost serves once all operations show`() {
        var limits = Self.limits
        // So slow that the node is ready by its version vector long before the last operation shows.
        limits.writesPerTurn = 1
        var cluster = TestCluster(2, limits: limits)
        for number in 1...20 {
            let path = Path([Key(unchecked: "list\(number)")])
            cluster.send(
                .merge(id: 1, path: path, writes: Self.writes), by: UInt64(number), to: "n1")
            cluster.quiesce(milliseconds: 1_000)
        }
        #expect(cluster["n1"].value.children.count == 20)
        cluster.wipe("n2")
        cluster.start("n2")
        cluster.quiesce()
        #expect(cluster.firstServed["n2"] == cluster["n1"].value)
    }

    @Test func `no checkpoint is written while an operation does not show`() {
        var cluster = TestCluster(1, checkpointBytes: 1, limits: Self.limits)
        cluster.send(.merge(id: 1, path: "list", writes: Self.writes), to: "n1")
        cluster.quiesce()
        cluster.crash("n1")
        cluster.start("n1")
        #expect(cluster["n1"].value == Universe.object(["list": Self.all]))
    }
}
