internal import DataTree

/// Turns a document into levels and rules, and collects its faults.
struct RulesetCompiler {
    private let text: [UInt8]
    private(set) var levels: [RuleLevel] = []
    private(set) var rules: [Rule] = []
    private var errors: [SourceError] = []
    private var cursor: TextCursor
    /// The states of the regular expressions so far.
    private var patternStates = 0

    init(_ text: [UInt8]) {
        self.text = text
        cursor = TextCursor(text)
    }

    /// Compiles all of it.
    mutating func compile() throws(RulesetError) {
        do throws(SourceError) {
            try checkText()
            var reader = DocumentReader(text, dialect: .rules)
            let document = try reader.readDocument()
            let root = try members(ofRulesIn: document)
            _ = addLevel(root, at: document.offset, path: [])
        } catch {
            errors.append(error)
        }
        if errors.isEmpty { return }
        errors.sort { $0.offset < $1.offset }
        throw RulesetError(errors: errors.map { cursor.located($0) })
    }

    private func checkText() throws(SourceError) {
        if text.count > RuleLimits.documentBytes {
            throw SourceError(
                offset: 0, text: "A document has at most \(RuleLimits.documentBytes) bytes.")
        }
        if String(validating: text, as: UTF8.self) == nil {
            throw SourceError(offset: 0, text: "The text is not UTF-8.")
        }
    }

    private func members(
        ofRulesIn document: DocumentNode
    ) throws(SourceError) -> [DocumentMember] {
        guard case .object(let members) = document.content else {
            throw SourceError(offset: document.offset, text: "Expected '{'.")
        }
        let other = members.first { $0.name.text != "rules" }
        guard let rules = members.first, other == nil else {
            throw SourceError(
                offset: other?.name.start ?? document.offset, text: "Expected 'rules' property.")
        }
        if members.count > 1 { throw duplicate(members[1].name) }
        guard case .object(let root) = rules.value.content else {
            throw SourceError(offset: rules.value.offset, text: "Expected '{'.")
        }
        return root
    }

    private func duplicate(_ name: DocumentText) -> SourceError {
        SourceError(offset: name.start, text: "Duplicate key '\(name.text)'.")
    }

    private mutating func report(_ offset: Int, _ text: String) {
        errors.append(SourceError(offset: offset, text: text))
    }
}

// MARK: - Levels

extension RulesetCompiler {
    /// Adds the level of an object, and those below it.
    private mutating func addLevel(
        _ members: [DocumentMember], at offset: Int, path: [String], below above: Int? = nil
    ) -> Int {
        let level = levels.count
        let way = above.map { levels[$0].way } ?? []
        levels.append(RuleLevel(way: way + [level]))
        if path.count > RuleLimits.ruleDepth {
            report(offset, "Rules nest deeper than \(RuleLimits.ruleDepth) levels.")
            return level
        }
        var names: Set<[UInt8]> = []
        var wildcard: String?
        for member in members {
            let name = member.name.text
            if !names.insert(member.name.bytes).inserted {
                errors.append(duplicate(member.name))
            } else if name.hasPrefix(".") {
                add(member, to: level, path: path)
            } else if name.hasPrefix("$") {
                if let wildcard {
                    report(
                        member.name.start,
                        "Cannot have multiple default rules ('\(wildcard)' and '\(name)').")
                }
                wildcard = name
                addWildcard(member, to: level, path: path)
            } else {
                addLiteral(member, to: level, path: path)
            }
        }
        levels[level].validated = validated(below: level)
        return level
    }

    private func validated(below level: Int) -> [RuleLevel.Validated] {
        levels[level].literals.compactMap { key, below in
            guard levels[below].validates else { return nil }
            var only: (Int, ValueCheck)?
            if !levels[below].validatesBelow, let rule = levels[below].validate,
                let check = rules[rule].program.check, check.names.isEmpty
            {
                only = (rule, check)
            }
            return RuleLevel.Validated(below, at: key, only: only)
        }
    }

    private static let badKey = "String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\""

    private mutating func addWildcard(
        _ member: DocumentMember, to level: Int, path: [String]
    ) {
        let name = member.name.text
        guard name.utf8.count > 1, Lexer.isName(name[...]) else {
            return report(member.name.start, Self.badKey)
        }
        if path.contains(name) {
            return report(member.name.start, "'\(name)' stands for a key above already.")
        }
        guard let members = members(of: member.value) else { return }
        let below = addLevel(
            members, at: member.value.offset, path: path + [name], below: level)
        levels[level].wildcard = below
        if levels[below].validates { levels[level].validatesBelow = true }
    }

    private mutating func addLiteral(
        _ member: DocumentMember, to level: Int, path: [String]
    ) {
        let name = member.name.text
        guard let key = try? Key(name) else { return report(member.name.start, Self.badKey) }
        guard let members = members(of: member.value) else { return }
        let below = addLevel(
            members, at: member.value.offset, path: path + [name], below: level)
        levels[level].literals[key] = below
        if levels[below].validates { levels[level].validatesBelow = true }
    }

    private mutating func members(of value: DocumentNode) -> [DocumentMember]? {
        if case .object(let members) = value.content { return members }
        report(value.offset, "Expected '{'.")
        return nil
    }
}

// MARK: - Rules

extension RulesetCompiler {
    private mutating func add(
        _ member: DocumentMember, to level: Int, path: [String]
    ) {
        let name = member.name.text
        if let kind = RuleKind(rawValue: name) {
            let rule = rule(kind, member.value, path: path)
            switch kind {
            case .read: levels[level].read = rule
            case .write: levels[level].write = rule
            case .validate: levels[level].validate = rule
            }
        } else if name == ".indexOn" {
            levels[level].indexes = indexes(member.value)
        } else if case .object = member.value.content {
            report(member.name.start, Self.badKey)
        } else {
            report(member.value.offset, "Expected '{'.")
        }
    }

    /// The number of a rule, once it is compiled.
    private mutating func rule(
        _ kind: RuleKind, _ value: DocumentNode, path: [String]
    ) -> Int? {
        let expression: Expression
        switch value.content {
        case .boolean(let constant): expression = Expression(constant: constant)
        case .string(let source):
            do throws(SourceError) {
                var parser = ExpressionParser(source.bytes, at: path)
                expression = try TypeChecker.check(try parser.parse(), as: kind)
            } catch {
                report(source.offset(of: error.offset), error.text)
                return nil
            }
        default:
            report(
                value.offset,
                "Invalid rule expression.  Expected 'true', 'false', or an expression string.")
            return nil
        }
        guard countPatternStates(of: expression) else {
            let limit = RuleLimits.documentPatternStates
            report(value.offset, "The regular expressions have more than \(limit) states.")
            return nil
        }
        let place = cursor.located(SourceError(offset: value.offset, text: ""))
        rules.append(
            Rule(
                kind, at: "/" + path.joined(separator: "/"), line: place.line,
                column: place.column, expression: expression))
        return rules.count - 1
    }

    /// Adds the states of an expression to those of the document, unless they are too many.
    private mutating func countPatternStates(of expression: Expression) -> Bool {
        var count = patternStates
        for case .pattern(let pattern) in expression.nodes.lazy.map(\.kind) {
            count += pattern.states.count
        }
        guard count <= RuleLimits.documentPatternStates else { return false }
        patternStates = count
        return true
    }

    private mutating func indexes(_ value: DocumentNode) -> [String] {
        if case .string(let path) = value.content { return [path.text] }
        guard case .array(let elements) = value.content else { return badIndexes(value) }
        var paths: [String] = []
        for element in elements {
            guard case .string(let path) = element.content else { return badIndexes(value) }
            paths.append(path.text)
        }
        return paths
    }

    private mutating func badIndexes(_ value: DocumentNode) -> [String] {
        report(
            value.offset,
            "Invalid indexOn expression. Must be either a string or an array of strings")
        return []
    }
}
