internal import Glibc

/// A program in the folder of this one.
package struct SiblingProgram: Equatable, Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }

    package var path: String {
        let own = OwnProgram.file
        let folder = own.lastIndex(of: "/").map { own[...$0] } ?? "./"
        return folder + name
    }

    /// Replaces this process by the program, which gets the same command line.
    ///
    /// - Throws: when the program is missing or cannot be started.
    package func replaceThisProcess() throws(CommandError) -> Never {
        StandardOutput.shared.flush()
        execv(path, CommandLine.unsafeArgv)
        throw CommandError(
            .unavailable, "cannot start \(path), which does this: \(systemErrorText)",
            fix: "run `scripts/install --simulator` in a clone of Hearth, or `scripts/hearth` there"
        )
    }
}

/// The file of this program.
package enum OwnProgram {
    /// Its absolute path; with " (deleted)" behind it if the file was removed or replaced since the start.
    package static var file: String {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        return String(decoding: path.prefix(max(0, count)), as: UTF8.self)
    }
}
