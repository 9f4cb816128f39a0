import JSONText
import ReplicaCore

/// How a Firebase client reaches its node: by a WebSocket, or by long polls, from which it may change to one.
struct FirebaseTransport {
    /// One of the connections of a client.
    enum Lane: Int, CaseIterable {
        /// Those that polls use by turns.
        case firstPoll, secondPoll
        case socket
    }

    enum Event {
        /// A text message of a WebSocket.
        case text([UInt8])
        /// A message that came by a poll.
        case message(FirebaseMessage)
        case ended(UInt16)
        case refused(Int)
        case failure(String)
    }

    /// The change of a session from polls to a WebSocket.
    private enum Change {
        case begun
        /// The client sends by the WebSocket. Messages that arrive there before the node's last
        /// message by polls wait.
        case switched(early: [[UInt8]])
        /// The client reads from the WebSocket, too; its last message by polls may have to be sent yet.
        case read
    }

    private var polls: FirebasePolls?
    private var socket: FirebaseSocket?
    private var change: Change?
    private var host = ""
    /// Requests for a beginning.
    private var requests: [(lane: Lane, bytes: [UInt8])] = []

    /// Begins a session by polls.
    mutating func beginPolls(at host: String, _ parameters: String) {
        var polls = FirebasePolls()
        requests = [(.firstPoll, polls.begin(at: host, parameters))]
        (self.polls, socket, change, self.host) = (polls, nil, nil, host)
    }

    /// Begins a session by a WebSocket.
    mutating func beginSocket(at host: String, _ parameters: String) {
        requests = [(.socket, FirebaseSocket.request(to: host, parameters))]
        (polls, socket, change, self.host) = (nil, FirebaseSocket(), nil, host)
    }

    /// Whether the session uses polls and has not begun to change.
    var mayChange: Bool { polls?.isAtRest == true && socket == nil }

    /// Begins to change from polls to a WebSocket.
    mutating func beginChange(of session: String) {
        (socket, change) = (FirebaseSocket(), .begun)
        requests.append((.socket, FirebaseSocket.request(to: host, "&s=\(session)")))
    }

    /// Nothing waits to be sent or answered, but a poll that is held.
    var isAtRest: Bool {
        change == nil && requests.isEmpty && (polls?.isAtRest ?? true) && (socket?.isAtRest ?? true)
    }

    /// Whether the session uses polls, or has not ended all of them.
    var hasPolls: Bool { polls != nil }

    /// Whether a poll has no answer, although a later one was sent.
    var awaitsEarlierPoll: Bool { polls?.awaitsEarlier == true }

    /// Whether the session goes on without one of its connections.
    func goesOn(without lane: Lane) -> Bool {
        guard let polls, lane != .socket else { return polls == nil && lane != .socket }
        return !polls.isWaiting(on: lane.rawValue)
    }
}

// MARK: - What goes

extension FirebaseTransport {
    /// Removes and returns the bytes that are to be sent, those of these messages included.
    mutating func removeBytes(
        of messages: [[UInt8]], _ random: inout SplitMix64
    ) -> [(lane: Lane, bytes: [UInt8])] {
        defer { requests = [] }
        for message in messages { send(message, &random) }
        while mayPoll, let request = polls?.removeRequest(to: host, &random) {
            requests.append((Lane(rawValue: request.connection) ?? .firstPoll, request.bytes))
        }
        if case .read? = change, polls?.hasUnsent == false { (polls, change) = (nil, nil) }
        return requests
    }

    private var mayPoll: Bool {
        if case .read? = change { polls?.hasUnsent == true } else { true }
    }

    private var sendsByPolls: Bool {
        switch change {
        case nil, .begun?: polls != nil
        case .switched?, .read?: false
        }
    }

    private mutating func send(_ message: [UInt8], _ random: inout SplitMix64) {
        if sendsByPolls {
            polls?.send(message)
        } else if let bytes = socket?.frames(of: message, &random) {
            requests.append((.socket, bytes))
        }
    }
}

// MARK: - What comes

extension FirebaseTransport {
    /// Reads bytes that have come.
    mutating func receive(
        _ bytes: [UInt8], on lane: Lane, by json: JSONReader, _ random: inout SplitMix64
    ) -> [Event] {
        lane == .socket
            ? receive(bytes, by: json, &random)
            : receive(bytes, onPoll: lane.rawValue, by: json)
    }

    private mutating func receive(
        _ bytes: [UInt8], by json: JSONReader, _ random: inout SplitMix64
    ) -> [Event] {
        var events: [Event] = []
        for event in socket?.receive(bytes) ?? [] {
            switch event {
            case .message(let text):
                switch change {
                case nil, .read?: events.append(.text(text))
                case .begun?: begin(with: text, by: json, &random)
                case .switched(let early)?: change = .switched(early: early + [text])
                }
            case .ended(let code): events.append(.ended(code))
            case .refused(let status): events.append(.refused(status))
            case .failure(let problem): events.append(.failure(problem))
            }
        }
        return events
    }

    /// Answers the node's first message on the WebSocket of a change.
    private mutating func begin(
        with text: [UInt8], by json: JSONReader, _ random: inout SplitMix64
    ) {
        guard case .acknowledgedSwitch? = FirebaseMessage(text, by: json) else { return }
        change = .switched(early: [])
        polls?.send(FirebaseText.endedTransmission)
        if let bytes = socket?.frame(of: FirebaseText.acknowledgedSwitch, &random) {
            requests.append((.socket, bytes))
        }
    }

    private mutating func receive(
        _ bytes: [UInt8], onPoll poll: Int, by json: JSONReader
    ) -> [Event] {
        var events: [Event] = []
        for event in polls?.receive(bytes, on: poll, by: json) ?? [] {
            switch event {
            case .message(.endedTransmission): events += completeChange()
            case .message(let message): events.append(.message(message))
            // The session goes on by the WebSocket.
            case .ended where isReading: break
            case .ended: events.append(.ended(1_000))
            case .refused(let status): events.append(.refused(status))
            case .failure(let problem): events.append(.failure(problem))
            }
        }
        return events
    }

    /// The node has sent its last message by polls.
    private mutating func completeChange() -> [Event] {
        guard case .switched(let early)? = change else {
            return [.failure("the end of polls without a change")]
        }
        change = .read
        return early.map { .text($0) }
    }

    /// Whether the client reads from the WebSocket to which its session has changed.
    private var isReading: Bool { if case .read? = change { true } else { polls == nil } }
}
