internal import EventLoop
internal import Sockets

/// Bytes of one connection in one direction: what one stream receives leaves at another, at the pace of their link.
///
/// While the direction is cut, what is on its way stays there, and the rest in the system and at its sender: the connection stands,
/// and says nothing.
final class ProxiedFlow {
    let sink: Stream
    private let source: Stream
    private let direction: ProxiedDirection
    private let loop: Loop
    private var line = DelayLine()
    private var timer: Watcher?
    private var sourceHasEnded = false
    private var changed: () -> Void = {}

    init(
        from source: Stream, to sink: Stream, over direction: ProxiedDirection, on loop: Loop
    ) {
        self.source = source
        self.sink = sink
        self.direction = direction
        self.loop = loop
    }

    /// Whether its source has ended, and all that it has sent has left.
    var isOver: Bool { sourceHasEnded && line.isEmpty && sink.waitingBytes == 0 }

    /// Begins to read, and to say when there is something to carry.
    func open(changed: @escaping () -> Void) {
        self.changed = changed
        source.open { [unowned self] event in
            switch event {
            case .received(let bytes):
                let now = ProxiedFlow.microseconds
                line.append(
                    [UInt8](bytes), arriving: direction.arrival(ofBytes: bytes.count, at: now))
            case .drained: break
            case .ended: sourceHasEnded = true
            }
            changed()
        }
    }

    /// Hands over what has arrived, and reads on if there is room.
    func carry() {
        timer = nil
        guard !direction.isCut else {
            source.isPaused = true
            return
        }
        let now = ProxiedFlow.microseconds
        for bytes in line.removeArrived(by: now) { sink.append(bytes) }
        sink.flush()
        source.isPaused = line.byteCount + sink.waitingBytes > DelayLine.byteLimit
        guard let next = line.nextArrival else { return }
        timer = try? loop.timer(after: .microseconds(next - now)) { [unowned self] in changed() }
    }

    private static var microseconds: UInt64 { Loop.monotonicNanoseconds / 1_000 }
}

/// Bytes on their way, in order, each piece with the time at which it arrives, in microseconds.
struct DelayLine {
    /// With so many bytes on their way nothing more is read.
    static let byteLimit = 256 << 10

    private var pieces: [(arrival: UInt64, bytes: [UInt8])] = []
    private(set) var byteCount = 0

    var isEmpty: Bool { pieces.isEmpty }
    var nextArrival: UInt64? { pieces.first?.arrival }

    /// Adds bytes, which arrive no earlier than those before them.
    mutating func append(_ bytes: [UInt8], arriving time: UInt64) {
        pieces.append((max(time, pieces.last?.arrival ?? 0), bytes))
        byteCount += bytes.count
    }

    /// Removes what has arrived.
    mutating func removeArrived(by now: UInt64) -> [[UInt8]] {
        let arrived = pieces.prefix { $0.arrival <= now }.map(\.bytes)
        pieces.removeFirst(arrived.count)
        byteCount -= arrived.reduce(0) { $0 + $1.count }
        return arrived
    }
}
