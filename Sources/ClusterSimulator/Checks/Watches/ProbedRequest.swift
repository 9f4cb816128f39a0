import DataTree
import ReplicaCore
import SyncProtocol

/// A request that a copy of a node's replica gets, at a place that a tree has, or beside one.
enum ProbedRequest {
    case write([Write])
    case read(Path, DenseFilter)

    /// - Parameter last: The location of the previous request.
    init(in tree: Value, near last: Path?, _ random: inout SplitMix64) {
        var path = ProbedRequest.drawPlace(in: tree, &random)
        if let last, random.index(below: 3) > 0 {
            path = random.index(below: 2) == 0 ? last : last.appending(Key(unchecked: "new"))
        }
        if random.index(below: 5) == 0 {
            if let parent = path.parent { path = parent }
            self = .read(path, DenseFilter(&random))
            return
        }
        var writes = [ProbedRequest.drawWrite(at: path, &random)]
        for _ in 0..<random.index(below: 3) {
            let other = ProbedRequest.drawWrite(
                at: ProbedRequest.drawPlace(in: tree, &random), &random)
            let overlaps = writes.contains {
                $0.path.owner.contains(other.path.owner) || other.path.owner.contains($0.path.owner)
            }
            if !overlaps { writes.append(other) }
        }
        self = .write(writes)
    }

    /// Its location, or that of its first write.
    var place: Path {
        switch self {
        case .read(let path, _): path
        case .write(let writes): writes[0].path.owner
        }
    }

    var message: ClientMessage {
        switch self {
        case .read(let path, let filter): .get(id: 1, path: path, query: filter.query)
        case .write(let writes) where writes.count == 1:
            .put(id: 1, path: writes[0].path, value: writes[0].value)
        case .write(let writes): .merge(id: 1, path: .root, writes: writes)
        }
    }

    /// The problem of an answer and of the tree after it; nil if both are right.
    ///
    /// - Parameter database: Holds the tree before, if anything, and then the tree that there should be now.
    func problem(
        with answer: NodeMessage, from old: Value, to new: Value, at moment: Moment,
        beside database: inout NaiveDatabase?
    ) -> String? {
        switch self {
        case .read(let path, let filter):
            guard case .value(1, let shown) = answer else { return "answers \(answer)" }
            let expected = filter.shown(of: old[path])
            return shown == expected ? nil : "answers \(shown), not \(expected)"
        case .write(let writes):
            var naive = database ?? NaiveDatabase(old)
            database = nil
            naive.apply(writes, at: moment.wallMilliseconds)
            database = naive
            let expected = naive.value
            return new == expected
                ? nil : "makes something else of its tree, at \(TreeDifference(new, expected))"
        }
    }

    // MARK: Draws

    /// A place with a value, or now and then a child that its parent does not have.
    private static func drawPlace(in tree: Value, _ random: inout SplitMix64) -> Path {
        var (path, value) = (Path.root, tree)
        while !value.children.isEmpty {
            if !path.isRoot, random.index(below: 6) == 0 { break }
            let keys = value.children.map(\.key)
            let key = keys[random.index(below: keys.count)]
            (path, value) = (path.appending(key), value[key])
        }
        if path.isRoot || random.index(below: 6) == 0 {
            path = path.appending(Key(unchecked: "new"))
        }
        return path
    }

    private static func drawWrite(at path: Path, _ random: inout SplitMix64) -> Write {
        switch random.index(below: 10) {
        case 0..<4: return Write(path: path, value: .null)
        case 4:
            return Write(path: path.appending(.priority), value: drawLeaf(&random).content)
        case 5: return Write(path: path.appending(.priority), value: .null)
        case 6: return Write(path: path, value: drawLeaf(&random))
        default:
            var object = Value.null
            for name in ["a", "b", "7"] where random.index(below: 2) == 0 {
                object.set(drawLeaf(&random), at: Path([Key(unchecked: name)]))
            }
            if object.isNull { object = drawLeaf(&random) }
            return Write(
                path: path,
                value: random.index(below: 2) == 0 ? object : object.prioritized(.integer(5)))
        }
    }

    private static func drawLeaf(_ random: inout SplitMix64) -> Value {
        switch random.index(below: 5) {
        case 0: .deferred(.timestamp)
        case 1: .string("probed")
        case 2: Value.integer(2).prioritized(.string("first"))
        default: .integer(Int64(random.number(below: 4)))
        }
    }
}

extension Path {
    /// The place of a write: that whose priority it writes, or the path itself.
    fileprivate var owner: Path { last == .priority ? parent ?? .root : self }
}
