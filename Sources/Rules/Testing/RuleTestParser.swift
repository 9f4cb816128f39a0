internal import DataTree

/// Reads a file of cases: statements of words, paths and values, each of which may go over several lines.
struct RuleTestParser {
    private var reader: DocumentReader
    private var file = RuleTestFile()
    private var data: Value
    private var now: Double
    private var users: [(name: String, auth: Claim)] = []
    private var values = TestValues()
    private var cursor: TextCursor

    init(_ text: [UInt8], data: Value = .null, now: Double = 1_700_000_000_000) {
        (self.data, self.now) = (data, now)
        reader = DocumentReader(text, dialect: .relaxed)
        cursor = TextCursor(text)
    }

    /// Reads all of it.
    mutating func parse() throws(RuleTestError) -> RuleTestFile {
        do throws(SourceError) {
            if String(validating: reader.text, as: UTF8.self) == nil {
                throw SourceError(offset: 0, text: "The text is not UTF-8.")
            }
            try skipSpace()
            while reader.byte != nil {
                try readStatement()
                try skipSpace()
            }
        } catch {
            throw located(error)
        }
        if file.rules.isEmpty {
            let end = SourceError(offset: 0, text: "the file names no rules")
            throw located(end, fix: "begin with a line such as: rules rules.json")
        }
        return file
    }

    /// Reads one operation, and nothing behind it.
    mutating func parseStatement() throws(RuleTestError) -> RuleStatement {
        do throws(SourceError) {
            let statement = try readOperation()
            try skipSpace()
            if reader.byte != nil { throw reader.unexpected }
            return statement
        } catch {
            throw located(error, fix: RuleTestParser.operations)
        }
    }

    private static let operations =
        "write read PATH, write PATH VALUE, update PATH VALUE or delete PATH, then as none or as VALUE"

    private static let statements =
        "write rules FILE, data [PATH] VALUE, user NAME VALUE, now MILLISECONDS, or allow or deny, then read PATH, "
        + "write PATH VALUE, update PATH VALUE or delete PATH, then as none, as NAME or as VALUE"

    private mutating func located(_ error: SourceError, fix: String = statements) -> RuleTestError {
        let place = cursor.located(error)
        return RuleTestError(
            line: place.line, column: place.column, problem: place.text, fix: fix)
    }

    private mutating func readStatement() throws(SourceError) {
        let start = reader.offset
        let word = try readWord()
        switch word {
        case "rules": file.rules = try readWord()
        case "now": now = try readNumber()
        case "data": try readData()
        case "user": users.append((try readWord(), try readClaim()))
        case "allow": try readCase(from: start, isAllowed: true)
        case "deny": try readCase(from: start, isAllowed: false)
        default:
            throw SourceError(offset: start, text: "\"\(word)\" begins no statement")
        }
    }
}

// MARK: - Cases

extension RuleTestParser {
    private mutating func readCase(from start: Int, isAllowed: Bool) throws(SourceError) {
        let statement = try readOperation()
        let text = String(decoding: reader.text[start..<reader.offset], as: UTF8.self)
        file.cases.append(
            RuleTestCase(
                line: cursor.located(SourceError(offset: start, text: "")).line,
                text: text.split { $0.isWhitespace }.joined(separator: " "),
                isAllowed: isAllowed, operation: statement.operation,
                situation: statement.situation))
    }

    /// Reads an operation and its user.
    private mutating func readOperation() throws(SourceError) -> RuleStatement {
        let place = reader.offset
        let verb = try readWord()
        let path = try readPath()
        var situation = RuleSituation(auth: .null, now: now, data: data)
        var operation = RuleOperation.write(path)
        switch verb {
        case "read":
            operation = .read(path)
            situation.query = try readQuery()
        case "write":
            situation.after.set(try readValue(at: path), at: path)
        case "delete": situation.after.set(.null, at: path)
        case "update":
            let changes = try readUpdate(of: path)
            for (path, value) in changes { situation.after.set(value, at: path) }
            operation = .update(changes.map(\.path))
        default:
            throw SourceError(offset: place, text: "\"\(verb)\" is not an operation")
        }
        situation.auth = try readUser()
        return RuleStatement(operation, in: situation)
    }

    /// `query {orderByChild: "score", limitToFirst: 5}`, or nothing.
    private mutating func readQuery() throws(SourceError) -> QueryShape {
        guard try skipWord("query") else { return QueryShape() }
        let node = try reader.readValue()
        guard let query = QueryShape(node.claim) else {
            throw SourceError(offset: node.offset, text: "this is not a query")
        }
        return query
    }

    /// Reads `as none`, `as NAME` or `as {uid: …}`; without it, no user is signed in.
    private mutating func readUser() throws(SourceError) -> Claim {
        let end = reader.offset
        guard try skipWord("as") else {
            reader.offset = end
            return .null
        }
        try skipSpace()
        if reader.byte == UInt8(ascii: "{") { return try readClaim() }
        let start = reader.offset
        let name = try readWord()
        if name == "none" { return .null }
        guard let user = users.last(where: { $0.name == name }) else {
            throw SourceError(offset: start, text: "no user \(name) is declared above")
        }
        return user.auth
    }
}

// MARK: - Words and values

extension RuleTestParser {
    /// Passes white space and comments, those behind `#` as well.
    private mutating func skipSpace() throws(SourceError) {
        try reader.skipSpace()
        while reader.byte == UInt8(ascii: "#") {
            let rest = reader.text[reader.offset...]
            reader.offset = rest.firstIndex(of: UInt8(ascii: "\n")) ?? reader.text.count
            try reader.skipSpace()
        }
    }

    private mutating func readWord() throws(SourceError) -> String {
        try skipSpace()
        let start = reader.offset
        while let byte = reader.byte, !isSpace(byte) { reader.offset += 1 }
        if start == reader.offset { throw reader.unexpected }
        return String(decoding: reader.text[start..<reader.offset], as: UTF8.self)
    }

    /// Passes a word, if it stands here.
    private mutating func skipWord(_ word: String) throws(SourceError) -> Bool {
        try skipSpace()
        let start = reader.offset
        if reader.byte != nil, try readWord() == word { return true }
        reader.offset = start
        return false
    }

    private mutating func readNumber() throws(SourceError) -> Double {
        let start = reader.offset
        guard let number = Double(try readWord()), number.isFinite else {
            throw SourceError(offset: start, text: "now needs a number of milliseconds")
        }
        return number
    }

    private mutating func readPath() throws(SourceError) -> Path {
        try skipSpace()
        let start = reader.offset
        do throws(DataError) {
            let text = (try? readWord()) ?? ""
            guard text.hasPrefix("/") else {
                throw DataError(problem: "a path begins with a slash", fix: "")
            }
            return try Path(text)
        } catch {
            throw SourceError(offset: start, text: error.problem)
        }
    }

    private mutating func readClaim() throws(SourceError) -> Claim {
        try reader.readValue().claim
    }

    private mutating func readData() throws(SourceError) {
        try skipSpace()
        let path = reader.byte == UInt8(ascii: "/") ? try readPath() : .root
        data.set(try readValue(at: path), at: path)
    }

    private mutating func readValue(at path: Path) throws(SourceError) -> Value {
        let value = try values.value(of: try reader.readValue())
        return value.resolved(at: UInt64(max(0, now)), against: data[path])
    }

    private mutating func readUpdate(
        of path: Path
    ) throws(SourceError) -> [(path: Path, value: Value)] {
        var changes: [(path: Path, value: Value)] = []
        for change in try values.update(of: try reader.readValue()) {
            let path = path.appending(change.path)
            changes.append(
                (path, change.value.resolved(at: UInt64(max(0, now)), against: data[path])))
        }
        return changes
    }
}

extension RuleTestFile {
    /// Reads a file of cases.
    public init(_ text: [UInt8]) throws(RuleTestError) {
        var parser = RuleTestParser(text)
        self = try parser.parse()
    }
}
