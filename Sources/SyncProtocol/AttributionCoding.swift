import DataTree

/// The attributions of a batch: runs of operations with one attribution, in their order.
///
/// Empty if no operation has one, as in all batches of a cluster without users.
struct AttributionRuns: Sendable {
    private struct Run: Sendable {
        let attribution: Attribution?
        var count: Int
    }

    private var runs: [Run] = []
    /// About what they take in a batch.
    private(set) var byteCount = 0

    var isEmpty: Bool { runs.isEmpty }

    /// Adds the attribution of the operation that comes after `count` others.
    mutating func append(_ attribution: Attribution?, after count: Int) {
        guard let last = runs.indices.last else {
            guard let attribution else { return }
            if count > 0 { begin(nil, of: count) }
            return begin(attribution, of: 1)
        }
        if runs[last].attribution === attribution || runs[last].attribution == attribution {
            runs[last].count += 1
        } else {
            begin(attribution, of: 1)
        }
    }

    private mutating func begin(_ attribution: Attribution?, of count: Int) {
        runs.append(Run(attribution: attribution, count: count))
        byteCount += 48 + (attribution?.user?.utf8.count ?? 0)
    }

    mutating func removeAll() {
        if runs.isEmpty { return }
        runs.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    /// Appends runs: each is an array of the number of operations, the user, and the digest of the rules. The
    /// digest is omitted if it equals that of the previous run with a user, and empty for an administrator. A run
    /// without attribution has only the number.
    mutating func append(_ runs: AttributionRuns) { runs.encode(into: &self) }

    /// Appends one attribution, or none.
    mutating func append(_ attribution: Attribution?) {
        guard let attribution else { return appendNil() }
        appendArrayHead(2)
        append(user: attribution)
        append(attribution.digest)
    }

    fileprivate mutating func append(user attribution: Attribution) {
        if let user = attribution.user { append(user) } else { appendNil() }
    }
}

extension AttributionRuns {
    fileprivate func encode(into writer: inout MessagePackWriter) {
        // A last run without attribution is omitted.
        let told = runs.last?.attribution == nil ? runs.dropLast() : runs[...]
        writer.appendArrayHead(told.count)
        var rules: String?
        for run in told {
            guard let attribution = run.attribution else {
                writer.appendArrayHead(1)
                writer.append(UInt64(run.count))
                continue
            }
            let isNew = attribution.digest != rules
            writer.appendArrayHead(isNew ? 3 : 2)
            writer.append(UInt64(run.count))
            writer.append(user: attribution)
            if isNew { writer.append(attribution.digest) }
            rules = attribution.digest
        }
    }
}

extension MessagePackReader {
    /// Takes one attribution, or none.
    mutating func attribution() throws(FrameError) -> Attribution? {
        if takeNil() { return nil }
        let start = position
        guard try arrayHead("an attribution (an array of 2)") == 2 else {
            throw .expected("an attribution (an array of 2)", found: "another array", at: start)
        }
        return Attribution(user: try attributedUser(), rules: try string("a digest of rules"))
    }

    /// Takes the runs of a batch, and gives its operations their attributions.
    mutating func attribute(_ operations: inout [Operation]) throws(FrameError) {
        var (next, rules) = (0, String?.none)
        for _ in 0..<(try arrayHead("runs of operations with one attribution")) {
            let start = position
            let size = try arrayHead("a run (an array of 1 to 3)")
            let count = try unsigned("a number of operations")
            guard (1...3).contains(size), count > 0, count <= UInt64(operations.count - next)
            else {
                throw .expected(
                    "a run of 1 to 3 elements, over operations of the batch",
                    found: "one of \(size), over \(count)", at: start)
            }
            let run = next..<(next + Int(count))
            next = run.upperBound
            if size == 1 { continue }
            let user = try attributedUser()
            if size == 3 { rules = try string("a digest of rules") }
            guard let rules else {
                throw .expected("the digest of rules of the first user", found: "none", at: start)
            }
            let attribution = Attribution(user: user, rules: rules)
            for index in run { operations[index].attribution = attribution }
        }
    }

    private mutating func attributedUser() throws(FrameError) -> String? {
        takeNil() ? nil : try string("a user")
    }
}
