import DataTree

/// A small generator whose numbers depend on its seed alone.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

extension Value {
    /// Any value that JSON can carry, in its canonical form, with priorities and placeholders.
    static func random(depth: Int, using random: inout SplitMix64) -> Value {
        let content: Value
        if depth > 0, random.below(3) > 0 {
            var children = Children()
            for position in 0..<random.below(8) {
                let key = Key.random(position: position, using: &random)
                let child = Value.random(depth: depth - 1, using: &random)
                if !child.isNull { children.updateValue(child, forKey: key) }
            }
            content = Value(children)
        } else {
            content = .randomPrimitive(using: &random)
        }
        guard random.below(5) == 0 else { return content }
        return content.prioritized(.randomPriority(using: &random))
    }

    private static func randomPrimitive(using random: inout SplitMix64) -> Value {
        switch random.below(9) {
        case 0: .boolean(random.below(2) == 0)
        case 1: .integer(Int64(bitPattern: random.next()))
        case 2: .integer(Int64(random.below(1000)) - 500)
        case 3: .randomDouble(using: &random)
        case 4: .deferred(.timestamp)
        case 5: .deferred(.increment(.integer(Int64(random.below(9)) - 4)))
        default: .string(.random(using: &random))
        }
    }

    private static func randomPriority(using random: inout SplitMix64) -> Value {
        switch random.below(3) {
        case 0: .integer(Int64(random.below(100)))
        case 1: .randomDouble(using: &random)
        default: .string(.random(using: &random))
        }
    }

    private static func randomDouble(using random: inout SplitMix64) -> Value {
        let double = Double(bitPattern: random.next())
        // A whole double below 2^63 prints as an integer and is read as one.
        let isWhole = double == double.rounded() && double.magnitude < 0x1p63
        return double.isFinite && !isWhole ? .double(double) : .double(0.25)
    }
}

extension Key {
    static func random(position: Int, using random: inout SplitMix64) -> Key {
        let texts = ["\(position)", "0\(position)", "é", "\u{1F435}", "a\"b\\", "\u{FFFD}x", "-1"]
        let index = random.below(texts.count + 3)
        return Key(unchecked: index < texts.count ? texts[index] : "key\(random.below(50))")
    }
}

extension String {
    static func random(using random: inout SplitMix64) -> String {
        let parts: [String] = [
            "a", "hello world, long enough", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é",
            "e\u{301}", "\u{2028}", "\u{1F435}", "\u{FFFF}", "/", "1", " ",
        ]
        return (0..<random.below(12)).map { _ in parts[random.below(parts.count)] }.joined()
    }
}
