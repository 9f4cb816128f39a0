internal import ClientCore
internal import DataTree

// Invalid calls that cannot throw, such as a second order of a query or a path with a bad character. Like Firebase's
// SDK, such a call returns a query or a reference; here each use of the result fails with the error of the call. A trap
// instead would end a release build without a message.

extension HearthError {
    /// Makes the error of an invalid call of the program, and logs it, since the program may never use the result.
    static func misuse(_ error: DataError) -> HearthError {
        let error = HearthError(error)
        Log.warn("invalid call: \(error)")
        return error
    }
}

extension Path {
    /// Makes a path with the text of an invalid one as its key, for descriptions; no value is ever there.
    static func invalid(_ text: String) -> Path {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(80) {
            // `Key` marks integers by a control character.
            shown.unicodeScalars.append(scalar.value < 32 ? "\u{FFFD}" : scalar)
        }
        return Path([Key(unchecked: shown)])
    }
}
