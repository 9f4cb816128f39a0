package import DataTree
package import SyncProtocol

/// What must still be remembered about one location, besides its visible value, so that operations
/// may arrive in any order. Source: `convergence.md`, section 3.
///
/// The visible tree holds the values; registers hold stamps. A visible primitive without a `write`
/// of its own was written by the newest covering write above it, and has that stamp; where there is
/// none, it is stable: older than anything that can still arrive.
///
/// Increments and priorities are rare, so what they need does not lie inline.
package struct Registers: Sendable {
    /// The newest whole write rooted here: a constant, or the covering clear of a set or a remove.
    package var write = Stamp.none
    /// The newest write of a value strictly below: it ended a primitive here.
    package var descendantWrite = Stamp.none
    package var children = SortedMap<Registers>()
    package init() {}

    /// Nil where there is nothing more; shared by copies until one of them changes.
    private var more: More?

    /// What is remembered of increments, and of a priority's value.
    ///
    /// It is reached only through the `Registers` that own it, and access to those is exclusive already.
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

    /// The sum that shows here, term by term in stamp order, while an increment is not yet stable.
    /// At the reserved child `.priority`: its value, which shows only while its location has one.
    package var terms: [Term] {
        get { more?.terms ?? [] }
        set { if !(newValue.isEmpty && terms.isEmpty) { change { $0.terms = newValue } } }
        _modify {
            yield &owned.terms
            dropIfEmpty()
        }
    }

    /// Covering sets made here that carry increments.
    package var clears: [PartialClear] {
        get { more?.clears ?? [] }
        set { if !(newValue.isEmpty && clears.isEmpty) { change { $0.clears = newValue } } }
        _modify {
            yield &owned.clears
            dropIfEmpty()
        }
    }

    /// Whether nothing is remembered at this location itself.
    var isBare: Bool { write == .none && descendantWrite == .none && more == nil }

    package var isEmpty: Bool { children.isEmpty && isBare }

    /// Changes the registers of a child in place, and drops them if they end up empty.
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

    /// What may be changed: nobody else has it.
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

// What copies share is never changed: each change first makes sure that it holds the only reference.
extension Registers.More: @unchecked Sendable {}

/// One step of a sum: a constant that starts it, or an increment.
package struct Term: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        case start(Value)
        case add(Number)
    }

    package let stamp: Stamp
    package let step: Step
    /// What all steps up to this one come to.
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
    /// The steps one after the other, in stamp order from the start, so that every replica adds
    /// floating-point numbers in the same order.
    var sum: Value { last?.sum ?? .null }

    /// Inserts a step at its place in stamp order; one that is there already stays alone.
    ///
    /// - Complexity: O(steps that come after it).
    mutating func insert(_ term: Term) {
        let index = lastIndex { $0.stamp <= term.stamp }.map { $0 + 1 } ?? 0
        if index > 0, self[index - 1].stamp == term.stamp { return }
        insert(term, at: index)
        addUp(from: index)
    }

    /// Puts a step before all others.
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

/// A set that carries increments: it cleared everything at and below its location except the places
/// of those increments, whose sums go on from what was there before.
package struct PartialClear: Equatable, Sendable {
    package var stamp: Stamp
    /// The places of the increments, relative to the location of the clear.
    package var spared: [Path]

    /// The same clear seen from a child, which may be spared in part.
    func below(_ key: Key) -> PartialClear {
        PartialClear(
            stamp: stamp,
            spared: spared.compactMap { path in
                path.keys.first == key ? Path(Array(path.keys.dropFirst())) : nil
            })
    }
}
