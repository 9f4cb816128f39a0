internal import CLibrary
internal import CSQLite

/// A failure of the database, with its fix.
public struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Equatable, Sendable {
        /// The file cannot be opened, created or written.
        case cannotOpen
        /// Another process has the file.
        case locked
        /// The disk is full.
        case diskFull
        /// The files of an open database were deleted or replaced.
        case missing
        /// The file is damaged, or is no database.
        case corrupt
        /// The file is a database of another application, or of another version of Hearth.
        case wrongFormat
        /// The storage thread was closed before this was submitted.
        case closed
        /// A contradiction between a write and the content: a bug in Hearth.
        case contradiction
        /// Any other failure, with SQLite's extended result code.
        case failed(Int32)
    }

    package let code: Code
    /// The problem, naming the file.
    public let problem: String
    /// The fix.
    public let fix: String

    /// The problem and the fix.
    public var description: String { "\(problem): \(fix)" }

    package init(code: Code, problem: String, fix: String) {
        self.code = code
        self.problem = problem
        self.fix = fix
    }

    /// Describes SQLite's `result` and its `message` about the database at `path`.
    ///
    /// - Parameter system: The system's error. A full disk on which SQLite cannot create a file is one for SQLite that it cannot open.
    init(_ result: Int32, system: Int32 = 0, message: String, path: String) {
        let code = Code(result)
        let isFull = code == .cannotOpen && (system == ENOSPC || system == EDQUOT)
        self.init(isFull ? .diskFull : code, message: message, path: path)
    }

    /// Describes a failure of this kind, about the database at `path`.
    package init(_ code: Code, message: String, path: String) {
        self.init(
            code: code, problem: code.problem(of: path, message: message), fix: code.fix)
    }
}

extension StorageError.Code {
    /// The kind of an extended result code, which is in its low byte.
    init(_ result: Int32) {
        self =
            switch result & 0xff {
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: .cannotOpen
            case SQLITE_BUSY, SQLITE_LOCKED: .locked
            case SQLITE_FULL: .diskFull
            case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
            default: .failed(result)
            }
    }

    fileprivate func problem(of path: String, message: String) -> String {
        switch self {
        case .cannotOpen: "cannot open database \(path): \(message)"
        case .locked: "database \(path) is in use by another process"
        case .diskFull: "cannot write database \(path): the disk is full"
        case .corrupt: "database \(path) is damaged: \(message)"
        case .wrongFormat, .closed, .contradiction, .missing, .failed:
            "database \(path) failed: \(message)"
        }
    }

    fileprivate var fix: String {
        switch self {
        case .cannotOpen:
            "check that its folder exists and that this user may write there"
        case .locked: "stop the node that uses it, or choose another folder for this one"
        case .diskFull: "free some space; until then, use another node"
        case .corrupt:
            "bring back a backup with `hearth restore`, or move the file away and start the node "
                + "again: it fetches the data from its peers"
        case .contradiction: "start the node again, and report this"
        case .wrongFormat, .closed, .missing, .failed:
            "check the disk and the system's log, then start the node again"
        }
    }
}
