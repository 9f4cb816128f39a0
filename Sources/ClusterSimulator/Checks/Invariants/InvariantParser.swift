import DataTree
import Rules

// How a scenario states invariants:
//
//     "check" "every" places (comparison value | ":" expression)
//     "check" "count" places comparison number
//     "check" "sum"   places comparison number
//     places = "/" segment { "/" segment }     segment = key | "$" name

extension Invariant {
    /// The words that begin an invariant behind `check`.
    static let words = ["every", "count", "sum"]

    /// Reads the rest of a line behind `check`.
    static func read(_ line: inout ScenarioLine) throws(ScenarioError) -> Invariant {
        let text = line.rest.text
        let kind = line.removeFirst()
        let places = try line.removeFirst().placePattern()
        if kind.text == "every" {
            return Invariant(
                places: places, claim: .every(try condition(&line, at: places)), text: text)
        }
        let bound = try self.bound(&line)
        return Invariant(
            places: places, claim: kind.text == "count" ? .count(bound) : .sum(bound), text: text)
    }

    private static func bound(_ line: inout ScenarioLine) throws(ScenarioError) -> Bound {
        let comparison = try line.removeFirst().comparison()
        let word = line.removeFirst()
        guard let number = try? word.value().number else {
            throw .expected("a number", found: word)
        }
        return Bound(comparison: comparison, limit: number.asDouble)
    }

    private static func condition(
        _ line: inout ScenarioLine, at places: PlacePattern
    ) throws(ScenarioError) -> TreeCondition {
        let sign = line.removeFirst()
        guard sign.text == ":" else {
            let comparison = try sign.comparison()
            let word = line.removeFirst()
            guard try word.value().isPrimitive else {
                throw .expected("a number, a text, true or false", found: word)
            }
            let text = "!data.exists() || data.val() \(comparison.rawValue) \(word.text)"
            return try compile(text, at: word, places)
        }
        let rest = line.takeRest()
        if rest.isEnd { throw .expected("an expression, as in data.val() >= 0", found: rest) }
        return try compile(rest.text, at: rest, places)
    }

    private static func compile(
        _ text: String, at word: ScenarioWord, _ places: PlacePattern
    ) throws(ScenarioError) -> TreeCondition {
        do throws(RuleError) {
            return try TreeCondition(text, below: places.names)
        } catch {
            // Only an expression of the scenario has columns of its own.
            let column = text == word.text ? word.column + error.column - 1 : word.column
            throw ScenarioError(
                problem: "\(error.text) at \(word.line):\(column)",
                fix: "say what holds of data, root and \(names(of: places)), "
                    + "as in data.child('a').val() >= 0",
                line: word.line, column: column)
        }
    }

    private static func names(of places: PlacePattern) -> String {
        places.wildcards.isEmpty ? "constants" : places.wildcards.joined(separator: ", ")
    }
}

extension ScenarioWord {
    fileprivate func comparison() throws(ScenarioError) -> Bound.Comparison {
        if let comparison = Bound.Comparison(rawValue: text) { return comparison }
        let known = Bound.Comparison.allCases.map(\.rawValue).joined(separator: " ")
        throw .expected("one of \(known), or \":\" and an expression", found: self)
    }

    /// `/accounts/$id/balance`.
    fileprivate func placePattern() throws(ScenarioError) -> PlacePattern {
        guard text.hasPrefix("/") else {
            throw .expected("places such as /accounts/$id", found: self)
        }
        var segments: [PlacePattern.Segment] = []
        for part in text.split(separator: "/") {
            segments.append(try segment(part))
        }
        let names = segments.compactMap { if case .wildcard(let name) = $0 { name } else { nil } }
        guard Set(names).count == names.count else {
            throw .expected("another name for each wildcard", found: self)
        }
        guard segments.count <= Limits.depth else {
            throw .expected("at most \(Limits.depth) keys", found: self)
        }
        return PlacePattern(segments: segments)
    }

    private func segment(_ part: Substring) throws(ScenarioError) -> PlacePattern.Segment {
        if part.first == "$" {
            let isName = part.utf8.dropFirst().allSatisfy {
                $0 == UInt8(ascii: "_") || Character(UnicodeScalar($0)).isLetter
                    || Character(UnicodeScalar($0)).isNumber
            }
            guard part.utf8.count > 1, isName, part.utf8.allSatisfy({ $0 < 128 }) else {
                throw .expected("a name behind $, as in $id", found: self)
            }
            return .wildcard(String(part))
        }
        do throws(DataError) {
            return .literal(try Key(String(part)))
        } catch {
            throw ScenarioError(
                problem: "\(error.problem) at \(line):\(column)", fix: error.fix, line: line,
                column: column)
        }
    }
}
