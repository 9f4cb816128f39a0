import DataTree
import JSONText
import ReplicaCore
import Store
import SyncProtocol

/// The initial tree of a run: the JSON of a file that a scenario names.
struct LoadedData: Sendable {
    /// The largest file, in bytes.
    static let byteLimit = 64 << 20
    /// In runs with more values than these, checks execute nothing again.
    private static let smallCount = 1_000

    /// The path of the file, as the scenario has it.
    let file: String
    let value: Value
    /// Whether there are few enough values to execute everything again after every turn.
    let isSmall: Bool

    init(file: String, value: Value) {
        self.file = file
        self.value = value
        isSmall = value.leafCount(upTo: LoadedData.smallCount) < LoadedData.smallCount
    }

    /// The batch that a process of long ago has left on every disk.
    ///
    /// One operation writes the whole tree, so that all that checks say of operations holds for it.
    var batch: LogEntry {
        // As long as those that are drawn, so that messages name it.
        let writer = WriterID(bits: 0x4C6F_6164_6564_2121)
        let time = HybridTime(milliseconds: VirtualClock.beginning - 600_000)
        let operation = Operation(
            stamp: Stamp(time: time, writer: writer), writes: [Write(path: .root, value: value)])
        let batch = Batch(
            origin: writer, first: 1, wallMilliseconds: time.milliseconds,
            dependencies: VersionVector(), operations: [operation])
        return LogEntry(origin: writer, first: 1, last: 1, bytes: BatchCoding.encode(batch))
    }
}

extension ScenarioWord {
    /// The JSON of a file that is named by its path.
    ///
    /// - Parameter read: The bytes of a file; nil if it cannot be read.
    func loadedData(_ read: (String) -> [UInt8]?) throws(ScenarioError) -> LoadedData {
        if isEnd { throw .expected("the path of a JSON file, as in load start.json", found: self) }
        guard let bytes = read(text) else {
            throw ScenarioError(
                problem: "cannot read the file \"\(text)\" at \(line):\(column)",
                fix: "name a JSON file, by its path from the folder of the scenario", line: line,
                column: column)
        }
        let value: Value
        do throws(JSONError) {
            value = try JSONReader(maximumBytes: LoadedData.byteLimit).parse(bytes)
        } catch {
            throw ScenarioError(
                problem: "\(text):\(error.line):\(error.column): \(error.problem), "
                    + "named at \(line):\(column)",
                fix: error.fix, line: line, column: column)
        }
        if value.hasServerValues {
            throw ScenarioError(
                problem: "\(text) has a server value, named at \(line):\(column)",
                fix: "write the number or the time itself", line: line, column: column)
        }
        return LoadedData(file: text, value: value)
    }
}

extension Value {
    /// How many values without children it has, counted up to a limit.
    fileprivate func leafCount(upTo limit: Int) -> Int {
        if children.isEmpty { return 1 }
        var count = 0
        for (_, child) in children where count < limit {
            count += child.leafCount(upTo: limit - count)
        }
        return count
    }

    /// Whether any of it waits for a node to resolve it.
    fileprivate var hasServerValues: Bool {
        if case .deferred = content { return true }
        if case .deferred = priority { return true }
        return children.contains { $0.value.hasServerValues }
    }
}
