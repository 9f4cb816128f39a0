/// Why a part of a target is not text.
public enum TargetError: Error, Equatable, Sendable {
    /// A percent sign without two hexadecimal digits behind it; with the characters that are there.
    case badEscape(String)
    /// The bytes of a part, once decoded, are not UTF-8; with the part as the client wrote it.
    case notUTF8(String)

    /// The problem, as a sentence for the client's author.
    public var problem: String {
        switch self {
        case .badEscape(let escape):
            "The URI has \(escape), which is not an escape: write % as %25."
        case .notUTF8(let part): "The URI has \(part), which is not UTF-8."
        }
    }
}

/// The text of a part of a path, with its escapes resolved (RFC 3986, section 2.1).
func percentDecoded(_ part: ArraySlice<UInt8>) throws(TargetError) -> String {
    let bytes = part.contains(UInt8(ascii: "%")) ? try withoutEscapes(part) : part
    return try text(of: bytes, writtenAs: part)
}

/// The text of a part of a query: besides escapes, a `+` stands for a space (`application/x-www-form-urlencoded`).
func formDecoded(_ part: ArraySlice<UInt8>) throws(TargetError) -> String {
    guard part.contains(UInt8(ascii: "+")) else { return try percentDecoded(part) }
    let bytes = try withoutEscapes(part, readingPlusAs: UInt8(ascii: " "))
    return try text(of: bytes, writtenAs: part)
}

private func text(
    of bytes: ArraySlice<UInt8>, writtenAs part: ArraySlice<UInt8>
) throws(TargetError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw .notUTF8(String(decoding: part, as: UTF8.self))
    }
    return text
}

private func withoutEscapes(
    _ part: ArraySlice<UInt8>, readingPlusAs plus: UInt8 = UInt8(ascii: "+")
) throws(TargetError) -> ArraySlice<UInt8> {
    var bytes: ArraySlice<UInt8> = []
    bytes.reserveCapacity(part.count)
    var rest = part
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte == UInt8(ascii: "+") ? plus : byte)
            continue
        }
        guard let high = rest.first?.hexadecimalValue,
            let low = rest.dropFirst().first?.hexadecimalValue
        else { throw .badEscape("%" + String(decoding: rest.prefix(2), as: UTF8.self)) }
        bytes.append(high << 4 | low)
        rest.removeFirst(2)
    }
    return bytes
}
