internal import CLibrary

/// The file that holds a key pair, which only its owner can read, or the group of a file of root:
///
///     public  rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7
///     secret  JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6
public struct KeyFile: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Reads the pair.
    ///
    /// - Throws: `KeyFileError` when the file cannot be read, is readable by other users, or holds no key.
    public func read() throws(KeyFileError) -> KeyPair {
        var status = stat()
        guard let file = fopen(path, "re") else {
            throw KeyFileError(
                problem: "cannot read key \(path): \(String(cString: strerror(errno)))",
                fix: "name a file that `hearth keys new` made")
        }
        defer { fclose(file) }
        guard fstat(fileno(file), &status) == 0,
            keepsSecret(mode: status.st_mode, owner: status.st_uid)
        else {
            throw KeyFileError(
                problem: "other users may read key \(path)", fix: "run `chmod 600 \(path)`")
        }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let words = String(decoding: bytes, as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            guard words.count == 2, words[0] == "secret" else { continue }
            if let keys = KeyPair(secret: String(words[1])) { return keys }
        }
        throw KeyFileError(
            problem: "\(path) holds no secret key", fix: "make one with `hearth keys new`")
    }

    /// The content of a file with a pair.
    public static func text(of keys: KeyPair) -> String {
        "public  \(keys.publicKey)\nsecret  \(keys.secret)\n"
    }

    /// Writes a pair to a new file.
    ///
    /// - Throws: `KeyFileError` when the file exists already, or cannot be written.
    public func write(_ keys: KeyPair) throws(KeyFileError) {
        let text = KeyFile.text(of: keys)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw KeyFileError(
                problem: "cannot make key \(path): \(String(cString: strerror(errno)))",
                fix: "name a new file in a folder that you may write")
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard CLibrary.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
        else {
            unlink(path)
            throw KeyFileError(
                problem: "cannot write key \(path): \(String(cString: strerror(errno)))",
                fix: "free space on the disk")
        }
    }
}

/// Says why a key cannot be read or written.
public struct KeyFileError: Error, Equatable, Sendable {
    /// The problem, with the name of the file.
    public let problem: String
    package let fix: String
}
