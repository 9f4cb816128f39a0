/// The words that this process was started with.
package enum CommandLineWords {
    /// The words behind the name of the program.
    ///
    /// - Throws: a usage error for a word that is not UTF-8: Swift would put U+FFFD in place of its
    ///   bytes, and a path would be that of another place.
    package static func read() throws(CommandError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            words.append(try word(bytes, number: index))
        }
        return words
    }

    /// One word, from bytes that end with a zero.
    package static func word(
        _ bytes: UnsafePointer<CChar>, number: Int
    ) throws(CommandError) -> String {
        if let word = String(validatingCString: bytes) { return word }
        throw CommandError(
            .usage, "word \(number) of the command line is not UTF-8: \(String(cString: bytes))",
            fix: "write paths and values in UTF-8; a file of another name can be given as "
                + "standard input")
    }
}
