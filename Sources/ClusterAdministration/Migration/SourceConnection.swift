internal import CommandLineKit
internal import HTTPText
internal import Sockets

/// One connection to a source, which sends a request at a time and stays open between requests.
final class SourceConnection {
    /// How a request ended.
    enum Outcome {
        case response(ServerResponse)
        /// The answer is larger than the limit.
        case tooLarge
        /// The source did not answer; another attempt may succeed.
        case failed(problem: String, fix: String)
    }

    /// How long an answer may take.
    private static let patience = Duration.seconds(60)

    private let credential: SourceCredential
    private let address: SourceAddress
    private var socket: PolledSocket?
    private var request: [UInt8] = []
    /// Whether an earlier request used the connection: the server may have closed it since.
    private var isReused = false

    init(to address: SourceAddress, showing credential: SourceCredential) {
        (self.address, self.credential) = (address, credential)
    }

    /// Sends a request, without waiting for the answer.
    func send(_ request: SourceRequest) {
        self.request = request.bytes(to: address, showing: credential)
        isReused = socket != nil
        if let socket, !socket.send(self.request) { self.socket = nil }
    }

    /// Waits for the answer to the last request.
    func receive(upTo limit: Int) -> Outcome {
        let deadline = ContinuousClock.now + SourceConnection.patience
        do throws(SocketError) {
            if isReused, socket != nil, let outcome = try answer(upTo: limit, until: deadline) {
                return outcome
            }
            try reconnect(until: deadline)
            if let outcome = try answer(upTo: limit, until: deadline) { return outcome }
        } catch {
            socket = nil
            return .failed(problem: error.problem, fix: error.fix)
        }
        return .failed(
            problem: "\(address.text) closed the connection without an answer",
            fix: "check that it is the address of a database")
    }

    private func reconnect(until deadline: ContinuousClock.Instant) throws(SocketError) {
        let socket = try PolledSocket(to: address.server)
        while try !socket.finishConnecting(), ContinuousClock.now < deadline {
            _ = socket.wait(upTo: .milliseconds(100))
        }
        _ = socket.send(request)
        self.socket = socket
    }

    /// The answer; nil if the server closed the connection before it sent anything.
    private func answer(
        upTo limit: Int, until deadline: ContinuousClock.Instant
    ) throws(SocketError) -> Outcome? {
        guard let socket else { return nil }
        var reader = ResponseReader(bodyLimit: limit)
        var hasBegun = false
        while ContinuousClock.now < deadline {
            _ = socket.wait(upTo: .milliseconds(100))
            var arrived: [UInt8] = []
            let isThere = socket.receive { arrived += $0 }
            hasBegun = hasBegun || !arrived.isEmpty
            do throws(ResponseReader.Failure) {
                if let response = try reader.read(arrived) { return finish(response, isThere) }
                if !isThere, hasBegun { return finish(try reader.end(), isThere) }
            } catch {
                self.socket = nil
                if error == reader.tooLarge { return .tooLarge }
                return .failed(
                    problem: "the answer of \(address.text) \(error.problem)",
                    fix: "check that it is the address of a database")
            }
            if !isThere {
                self.socket = nil
                guard let failure = socket.failure else { return nil }
                return .failed(
                    problem: "cannot trust \(address.text): \(failure.problem)",
                    fix: "\(failure.fix); --from-ca FILE names other authorities")
            }
        }
        self.socket = nil
        return .failed(
            problem:
                "\(address.text) did not answer within \(NodeWait.text(of: SourceConnection.patience))",
            fix: "check the address, and that this machine may connect to it")
    }

    private func finish(_ response: ServerResponse, _ isThere: Bool) -> Outcome {
        let closes = response.values(of: "connection").contains { $0.lowercased() == "close" }
        if closes || !isThere { socket = nil }
        return .response(response)
    }
}
