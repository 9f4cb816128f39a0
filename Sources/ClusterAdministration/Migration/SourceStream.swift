internal import CommandLineKit
internal import DataTree
internal import HTTPText
internal import JSONText
internal import Sockets
internal import Threads

/// Follows the changes of a source by its event stream, on a thread of its own, and connects again after a failure.
///
/// The first event of a stream contains the whole value. It is skipped as it arrives, so that memory stays bounded.
final class SourceStream: Sendable {
    /// The changes that have arrived, for the thread of the migration.
    struct State: Sendable {
        var changed = ChangedLocations()
        var changeCount = 0
        var isOpen = false
        var hasOpened = false
        /// Why the last stream ended.
        var problem = ""
        /// The source refuses the stream; another attempt would fail too.
        var refusal: CommandError?
        var isStopped = false
    }

    let state = Monitor(State())
    private let path: Path
    private let address: SourceAddress
    private let credential: SourceCredential
    /// The bytes of an event that are kept: enough for the path of each, and for the paths of most updates.
    private static let eventBytes = 1 << 20
    /// Firebase sends an event every 30 seconds, at least to keep the connection.
    private static let longestSilence = Duration.seconds(90)

    /// Starts to follow the value at a path.
    init(
        of path: Path, at address: SourceAddress, showing credential: SourceCredential
    ) throws(CommandError) {
        (self.path, self.address, self.credential) = (path, address, credential)
        let started = SystemThread { [self] in run() }
        guard started != nil else {
            throw CommandError(
                .unavailable, "the system has no room for another thread",
                fix: "raise the limit with `ulimit -u`")
        }
    }

    func stop() { state.withLock { $0.isStopped = true } }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func run() {
        var source = address
        while !isStopped {
            let asked = source
            let problem = follow(&source)
            // Another server counts for one attempt.
            if source == asked { source = address }
            state.withLock { state in
                state.isOpen = false
                state.problem = problem
            }
            state.signal()
            _ = state.wait(upTo: .seconds(1)) { $0.isStopped ? true : nil }
        }
    }

    /// Follows one stream to its end, and returns the reason for that.
    private func follow(_ source: inout SourceAddress) -> String {
        let socket: PolledSocket
        do throws(SocketError) {
            socket = try PolledSocket(to: source.server)
            while try !socket.finishConnecting(), !isStopped {
                _ = socket.wait(upTo: .milliseconds(100))
            }
        } catch {
            return error.problem
        }
        var request = SourceRequest(path, [("format", "export")])
        request.acceptsEvents = true
        _ = socket.send(request.bytes(to: source, showing: credential))
        do throws(ResponseReader.Failure) {
            return try read(socket, &source)
        } catch {
            return "the event stream of \(address.text) \(error.problem)"
        }
    }

    private func read(
        _ socket: PolledSocket, _ source: inout SourceAddress
    ) throws(ResponseReader.Failure) -> String {
        var response = StreamedResponseReader()
        var events = EventStreamReader(dataLimit: SourceStream.eventBytes)
        let json = JSONReader(maximumBytes: 2 * SourceStream.eventBytes, maximumDepth: 100)
        var deadline = ContinuousClock.now + SourceStream.longestSilence
        var (isOpen, hasValue, isThere) = (false, false, true)
        while isThere, !isStopped {
            _ = socket.wait(upTo: .milliseconds(100))
            var arrived: [UInt8] = []
            isThere = socket.receive { arrived += $0 }
            let content = try response.read(arrived)
            if let head = response.head, head.status != 200 {
                return refused(head, &source)
            }
            if !arrived.isEmpty { deadline = ContinuousClock.now + SourceStream.longestSilence }
            let complete = events.read(content)
            if events.hasBegun, !isOpen {
                isOpen = true
                open()
            }
            for event in complete {
                let event = SourceEvent(event, by: json)
                if case .changed = event, !hasValue {
                    // The first event contains the value, and no change.
                    hasValue = true
                } else if let end = apply(event) {
                    return end
                }
            }
            if response.hasEnded { break }
            guard ContinuousClock.now < deadline else {
                return "the event stream of \(address.text) was silent for too long"
            }
        }
        return socket.failure?.problem ?? "the event stream of \(address.text) has ended"
    }

    /// Changes before an opening may have been missed, except before the first one: nothing has been read then.
    private func open() {
        state.withLock { state in
            if state.hasOpened { state.changed.insertEverything() }
            (state.isOpen, state.hasOpened) = (true, true)
        }
        state.signal()
    }

    /// Records the changes of an event; returns the reason if it ends the stream.
    private func apply(_ event: SourceEvent) -> String? {
        switch event {
        case .nothing: return nil
        case .ended(let reason): return reason
        case .changed(let paths):
            state.withLock { state in
                state.changeCount += 1
                for path in paths { state.changed.insert(path) }
            }
            state.signal()
            return nil
        }
    }

    private func refused(_ head: ServerResponse, _ source: inout SourceAddress) -> String {
        let target = head.values(of: "location").first.flatMap(source.redirected)
        if (300..<400).contains(head.status), let target {
            source = target
            return "redirected to \(target.text)"
        }
        let problem = "\(address.text) refuses an event stream with status \(head.status)"
        if (400..<500).contains(head.status), head.status != 408, head.status != 429 {
            let error = CommandError(
                head.status == 401 || head.status == 403 ? .denied : .unavailable, problem,
                fix: "check the credential; for a source too large to stream, "
                    + "migrate one location after another with --path, or stop its writers and use --once"
            )
            state.withLock { $0.refusal = error }
            state.signal()
        }
        return problem
    }
}
