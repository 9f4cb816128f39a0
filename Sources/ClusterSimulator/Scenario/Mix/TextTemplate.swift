import ReplicaCore

/// A word of a scenario in which parts are drawn: `/jobs/(1..20)/state` or `("open"|"done")`.
struct TextTemplate: Equatable, Sendable {
    /// The most alternatives of one part.
    static let choiceLimit = 1_000

    enum Part: Equatable, Sendable {
        case text(String)
        /// One of these.
        case choice([String])
        /// A whole number from the first to the last.
        case number(ClosedRange<Int64>)
    }

    let parts: [Part]
    /// As the scenario has it.
    let text: String

    /// Draws a text.
    func draw(_ random: inout SplitMix64) -> String {
        parts.reduce(into: "") { text, part in
            switch part {
            case .text(let fixed): text += fixed
            case .choice(let choices): text += choices[random.index(below: choices.count)]
            case .number(let range): text += "\(random.number(in: range))"
            }
        }
    }

    /// Texts that show every alternative at least once, the ends of numbers among them.
    var examples: [String] {
        let longest = parts.reduce(1) { longest, part in
            switch part {
            case .text: longest
            case .choice(let choices): max(longest, choices.count)
            case .number: max(longest, 2)
            }
        }
        return (0..<longest).map { round in
            parts.reduce(into: "") { text, part in
                switch part {
                case .text(let fixed): text += fixed
                case .choice(let choices): text += choices[round % choices.count]
                case .number(let range):
                    text += "\(round == 0 ? range.lowerBound : range.upperBound)"
                }
            }
        }
    }
}

extension SplitMix64 {
    /// A number of a range, both ends included.
    fileprivate mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        let offset = width == .max ? next() : number(below: width + 1)
        return range.lowerBound &+ Int64(bitPattern: offset)
    }
}

extension ScenarioWord {
    /// The word as a template: parentheses around alternatives or a range are a draw, all others stand for themselves.
    func template() throws(ScenarioError) -> TextTemplate {
        var parts: [TextTemplate.Part] = []
        var fixed = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "("),
            let close = rest[open...].firstIndex(of: ")")
        {
            let inside = rest[rest.index(after: open)..<close]
            if let draw = try drawn(inside) {
                fixed += rest[..<open]
                if !fixed.isEmpty { parts.append(.text(fixed)) }
                fixed = ""
                parts.append(draw)
            } else {
                fixed += rest[...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        fixed += rest
        if !fixed.isEmpty { parts.append(.text(fixed)) }
        return TextTemplate(parts: parts, text: text)
    }

    /// The part in parentheses, if it is a draw.
    private func drawn(_ inside: Substring) throws(ScenarioError) -> TextTemplate.Part? {
        if inside.contains("|") {
            let choices = inside.split(separator: "|", omittingEmptySubsequences: false)
            guard choices.count <= TextTemplate.choiceLimit, !choices.contains("") else {
                throw .expected("1 to \(TextTemplate.choiceLimit) alternatives", found: self)
            }
            return .choice(choices.map(String.init))
        }
        let ends = inside.split(separator: ".", omittingEmptySubsequences: false)
        guard ends.count == 3, ends[1].isEmpty, let low = Int64(ends[0]), let high = Int64(ends[2])
        else { return nil }
        guard low <= high else { throw .expected("the smaller number first", found: self) }
        return .number(low...high)
    }
}
