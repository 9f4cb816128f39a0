// The checks of this module's own invariants, which print their message before they end the process.
//
// The standard library's `precondition` prints nothing in a release build: the process ends with "Illegal instruction" alone.
// Each module that checks invariants has a link to this file. Its functions take the position of the standard library's in that
// module only, and need no import.

/// Ends the process with a message unless a condition holds.
///
/// The message is made only if it is printed, out of line: where the condition holds, the check costs a comparison.
@usableFromInline
@inline(__always)
func precondition(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String = "",
    file: StaticString = #fileID, line: UInt = #line
) {
    if !condition() { preconditionFailure(message(), file: file, line: line) }
}

/// Ends the process with a message.
@usableFromInline
@inline(never)
func preconditionFailure(
    _ message: @autoclosure () -> String = "", file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError(message(), file: file, line: line)
}
