import Foundation
import QueryEngine
import Testing
import Threads

@testable import Hearth

/// Lists held by child events, while four programs write at three nodes.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ListViewTests {
    private static let writeCount =
        ProcessInfo.processInfo.environment["HEARTH_LIST_WRITES"].flatMap(Int.init) ?? 2000

    @Test func `a list held by child events is that of each value event, though a node is killed`()
        async throws
    {
        let nodes = try TestNode(count: 3)
        let programs = try (0..<4).map {
            try ListProgram(at: nodes.urls, beginning: $0 % 3, seed: $0)
        }
        for program in programs { for view in program.views { view.waitForFirstValue() } }
        let share = ListViewTests.writeCount / programs.count
        for phase in 0..<3 {
            // The second phase is without n2, to which the second program turned first.
            if phase == 1 { try nodes.kill("n2") }
            if phase == 2 { try nodes.start("n2") }
            for number in 0..<share where number % 3 == phase {
                for program in programs { program.write() }
            }
        }
        for program in programs { program.waitForAnswers() }

        let truth = try await settled(programs, nodes)
        for program in programs {
            #expect(program.failures == [])
            for view in program.views {
                #expect(view.failure == nil)
                #expect(view.valueCount > 10)
            }
            #expect(program.views[0].contents == truth)
        }
        #expect(!truth.isEmpty)
    }

    /// The value that all nodes and programs have at the end.
    private func settled(_ programs: [ListProgram], _ nodes: TestNode) async throws -> [String] {
        let readers = nodes.urls.map { Database(nodes: [$0]).reference(withPath: "list") }
        for _ in 0..<300 {
            var states: Set<[String]> = []
            for reader in readers {
                let children = try await reader.getData().children
                states.insert(children.map { "\($0.key)=\($0.data)" })
            }
            for program in programs { states.insert(program.views[0].contents) }
            if states.count == 1, let state = states.first { return state }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("nodes and programs do not agree")
        return []
    }
}

/// A program that writes a list at random and looks at it in two ways.
private final class ListProgram: Sendable {
    private static let pipeline = 100

    let views: [ListView]
    private let list: DatabaseReference
    private let state: Monitor<State>

    private struct State {
        var random: SplitMix
        var keys: [String] = []
        var unanswered = 0
        var failures: [String] = []
    }

    /// Source: Steele, Lea and Flood, *SplitMix*.
    private struct SplitMix {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
        }
    }

    init(at urls: [String], beginning first: Int, seed: Int) throws {
        let nodes = Array(urls[first...] + urls[..<first])
        list = Database(nodes: nodes).reference(withPath: "list")
        let ordered = try Query().ordered(byChild: "rank").limited(toLast: 8)
        views = [list, DatabaseQuery(list.database, list.path, ordered)].map(ListView.init)
        state = Monitor(State(random: SplitMix(state: UInt64(seed) &* 0x2545_F491_4F6C_DD1D)))
    }

    var failures: [String] { state.withLock { $0.failures } }

    /// One random write, once not too many are unanswered.
    func write() {
        state.wait { $0.unanswered < ListProgram.pipeline ? () : nil }
        let (key, rank, kind) = state.withLock { state in
            state.unanswered += 1
            let index = state.random.below(20)
            return (
                index < state.keys.count ? state.keys[index] : nil, state.random.below(50),
                state.random.below(5)
            )
        }
        guard let key else {
            let child = list.childByAutoId()
            state.withLock { $0.keys.append(child.key ?? "") }
            return child.setValue(["rank": rank], withCompletionBlock: answered)
        }
        switch kind {
        case 0: list.child(key).removeValue(completionBlock: answered)
        case 1: list.child(key).setValue(rank, andPriority: rank % 3, withCompletionBlock: answered)
        case 2: list.child(key).setPriority(rank % 4, withCompletionBlock: answered)
        default:
            let values = ["\(key)/rank": rank, "\(key)/text": "t\(rank % 7)"] as [AnyHashable: Any]
            list.updateChildValues(values, withCompletionBlock: answered)
        }
    }

    func waitForAnswers() { state.wait { $0.unanswered == 0 ? () : nil } }

    private func answered(_ error: HearthError?, _ reference: DatabaseReference) {
        state.withLock { state in
            state.unanswered -= 1
            if let error { state.failures.append("\(error)") }
        }
        state.signal()
    }
}
