/// A regular expression of rules by the definition: all places to which the text may have led are tried.
public struct NaivePattern: Sendable {
    /// What it consists of.
    indirect enum Part: Sendable {
        /// One unit that is in one of the ranges, or in none of them.
        case unit([ClosedRange<UInt16>], isInverted: Bool, text: String)
        case sequence([Part])
        case alternatives([Part])
        case repeated(Part, ClosedRange<Int>, text: String)
        case repeatedWithoutEnd(Part, from: Int, text: String)
    }

    let part: Part
    let isAnchoredAtStart: Bool
    let isAnchoredAtEnd: Bool
    let ignoresCase: Bool

    /// Whether a text has a part that it describes.
    func finds(in text: String) -> Bool {
        let units = Array(text.utf16)
        let starts = isAnchoredAtStart ? 0...0 : 0...units.count
        return starts.contains { start in
            let ends = ends(of: part, in: units, from: start)
            return isAnchoredAtEnd ? ends.contains(units.count) : !ends.isEmpty
        }
    }

    /// The positions at which a part may end that begins at a given position.
    private func ends(of part: Part, in units: [UInt16], from start: Int) -> Set<Int> {
        switch part {
        case .unit(let ranges, let isInverted, _):
            guard start < units.count else { return [] }
            let isThere = forms(of: units[start]).contains { unit in
                ranges.contains { $0.contains(unit) }
            }
            return isThere != isInverted ? [start + 1] : []
        case .sequence(let parts):
            return parts.reduce([start]) { places, part in after(part, in: units, from: places) }
        case .alternatives(let parts):
            return parts.reduce([]) { $0.union(ends(of: $1, in: units, from: start)) }
        case .repeated(let part, let counts, _):
            var places = self.repeated(part, counts.lowerBound, in: units, from: start)
            for _ in 0..<counts.count - 1 {
                places.formUnion(after(part, in: units, from: places))
            }
            return places
        case .repeatedWithoutEnd(let part, let count, _):
            var places = self.repeated(part, count, in: units, from: start)
            while true {
                let more = places.union(after(part, in: units, from: places))
                if more == places { return places }
                places = more
            }
        }
    }

    private func repeated(
        _ part: Part, _ count: Int, in units: [UInt16], from start: Int
    ) -> Set<Int> {
        (0..<count).reduce([start]) { places, _ in after(part, in: units, from: places) }
    }

    private func after(_ part: Part, in units: [UInt16], from places: Set<Int>) -> Set<Int> {
        places.reduce([]) { $0.union(ends(of: part, in: units, from: $1)) }
    }

    /// A unit, and its other case where that does not matter.
    private func forms(of unit: UInt16) -> [UInt16] {
        guard ignoresCase else { return [unit] }
        switch unit {
        case 0x41...0x5A: return [unit, unit + 0x20]
        case 0x61...0x7A: return [unit, unit - 0x20]
        default: return [unit]
        }
    }
}

// MARK: - As text

extension NaivePattern: CustomStringConvertible {
    /// As expressions have it, between slashes.
    public var description: String {
        let start = isAnchoredAtStart ? "^" : ""
        return "/\(start)\(part.text)\(isAnchoredAtEnd ? "$" : "")/\(ignoresCase ? "i" : "")"
    }
}

extension NaivePattern.Part {
    fileprivate var text: String {
        switch self {
        case .unit(_, _, let text): text
        case .sequence(let parts): parts.map(\.text).joined()
        case .alternatives(let parts): "(" + parts.map(\.text).joined(separator: "|") + ")"
        case .repeated(let part, _, let text), .repeatedWithoutEnd(let part, _, let text):
            part.isOne ? part.text + text : "(\(part.text))" + text
        }
    }

    /// Whether what repeats it needs no brackets around it.
    private var isOne: Bool {
        if case .sequence = self { false } else { true }
    }
}

// MARK: - At random

extension NaivePattern {
    /// A regular expression of few parts, about the letters of some words.
    static func drawn(
        _ words: RuleWords, using random: inout some RandomNumberGenerator
    ) -> NaivePattern {
        NaivePattern(
            part: .drawn(words, depth: 2, using: &random),
            isAnchoredAtStart: random.index(2) == 0, isAnchoredAtEnd: random.index(2) == 0,
            ignoresCase: random.index(2) == 0)
    }
}

extension NaivePattern.Part {
    private typealias Class = (text: String, ranges: [ClosedRange<UInt16>], isInverted: Bool)

    private static let digits: ClosedRange<UInt16> = 0x30...0x39
    private static let wordUnits = [digits, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    private static let spaces: [ClosedRange<UInt16>] = [0x09...0x0D, 0x20...0x20]

    private static let classes: [Class] = [
        (".", [0...0xFFFF], false), ("\\d", [digits], false), ("\\D", [digits], true),
        ("\\w", wordUnits, false), ("\\W", wordUnits, true), ("\\s", spaces, false),
        ("\\S", spaces, true), ("[^c]", [0x63...0x63], true), ("[a-e]", [0x61...0x65], false),
        ("[\\d\\-]", [digits, 0x2D...0x2D], false),
        ("[A-Z_-]", [0x41...0x5A, 0x5F...0x5F, 0x2D...0x2D], false),
        ("[^A-Z]", [0x41...0x5A], true), ("[^a-z\\d]", [0x61...0x7A, digits], true),
        ("\\.", [0x2E...0x2E], false),
        ("[c0-2]", [0x63...0x63, 0x30...0x32], false),
        // Units at the ends of all that there are, and ranges that touch, overlap or hold each other.
        ("[^ -\u{FFFE}]", [0x20...0xFFFE], true), ("[^\u{FFFF}]", [0xFFFF...0xFFFF], true),
        ("[^\u{E000}-\u{FFFF}]", [0xE000...0xFFFF], true),
        ("[b-da-c]", [0x61...0x64], false), ("[a-eb]", [0x61...0x65], false),
        ("[^a-bc-e]", [0x61...0x65], true), ("[^ca-be]", [0x61...0x63, 0x65...0x65], true),
        ("[\\wé]", wordUnits + [0xE9...0xE9], false),
        ("[^\\W_]", wordUnits.filter { $0 != 0x5F...0x5F }, false),
        ("[^\\D\\S]", [], false), ("[\\S\\s]", [0...0xFFFF], false),
    ]

    fileprivate static func drawn(
        _ words: RuleWords, depth: Int, using random: inout some RandomNumberGenerator
    ) -> NaivePattern.Part {
        switch random.index(depth == 0 ? 4 : 9) {
        case 0, 1:
            let (text, ranges, isInverted) = random.one(of: classes)
            return .unit(ranges, isInverted: isInverted, text: text)
        case 2, 3:
            let letters = Array(random.one(of: words.texts).utf16).filter { unit in
                wordUnits.contains { $0.contains(unit) }
            }
            let unit = letters.isEmpty ? 0x61 : random.one(of: letters)
            return .unit(
                [unit...unit], isInverted: false, text: String(decoding: [unit], as: UTF16.self))
        case 4, 5:
            return .sequence(
                (0..<2 + random.index(2)).map { _ in drawn(words, depth: depth - 1, using: &random)
                }
            )
        case 6:
            return .alternatives(
                (0..<2 + random.index(2)).map { _ in drawn(words, depth: depth - 1, using: &random)
                }
            )
        case 7:
            let part = drawn(words, depth: depth - 1, using: &random)
            let (low, more) = (random.index(3), random.index(3))
            if low == 0, more == 1 { return .repeated(part, 0...1, text: "?") }
            let text = more == 0 ? "{\(low)}" : "{\(low),\(low + more)}"
            return .repeated(part, low...low + more, text: text)
        default:
            let part = drawn(words, depth: depth - 1, using: &random)
            let (text, count) = random.one(of: [("*", 0), ("+", 1), ("{2,}", 2)])
            return .repeatedWithoutEnd(part, from: count, text: text)
        }
    }
}
