/// A set of UTF-16 code units: what one place of a regular expression accepts.
struct UnitSet: Sendable, Equatable {
    /// Ascending ranges with gaps between them.
    private(set) var ranges: [ClosedRange<UInt16>] = []

    static let all = UnitSet(0...0xFFFF)
    static let digits = UnitSet(unit("0")...unit("9"))
    static let spaces = UnitSet(0x09...0x0D).union(UnitSet(0x20...0x20))
    static let wordUnits = digits.union(UnitSet(unit("a")...unit("z")))
        .union(UnitSet(unit("A")...unit("Z"))).union(UnitSet(unit("_")...unit("_")))

    init() {}

    init(_ range: ClosedRange<UInt16>) { ranges = [range] }

    private static func unit(_ character: Unicode.Scalar) -> UInt16 { UInt16(character.value) }

    /// The set that `\s`, `\w`, `\d` or their capitals stand for, which are the others; nil for other letters.
    init?(class letter: UInt16) {
        switch Character(Unicode.Scalar(letter) ?? " ") {
        case "s": self = .spaces
        case "w": self = .wordUnits
        case "d": self = .digits
        case "S": self = UnitSet.spaces.inverted
        case "W": self = UnitSet.wordUnits.inverted
        case "D": self = UnitSet.digits.inverted
        default: return nil
        }
    }

    /// Returns the union of both sets.
    func union(_ other: UnitSet) -> UnitSet {
        var result = UnitSet()
        for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.ranges.last, Int(range.lowerBound) <= Int(last.upperBound) + 1 {
                let end = max(last.upperBound, range.upperBound)
                result.ranges[result.ranges.count - 1] = last.lowerBound...end
            } else {
                result.ranges.append(range)
            }
        }
        return result
    }

    /// All other units.
    var inverted: UnitSet {
        var result = UnitSet()
        var next = 0
        for range in ranges {
            if next < Int(range.lowerBound) {
                result.ranges.append(UInt16(next)...range.lowerBound - 1)
            }
            next = Int(range.upperBound) + 1
        }
        if next <= 0xFFFF { result.ranges.append(UInt16(next)...0xFFFF) }
        return result
    }

    /// The set with the other case of each of its ASCII letters; other letters have none.
    var ignoringCase: UnitSet {
        var result = self
        for upper in UInt16(0x41)...0x5A {
            let lower = upper + 0x20
            if contains(upper) != contains(lower) {
                result = result.union(UnitSet(upper...upper)).union(UnitSet(lower...lower))
            }
        }
        return result
    }

    /// Whether a unit is in the set.
    ///
    /// - Complexity: O(log ranges).
    func contains(_ unit: UInt16) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < unit { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= unit
    }
}
