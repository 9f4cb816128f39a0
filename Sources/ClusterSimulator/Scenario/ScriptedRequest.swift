import DataTree

/// What a scenario tells one client to do.
enum ScriptedRequest: Equatable, Sendable {
    case set(Path, Value)
    case push(Path, Value)
    case remove(Path)
    case increment(Path, Int64)
}
