/// The data hashes by which clients may know a value.
public struct ValueHashes: Equatable, Sendable {
    /// The data hash.
    public let exact: DataHash
    /// What Firebase's clients compute instead if the value has numbers that they round or spell in another way.
    private let others: [DataHash]

    init(exact: DataHash, others: [DataHash]) { (self.exact, self.others) = (exact, others) }

    /// The hashes of a value.
    ///
    /// - Complexity: O(size).
    public init(of value: Value) {
        var hashing = ValueHashing(of: value)
        while hashing.hashes == nil { _ = hashing.advance(spending: .max) }
        self = hashing.hashes!
    }

    /// Whether a hash is that of the value, as `DataHash.matches` says.
    public func match(_ hash: DataHash) -> Bool { hash == exact || others.contains(hash) }
}

/// The computation of a value's data hashes, which can stop and go on.
///
///     var hashing = ValueHashing(of: value)
///     while hashing.hashes == nil { _ = hashing.advance(spending: 1_000) }
public struct ValueHashing: Sendable {
    /// The value whose hashes they are.
    public let value: Value
    /// Nil until the computation is complete.
    public private(set) var hashes: ValueHashes?
    private var walk: HashWalk
    private var done: [DataHash] = []

    /// Begins with a value.
    public init(of value: Value) {
        self.value = value
        walk = HashWalk(value, .exact)
    }

    /// Goes on until about so many units are spent, or until the hashes are there; returns how many are spent.
    public mutating func advance(spending units: Int) -> Int {
        var spent = 0
        while spent < units, hashes == nil {
            spent += walk.advance(spending: units - spent)
            if let text = walk.result { finish(DataHash(text: text)) }
        }
        return spent
    }

    private mutating func finish(_ hash: DataHash) {
        done.append(hash)
        switch done.count {
        case 1 where walk.dependsOnForm: walk = HashWalk(value, .javaScript)
        case 2: walk = HashWalk(value, .rounded)
        default: hashes = ValueHashes(exact: done[0], others: Array(done.dropFirst()))
        }
    }
}

/// The hash of a value, with the numbers spelled in one form, in steps: a level for each object that is being hashed.
private struct HashWalk: Sendable {
    /// A value that is being hashed. Its parts are changed in place.
    fileprivate struct Level: Sendable {
        var phase: Phase
        var digest: SHA1
        /// The long string.
        var text: TextRest?
        /// All children, and those that are still to be visited.
        var all = Children()
        var children: Children.Iterator?
        var runs = PriorityRuns()
    }

    fileprivate enum Phase {
        /// A long string is hashed.
        case text
        /// The children are searched for one with a priority.
        case searching
        /// They are hashed in the order of keys.
        case inKeyOrder
        /// They are sorted by their priorities.
        case sorting
        /// They are hashed in the order of priorities.
        case inPriorityOrder
    }

    private var hasher: ValueHasher
    private var levels: [Level] = []
    /// Nil until the hash is complete.
    private(set) var result: String?
    var dependsOnForm: Bool { hasher.dependsOnForm }

    init(_ value: Value, _ form: NumberForm) {
        hasher = ValueHasher(form)
        if let level = level(for: value) {
            levels = [level]
        } else {
            result = hasher.hash(of: value)
        }
    }

    mutating func advance(spending units: Int) -> Int {
        var spent = 0
        while spent < units, result == nil { spent += advanceLast(spending: units - spent) }
        return spent
    }

    /// Goes on with the last level.
    private mutating func advanceLast(spending units: Int) -> Int {
        let last = levels.count - 1
        switch levels[last].phase {
        case .text:
            let spent = levels[last].appendText()
            if levels[last].text!.isEmpty { finishLast() }
            return spent
        case .searching: return levels[last].search(spending: units)
        case .sorting: return levels[last].sort(spending: units)
        case .inKeyOrder: return hashChildren(spending: units) { $0.children!.next() }
        case .inPriorityOrder: return hashChildren(spending: units) { $0.runs.removeFirst() }
        }
    }

    /// Hashes children of the last level, until one of them needs a level.
    private mutating func hashChildren(
        spending units: Int, _ next: (inout Level) -> Children.Entry?
    ) -> Int {
        let last = levels.count - 1
        var spent = 0
        while spent < units {
            spent += 1
            guard let (key, child) = next(&levels[last]) else {
                finishLast()
                break
            }
            levels[last].digest.append(key)
            if let level = level(for: child) {
                levels.append(level)
                break
            }
            spent += child.hashUnits
            levels[last].digest.update(hasher.hash(of: child))
        }
        return spent
    }

    /// The level that hashes a value; nil if the value is hashed at once.
    private mutating func level(for value: Value) -> Level? {
        var digest = SHA1()
        switch value.content {
        case .string(let text) where TextRest.isLong(text):
            hasher.begin(&digest, value.priority)
            digest.update("string:")
            return Level(phase: .text, digest: digest, text: TextRest(text))
        case .object(let children) where !children.isPacked:
            hasher.begin(&digest, value.priority)
            return Level(
                phase: .searching, digest: digest, all: children,
                children: children.makeIterator())
        default: return nil
        }
    }

    /// Appends the hash of the last level to the one above it.
    private mutating func finishLast() {
        let hash = levels.removeLast().digest.base64()
        if levels.isEmpty {
            result = hash
        } else {
            levels[levels.count - 1].digest.update(hash)
        }
    }
}

extension HashWalk.Level {
    fileprivate mutating func appendText() -> Int {
        var digest = digest
        defer { self.digest = digest }
        return text!.removeFirst { digest.update($0) }
    }

    /// Looks for a child with a priority.
    fileprivate mutating func search(spending units: Int) -> Int {
        // A visit costs a small part of a hash.
        let limit = min(units, 1 << 20) * 8
        var visited = 0
        while visited < limit {
            guard let entry = children!.next() else {
                (phase, children) = (.inKeyOrder, all.makeIterator())
                break
            }
            visited += 1
            if !entry.value.priority.isNull {
                (phase, children) = (.sorting, all.makeIterator())
                break
            }
        }
        return 1 + visited / 8
    }

    fileprivate mutating func sort(spending units: Int) -> Int {
        let spent = runs.add(&children!, spending: units)
        if runs.isComplete { phase = .inPriorityOrder }
        return spent
    }
}

extension SHA1 {
    /// Appends the key of a child.
    fileprivate mutating func append(_ key: Key) {
        update(UInt8(ascii: ":"))
        key.withUTF8 { update($0) }
        update(UInt8(ascii: ":"))
    }
}

extension ValueHasher {
    /// Begins the text of a value with its priority.
    fileprivate mutating func begin(_ digest: inout SHA1, _ priority: Value) {
        if priority.isNull { return }
        digest.update("priority:")
        update(&digest, primitive: priority)
        digest.update(UInt8(ascii: ":"))
    }
}

extension Value {
    /// The units of hashing a primitive or packed children.
    fileprivate var hashUnits: Int {
        switch content {
        case .string(let text): text.utf8.count / HashUnits.bytes
        case .object(let children): children.count
        default: 0
        }
    }
}

/// Children in the order of their priorities, sorted in short runs that are merged as they are removed.
private struct PriorityRuns: Sendable {
    /// One sort is one step.
    private static let length = 512

    /// Each run descends, so that its first child is its last element.
    private var runs: [[Children.Entry]] = []
    /// The runs that are not empty, as a heap by their first children.
    private var heap: [Int] = []
    private(set) var isComplete = false

    /// Adds the next children; returns the units.
    mutating func add(_ children: inout Children.Iterator, spending units: Int) -> Int {
        var spent = 0
        while spent < units, !isComplete {
            var run: [Children.Entry] = []
            while run.count < Self.length, let entry = children.next() { run.append(entry) }
            spent += max(1, run.count / 2)
            if run.count < Self.length { isComplete = true }
            if run.isEmpty { break }
            run.sort { Self.isBefore($1, $0) }
            runs.append(run)
            heap.append(runs.count - 1)
            siftUp(heap.count - 1)
        }
        return spent
    }

    /// Removes the first child; nil at the end.
    mutating func removeFirst() -> Children.Entry? {
        guard let first = heap.first else { return nil }
        let entry = runs[first].removeLast()
        if runs[first].isEmpty {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
        }
        siftDown()
        return entry
    }

    private static func isBefore(_ a: Children.Entry, _ b: Children.Entry) -> Bool {
        a.value.priority.order(to: b.value.priority).or(Order(a.key, b.key)) == .before
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        Self.isBefore(runs[heap[a]].last!, runs[heap[b]].last!)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0, isBefore(index, (index - 1) / 2) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && isBefore(child, least) { least = child }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
