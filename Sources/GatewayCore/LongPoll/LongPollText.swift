/// The scripts that long polls are answered by.
enum LongPollText {
    /// Makes the page's functions known to the frame in which scripts run, and tells the client its session.
    ///
    /// - Parameter callback: The number in the names of the page's functions; nil if scripts run beside these.
    static func start(callback: String?, _ credential: LongPollCredential) -> [UInt8] {
        var text = ""
        if let callback {
            for name in ["pLPCommand", "pRTLPCB"] {
                let page = "parent.window[\"\(name)\(callback)\"]"
                text += "function \(name)(a,b,c){var f=\(page);if(f)f(a,b,c)}\n"
            }
        }
        text += "pLPCommand(\"start\",\"\(credential.id)\",\"\(credential.password)\");\n"
        return Array(text.utf8)
    }

    /// Hands messages to the client; the answers of a session are numbered from 0 on.
    ///
    /// - Parameter messages: Texts in JSON with commas between them.
    static func messages(_ messages: [UInt8], number: Int) -> [UInt8] {
        Array("pRTLPCB(\(number),[".utf8) + script(messages) + Array("]);\n".utf8)
    }

    /// Ends a session once the client has processed an answer.
    static func close(after number: Int) -> [UInt8] {
        Array("pLPCommand(\"close\",\(number));\n".utf8)
    }

    /// Ends a session that is not known.
    static let close = Array("pLPCommand(\"close\");\n".utf8)

    /// JSON as part of a script with the same meaning. Two differences matter: a member `__proto__` would set the
    /// object's prototype, and older browsers treat two Unicode characters as line ends.
    static func script(_ json: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(json.count + 16)
        var index = 0
        while index < json.count {
            if let (replacement, count) = replacement(in: json, at: index) {
                text += replacement.utf8
                index += count
            } else {
                text.append(json[index])
                index += 1
            }
        }
        return text
    }

    private static let prototype = Array("\"__proto__\":".utf8)
    private static let lineSeparator: [UInt8] = [0xE2, 0x80, 0xA8]
    private static let paragraphSeparator: [UInt8] = [0xE2, 0x80, 0xA9]

    /// Returns the replacement of the bytes at an index, and their number; nil if a script reads them alike.
    private static func replacement(
        in json: [UInt8], at index: Int
    ) -> (text: String, count: Int)? {
        switch json[index] {
        case 0xE2:
            if json[index...].starts(with: lineSeparator) { return ("\\u2028", 3) }
            if json[index...].starts(with: paragraphSeparator) { return ("\\u2029", 3) }
            return nil
        case UInt8(ascii: "\""):
            // A quotation mark behind one of these begins a key: inside a text, it would have a backslash.
            guard index > 0, "{,".utf8.contains(json[index - 1]),
                json[index...].starts(with: prototype)
            else { return nil }
            return ("[\"__proto__\"]:", prototype.count)
        default: return nil
        }
    }

    /// A page that ends a session once the frame in which it is shown goes, with the page around it.
    static let frame = Array(
        """
        <!doctype html><title>.</title><script>
        addEventListener("pagehide", function () {
          var query = location.search.replace("dframe=t", "disconn=t");
          fetch(location.pathname + query, { keepalive: true });
        });
        </script>

        """.utf8)
}
