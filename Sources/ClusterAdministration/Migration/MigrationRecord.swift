internal import CommandLineKit
internal import DataTree
internal import JSONText

/// The progress of an interrupted migration, as its state file says.
struct MigrationRecord: Equatable {
    enum Phase: String {
        /// Values after the cursor are not at the target yet.
        case copying
        /// All values have been copied once; changes may be missing.
        case following
        /// Both sides were equal at the end.
        case done
    }

    let source: String
    let target: String
    var phase = Phase.copying
    var cursor = MigrationWalk.Cursor(path: .root)
    /// The rules that the first run has read from the source.
    var rules: String?

    /// Whether the same command resumes it.
    var isInterrupted: Bool { phase != .done }

    init(source: String, target: String, path: Path) {
        (self.source, self.target) = (source, target)
        cursor.path = path
    }

    /// Reads a state file; nil if there is none.
    init?(file: String) throws(CommandError) {
        guard let bytes = readFile(file) else { return nil }
        guard let value = try? JSONReader().parse(bytes),
            case .string(let source) = value[Key(unchecked: "source")],
            case .string(let target) = value[Key(unchecked: "target")],
            case .string(let name) = value[Key(unchecked: "phase")],
            let phase = Phase(rawValue: name),
            case .string(let location) = value[Key(unchecked: "path")],
            let path = try? Path(location)
        else {
            throw CommandError(
                .badData, "\(file) is not the state of a migration",
                fix: "name another file with --state, or remove it")
        }
        (self.source, self.target, self.phase) = (source, target, phase)
        cursor.path = path
        if case .string(let text) = value[Key(unchecked: "rules")] { rules = text }
        if case .string(let key) = value[Key(unchecked: "after")] { cursor.after = try? Key(key) }
    }

    /// Whether another record is of a migration between the same sides.
    func isOfMigration(_ other: MigrationRecord) -> Bool {
        source == other.source && target == other.target
    }

    var json: [UInt8] {
        var members: [(String, Value)] = [
            ("source", .string(source)), ("target", .string(target)),
            ("phase", .string(phase.rawValue)), ("path", .string(cursor.path.description)),
        ]
        if let key = cursor.after { members.append(("after", .string(key.text))) }
        if let rules { members.append(("rules", .string(rules))) }
        return JSONWriter.bytes(of: .object(named: members), layout: .pretty)
            + [UInt8(ascii: "\n")]
    }
}
