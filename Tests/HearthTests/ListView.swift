import Hearth
import Threads

/// A list as a program keeps it by child events: each child behind the one that its event names.
///
/// Whenever a value event comes, the list must be that of the event.
final class ListView: Sendable {
    fileprivate struct Child: Equatable, Sendable {
        let key: String
        var data: Value
    }

    fileprivate struct State: Sendable {
        var children: [Child] = []
        /// Children to be put in place, each behind a certain one.
        var coming: [(child: Child, previous: String?)] = []
        var valueCount = 0
        var failure: String?
    }

    private let state = Monitor(State())

    init(of query: DatabaseQuery) {
        // The order in which a program registers its observers is nothing to go by.
        for kind in [DataEventType.value, .childRemoved, .childChanged, .childMoved, .childAdded] {
            query.observe(
                kind,
                andPreviousSiblingKeyWith: { [self] snapshot, previous in
                    state.withLock { $0.take(kind, snapshot, behind: previous) }
                    state.signal()
                })
        }
    }

    /// Waits until the list is known; from then on each change ends with a value event.
    func waitForFirstValue() { state.wait { $0.valueCount > 0 ? () : nil } }

    /// The first mistake.
    var failure: String? { state.withLock { $0.failure } }
    /// How often the list was compared.
    var valueCount: Int { state.withLock { $0.valueCount } }
    var contents: [String] {
        state.withLock { $0.children.map { "\($0.key)=\($0.data)" } }
    }
}

extension ListView.State {
    fileprivate mutating func take(
        _ kind: DataEventType, _ snapshot: DataSnapshot, behind previous: String?
    ) {
        let child = ListView.Child(key: snapshot.key, data: snapshot.data)
        switch kind {
        case .childRemoved: remove(child.key)
        case .childAdded: coming.append((child, previous))
        case .childMoved:
            remove(child.key)
            coming.append((child, previous))
        case .childChanged: change(child)
        case .value:
            insertComing()
            compare(snapshot)
        }
    }

    private mutating func remove(_ key: String) {
        guard let place = children.firstIndex(where: { $0.key == key }) else {
            return fail("there is no \(key) to remove")
        }
        children.remove(at: place)
    }

    private mutating func change(_ child: ListView.Child) {
        if let place = children.firstIndex(where: { $0.key == child.key }) {
            children[place] = child
        } else if let place = coming.firstIndex(where: { $0.child.key == child.key }) {
            coming[place].child = child
        } else {
            fail("there is no \(child.key) to change")
        }
    }

    private mutating func compare(_ snapshot: DataSnapshot) {
        valueCount += 1
        let expected = snapshot.children.map { ListView.Child(key: $0.key, data: $0.data) }
        if children != expected {
            fail("\(children.map(\.key)) is not \(expected.map(\.key)), or their data differ")
        }
    }

    /// Children that arrive together may follow each other.
    private mutating func insertComing() {
        while let next = coming.firstIndex(where: { isPlaced($0.previous) }) {
            let (child, previous) = coming.remove(at: next)
            if isPlaced(child.key) { fail("\(child.key) is there already") }
            let before = previous.flatMap { key in children.firstIndex { $0.key == key } } ?? -1
            children.insert(child, at: before + 1)
        }
        if let (child, previous) = coming.first {
            fail("\(child.key) comes behind \(previous ?? "nothing"), which is not there")
        }
    }

    private func isPlaced(_ key: String?) -> Bool {
        key.map { key in children.contains { $0.key == key } } ?? true
    }

    private mutating func fail(_ failure: String) { self.failure = self.failure ?? failure }
}
