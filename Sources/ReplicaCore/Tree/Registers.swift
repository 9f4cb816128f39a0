import DataTree
import SyncProtocol

/// What must still be remembered about one location, besides its visible value, so that operations
/// may arrive in any order. Source: `convergence.md`, section 3.
///
/// The visible tree holds the values; registers hold stamps. A visible primitive without a `write`
/// of its own was written by the newest covering write above it, and has that stamp; where there is
/// none, it is stable: older than anything that can still arrive.
struct Registers: Sendable {
    /// The newest whole write rooted here: a constant, or the covering clear of a set or a remove.
    var write = Stamp.none
    /// The newest increment ever made here: it cleared everything strictly below.
    var increment = Stamp.none
    /// The newest write of a value strictly below: it ended a primitive here.
    var kill = Stamp.none
    /// The sum that shows here, term by term in stamp order, while an increment is not yet stable.
    /// At the reserved child `.priority`: its value, which shows only while its location has one.
    var terms: [Term] = []
    /// Covering sets made here that carry increments.
    var clears: [PartialClear] = []
    var children = SortedMap<Registers>()

    /// Whether nothing is remembered at this location itself.
    var isBare: Bool {
        write == .none && increment == .none && kill == .none && terms.isEmpty && clears.isEmpty
    }

    var isEmpty: Bool { children.isEmpty && isBare }

    /// Changes the registers of a child in place, and drops them if they end up empty.
    mutating func withChild<R>(_ key: Key, _ body: (inout Registers) -> R) -> R {
        children.mutate(key) { slot in
            var child = slot.take() ?? Registers()
            let result = body(&child)
            slot = child.isEmpty ? nil : child
            return result
        }
    }
}

/// One step of a sum: a constant that starts it, or an increment.
struct Term: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case start(Value)
        case add(Number)
    }

    var stamp: Stamp
    var step: Step
}

extension [Term] {
    /// The steps one after the other, in stamp order from the start, so that every replica adds
    /// floating-point numbers in the same order.
    var sum: Value {
        var result = Value.null
        for term in self {
            switch term.step {
            case .start(let value): result = value
            case .add(let delta): result = ((result.number.map { $0 + delta }) ?? delta).value
            }
        }
        return result
    }

    /// Inserts an increment at its place in stamp order; one that is there already stays alone.
    mutating func insert(_ term: Term) {
        let index = lastIndex { $0.stamp <= term.stamp }.map { $0 + 1 } ?? 0
        if index > 0, self[index - 1].stamp == term.stamp { return }
        insert(term, at: index)
    }

    mutating func removeOlder(than stamp: Stamp) {
        if !isEmpty { removeAll { $0.stamp < stamp } }
    }
}

/// A set that carries increments: it cleared everything at and below its location except the places
/// of those increments, whose sums go on from what was there before.
struct PartialClear: Equatable, Sendable {
    var stamp: Stamp
    /// The places of the increments, relative to the location of the clear.
    var spared: [Path]

    /// The same clear seen from a child, which may be spared in part.
    func below(_ key: Key) -> PartialClear {
        PartialClear(
            stamp: stamp,
            spared: spared.compactMap { path in
                path.keys.first == key ? Path(Array(path.keys.dropFirst())) : nil
            })
    }
}
