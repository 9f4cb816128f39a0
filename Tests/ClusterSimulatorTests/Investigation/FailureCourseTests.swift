import DataTree
import ReplicaCore
import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The steps that explain a failure.
@Suite struct FailureCourseTests {
    private func scenario(_ lines: String) throws -> Scenario {
        try Scenario(parsing: lines, name: "course").drawn(seed: 1)
    }

    /// The texts of all steps of a run, without writers as numbers; the marked one begins with `> `.
    private func texts(_ course: inout FailureCourse, _ run: SimulatedRun) -> [String] {
        course.finish(run).steps.map { ($0.isDeviation ? "> " : "") + $0.text }
    }

    /// The focus on the first request of a run that is over.
    private func focus(
        onFirstRequestOf run: SimulatedRun, _ kind: FailureFocus.Kind
    ) throws -> FailureFocus {
        let operation = try #require(run.record.history.operations.first)
        var focus = FailureFocus(kind: kind)
        focus.requests = [operation.operationName]
        let dot = try #require(operation.acknowledged?.dot)
        let made = try #require(run.record.archive.operations.first { $0.dot == dot })
        focus.operations = [.init(dot: dot, operation: made.operation)]
        return focus
    }

    private static let lost = """
        cluster replicas=2 clients=1
        at 1s partition n1 | n2
        at 1100ms c1 set /a "x"
        at 1500ms wipe n1
        at 1600ms heal
        until 2s
        check acknowledged-writes-survive
        """

    @Test func `the course of a lost write leads from its request to its loss`() throws {
        let scenario = try scenario(Self.lost)
        var first = SimulatedRun(scenario, seed: 1)
        first.run()
        var run = SimulatedRun(scenario, seed: 1)
        var course = FailureCourse(try focus(onFirstRequestOf: first, .request), in: &run)
        run.begin()
        while let event = run.step() { course.observe(event, in: &run) }
        let texts = texts(&course, run)
        let made = try #require(texts.firstIndex { $0.hasPrefix("n1 makes n1#1 of it: /a \"x\"") })
        let steps = texts[made...].map { $0.split(separator: ": ")[0] }
        #expect(texts[..<made].contains("fault: partition n1 | n2"))
        #expect(texts[made - 1].hasPrefix("n1 receives from c1: "))
        #expect(steps.contains("n1#1 is on the disk of n1"))
        #expect(
            steps.contains("n1 publishes n1#1, which is lost on the way to n2 (the link is cut)"))
        #expect(steps.contains("> n1 no longer has n1#1"))
        #expect(steps.last == "n2 has not got n1#1")
    }

    @Test func `an operation that a node knows of and never requests is marked`() throws {
        let scenario = try scenario(
            """
            cluster replicas=2 clients=1
            at 1s partition n1 | n2
            at 1100ms c1 set /a "x"
            at 1500ms heal
            until 4s
            check replicas-equal
            """)
        var first = SimulatedRun(scenario, seed: 1)
        first.run()
        let focus = try focus(onFirstRequestOf: first, .missing)
        func steps(until last: UInt64) -> (texts: [String], asked: UInt64?) {
            var run = SimulatedRun(scenario, seed: 1)
            var course = FailureCourse(focus, in: &run)
            var asked: UInt64?
            run.begin()
            while run.record.statistics.events < last, let event = run.step() {
                course.observe(event, in: &run)
                let asks = run.record.performed?.contains { $0.output.requestsBatches } == true
                if asks { asked = asked ?? run.record.statistics.events }
            }
            return (texts(&course, run), asked)
        }
        let whole = steps(until: .max)
        let learnt = try #require(
            whole.texts.firstIndex { $0.contains("learns from a heartbeat") })
        #expect(whole.texts[learnt...].contains { $0.contains(" requests ") })
        #expect(whole.texts[learnt...].contains { $0.contains(" applies ") })
        #expect(!whole.texts.contains { $0.hasPrefix("> ") })
        // This run ends before the request.
        let cut = steps(until: try #require(whole.asked) - 1).texts
        let marked = cut.filter { $0.hasPrefix("> ") }
        #expect(marked.count == 1)
        #expect(marked.first?.contains("learns from a heartbeat of ") == true)
        #expect(marked.first?.hasSuffix(" exists, and lacks it, and never requests it") == true)
        #expect(cut.last?.contains(" has not got ") == true)
    }

    @Test func `a listener to which its node sends nothing is named beside one that it tells`()
        throws
    {
        let scenario = try scenario(
            """
            cluster replicas=1
            clients count=1 listeners=2
            at 1s c1 set /data/a "x"
            at 1500ms c1 set /data/a "y"
            until 2s
            check listeners-converge
            """)
        var focus = FailureFocus(kind: .listener)
        (focus.path, focus.nodes, focus.clients) = (try Path("/data/a"), [0], [2])
        var run = SimulatedRun(scenario, seed: 1)
        var trail = try #require(ListenerTrail(focus))
        var steps: [CourseStep] = []
        run.record.performed = []
        run.begin()
        while let event = run.step() {
            if run.now > .milliseconds(1_400) {
                // From here on the node seems to send nothing to c3.
                if case .replied(let connection, _) = event,
                    run.connections[connection].client == 2
                {
                    continue
                }
                run.record.performed?.removeAll { performed in
                    guard case .reply(let session, _) = performed.output else { return false }
                    return run.connections[Int(session.number) - 1].client == 2
                }
            }
            trail.observe(event, in: run, into: &steps)
        }
        trail.finish(into: &steps)
        let marked = steps.filter(\.isDeviation)
        #expect(marked.count == 1)
        #expect(
            marked.first?.text
                == "n1 shows \"y\" at /data/a, and sends nothing about it to the listener of c3 at "
                + "/; it sends it to that of c2 at /data")
        #expect(marked.first.map { $0.time > .milliseconds(1_500) } == true)
    }

    @Test func `a tree that differs from its operations is marked with what the node remembered`()
        throws
    {
        let scenario = try scenario(
            """
            cluster replicas=2 clients=1
            at 1s c1 set /a "x"
            at 1500ms c1 set /a "y"
            until 2s
            check every-turn-equals-oracle
            """)
        var run = SimulatedRun(scenario, seed: 1)
        var focus = FailureFocus(kind: .tree)
        (focus.path, focus.nodes) = (try Path("/a"), [0])
        var course = FailureCourse(focus, in: &run)
        run.begin()
        var isSpoilt = false
        while let event = run.step() {
            course.observe(event, in: &run)
            guard !isSpoilt, run.now > .milliseconds(1_300) else { continue }
            // From here on the comparison executes a newer write, which the node does not have.
            isSpoilt = true
            var executions = try #require(run.watches.first(of: ExecutionWatch.self))
            executions.oracles[0].add([try Self.newestWrite])
            run.watches.set(executions)
        }
        let steps = texts(&course, run)
        #expect(steps.contains("n1 shows \"x\" at /a"))
        let marked = try #require(steps.firstIndex { $0.hasPrefix("> ") })
        #expect(steps[marked] == "> n1 shows \"y\" at /a; its operations give \"z\"")
        #expect(
            steps[marked + 1].hasPrefix("before this event, n1 remembered: write at /a with stamp ")
        )
    }

    /// A batch that writes "z" at /a after all others.
    private static var newestWrite: LogEntry {
        get throws {
            let writer = WriterID(bits: 7)
            let stamp = Stamp(time: HybridTime(milliseconds: 1_900_000_000_000), writer: writer)
            let operation = Operation(
                stamp: stamp, writes: [Write(path: try Path("/a"), value: .string("z"))])
            return try LogEntry(
                BatchCoding.encode(
                    Batch(
                        origin: writer, first: 1, wallMilliseconds: 0,
                        dependencies: VersionVector(), operations: [operation])))
        }
    }

    @Test(arguments: [true, false])
    func `a request that is not sent again is marked with where it went before`(
        arrives: Bool
    ) throws {
        let scenario = try scenario(
            """
            cluster replicas=2 clients=1
            at 1s c1 set /a "x"
            until 2s
            check acknowledged-writes-survive
            """)
        var first = SimulatedRun(scenario, seed: 1)
        first.run()
        var focus = FailureFocus(kind: .request)
        focus.requests = [try #require(first.record.history.operations.first).operationName]
        var run = SimulatedRun(scenario, seed: 1)
        var trail = RequestTrail(focus)
        var steps: [CourseStep] = []
        run.begin()
        while let event = run.step() {
            let isIssued = !run.record.history.operations.isEmpty
            let isSent = if case .requested = event { isIssued } else { false }
            if arrives || !isSent { trail.observe(event, in: run, into: &steps) }
            // The answer would come next.
            if isSent { break }
        }
        let node = try #require(run.connections.last).node
        run.connections.append(
            Connection(client: 0, node: 1 - node, incarnation: 1, isToPort: false, isAccepted: true)
        )
        let connection = run.connections.count - 1
        trail.observe(
            .requested(connection: connection, frame: []), in: run, into: &steps)
        trail.finish(in: run, into: &steps)
        let outcome = arrives ? "which did not answer" : "where it never arrived"
        #expect(
            steps.filter(\.isDeviation).map(\.text) == [
                "c1 connects to \((1 - node).nodeName), and does not send its request “write /a” "
                    + "there; it had sent it to \(node.nodeName), \(outcome)"
            ])
    }

    @Test func `a lost operation is named with the last checkpoint before, which lacks it`() throws
    {
        let scenario = try scenario(
            """
            cluster replicas=1 clients=1
            at 1s c1 set /a "x"
            until 2s
            check acknowledged-writes-survive
            """)
        var first = SimulatedRun(scenario, seed: 1)
        first.run()
        var focus = try focus(onFirstRequestOf: first, .disk)
        focus.nodes = [0]
        let dot = try #require(focus.operations.first?.dot)
        var run = SimulatedRun(scenario, seed: 1)
        var trail = try #require(DiskTrail(focus))
        var steps: [CourseStep] = []
        run.record.performed = []
        run.begin()
        let empty = run.nodes[0].disk.store
        var hasBegun = false
        while let event = run.step() {
            if !hasBegun, let replica = run.nodes[0].replica {
                hasBegun = true
                run.record.performed?.append(
                    (0, .perform(.writeCheckpoint(replica.checkpoint))))
            }
            trail.observe(event, in: run, into: &steps)
        }
        #expect(steps.map(\.text) == ["the log of n1 has \(dot)"])
        let vector = try #require(run.nodes[0].standing?.vector)
        run.record.performed = [(0, .perform(.truncate(vector)))]
        run.nodes[0].disk.store = empty
        trail.observe(.diskWorked(node: 0, incarnation: 1), in: run, into: &steps)
        #expect(
            steps.dropFirst().map(\.text) == [
                "n1 truncates its log up to \(vector.line)",
                "the log of n1 no longer has \(dot), and its checkpoint does not have it either: its next process would lack it",
                "n1 begins a checkpoint without \(dot): it covers nothing",
            ])
        #expect(steps.filter(\.isDeviation).count == 1)
    }

    @Test func `a listener that holds a part is shown to ask for and receive the rest as ranges`()
        throws
    {
        let scenario = try scenario(
            """
            cluster replicas=2
            clients count=1 listeners=3 pace=1ms
            workload operations=300 lists=1 push=1
            at 4500ms crash n2
            at 5s restart n2
            until 6s
            check listeners-converge
            """)
        var focus = FailureFocus(kind: .listener)
        (focus.path, focus.nodes, focus.clients) = (try Path("/lists"), [0], [3])
        var run = SimulatedRun(scenario, seed: 1)
        var trail = try #require(ListenerTrail(focus))
        var steps: [CourseStep] = []
        run.record.performed = []
        run.begin()
        while let event = run.step() { trail.observe(event, in: run, into: &steps) }
        let texts = steps.map(\.text).filter { $0.contains("c4") }
        #expect(
            texts.contains {
                $0.hasPrefix("c4 listens at ")
                    && $0.hasSuffix(", and asks for what differs from what it holds")
            }, "\(texts)")
        #expect(
            texts.contains {
                $0.hasPrefix("c4 receives for listen ")
                    && $0.contains(" ranges that replace parts of what it holds, with /")
            }, "\(texts)")
    }

    // MARK: The choice of steps

    private func step(
        _ event: UInt64, _ weight: CourseStep.Weight, isDeviation: Bool = false
    ) throws -> CourseStep {
        var run = SimulatedRun(try scenario("until 1s\ncheck replicas-equal"), seed: 1)
        run.record.statistics.events = event
        return CourseStep("step \(event)", weight, in: run, isDeviation: isDeviation)
    }

    @Test func `a long course omits its least steps first, and marks one`() throws {
        var steps = try (1...40).map {
            try step(UInt64($0), $0.isMultiple(of: 2) ? .detail : .stage)
        }
        steps += [
            try step(50, .stage, isDeviation: true), try step(60, .decisive, isDeviation: true),
        ]
        let selected = Array(steps.reversed()).selected
        #expect(selected.count == 24)
        #expect(selected.map(\.event) == selected.map(\.event).sorted())
        #expect(selected.filter(\.isDeviation).map(\.event) == [50])
        // Twenty steps of the stages and the two marked ones leave room for the last two details.
        #expect(selected.filter { $0.weight == .detail }.map(\.event) == [38, 40])
    }
}

extension Output {
    fileprivate var requestsBatches: Bool {
        guard case .ask(_, let frame) = self else { return false }
        return FrameText.peers(frame).contains { $0.hasPrefix("requests ") && $0.contains("#") }
    }
}
