import ClientCore
import DataTree
import GatewayCore
import JSONText
import QueryEngine
import SyncProtocol

// The listens of a Firebase client, and the data that its node sends for them.

extension FirebaseClient {
    mutating func apply(_ outputs: [SyncOutput]) {
        for output in outputs {
            switch output {
            case .start(let listen): if isReady { begin(listen) }
            case .stop(let listen):
                begun[ListenName(listen)] = nil
                if isReady { request(.other, "n", FirebaseText.end(of: listen)) }
            case .observed(let observed): report(observed)
            }
        }
    }

    private mutating func report(_ observed: SyncEvents) {
        for id in observed.listens where id.number < UInt64(streams.count) {
            streams[Int(id.number)].check(observed.events)
            if observed.path == ApplicationProgram.pair { streams[Int(id.number)].checkPair() }
        }
    }

    mutating func begin(_ listen: ServerListen) {
        // Native clients of Firebase send hashes of ranges as well, the one of JavaScript does not.
        let sendsRanges = index.isMultiple(of: 2)
        let held = tree.heldValue(for: listen)
        let body = FirebaseText.listen(listen, holding: held, withRanges: sendsRanges)
        request(.listen(listen), "q", body)
        begun[ListenName(listen)] = lastNumber
        if held == nil { untold.insert(lastNumber) }
    }

    /// The node has told something of a listen.
    private mutating func noteTold(_ path: Path, _ tag: Tag?) {
        if let number = begun[ListenName(path, tag)] { untold.remove(number) }
    }

    /// The listen may have ended, and another one of its name begun. Once the node confirms it, the
    /// client's data count as complete, so that its listeners show null if nothing has arrived.
    private mutating func confirm(_ listen: ServerListen, _ number: Int64) {
        guard begun[ListenName(listen)] == number else { return }
        if untold.contains(number) {
            fail("a listen at \(listen.path) is confirmed before its data")
        }
        apply(tree.confirm(listen))
    }
}

// MARK: - Messages of the node

extension FirebaseClient {
    mutating func receive(_ text: [UInt8], by reader: JSONReader) {
        guard case .message(let bytes) = joiner.append(text) else { return }
        guard let message = FirebaseMessage(bytes, by: reader) else {
            return fail("cannot read \(String(decoding: bytes, as: UTF8.self))")
        }
        receive(message)
    }

    mutating func receive(_ message: FirebaseMessage) {
        switch message {
        case .handshake(let name): beginSession(named: name)
        case .redirect(let host): redirect(to: host)
        case .acknowledgedSwitch, .endedTransmission: fail("a change that it has not begun")
        case .overwrite(let path, let value, let tag):
            noteTold(path, tag)
            apply(tree.overwrite(path, with: value, tag: tag))
        case .merge(let path, let writes, let tag):
            noteTold(path, tag)
            apply(tree.merge(path, with: writes, tag: tag))
        case .ranges(let path, let ranges, let tag): replace(ranges, at: path, tag)
        case .response(let number, let status): finish(number, status)
        }
    }

    private mutating func replace(
        _ ranges: [(range: LeafRange, value: Value)], at path: Path, _ tag: Tag?
    ) {
        guard let listen = tree.serverListens.first(where: { $0.path == path && $0.tag == tag }),
            var value = tree.heldValue(for: listen)
        else { return }
        value.replace(ranges.map(\.range), by: ranges.flatMap { $0.range.parts(of: $0.value) })
        apply(tree.overwrite(path, with: value, tag: tag))
    }

    private mutating func finish(_ number: Int64, _ status: String) {
        switch requests.removeValue(forKey: number) {
        case .listen(let listen)? where status == "ok": confirm(listen, number)
        // Its disk is full, so that what it shows may not be durable; or too much waits for this client already.
        case .listen? where status == "unavailable" || status == "too_big": refuse()
        case .listen(let listen)?: fail("\(status) for a listen at \(listen.path)")
        case .write(let id)?: finish(id, isDone: status == "ok")
        case .transaction?: decideTransaction(status)
        case .other?: break
        case nil: fail("an answer to request \(number), which nobody made")
        }
    }
}
