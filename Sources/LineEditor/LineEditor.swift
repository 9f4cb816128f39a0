internal import CLineEditor

/// Reads lines that a user types at a terminal: with a history, and with completion by the tabulator
/// key.
///
/// Confined to one thread.
public final class LineEditor {
    /// How the reading of a line ended.
    public enum Outcome: Equatable, Sendable {
        case line(String)
        /// Ctrl-D on an empty line, or the terminal is gone.
        case end
        case interrupted
    }

    /// The action of the tabulator key.
    public enum Completion: Equatable, Sendable {
        case nothing
        /// Inserts text at the cursor.
        case insert(String)
        /// Shows text, whose lines end with a newline, below the line.
        case show(String)
    }

    private let editor: OpaquePointer
    private let callbacks: Callbacks

    /// Uses standard input and standard output, which are a terminal.
    ///
    /// Returns nil where there is no memory or no such terminal.
    ///
    /// - Parameters:
    ///   - isInterrupted: Asked some times a second while nothing is typed.
    ///   - complete: Takes all that stands before the cursor.
    public init?(
        isInterrupted: @escaping () -> Bool, complete: @escaping (String) -> Completion
    ) {
        callbacks = Callbacks(isInterrupted, complete)
        let context = Unmanaged.passUnretained(callbacks).toOpaque()
        let editor = hearth_editor_new(
            { Callbacks.of($0)?.isInterrupted() ?? false },
            { context, editor, text in
                guard let editor, let text else { return }
                Callbacks.of(context)?.complete(String(cString: text), by: editor)
            }, context)
        guard let editor else { return nil }
        self.editor = editor
    }

    deinit { hearth_editor_free(editor) }

    /// Reads one line, without its end.
    public func read(prompt: String) -> Outcome {
        var text: UnsafePointer<CChar>?
        switch prompt.withCString({ hearth_editor_read(editor, $0, &text) }) {
        case HEARTH_EDITOR_LINE: return text.map { .line(String(cString: $0)) } ?? .end
        case HEARTH_EDITOR_INTERRUPTED: return .interrupted
        default: return .end
        }
    }

    /// Adds a line to the history, unless it is that of the last one.
    public func remember(_ line: String) { hearth_editor_remember(editor, line) }

    /// Reads the history of earlier sessions; false if there is none.
    @discardableResult
    public func loadHistory(from file: String) -> Bool { hearth_editor_load_history(editor, file) }

    /// Keeps the history for later sessions, for this user alone; false if it cannot be written.
    @discardableResult
    public func saveHistory(to file: String) -> Bool { hearth_editor_save_history(editor, file) }
}

/// The context of a callback from C, which passes only an address.
private final class Callbacks {
    let isInterrupted: () -> Bool
    private let completion: (String) -> LineEditor.Completion

    init(
        _ isInterrupted: @escaping () -> Bool,
        _ completion: @escaping (String) -> LineEditor.Completion
    ) {
        self.isInterrupted = isInterrupted
        self.completion = completion
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Callbacks? {
        context.map { Unmanaged<Callbacks>.fromOpaque($0).takeUnretainedValue() }
    }

    func complete(_ text: String, by editor: OpaquePointer) {
        switch completion(text) {
        case .nothing: break
        case .insert(let text): hearth_editor_insert(editor, text)
        case .show(let text): hearth_editor_show(editor, text)
        }
    }
}
