/// Parses the text between the slashes of a regular expression.
///
/// Firebase's expressions have no back-references, look-around, lazy repetitions or captures; `^` and `$` stand only at
/// the ends. Alternatives do not divide the anchors: `^a|b$` is either of both from start to end.
struct PatternParser {
    /// An error, and the unit of the text at which it was found.
    struct Failure: Error, Equatable {
        let position: Int
        let problem: String
    }

    private let units: [UInt16]
    private var position = 0
    private var depth = 0

    /// Whether the expression begins with `^`.
    let isAnchoredAtStart: Bool
    /// Whether the expression ends with `$`.
    let isAnchoredAtEnd: Bool
    private let ignoresCase: Bool
    /// Whether there are alternatives outside all groups.
    private(set) var hasAlternatives = false
    /// The unit behind the last, without `$`.
    private let end: Int

    init(_ text: String, ignoringCase: Bool) {
        units = Array(text.utf16)
        ignoresCase = ignoringCase
        isAnchoredAtStart = units.first == Self.unit("^")
        // A dollar behind an odd number of backslashes is a character.
        let escapes = units.dropLast().reversed().prefix { $0 == Self.unit("\\") }.count
        isAnchoredAtEnd = units.last == Self.unit("$") && escapes % 2 == 0
        end = units.count - (isAnchoredAtEnd ? 1 : 0)
        position = isAnchoredAtStart ? 1 : 0
    }

    private static func unit(_ character: Unicode.Scalar) -> UInt16 { UInt16(character.value) }

    /// Parses all of it.
    mutating func parse() throws(Failure) -> PatternTree {
        if position >= end { return .sequence([]) }
        let tree = try parseAlternatives()
        if position < end { throw failure("end-of-string expected") }
        return tree
    }
}

// MARK: - Structure

extension PatternParser {
    private var current: UInt16? { position < end ? units[position] : nil }

    private func stands(_ character: Unicode.Scalar) -> Bool { current == Self.unit(character) }

    private func failure(_ problem: String) -> Failure {
        if position >= end, !problem.hasPrefix("expected") {
            return Failure(position: position, problem: "unexpected end-of-string")
        }
        return Failure(position: position, problem: "\(problem) at position \(position)")
    }

    private mutating func parseAlternatives() throws(Failure) -> PatternTree {
        try enter()
        var alternatives = [try parseSequence(isFirst: true)]
        while stands("|") {
            position += 1
            alternatives.append(try parseSequence(isFirst: false))
        }
        depth -= 1
        if depth == 0, alternatives.count > 1 { hasAlternatives = true }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    private mutating func enter() throws(Failure) {
        depth += 1
        if depth > RuleLimits.patternNesting {
            throw failure("more than \(RuleLimits.patternNesting) levels")
        }
    }

    private mutating func parseSequence(isFirst: Bool) throws(Failure) -> PatternTree {
        var items: [PatternTree] = []
        while let current, !endsSequence(current) || isFirst && items.isEmpty {
            items.append(try parseItem(isFirst: isFirst && items.isEmpty))
        }
        if items.isEmpty { throw failure("end-of-string expected") }
        return items.count == 1 ? items[0] : .sequence(items)
    }

    private func endsSequence(_ unit: UInt16) -> Bool {
        unit == Self.unit("|") || unit == Self.unit(")")
    }

    /// An atom with the repetitions behind it; at the start of a group, signs that repeat nothing are characters.
    private mutating func parseItem(isFirst: Bool) throws(Failure) -> PatternTree {
        var item = try parseAtom(isFirst: isFirst)
        let outer = depth
        while let (minimum, maximum) = try parseCount() {
            try enter()
            item = .repetition(item, minimum: minimum, maximum: maximum)
        }
        depth = outer
        return item
    }

    private mutating func parseAtom(isFirst: Bool) throws(Failure) -> PatternTree {
        guard let unit = current else { throw failure("end-of-string expected") }
        switch Character(Unicode.Scalar(unit) ?? " ") {
        case "(": return try parseGroup()
        case "[": return .unit(try parseClass())
        case ".": return accept(.all)
        case "\\": return .unit(cased(try parseEscape()))
        case "^", "$": throw failure("end-of-string expected")
        case "*", "+", "?", "{":
            if !isFirst { throw failure("end-of-string expected") }
            return accept(UnitSet(unit...unit))
        default: return accept(UnitSet(unit...unit))
        }
    }

    private mutating func accept(_ set: UnitSet) -> PatternTree {
        position += 1
        return .unit(cased(set))
    }

    /// A set as the pattern means it.
    private func cased(_ set: UnitSet) -> UnitSet { ignoresCase ? set.ignoringCase : set }

    private mutating func parseGroup() throws(Failure) -> PatternTree {
        position += 1
        let tree = try parseAlternatives()
        if !stands(")") { throw failure("expected ')'") }
        position += 1
        return tree
    }

    private mutating func parseEscape() throws(Failure) -> UnitSet {
        position += 1
        guard let unit = current else { throw failure("unit expected") }
        position += 1
        return UnitSet(class: unit) ?? UnitSet(unit...unit)
    }
}

// MARK: - Repetitions

extension PatternParser {
    private mutating func parseCount() throws(Failure) -> (minimum: Int, maximum: Int?)? {
        guard let unit = current else { return nil }
        switch Character(Unicode.Scalar(unit) ?? " ") {
        case "*":
            position += 1
            return (0, nil)
        case "+":
            position += 1
            return (1, nil)
        case "?":
            position += 1
            return (0, 1)
        case "{": return try parseBraces()
        default: return nil
        }
    }

    private mutating func parseBraces() throws(Failure) -> (minimum: Int, maximum: Int?) {
        position += 1
        let minimum = try parseInteger()
        var maximum: Int? = minimum
        if stands(",") {
            position += 1
            maximum = stands("}") ? nil : try parseInteger()
        }
        if !stands("}") { throw failure("expected '}'") }
        if let maximum, maximum < minimum { throw failure("greater integer expected") }
        position += 1
        return (minimum, maximum)
    }

    private mutating func parseInteger() throws(Failure) -> Int {
        let start = position
        var number = 0
        while let unit = current, (0x30...0x39).contains(unit) {
            number = number * 10 + Int(unit - 0x30)
            if number > RuleLimits.repetitions {
                throw failure("integer of at most \(RuleLimits.repetitions) expected")
            }
            position += 1
        }
        if position == start { throw failure("integer expected") }
        return number
    }
}

// MARK: - Classes

extension PatternParser {
    private mutating func parseClass() throws(Failure) -> UnitSet {
        position += 1
        let isInverted = stands("^")
        if isInverted { position += 1 }
        var set = UnitSet()
        var isEmpty = true
        while let current, current != Self.unit("]") {
            set = set.union(try parseClassPart())
            isEmpty = false
        }
        if !stands("]") || isEmpty { throw failure("expected ']'") }
        position += 1
        // First the other case of each letter, then what is not among them.
        return isInverted ? cased(set).inverted : cased(set)
    }

    /// A unit, a range of units, or one of the six letters.
    private mutating func parseClassPart() throws(Failure) -> UnitSet {
        let (low, isClass) = try parseClassUnit()
        if isClass { return UnitSet(class: low)! }
        let following = position + 1 < end ? units[position + 1] : nil
        guard stands("-"), following != Self.unit("]"), following != nil else {
            return UnitSet(low...low)
        }
        position += 1
        let (high, isHighClass) = try parseClassUnit()
        if isHighClass || high < low { throw failure("greater end of range expected") }
        return UnitSet(low...high)
    }

    private mutating func parseClassUnit() throws(Failure) -> (unit: UInt16, isClass: Bool) {
        let isEscaped = stands("\\")
        if isEscaped { position += 1 }
        guard let unit = current else { throw failure("expected ']'") }
        position += 1
        return (unit, isEscaped && UnitSet(class: unit) != nil)
    }
}
