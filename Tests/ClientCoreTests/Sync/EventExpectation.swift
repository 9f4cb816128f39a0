import DataTree
import QueryEngine

/// The events that a step of the specification expects, and when others match them.
struct EventExpectation {
    typealias Observation = SpecificationRun.Observation

    private struct Expected {
        let path: Path
        let type: String
        let key: String?
        let previousKey: String?
        let hash: DataHash
    }

    private let expected: [Expected]

    init(_ events: [SpecificationCase.Event], below prefix: Path) {
        expected = events.map { event in
            let hasKey = event.type != "value"
            return Expected(
                path: prefix.appending(ClientCoreTests.path(event.path)), type: event.type,
                key: hasKey ? event.name : nil,
                previousKey: hasKey && event.type != "child_removed" ? event.prevName : nil,
                hash: DataHash(of: event.data?.value ?? .null))
        }
    }

    /// The events of a new listener: these, in this order.
    func checkSequence(_ actual: [Observation]) throws {
        try checkCount(actual)
        for (expected, actual) in zip(expected, actual) where !matches(expected, actual) {
            throw failure("expected \(expected), got", [actual])
        }
    }

    /// All other events: those that follow each other at one path may come in any order that keeps
    /// the kinds of each listen in theirs.
    func checkGroups(_ actual: [Observation]) throws {
        try checkCount(actual)
        var start = 0
        while start < expected.count {
            let path = expected[start].path
            let end = expected[start...].firstIndex { $0.path != path } ?? expected.count
            try checkGroup(expected[start..<end], Array(actual[start..<end]))
            start = end
        }
        try checkKinds(actual)
    }

    private func checkGroup(_ expected: ArraySlice<Expected>, _ actual: [Observation]) throws {
        var rest = actual
        for event in expected {
            guard let place = rest.firstIndex(where: { matches(event, $0) }) else {
                throw failure("nothing matches \(event) among", actual)
            }
            rest.remove(at: place)
        }
    }

    private func checkKinds(_ actual: [Observation]) throws {
        for (place, event) in actual.enumerated() {
            let earlier = actual[..<place].last {
                $0.path == event.path && $0.query == event.query
            }
            if let earlier, earlier.event.kind.rawValue > event.event.kind.rawValue {
                throw failure("wrong order", actual)
            }
        }
    }

    private func checkCount(_ actual: [Observation]) throws {
        if actual.count == expected.count { return }
        throw failure("expected \(expected.count) events, got", actual)
    }

    private func matches(_ expected: Expected, _ actual: Observation) -> Bool {
        let event = actual.event
        return expected.path == actual.path && expected.type == event.kind.name
            && expected.key == event.key?.text
            && expected.previousKey == event.previousChildKey?.text
            && expected.hash == DataHash(of: event.data)
    }

    private func failure(_ text: String, _ actual: [Observation]) -> SpecificationRun.Failure {
        let lines = actual.map { "\n    \($0)" }.joined()
        return SpecificationRun.Failure(description: text + " \(actual.count):" + lines)
    }
}

extension ViewEvent.Kind {
    fileprivate var name: String {
        switch self {
        case .childRemoved: "child_removed"
        case .childAdded: "child_added"
        case .childMoved: "child_moved"
        case .childChanged: "child_changed"
        case .value: "value"
        }
    }
}
