import DataTree

/// Random numbers that a seed decides (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral text: String) { self = .string(text) }
    init(integerLiteral number: Int64) { self = .integer(number) }
}

extension Value: ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
    init(floatLiteral number: Double) { self = Number.double(number).value }
    init(booleanLiteral flag: Bool) { self = .boolean(flag) }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// Reads import form, so that `[".value": 1, ".priority": 2]` is a prioritized number.
    init(dictionaryLiteral members: (String, Value)...) {
        do {
            self = try Value(members: members)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    init(members: [(String, Value)]) throws(DataError) {
        var builder = ObjectBuilder(expectedMembers: members.count)
        for (name, member) in members { try builder.add(name, member) }
        self = try builder.finish()
    }
}

extension ObjectBuilder {
    mutating func add(_ name: String, _ member: Value) throws(DataError) {
        let bytes = Array(name.utf8)
        let result: Result<Void, DataError> = bytes.withUnsafeBufferPointer { utf8 in
            do throws(DataError) {
                return .success(try add(utf8, member))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}

extension Path: ExpressibleByStringLiteral {
    /// `Path("a")` of a literal comes here, too; `Path(parsing:)` is the initializer under test.
    init(stringLiteral text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    init(parsing text: String) throws(DataError) { try self.init(text) }
}

extension Key: ExpressibleByStringLiteral {
    /// Unchecked, also where a test writes `Key("a")`.
    init(stringLiteral text: String) { self.init(unchecked: text) }
}
