internal import DataTree
internal import JSONText

/// The messages of a node to the console's page, as JSON.
enum ConsoleText {
    /// `{"t":"ready",…}`: the node, and the user that it takes the page for.
    static func ready(
        _ console: Console?, user: String, isOpen: Bool, hasTokens: Bool, isEmulator: Bool
    ) -> [UInt8] {
        let nodes = (console?.nodes ?? []).map { node in
            "{\"name\":\(quoted(node.name)),\"address\":\(quoted(node.address)),"
                + "\"page\":\(quoted(node.page))}"
        }
        return bytes(
            "{\"t\":\"ready\",\"node\":\(quoted(console?.node ?? "")),"
                + "\"cluster\":\(quoted(console?.cluster ?? "")),\"user\":\(user),"
                + "\"open\":\(isOpen),\"tokens\":\(hasTokens),\"emulator\":\(isEmulator),"
                + "\"nodes\":[\(nodes.joined(separator: ","))]}")
    }

    /// `{"t":"rows",…}`: each row is one, or the position of one that the page has.
    static func rows(
        of id: Int, from: Int, total: Int, location: String, rows: [String], isFirst: Bool
    ) -> [UInt8] {
        bytes(
            "{\"t\":\"rows\",\"id\":\(id),\"from\":\(from),\"total\":\(total),"
                + (isFirst ? "\"first\":true," : "")
                + "\"at\":\(location),\"rows\":[\(rows.joined(separator: ","))]}")
    }

    /// `{"t":"refused",…}`: a window or a request that the rules or the node refuse.
    static func refusal(of id: Int, _ code: String, _ problem: String, _ fix: String) -> [UInt8] {
        bytes(
            "{\"t\":\"refused\",\"id\":\(id),\"code\":\(quoted(code)),"
                + "\"problem\":\(quoted(problem)),\"fix\":\(quoted(fix))}")
    }

    /// `{"t":"denied",…}`: the token is not valid.
    static func denial(_ problem: String, _ fix: String) -> [UInt8] {
        bytes("{\"t\":\"denied\",\"problem\":\(quoted(problem)),\"fix\":\(quoted(fix))}")
    }

    /// `{"t":"status",…}`, with the status of the node, null for users, and those of other nodes, as this node knows them.
    static func status(_ value: Value, peers: [PeerReport] = []) -> [UInt8] {
        var text = bytes("{\"t\":\"status\",\"status\":") + JSONWriter.bytes(of: value)
        if !peers.isEmpty {
            let members = peers.map { peer in
                "\(quoted(peer.node)):{\"age\":\(peer.ageMilliseconds),\"status\":"
                    + JSONWriter.text(of: peer.status) + "}"
            }
            text += bytes(",\"peers\":{\(members.joined(separator: ","))}")
        }
        return text + bytes("}")
    }

    /// `{"t":"why",…}`, with the report on a location.
    static func why(_ id: Int, _ value: Value) -> [UInt8] {
        bytes("{\"t\":\"why\",\"id\":\(id),\"report\":") + JSONWriter.bytes(of: value) + bytes("}")
    }

    /// `{"t":"events",…}`, with the last operations, how many are left out, and whether more were passed over.
    static func events(_ id: Int, _ report: Value, left: Int, hasSkipped: Bool) -> [UInt8] {
        bytes(
            "{\"t\":\"events\",\"id\":\(id),\"left\":\(left),"
                + "\"skipped\":\(hasSkipped),\"report\":")
            + JSONWriter.bytes(of: report) + bytes("}")
    }

    /// `{"t":"explained",…}`, with the lines of a verdict.
    static func verdict(_ id: Int, _ lines: [String]) -> [UInt8] {
        bytes(
            "{\"t\":\"explained\",\"id\":\(id),"
                + "\"lines\":[\(lines.map(quoted).joined(separator: ","))]}")
    }

    /// `{"t":"done",…}`: a command that is done, with the text that the node answers.
    static func done(_ id: Int, _ text: String) -> [UInt8] {
        bytes("{\"t\":\"done\",\"id\":\(id),\"text\":\(quoted(text))}")
    }

    static func quoted(_ text: String) -> String { JSONWriter.text(of: .string(text)) }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
