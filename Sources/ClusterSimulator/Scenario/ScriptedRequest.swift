import DataTree

/// A request of one client in a scenario.
enum ScriptedRequest: Equatable, Sendable {
    case set(Path, Value)
    case push(Path, Value)
    case remove(Path)
    case increment(Path, Int64)
}
