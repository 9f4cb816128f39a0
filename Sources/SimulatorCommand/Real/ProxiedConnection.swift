internal import ClusterSimulator
internal import EventLoop
internal import Sockets

/// One connection through a proxy: what arrives at one end leaves at the other, as its link allows.
///
/// It belongs to the thread of its loop.
final class ProxiedConnection {
    private enum State {
        /// Until both directions are open.
        case waiting
        case connecting(Dial)
        case open(there: ProxiedFlow, back: ProxiedFlow)
        /// The target has forgotten the connection.
        case forgotten
        case ended
    }

    /// From the end that connects.
    let link: DirectedLink
    private let caller: Stream
    private let target: HTTPAddress
    private let there: ProxiedDirection
    private let back: ProxiedDirection
    private let loop: Loop
    private var state = State.waiting

    init(
        _ link: DirectedLink, of caller: Stream, to target: HTTPAddress,
        there: ProxiedDirection, back: ProxiedDirection, on loop: Loop
    ) {
        self.link = link
        self.caller = caller
        self.target = target
        self.there = there
        self.back = back
        self.loop = loop
    }

    /// Whether both ends are closed.
    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Goes on as far as the link allows: connects to the target, and carries what may arrive.
    func update() {
        switch state {
        case .waiting: if !there.isCut, !back.isCut { connect() }
        case .connecting, .ended: break
        case .open(let there, let back):
            there.carry()
            back.carry()
            if there.isOver || back.isOver { close() }
        case .forgotten: caller.isPaused = there.isCut
        }
    }

    private func connect() {
        let dial = try? Dial(to: target, on: loop) { [unowned self] result in
            // It may have been forgotten, or closed, meanwhile.
            guard case .connecting = state else { return }
            guard case .success(let stream) = result else { return close() }
            open(to: stream)
        }
        if let dial { state = .connecting(dial) } else { close() }
    }

    private func open(to stream: Stream) {
        let there = ProxiedFlow(from: caller, to: stream, over: there, on: loop)
        let back = ProxiedFlow(from: stream, to: caller, over: back, on: loop)
        state = .open(there: there, back: back)
        for flow in [there, back] { flow.open { [unowned self] in update() } }
        update()
    }

    /// The target forgets the connection: what the caller sends is lost, and nothing comes back.
    func forget() {
        switch state {
        case .forgotten, .ended: return
        case .waiting, .connecting: break
        case .open(let there, _): there.sink.close()
        }
        state = .forgotten
        caller.open { [unowned self] event in
            if case .ended = event { close() }
        }
        update()
    }

    /// Ends both streams, with what is on its way.
    func close() {
        caller.close()
        if case .open(let there, _) = state { there.sink.close() }
        state = .ended
    }
}
