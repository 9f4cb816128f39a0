package import CommandLineKit
package import DataTree
internal import Glibc
internal import HTTPText
internal import JSONText

/// Reads a source over Firebase's REST interface. It repeats requests that fail for a while.
package final class SourceReader {
    /// The answer to a read of bounded size.
    enum Answer {
        case value(Value, bytes: Int)
        case tooLarge
    }

    /// The largest answer to a read of a page, in bytes.
    static let pageLimit = 4 << 20
    /// The largest answer of the service, in bytes.
    static let largestAnswer = 256 << 20
    /// The most requests that are sent at the same time.
    static let parallelRequests = 16
    /// How long the source may be unavailable.
    private static let patience = Duration.seconds(60)

    package let address: SourceAddress
    let credential: SourceCredential
    private var connections: [SourceConnection] = []
    private let json = JSONReader()

    package init(_ address: SourceAddress, showing credential: SourceCredential) {
        (self.address, self.credential) = (address, credential)
    }

    /// Fails unless the source answers and permits to read a location.
    package func probe(_ path: Path) throws(CommandError) {
        let request = SourceRequest(path, [("shallow", "true")])
        connection(0).send(request)
        switch connection(0).receive(upTo: 64 << 10) {
        case .tooLarge: return
        case .failed(let problem, let fix): throw CommandError(.unavailable, problem, fix: fix)
        case .response(let response):
            if response.status != 200 { throw refusal(response) }
        }
    }

    /// The children of a location, in key order, behind a key.
    func page(
        of path: Path, after key: Key?, limit: Int
    ) throws(CommandError) -> Answer {
        var parameters = [
            ("orderBy", "\"$key\""), ("limitToFirst", "\(limit)"), ("format", "export"),
        ]
        if let key { parameters.append(("startAfter", quoted(key))) }
        return try read(SourceRequest(path, parameters), upTo: SourceReader.pageLimit)
    }

    /// The first key of a location behind another one.
    func key(of path: Path, after key: Key?) throws(CommandError) -> Key? {
        var parameters = [("shallow", "true"), ("limitToFirst", "1")]
        if let key { parameters.append(("startAfter", key.text)) }
        let request = SourceRequest(path, parameters)
        guard case .value(let value, _) = try read(request, upTo: SourceReader.largestAnswer)
        else { return nil }
        return value.children.first { key == nil || key! < $0.key }?.key
    }

    /// The value at a location, with priorities.
    func value(
        at path: Path, upTo limit: Int = SourceReader.largestAnswer
    ) throws(CommandError) -> Answer {
        try read(SourceReader.request(forValueAt: path), upTo: limit)
    }

    /// The values at several locations, each of bounded size.
    func values(at paths: ArraySlice<Path>) throws(CommandError) -> [Answer] {
        for (index, path) in paths.enumerated() {
            connection(index).send(SourceReader.request(forValueAt: path))
        }
        var answers: [Answer] = []
        for (index, path) in paths.enumerated() {
            let outcome = connection(index).receive(upTo: SourceReader.pageLimit)
            if let answer = try answer(outcome) {
                answers.append(answer)
            } else {
                answers.append(try value(at: path, upTo: SourceReader.pageLimit))
            }
        }
        return answers
    }

    /// The document of rules, as it was written.
    package func rules() throws(CommandError) -> [UInt8] {
        connection(0).send(.rules)
        switch connection(0).receive(upTo: SourceReader.pageLimit) {
        case .response(let response) where response.status == 200: return response.body
        case .response(let response): throw refusal(response)
        case .failed(let problem, let fix): throw CommandError(.unavailable, problem, fix: fix)
        case .tooLarge:
            throw CommandError(
                .badData, "the rules of \(address.text) are too large",
                fix: "export them to a file, and name it with --rules")
        }
    }

    private static func request(forValueAt path: Path) -> SourceRequest {
        SourceRequest(path, path.last == .priority ? [] : [("format", "export")])
    }

    private func connection(_ index: Int) -> SourceConnection {
        while connections.count <= index {
            connections.append(SourceConnection(to: address, showing: credential))
        }
        return connections[index]
    }

    private func quoted(_ key: Key) -> String { JSONWriter.text(of: .string(key.text)) }
}

// MARK: - Repetition

extension SourceReader {
    /// Reads until there is an answer, or the patience has ended.
    private func read(
        _ request: SourceRequest, upTo limit: Int
    ) throws(CommandError) -> Answer {
        let deadline = ContinuousClock.now + SourceReader.patience
        var pause = Duration.milliseconds(200)
        var hasReported = false
        while true {
            connection(0).send(request)
            let outcome = connection(0).receive(upTo: limit)
            if let answer = try answer(outcome) { return answer }
            let failure = failure(of: outcome)
            guard ContinuousClock.now < deadline, !StopRequest.isThere else { throw failure }
            if !hasReported {
                Terminal.standardError.print("waiting for the source: \(failure.problem)")
                hasReported = true
            }
            wait(pause)
            pause = min(pause * 2, .seconds(5))
        }
    }

    /// The answer in an outcome; nil if another attempt may succeed.
    private func answer(_ outcome: SourceConnection.Outcome) throws(CommandError) -> Answer? {
        switch outcome {
        case .tooLarge: return .tooLarge
        case .failed: return nil
        case .response(let response):
            switch response.status {
            case 200:
                do throws(JSONError) {
                    return .value(try json.parse(response.body), bytes: response.body.count)
                } catch {
                    throw CommandError(
                        .badData, "the source sent data that Hearth cannot store: \(error)",
                        fix: error.fix)
                }
            case 400, 413:
                if response.text.contains("exceeds the maximum size") { return .tooLarge }
                throw refusal(response)
            case 408, 429, 500...599: return nil
            default: throw refusal(response)
            }
        }
    }

    private func failure(of outcome: SourceConnection.Outcome) -> CommandError {
        switch outcome {
        case .failed(let problem, let fix): CommandError(.unavailable, problem, fix: fix)
        case .response(let response): refusal(response)
        case .tooLarge: preconditionFailure("a large answer is no failure")
        }
    }

    /// The error for an answer that refuses a request.
    func refusal(_ response: ServerResponse) -> CommandError {
        let problem = "\(address.text) answered \(response.status)"
        switch response.status {
        case 401, 403:
            return CommandError(
                .denied, "\(problem): \(response.text)",
                fix:
                    "name a file with an administrator's credential: --from-secret for a database secret, "
                    + "--from-token for an access token")
        case 404:
            return CommandError(
                .unavailable, "\(problem): there is no database",
                fix: "copy the database URL from the Firebase console")
        case 300...399:
            let target = response.values(of: "location").first ?? "another address"
            return CommandError(
                .unavailable, "\(problem), and refers to \(target.prefix(200))",
                fix: "use that address with --from")
        default:
            return CommandError(
                .unavailable, "\(problem): \(response.text)",
                fix: "check the address; run the same command again to resume")
        }
    }

    private func wait(_ pause: Duration) {
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end, !StopRequest.isThere {
            // A piece short enough for Ctrl-C.
            _ = usleep(50_000)
        }
    }
}

extension ServerResponse {
    /// The beginning of the body in one line, for messages.
    var text: String {
        let text = String(decoding: body.prefix(300), as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
