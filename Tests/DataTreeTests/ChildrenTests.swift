import Testing

@testable import DataTree

/// Compares packed children with the same children as a map.
@Suite struct ChildrenTests {
    /// Packs what can be packed.
    static func packed(_ map: Children) throws -> Children {
        var builder = ObjectBuilder()
        for (key, child) in map { builder.add(key, child) }
        return try builder.finish().children
    }

    static func primitive(_ random: inout SeededRandom) -> Value {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .boolean(.random(using: &random))
        case 1:
            .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 2:
            [.double(0.5), .double(-0.0), .double(1e300), .double(3)].randomElement(using: &random)!
        case 3: .string(String(repeating: "é", count: Int.random(in: 0..<20, using: &random)))
        default: .string(String(repeating: "x", count: Int.random(in: 0..<300, using: &random)))
        }
    }

    static func key(_ random: inout SeededRandom) -> Key {
        let number = Int.random(in: 0..<40, using: &random)
        return switch number % 4 {
        case 0: Key(index: number)
        case 1: Key(unchecked: "🐵\(number)")
        case 2: Key(unchecked: String(repeating: "k", count: 29) + "\(number % 4)\(number % 3)")
        default: Key(unchecked: "name\(number)")
        }
    }

    /// A few primitives.
    static func children(_ random: inout SeededRandom) -> Children {
        var children = Children()
        for _ in 0..<Int.random(in: 1...15, using: &random) {
            children[key(&random)] = primitive(&random)
        }
        return children
    }

    static func same(_ a: Children, _ b: Children) -> Bool {
        a.count == b.count && a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
    }

    @Test func `packed children are outlined, and looked for, as the same in a map`() throws {
        var random = SeededRandom(seed: 5)
        var packedCount = 0
        for _ in 0..<500 {
            let map = Self.children(&random)
            let packed = try Self.packed(map)
            if packed.isPacked { packedCount += 1 }
            var keys = map.map(\.key)
            for (key, child) in map { #expect(packed.outline(of: key) == child.outline) }
            #expect(packed.containsAll(keys))
            keys.removeFirst()
            #expect(packed.containsAll(keys))
            let other = Self.key(&random)
            keys = Array(Set(keys + [other])).sorted()
            #expect(packed.containsAll(keys) == map.containsAll(keys))
            #expect(packed.outline(of: other) == map[other]?.outline ?? .null)
        }
        #expect(packedCount > 400)
    }

    @Test(arguments: ["", "abc", "é", "\u{800}", "🐵", "aé🐵\u{FFFF}b", "e\u{301}"])
    func `a packed text has the units of UTF-16 that it has`(text: String) throws {
        var map = Children()
        map[Key(unchecked: "a")] = .string(text)
        let outline = ValueOutline.string(
            utf8Count: text.utf8.count, utf16Count: text.utf16.count)
        #expect(try Self.packed(map).outline(of: Key(unchecked: "a")) == outline)
        #expect(Value.string(text).prioritized(.integer(1)).outline == outline)
    }

    @Test func `packed children read as the map that they were`() throws {
        var random = SeededRandom(seed: 1)
        var packedCount = 0
        for _ in 0..<2_000 {
            let map = Self.children(&random)
            let packed = try Self.packed(map)
            if packed.isPacked { packedCount += 1 }
            #expect(!map.isPacked && !packed.isEmpty)
            #expect(Self.same(packed, map) && packed == map && map == packed)
            #expect(packed.first?.key == map.first?.key && packed.first?.value == map.first?.value)
            #expect(packed.last?.key == map.last?.key && packed.last?.value == map.last?.value)
            for _ in 0..<10 {
                let key = Self.key(&random)
                #expect(packed[key] == map[key])
                #expect(packed.rank(of: key) == map.rank(of: key))
                #expect(packed.entry(before: key)?.key == map.entry(before: key)?.key)
                #expect(packed.entries(from: key).map(\.key) == map.entries(from: key).map(\.key))
            }
            var visited: [Key] = []
            packed.visit(in: 0..<packed.count) { key, _ in visited.append(key) }
            #expect(visited == Array(map.keys))
        }
        #expect(packedCount > 1_000)
    }

    @Test func `packed children change like a map, and copies stay`() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<2_000 {
            var map = Self.children(&random)
            var packed = try Self.packed(map)
            let before = (map: map, packed: packed)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let key = Self.key(&random)
                let value: Value? = Bool.random(using: &random) ? Self.primitive(&random) : nil
                if let value {
                    #expect(
                        packed.updateValue(value, forKey: key)
                            == map.updateValue(value, forKey: key))
                } else {
                    #expect(packed.removeValue(forKey: key) == map.removeValue(forKey: key))
                }
                #expect(Self.same(packed, map))
            }
            let other = Self.children(&random)
            packed.merge(try Self.packed(other))
            map.merge(other)
            #expect(Self.same(packed, map))
            #expect(Self.same(before.packed, before.map))
        }
    }

    @Test func `a removal of nothing leaves packed children packed`() throws {
        var packed = try Self.packed(["a": 1, "b": "x"])
        #expect(packed.isPacked)
        #expect(packed.removeValue(forKey: "c") == nil)
        #expect(packed.isPacked)
        #expect(packed.removeValue(forKey: "a") == 1)
        #expect(!packed.isPacked && packed["b"] == "x")
    }

    @Test func `equal packed children are shared, different ones differ`() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<2_000 {
            let (one, other) = (Self.children(&random), Self.children(&random))
            let (x, y) = (try Self.packed(one), try Self.packed(other))
            #expect((x == y) == Self.same(one, other))
            #expect(x == (try Self.packed(one)))
            #expect(x.isShared(with: try Self.packed(one)) == x.isPacked)
            #expect(!x.isPacked || x.isShared(with: y) == Self.same(one, other))
            let differing = Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }
            #expect(x.differences(from: y) { $0 == $1 } == differing.sorted())
        }
    }

    static let notPacked: [Value] = [
        ["a": ["b": 1]], ["a": [".value": 1, ".priority": 2]], ["a": .deferred(.timestamp)],
        ["a": .double(.infinity)], ["a": .double(.nan)],
        ["a": .string(String(repeating: "x", count: 1_019))],
        Value(["12345678901234567890123456789012": 1] as Children),
        Value(Children((0..<16).map { (Key(index: $0), true) })),
    ]

    @Test(arguments: notPacked.indices)
    func `children that cannot be packed stay a map`(index: Int) throws {
        let children = Self.notPacked[index].children
        let built = try Self.packed(children)
        #expect(!built.isPacked)
        #expect(built.count == children.count)
    }

    @Test(arguments: [(15, true), (16, false)])
    func `packed children keep the limit of a path`(keyBytes: Int, fits: Bool) throws {
        let above = Path((0..<3).map { _ in Key(unchecked: String(repeating: "p", count: 250)) })
        let key = Key(unchecked: String(repeating: "k", count: keyBytes))
        let value = Value(try Self.packed([key: 1]))
        #expect(value.children.isPacked)
        #expect(((try? value.validate(at: above)) != nil) == fits)
    }

    static let packedAtTheLimit: [Value] = [
        ["a": .string(String(repeating: "x", count: 1_018))],
        Value(["1234567890123456789012345678901": 1] as Children),
        Value(Children((0..<15).map { (Key(index: $0), true) })),
    ]

    @Test(arguments: packedAtTheLimit.indices)
    func `children at the size limit are packed`(index: Int) throws {
        let built = try Self.packed(Self.packedAtTheLimit[index].children)
        #expect(built.isPacked)
        #expect(Self.same(built, Self.packedAtTheLimit[index].children))
    }

    @Test(
        arguments: [
            .min, .min + 1, -0x8000_0001, -0x8000_0000, -0x8001, -0x8000, -0x81, -0x80, -33, -32,
            -1,
            0, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x1_0000, 0xFFFF_FFFF, 0x1_0000_0000, .max,
        ] as [Int64])
    func `integers of every size are packed in their smallest form`(number: Int64) throws {
        let packed = try Self.packed(Children([("a", .integer(number)), ("b", true)]))
        #expect(packed["a"] == .integer(number) && packed["b"] == true)
        #expect(packed.packedByteCount == 1 + 2 + MessagePackWriter.byteCount(of: number) + 3)
    }

    @Test func `a change in place copies no unshared storage`() {
        var children = Children()
        for number in 0..<200 { children[Key(index: number)] = ["a": ["b": 1]] }
        for number in 0..<200 {
            let root = ObjectIdentifier(children.map.root!)
            children.mutate(Key(index: number)) { $0 = .integer(Int64(number)) }
            #expect(ObjectIdentifier(children.map.root!) == root)
            children.updateValue(true, forKey: Key(index: number))
            #expect(ObjectIdentifier(children.map.root!) == root)
        }
    }
}

extension Children {
    init(_ entries: [(Key, Value)]) {
        self.init()
        for (key, child) in entries { self[key] = child }
    }
}

extension Children: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral entries: (Key, Value)...) { self.init(entries) }
}
