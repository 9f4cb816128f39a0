internal import CommandLineKit
internal import HTTPText
internal import Sockets
internal import TLS

/// Fetches the document of a key source by one GET on a connection of its own.
struct KeyFetch: Sendable {
    let source: KeySource
    let bodyLimit: Int

    /// Sends the request and waits for the answer. A look-up of the host's name may take longer than the limit.
    ///
    /// - Parameter tag: The ETag of the document that the caller has; the answer is 304 if it is the present one.
    func response(
        unlessTagged tag: String?, within limit: Duration
    ) throws(CommandError) -> ServerResponse {
        let deadline = ContinuousClock.now + limit
        let socket = try connect(until: deadline)
        var isThere = socket.send(request(unlessTagged: tag))
        var reader = ResponseReader(bodyLimit: bodyLimit)
        while isThere {
            guard wait(for: socket, until: deadline) else { throw silence(limit) }
            var arrived: [UInt8] = []
            isThere = socket.receive { arrived += $0 }
            if let response = try read(arrived, by: &reader) { return response }
        }
        if let failure = socket.failure { throw insecure(failure) }
        do throws(ResponseReader.Failure) { return try reader.end() } catch { throw failed(error) }
    }

    private func connect(until deadline: ContinuousClock.Instant) throws(CommandError)
        -> PolledSocket
    {
        let limit = ContinuousClock.now.duration(to: deadline)
        do throws(SocketError) {
            let socket = try PolledSocket(to: source.server)
            while try !socket.finishConnecting() {
                guard wait(for: socket, until: deadline) else { break }
            }
            if socket.isOpen { return socket }
        } catch {
            throw CommandError(
                .unavailable, error.problem,
                fix: "check the address, and that this machine may connect to it")
        }
        throw silence(limit)
    }

    private func wait(for socket: PolledSocket, until deadline: ContinuousClock.Instant) -> Bool {
        let rest = ContinuousClock.now.duration(to: deadline)
        return rest > .zero && socket.wait(upTo: rest)
    }

    private func read(
        _ bytes: [UInt8], by reader: inout ResponseReader
    ) throws(CommandError) -> ServerResponse? {
        do throws(ResponseReader.Failure) { return try reader.read(bytes) } catch {
            throw failed(error)
        }
    }

    private func request(unlessTagged tag: String?) -> [UInt8] {
        var lines = [
            "GET \(source.target) HTTP/1.1", "Host: \(source.authority)",
            "User-Agent: hearth/\(hearthVersion)", "Accept: application/json, */*",
            "Connection: close",
        ]
        if let tag { lines.append("If-None-Match: \(tag)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

extension KeyFetch {
    private func silence(_ limit: Duration) -> CommandError {
        CommandError(
            .unavailable, "\(source.text) did not answer within \(NodeWait.text(of: limit))",
            fix: "check the address, and that this machine may connect to it")
    }

    private func insecure(_ failure: TLSError) -> CommandError {
        CommandError(
            .unavailable, "cannot trust \(source.text): \(failure.problem)",
            fix: "\(failure.fix); --ca FILE names other authorities")
    }

    private func failed(_ failure: ResponseReader.Failure) -> CommandError {
        CommandError(
            .unavailable, "the answer of \(source.text) \(failure.problem)",
            fix: "check the address")
    }
}
