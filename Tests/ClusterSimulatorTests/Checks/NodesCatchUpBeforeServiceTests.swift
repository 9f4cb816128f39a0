import SyncProtocol
import Testing

@testable import ClusterSimulator

/// Services of a node that may hold less than the others do.
@Suite struct NodesCatchUpBeforeServiceTests {
    private static let origin = WriterID(bits: 9)

    private static func vector(_ count: UInt64) -> VersionVector {
        var vector = VersionVector()
        if count > 0 { vector[origin] = count }
        return vector
    }

    /// Two nodes that hold so much from 10 on, and have served.
    private static func recording(others held: [UInt64] = [5, 5]) -> Recording {
        var recording = Recording(nodes: 3, isOn: true, keepsValues: false)
        for (node, count) in held.enumerated() {
            start(node, at: 10, holding: count, in: &recording)
            recording.record(serviceBy: node, holding: vector(count), at: 20)
        }
        return recording
    }

    private static func start(
        _ node: Int, at time: UInt64, holding count: UInt64, in recording: inout Recording
    ) {
        recording.record(
            start: .init(writer: WriterID(bits: time << 8 | UInt64(node)), vector: vector(count)),
            node: node, incarnation: Int(time), at: time)
        recording.record(durable: vector(count), node: node, at: time)
    }

    private func holds(for recording: Recording) -> Bool {
        let evidence = Evidence(
            Scenario(name: "recovery"), History(), recording, nodes: [], losses: [], crashes: [])
        return NodesCatchUpBeforeService.evaluate(evidence).verdict == .valid
    }

    @Test(arguments: [(5, true), (4, false), (0, false)] as [(UInt64, Bool)])
    func `a node that began without data has all when it serves`(
        count: UInt64, expected: Bool
    ) {
        var recording = Self.recording()
        Self.start(2, at: 100, holding: 0, in: &recording)
        recording.record(serviceBy: 2, holding: Self.vector(count), at: 200)
        #expect(holds(for: recording) == expected)
    }

    @Test func `it has all also if another process begins before`() {
        var recording = Self.recording()
        Self.start(2, at: 100, holding: 0, in: &recording)
        Self.start(2, at: 150, holding: 2, in: &recording)
        recording.record(serviceBy: 2, holding: Self.vector(2), at: 200)
        #expect(!holds(for: recording))
    }

    @Test func `a node that has served may serve less than the others hold`() {
        var recording = Self.recording()
        Self.start(2, at: 100, holding: 0, in: &recording)
        recording.record(serviceBy: 2, holding: Self.vector(5), at: 200)
        recording.record(durable: Self.vector(9), node: 0, at: 210)
        recording.record(durable: Self.vector(9), node: 1, at: 210)
        Self.start(2, at: 300, holding: 5, in: &recording)
        recording.record(serviceBy: 2, holding: Self.vector(5), at: 400)
        #expect(holds(for: recording))
    }

    @Test func `it needs what all others had, and from none that has no data itself`() {
        var some = Self.recording(others: [5, 3])
        Self.start(2, at: 100, holding: 0, in: &some)
        some.record(serviceBy: 2, holding: Self.vector(3), at: 200)
        #expect(holds(for: some))
        var none = Self.recording()
        Self.start(2, at: 100, holding: 0, in: &none)
        Self.start(1, at: 110, holding: 0, in: &none)
        none.record(serviceBy: 2, holding: Self.vector(0), at: 200)
        #expect(holds(for: none))
    }
}
