package import DataTree
package import SyncProtocol

/// The registers of one location, besides its visible value. With them, operations may arrive in any order. Source:
/// `convergence.md`, section 3.
///
/// The visible tree holds values, registers hold stamps. A visible primitive without a `write` of its
/// own was written by the newest covering write above it, and has its stamp; without any, it is stable:
/// older than any operation that can still arrive.
///
/// Increments and priorities are rare, so their registers are not stored inline.
package struct Registers: Sendable {
    /// The newest whole write rooted here: a constant, or the covering clear of a set or a remove.
    package var write = Stamp.none
    /// The newest write of a value strictly below: it ended a primitive here.
    package var descendantWrite = Stamp.none
    package var children = SortedMap<Registers>()
    package init() {}

    /// Nil if there are no increments and no priority; copies share it until one of them changes.
    private var more: More?

    /// The registers of increments, and of a priority's value.
    ///
    /// Only the `Registers` that own it reach it, and access to those is exclusive already.
    fileprivate final class More {
        @exclusivity(unchecked) var increment = Stamp.none
        @exclusivity(unchecked) var terms: [Term] = []
        @exclusivity(unchecked) var clears: [PartialClear] = []
    }

    /// The newest increment ever made here: it cleared everything strictly below.
    package var increment: Stamp {
        get { more?.increment ?? .none }
        set { if newValue != increment { change { $0.increment = newValue } } }
    }

    /// The sum that shows here, term by term in stamp order, while an increment is not yet stable. At
    /// the reserved child `.priority`: its value, which shows only while its location has a value.
    package var terms: [Term] {
        get { more?.terms ?? [] }
        set { if !(newValue.isEmpty && terms.isEmpty) { change { $0.terms = newValue } } }
        _modify {
            yield &owned.terms
            dropIfEmpty()
        }
    }

    /// Covering sets made here that contain increments.
    package var clears: [PartialClear] {
        get { more?.clears ?? [] }
        set { if !(newValue.isEmpty && clears.isEmpty) { change { $0.clears = newValue } } }
        _modify {
            yield &owned.clears
            dropIfEmpty()
        }
    }

    /// Whether this location itself has no registers.
    var isBare: Bool { write == .none && descendantWrite == .none && more == nil }

    package var isEmpty: Bool { children.isEmpty && isBare }

    /// Changes the registers of a child in place, and removes them if they end up empty.
    package mutating func withChild<R>(_ key: Key, _ body: (inout Registers) -> R) -> R {
        children.mutate(key) { slot in
            var child = slot.take() ?? Registers()
            let result = body(&child)
            slot = child.isEmpty ? nil : child
            return result
        }
    }

    private mutating func change(_ body: (More) -> Void) {
        body(owned)
        dropIfEmpty()
    }

    /// The registers of increments, copied first if they are shared.
    private var owned: More {
        mutating get {
            if more == nil {
                more = More()
            } else if !isKnownUniquelyReferenced(&more) {
                more = More(more!)
            }
            return more!
        }
    }

    private mutating func dropIfEmpty() {
        if more?.isEmpty == true { more = nil }
    }
}

extension Registers.More {
    fileprivate convenience init(_ other: Registers.More) {
        self.init()
        increment = other.increment
        terms = other.terms
        clears = other.clears
    }

    fileprivate var isEmpty: Bool { increment == .none && terms.isEmpty && clears.isEmpty }
}

// Shared instances are never changed: each change first makes sure that it holds the only reference.
extension Registers.More: @unchecked Sendable {}

/// One step of a sum: a constant that starts it, or an increment.
package struct Term: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        case start(Value)
        case add(Number)
    }

    package let stamp: Stamp
    package let step: Step
    /// The sum of all steps up to this one.
    package fileprivate(set) var sum: Value

    /// The first step of a sum.
    init(stamp: Stamp, step: Step) {
        self.stamp = stamp
        self.step = step
        sum = step.applied(to: .null)
    }
}

extension Term.Step {
    /// The sum after this step.
    fileprivate func applied(to sum: Value) -> Value {
        switch self {
        case .start(let value): value
        case .add(let delta): (sum.number.map { $0 + delta } ?? delta).value
        }
    }
}

extension [Term] {
    /// The result of the steps in stamp order, so that every replica adds floating-point numbers in the
    /// same order.
    var sum: Value { last?.sum ?? .null }

    /// Inserts a step in stamp order, unless it is there already.
    ///
    /// - Complexity: O(steps after it).
    mutating func insert(_ term: Term) {
        let index = lastIndex { $0.stamp <= term.stamp }.map { $0 + 1 } ?? 0
        if index > 0, self[index - 1].stamp == term.stamp { return }
        insert(term, at: index)
        addUp(from: index)
    }

    /// Inserts a step before all others.
    mutating func begin(with term: Term) {
        insert(term, at: 0)
        addUp(from: 0)
    }

    /// Appends a step, whatever its stamp.
    mutating func appendStep(_ term: Term) {
        append(term)
        addUp(from: count - 1)
    }

    mutating func removeOlder(than stamp: Stamp) {
        let older = prefix { $0.stamp < stamp }.count
        guard older > 0 else { return }
        removeFirst(older)
        addUp(from: 0)
    }

    private mutating func addUp(from start: Int) {
        var sum = start == 0 ? Value.null : self[start - 1].sum
        for index in start..<count {
            sum = self[index].step.applied(to: sum)
            self[index].sum = sum
        }
    }
}

/// A set that contains increments: it cleared everything at and below its location except the locations
/// of those increments, whose sums continue from the values before.
package struct PartialClear: Equatable, Sendable {
    package var stamp: Stamp
    /// The locations of the increments, relative to that of the clear.
    package var spared: [Path]

    /// The same clear relative to a child, which may be spared in part.
    func below(_ key: Key) -> PartialClear {
        PartialClear(
            stamp: stamp,
            spared: spared.compactMap { path in
                path.keys.first == key ? Path(Array(path.keys.dropFirst())) : nil
            })
    }
}
