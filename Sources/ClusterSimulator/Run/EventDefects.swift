import DataTree
import QueryEngine
import ReplicaCore

// Mistakes in what an application is told, for the checks of events to find.

extension PlantedDefect {
    /// The events of one change, with the mistake at times, perhaps as two changes.
    func distort(_ events: [ViewEvent], _ random: inout SplitMix64) -> [[ViewEvent]] {
        guard events.count > 1, random.index(below: 4) == 0 else { return [events] }
        switch self {
        case .losesChildren: return [Array(events.dropFirst())]
        case .doublesChildren: return [[events[0]] + events]
        case .misplacesChildren:
            return [events.map { $0.kind == .childAdded ? $0.misplaced : $0 }]
        case .forgetsOldValues:
            return [events.map { $0.kind == .childRemoved ? $0.emptied : $0 }]
        case .valueComesFirst: return [[events[events.count - 1]] + events.dropLast()]
        case .splitsChanges: return [Array(events.dropLast()), Array(events.suffix(1))]
        default: return [events]
        }
    }
}

extension ViewEvent {
    fileprivate var misplaced: ViewEvent {
        ViewEvent(kind, key, after: previousChildKey == nil ? Key(unchecked: "k1") : nil, data)
    }

    fileprivate var emptied: ViewEvent { ViewEvent(kind, key, .null) }
}
