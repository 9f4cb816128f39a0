/// Parses an expression by the precedence of its operators; the type checker then gives its names a meaning.
struct ExpressionParser {
    private var lexer: Lexer
    private var token = Token(kind: .end, span: 0..<0)
    /// The end of the word before this one.
    private var previousEnd = 0
    private let path: [String]
    private var nodes: [Expression.Node] = []
    private var heights: [Int] = []
    private var depth = 0

    /// Prepares for an expression at a place, to which keys and wildcards lead; the names of these begin with `$`.
    init(_ source: [UInt8], at path: [String]) {
        lexer = Lexer(source)
        self.path = path
    }

    /// Parses all of it.
    mutating func parse() throws(SourceError) -> Expression {
        if lexer.source.count > RuleLimits.expressionBytes {
            throw SourceError(
                offset: 0,
                text: "An expression has at most \(RuleLimits.expressionBytes) bytes.")
        }
        try advance()
        let root = try parseConditional()
        if token.kind != .end { throw unexpected }
        return Expression(source: lexer.source, nodes: nodes, root: root)
    }

    private mutating func advance() throws(SourceError) {
        previousEnd = token.span.upperBound
        token = try lexer.next()
    }

    private func stands(_ symbol: String) -> Bool { token.kind == .symbol(symbol) }

    private mutating func expect(_ symbol: String) throws(SourceError) {
        guard stands(symbol) else { throw unexpected }
        try advance()
    }

    private var unexpected: SourceError {
        let isEnd = token.kind == .end
        return SourceError(
            offset: token.span.lowerBound,
            text: isEnd ? "Unexpected end of expression" : "Parse error.")
    }

    /// Appends a part that ends before the current word.
    private mutating func add(
        _ kind: Expression.Kind, from start: Int, of parts: [Int] = []
    ) throws(SourceError) -> Int {
        let height = parts.reduce(1) { max($0, heights[$1] + 1) }
        if height > RuleLimits.expressionHeight || nodes.count == RuleLimits.expressionNodes {
            throw SourceError(offset: start, text: "The expression has too many parts.")
        }
        nodes.append(Expression.Node(kind: kind, span: start..<previousEnd))
        heights.append(height)
        return nodes.count - 1
    }

    private mutating func nested<Result>(
        _ body: (inout ExpressionParser) throws(SourceError) -> Result
    ) throws(SourceError) -> Result {
        depth += 1
        if depth > RuleLimits.expressionNesting {
            throw SourceError(
                offset: token.span.lowerBound,
                text: "The expression nests deeper than \(RuleLimits.expressionNesting) levels.")
        }
        let result = try body(&self)
        depth -= 1
        return result
    }
}

// MARK: - Operators

extension ExpressionParser {
    private mutating func parseConditional() throws(SourceError) -> Int {
        try nested { parser throws(SourceError) in
            let start = parser.token.span.lowerBound
            let condition = try parser.parseAny()
            guard parser.stands("?") else { return condition }
            try parser.advance()
            let then = try parser.parseConditional()
            try parser.expect(":")
            let otherwise = try parser.parseConditional()
            return try parser.add(
                .conditional(condition, then: then, otherwise: otherwise), from: start,
                of: [condition, then, otherwise])
        }
    }

    private mutating func parseAny() throws(SourceError) -> Int {
        let start = token.span.lowerBound
        var parts = [try parseAll()]
        while stands("||") {
            try advance()
            parts.append(try parseAll())
        }
        return parts.count == 1 ? parts[0] : try add(.any(parts), from: start, of: parts)
    }

    private mutating func parseAll() throws(SourceError) -> Int {
        let start = token.span.lowerBound
        var parts = [try parseBinary(0)]
        while stands("&&") {
            try advance()
            parts.append(try parseBinary(0))
        }
        return parts.count == 1 ? parts[0] : try add(.all(parts), from: start, of: parts)
    }

    /// Operators of equal precedence, lowest first.
    private static let levels: [[String]] = [
        ["==", "!="], ["<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"],
    ]

    private mutating func parseBinary(_ level: Int) throws(SourceError) -> Int {
        guard level < Self.levels.count else { return try parseUnary() }
        let start = token.span.lowerBound
        var left = try parseBinary(level + 1)
        while case .symbol(let symbol) = token.kind, Self.levels[level].contains(symbol) {
            try advance()
            let right = try parseBinary(level + 1)
            let kind: Expression.Kind =
                if let comparison = Comparison(rawValue: symbol) {
                    .comparison(comparison, left, right)
                } else {
                    .arithmetic(Arithmetic(rawValue: symbol)!, left, right)
                }
            left = try add(kind, from: start, of: [left, right])
        }
        return left
    }

    private mutating func parseUnary() throws(SourceError) -> Int {
        let start = token.span.lowerBound
        guard stands("!") || stands("-") else { return try parsePostfix() }
        let isNegation = stands("!")
        try advance()
        let operand = try nested { parser throws(SourceError) in try parser.parseUnary() }
        return try add(isNegation ? .not(operand) : .negative(operand), from: start, of: [operand])
    }
}

// MARK: - Members and operands

extension ExpressionParser {
    private mutating func parsePostfix() throws(SourceError) -> Int {
        let start = token.span.lowerBound
        var operand = try parseOperand()
        while true {
            if stands(".") {
                try advance()
                operand = try parseMember(of: operand, from: start)
            } else if stands("[") {
                operand = try parseIndex(of: operand, from: start)
            } else if stands("(") {
                let arguments = try parseList(closing: ")")
                operand = try add(
                    .call(operand, arguments), from: start, of: [operand] + arguments)
            } else {
                return operand
            }
        }
    }

    private mutating func parseMember(of object: Int, from start: Int) throws(SourceError) -> Int {
        guard case .name(let name) = token.kind else { throw unexpected }
        try advance()
        return try add(.member(object, name), from: start, of: [object])
    }

    private mutating func parseIndex(of object: Int, from start: Int) throws(SourceError) -> Int {
        try advance()
        let index = try parseConditional()
        try expect("]")
        // A text in the brackets is a name as behind a full stop.
        let kind: Expression.Kind =
            if case .string(let name) = nodes[index].kind {
                .member(object, name)
            } else {
                .index(object, index)
            }
        return try add(kind, from: start, of: [object, index])
    }

    private mutating func parseList(closing bracket: String) throws(SourceError) -> [Int] {
        try advance()
        var items: [Int] = []
        while !stands(bracket) {
            if !items.isEmpty { try expect(",") }
            items.append(try parseConditional())
        }
        try advance()
        return items
    }

    private mutating func parseOperand() throws(SourceError) -> Int {
        let start = token.span.lowerBound
        switch token.kind {
        case .number(let number): return try addWord(.number(number))
        case .string(let text): return try addWord(.string(text))
        case .name(let name): return try addWord(kind(of: name))
        case .symbol("["):
            let items = try parseList(closing: "]")
            return try add(.array(items), from: start, of: items)
        case .symbol("("):
            try advance()
            let inner = try parseConditional()
            try expect(")")
            return inner
        case .symbol("/"):
            let pattern = try lexer.readPattern(from: start)
            token = Token(kind: .end, span: start..<lexer.offset)
            return try addWord(.pattern(pattern))
        default: throw unexpected
        }
    }

    private mutating func addWord(_ kind: Expression.Kind) throws(SourceError) -> Int {
        let start = token.span.lowerBound
        try advance()
        return try add(kind, from: start)
    }

    private func kind(of name: String) -> Expression.Kind {
        switch name {
        case "null": return .null
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "auth": return .variable(.auth)
        case "now": return .variable(.now)
        case "root": return .variable(.root)
        case "data": return .variable(.data)
        case "newData": return .variable(.newData)
        case "query": return .variable(.query)
        default:
            let place = name.hasPrefix("$") ? path.lastIndex(of: name) : nil
            return .variable(place.map(Variable.binding) ?? .unknown(name))
        }
    }
}
