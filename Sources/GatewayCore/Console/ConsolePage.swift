internal import HTTPText

/// A request for a file of the console: the page itself at every path that a browser opens, or a file that the page loads.
enum ConsolePage {
    /// The path below which the page loads its files. No key begins so.
    private static let folder = "/.console/"
    /// The pages that show no location.
    private static let pages = ["/.cluster", "/.connect", "/.events", "/.rules"]
    /// The addresses of a node that are no locations.
    private static let reserved = ["/health", "/metrics"]

    /// The file that a request names; nil if it is for data or for a report.
    static func path(in head: RequestHead) -> String? {
        guard head.method == .get || head.method == .head else { return nil }
        let path = head.target.pathText
        if path.hasPrefix(folder) { return String(path.dropFirst(folder.count)) }
        guard head.acceptsPage, !path.hasSuffix(".json"),
            pages.contains(path) || !path.hasPrefix("/."), !reserved.contains(path)
        else { return nil }
        return "index.html"
    }

    /// The answer to a request for a file; nil if the request is for something else.
    static func answer(to head: RequestHead, in configuration: GatewayConfiguration) -> Answer? {
        guard let console = configuration.console, let path = path(in: head) else { return nil }
        guard let file = console.file(path) else {
            let text = "The console has no such file.\n"
            return Answer(
                status: 404, AnswerText(Array(text.utf8)), type: "text/plain; charset=utf-8")
        }
        let isKnown = head.value(of: "if-none-match") == file.tag
        var answer =
            isKnown ? Answer(status: 304) : Answer(AnswerText(file.bytes), type: file.type)
        answer.append("ETag", file.tag)
        for field in policy(of: console) { answer.append(field.name, field.value) }
        if configuration.secrets == nil, configuration.tokens == nil {
            answer.append("Referrer-Policy", "no-referrer")
        }
        return answer
    }

    /// The headers that keep scripts of others out of the page, and the page out of others.
    private static func policy(of console: Console) -> [(name: StaticString, value: String)] {
        // `http:` includes no WebSocket, so that each node has two sources.
        let nodes = console.nodes.filter { !$0.address.isEmpty }.map {
            " \($0.address) ws\($0.address.dropFirst(4))"
        }.joined()
        let policy =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'\(nodes); base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'"
        return [
            ("Content-Security-Policy", policy),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }
}

extension RequestHead {
    /// Whether the client is a browser that opens a page.
    fileprivate var acceptsPage: Bool {
        values(of: "accept").contains { value in
            value.split(separator: ",").contains { element in
                let type = element.split(separator: ";").first ?? ""
                return type.trimmingBlanks.lowercased() == "text/html"
            }
        }
    }
}
