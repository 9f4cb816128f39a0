internal import DataTree

/// The change of a connection from HTTP to a WebSocket (RFC 6455, section 4).
public enum WebSocketUpgrade {
    /// The version that both ends speak.
    public static let version = "13"

    /// The proof that a server has understood a client's key.
    static func accept(_ key: String) -> String {
        var digest = SHA1()
        digest.update(key)
        digest.update("258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        return digest.base64()
    }

    /// Whether a text can be a client's key: 16 bytes in base 64.
    public static func isKey(_ text: String) -> Bool {
        let digits = text.utf8
        return digits.count == 24 && text.hasSuffix("==")
            && digits.dropLast(2).allSatisfy { alphabet.contains($0) }
    }

    /// A key for one connection.
    static func key(using random: inout some RandomNumberGenerator) -> String {
        // The 22nd digit has two bits of the 16th byte.
        let digits = (0..<21).map { _ in alphabet.randomElement(using: &random) ?? alphabet[0] }
        return String(decoding: digits, as: UTF8.self) + "A=="
    }

    /// A server's answer to a client's key; frames follow it.
    public static func answer(to key: String, subprotocol: String?) -> [UInt8] {
        var lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(accept(key))",
        ]
        if let subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
