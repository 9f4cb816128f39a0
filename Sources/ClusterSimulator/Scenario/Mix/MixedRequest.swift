import DataTree
import ReplicaCore
import SyncProtocol

/// A kind of request that a scenario adds to what its clients do, with places and values that are drawn.
struct MixedRequest: Sendable {
    enum Action: Sendable {
        case set(TextTemplate, TextTemplate)
        case push(TextTemplate, TextTemplate)
        case increment(TextTemplate, TextTemplate)
        case remove(TextTemplate)
        case get(TextTemplate)
        /// Moves an amount from one of the places to another.
        case transfer(TextTemplate, amount: TextTemplate, Transfer.Way)
    }

    /// How often it is drawn, beside the weights of all others.
    let weight: Int
    let action: Action
    /// The line of the scenario, behind `mix`.
    let text: String

    /// Whether the checks of pushes and increments leave its writes out: other requests may overwrite them.
    var isUncheckedPush: Bool { if case .push = action { true } else { false } }
    var isUncheckedIncrement: Bool { if case .increment = action { true } else { false } }

    /// Whether only the library that ships can do it.
    var needsLibrary: Bool {
        if case .transfer(_, _, .transaction) = action { true } else { false }
    }

    /// Draws the request; nil if what was drawn is no place or value, or a transfer finds no second place.
    func draw(key: (inout SplitMix64) -> Key, _ random: inout SplitMix64) -> Workload.Request? {
        switch action {
        case .set(let place, let value):
            guard let path = place.path(&random), let value = value.value(&random) else {
                return nil
            }
            return .write(value, at: path)
        case .push(let list, let value):
            guard let path = list.path(&random), let value = value.value(&random) else {
                return nil
            }
            return .write(value, at: path.appending(key(&random)))
        case .increment(let place, let delta):
            guard let path = place.path(&random), let delta = delta.value(&random)?.number else {
                return nil
            }
            return .write(.deferred(.increment(delta)), at: path)
        case .remove(let place): return place.path(&random).map { .write(.null, at: $0) }
        case .get(let place):
            return place.path(&random).map {
                Workload.Request(kind: .get($0), writes: [], path: $0)
            }
        case .transfer(let place, let amount, let way):
            return Transfer.draw(place, amount, &random)?.request(way)
        }
    }
}

extension TextTemplate {
    /// Draws a place.
    func path(_ random: inout SplitMix64) -> Path? {
        let path = try? Path(draw(&random))
        return path?.isRoot == true ? nil : path
    }

    /// Draws a value.
    func value(_ random: inout SplitMix64) -> Value? {
        try? ScenarioWord(text: draw(&random), line: 0, column: 0).value()
    }
}
