import DataTree
import QueryEngine

@testable import SyncProtocol

/// Frames that no honest program sends, from one seed: real ones with a few bytes changed, real ones
/// with absurd content, and noise.
///
/// What they write, if anything, is below `/garbage`: a frame that would write elsewhere, as any
/// client may, is left out.
struct HostileFrames {
    var random: Seeded
    /// Whose names and sequences the frames of peers use.
    let writers: [WriterID]
    let members = ["n1", "n2", "n3", "nobody", ""]
    let clusters: [String]

    init(seed: UInt64, cluster: String, writers: [WriterID]) {
        random = Seeded(seed)
        clusters = [cluster, "another"]
        self.writers = writers
    }

    mutating func clientFrame() -> [UInt8] {
        while true {
            let frame =
                chance(10) ? noise() : chance(60) ? mutation(of: requests()) : requests()
            let received = try? FrameReader<ClientMessage>.messages(in: frame)
            if (received ?? []).allSatisfy(\.isHarmless) { return frame }
        }
    }

    /// What a peer may publish, or answer.
    mutating func peerFrame() -> [UInt8] {
        while true {
            let frame =
                chance(10) ? noise() : chance(50) ? mutation(ofPeer: peerMessage()) : peerMessage()
            let received = try? FrameReader<PeerMessage>.messages(in: frame)
            if (received ?? []).allSatisfy(\.isHarmless) { return frame }
        }
    }

    /// Mostly with a right checksum, so that it gets past the first look.
    mutating func mutation(ofPeer frame: [UInt8]) -> [UInt8] {
        if chance(10) { return mutation(of: frame) }
        var mutated = mutation(of: frame.dropLast(4))
        PeerMessage.seal(&mutated)
        return mutated
    }

    mutating func noise() -> [UInt8] {
        let start: [UInt8] = chance(50) ? [protocolVersion] : []
        return start
            + (0..<number(below: 300)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}

// MARK: - Clients

extension HostileFrames {
    private mutating func requests() -> [UInt8] {
        var frame = FrameWriter()
        for _ in 0...number(below: 4) { frame.append(request()) }
        return frame.bytes
    }

    private mutating func request() -> ClientMessage {
        let id = chance(80) ? UInt64(number(below: 1_000)) : UInt64.max
        let path = path()
        switch number(below: 21) {
        case 0: return .get(id: id, path: path, query: query())
        case 1: return .put(id: id, path: path, value: value(depth: 0), condition: condition())
        case 2: return .merge(id: id, path: path, writes: writes())
        case 3: return .push(id: id, path: path, value: value(depth: 0))
        case 4: return .listen(id: id, path: path, query: query(), held: held())
        case 5: return .unlisten(id: id, listen: UInt64(number(below: 1_000)))
        case 6: return .ping(id: id)
        case 7: return .onDisconnect(id: id, path: path, value: value(depth: 0))
        case 8: return .onDisconnectMerge(id: id, path: path, writes: writes())
        case 9: return .onDisconnectCancel(id: id, path: path)
        case 10: return .backup(id: id, name: ["", "../up", "a/b", "é"][number(below: 4)])
        case 11: return .evict(id: id, member: ["", "nobody", "é"][number(below: 3)])
        case 12: return .awaitStable(id: id, milliseconds: chance(50) ? .max : 0)
        case 13:
            return .setRules(
                id: id,
                source: ["", "{", "{\"rules\": {\".read\": \"é\"}}", "\u{0}"][number(below: 4)])
        case 14: return .rules(id: id)
        case 18: return .writes(id: id, beyond: VersionVector())
        case 19: return .why(id: id, path: path, beyond: VersionVector())
        case 15:
            return .explain(id: id, statement: ["", "read /", "write / {", "é"][number(below: 4)])
        case 16: return .coverage(id: id, chance(50) ? .begin : .read)
        case 17: return .rulesHistory(id: id)
        default: return .status(id: id)
        }
    }

    private mutating func writes() -> [Write] {
        (0..<number(below: 5)).map { _ in Write(path: path(), value: value(depth: 0)) }
    }

    private mutating func query() -> Query {
        var members = QueryMembers()
        members.index = ["a", "a/b", ".key", ".value", nil][number(below: 5)]
        if chance(50) { members.limit = number(below: 5) }
        if chance(30) { members.startValue = value(depth: 41) }
        if chance(30) { members.endValue = value(depth: 41) }
        if chance(10) { members.endKey = "k" }
        return (try? Query(members)) ?? Query()
    }

    mutating func hash() -> DataHash? {
        if chance(50) { return nil }
        return DataHash(of: chance(50) ? .null : .integer(Int64(number(below: 9))))
    }

    private mutating func held() -> HeldData? {
        guard let hash = hash() else { return nil }
        var posts: [Path] = []
        for _ in 0..<number(below: 4) { posts.append(Path([key(), key()])) }
        posts.sort()
        let hashes = [String](repeating: hash.text, count: posts.count + 1)
        return HeldData(hash: hash, ranges: try? CompoundHash(posts: posts, hashes: hashes))
    }

    mutating func path() -> Path {
        let depth = chance(95) ? number(below: 4) : number(below: 40)
        var keys = [Key(unchecked: "garbage")]
        for _ in 0..<depth { keys.append(key()) }
        if chance(10) { keys.append(.priority) }
        return Path(keys)
    }

    private mutating func key() -> Key {
        switch number(below: 10) {
        case 0: Key(unchecked: String(number(below: 20)))
        case 1: Key(unchecked: String(repeating: "k", count: 1 + number(below: 900)))
        case 2: Key(unchecked: "a.b")
        default: Key(unchecked: ["a", "b", "é", "c"][number(below: 4)])
        }
    }

    mutating func value(depth: Int) -> Value {
        switch number(below: depth > 40 ? 6 : 12) {
        case 0: return .null
        case 1: return .boolean(chance(50))
        case 2: return .integer(Int64.max)
        case 3: return .double(chance(50) ? .infinity : -0.0)
        case 4: return .string(String(repeating: "é", count: number(below: 50)))
        case 5: return .integer(Int64(number(below: 9)))
        case 6: return .deferred(.timestamp)
        case 7: return .deferred(.increment(.integer(.max)))
        case 8: return value(depth: depth + 1).prioritized(value(depth: 41))
        default:
            var children = Children()
            for _ in 0...number(below: chance(5) ? 60 : 3) {
                let child = value(depth: depth + 1)
                if !child.isNull { children[key()] = child }
            }
            return Value(children)
        }
    }
}

// MARK: - Mutations

extension HostileFrames {
    private static let formats: [UInt8] = [
        0x80, 0x90, 0xA0, 0xC0, 0xC1, 0xC6, 0xC9, 0xCB, 0xCF, 0xDB, 0xDD, 0xDF, 0xFF,
    ]

    mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if chance(10) { return Array(bytes.prefix(number(below: bytes.count + 1))) }
        for _ in 0...number(below: 4) where bytes.count > 1 {
            let place = chance(5) ? 0 : number(below: bytes.count)
            let format = Self.formats[number(below: Self.formats.count)]
            switch number(below: 5) {
            case 0: bytes[place] ^= 1 << UInt8(number(below: 8))
            case 1: bytes[place] = UInt8(number(below: 256))
            case 2: bytes[place] = format
            case 3: bytes.remove(at: place)
            default: bytes.insert(format, at: place)
            }
        }
        return bytes
    }
}

extension Received<ClientMessage> {
    fileprivate var isHarmless: Bool {
        guard case .message(let message) = self else { return true }
        switch message.request {
        case .put(let put): return put.path.isGarbage
        case .push(let push): return push.path.isGarbage
        case .onDisconnect(let put): return put.path.isGarbage
        case .merge(let merge):
            return merge.writes.allSatisfy { merge.path.appending($0.path).isGarbage }
        case .onDisconnectMerge(let merge):
            return merge.writes.allSatisfy { merge.path.appending($0.path).isGarbage }
        // Whom a client may have out, and copies that it may have made, are no harm to be proven here.
        case .evict(let evict): return !["n1", "n2", "n3"].contains(evict.member)
        case .backup(let backup): return !backup.name.utf8.allSatisfy { (48...122).contains($0) }
        default: return true
        }
    }
}

extension Received<PeerMessage> {
    fileprivate var isHarmless: Bool {
        guard case .message(let message) = self else { return true }
        let batches: [[UInt8]]
        switch message {
        case .batch(let bytes): batches = [bytes]
        case .batches(_, let several): batches = several
        default: batches = []
        }
        return batches.compactMap { try? BatchCoding.decode($0) }.allSatisfy { batch in
            batch.operations.allSatisfy { $0.writes.allSatisfy { $0.path.isGarbage } }
        }
    }
}

extension Path {
    fileprivate var isGarbage: Bool { keys.first == Key(unchecked: "garbage") }
}

/// A generator whose numbers come from its seed: SplitMix64, by Steele, Lea and Flood.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
