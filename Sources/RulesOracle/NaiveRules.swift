public import DataTree
import JSONText
public import QueryEngine
public import Rules
public import SyncProtocol

/// A document of rules by the definition: judged level by level, on whole trees.
///
/// Source: `rules.md`.
public struct NaiveRules: Sendable {
    /// The rules of one place, and of those below it.
    struct Level: Sendable {
        /// By their kinds, `.read` and so on.
        var rules: [String: NaiveRule] = [:]
        /// Below literal keys.
        var below: [String: Level] = [:]
        /// Below all other keys: the name of the wildcard, and its level; one at most.
        var wildcard: [(name: String, level: Level)] = []
    }

    let root: Level

    /// Reads a document in plain JSON; nil if it has something that is not known here.
    public init?(_ document: [UInt8]) {
        let level = try? JSONReader().read(document) { node in
            node["rules"].flatMap { NaiveRules.level($0) }
        }
        guard let level = level.flatMap(\.self) else { return nil }
        root = level
    }

    init(root: Level) { self.root = root }

    private static func level(_ node: JSONNode) -> Level? {
        guard let members = node.members else { return nil }
        var level = Level()
        for (name, value) in members {
            switch name {
            case ".read", ".write", ".validate":
                let text = value.string ?? value.boolean.map { "\($0)" } ?? ""
                guard let rule = NaiveRule(text) else { return nil }
                level.rules[name] = rule
            case ".indexOn": break
            default:
                guard let next = NaiveRules.level(value) else { return nil }
                if name.hasPrefix("$") {
                    level.wildcard.append((name, next))
                } else {
                    level.below[name] = next
                }
            }
        }
        return level
    }
}

// MARK: - Verdicts

extension NaiveRules {
    /// Whether a user may read what a query shows.
    public func mayRead(
        _ path: Path, _ query: Query, by user: Claim, at milliseconds: UInt64, in tree: Value
    ) -> Bool {
        let scene = NaiveScene(
            auth: user, now: Double(milliseconds), before: tree, after: tree, query: query)
        return levels(to: path, scene).contains { level, scene in
            level.rules[".read"]?.holds(in: scene) ?? false
        }
    }

    /// Whether a user may do some writes together.
    public func mayWrite(
        _ writes: [Write], by user: Claim, at milliseconds: UInt64, in tree: Value
    ) -> Bool {
        var after = tree
        for write in writes {
            after.set(
                write.value.resolved(at: milliseconds, against: tree[write.path]), at: write.path)
        }
        return mayWrite(
            writes.map(\.path),
            in: NaiveScene(auth: user, now: Double(milliseconds), before: tree, after: after))
    }

    /// Whether a write of some places may be done that makes one tree of another.
    public func mayWrite(_ paths: [Path], in scene: NaiveScene) -> Bool {
        paths.allSatisfy { isGranted($0, scene) && isValid($0, scene) }
    }

    private func isGranted(_ path: Path, _ scene: NaiveScene) -> Bool {
        levels(to: path, scene).contains { level, scene in
            level.rules[".write"]?.holds(in: scene) ?? false
        }
    }

    /// Whether what is on the way to a written place, and what is written there, is valid.
    private func isValid(_ path: Path, _ scene: NaiveScene) -> Bool {
        let way = levels(to: path, scene)
        guard
            way.dropLast().allSatisfy({ level, scene in
                NaiveRules.holds(level, scene, scene.after[scene.path])
            })
        else { return false }
        guard way.count == path.count + 1, let (level, scene) = way.last else {
            return way.last.map { NaiveRules.holds($0.0, $0.1, scene.after[$0.1.path]) } ?? true
        }
        return NaiveRules.isValid(level, scene, scene.after[path])
    }

    private static func isValid(_ level: Level, _ scene: NaiveScene, _ value: Value) -> Bool {
        guard holds(level, scene, value) else { return false }
        return value.children.allSatisfy { key, child in
            guard let (next, scene) = level.next(key, scene) else { return true }
            return isValid(next, scene, child)
        }
    }

    private static func holds(_ level: Level, _ scene: NaiveScene, _ value: Value) -> Bool {
        value.isNull || level.rules[".validate"]?.holds(in: scene) ?? true
    }

    /// The levels of rules from the root to a path. They end where there are no more rules.
    private func levels(to path: Path, _ scene: NaiveScene) -> [(Level, NaiveScene)] {
        var levels = [(root, scene)]
        for key in path.keys {
            let (level, scene) = levels[levels.count - 1]
            guard let next = level.next(key, scene) else { break }
            levels.append(next)
        }
        return levels
    }
}

extension NaiveRules.Level {
    /// The level below a key: that of the key itself, or of the wildcard.
    func next(_ key: Key, _ scene: NaiveScene) -> (NaiveRules.Level, NaiveScene)? {
        var scene = scene
        scene.place.append(key.text)
        if let level = below[key.text] { return (level, scene) }
        guard let (name, level) = wildcard.first else { return nil }
        scene.bindings.append((name, key.text))
        return (level, scene)
    }
}

extension NaiveScene {
    /// The location of the rule.
    fileprivate var path: Path { Path(place.map { Key(unchecked: $0) }) }
}
