import DataTree
import SyncProtocol

// What a replica does for its clients.

extension Replica {
    mutating func serve(_ frame: [UInt8], for session: SessionID) {
        frame.withUnsafeBytes { bytes in
            do throws(FrameError) {
                for request in try FrameReader<ClientMessage>(bytes) {
                    switch request {
                    case .message(let message): serve(message, for: session)
                    case .refused(let id, let error): refuse(error, id: id ?? 0, for: session)
                    }
                }
            } catch {
                refuse(error, id: 0, for: session)
            }
        }
    }

    mutating func close(_ session: SessionID) {
        listens.removeAll(of: session)
        outbox.removeAll(to: session)
    }

    private mutating func serve(_ message: ClientMessage, for session: SessionID) {
        switch message {
        case .get(let id, let path):
            if hasRoom(id, session) {
                outbox.append(.value(id: id, value: tree.value[path]), to: session)
            }
        case .put(let id, let path, let value):
            write([Write(path: path, value: value)], .ok(id: id), id, session)
        case .merge(let id, let path, let writes):
            let absolute = writes.map { Write(path: path.appending($0.path), value: $0.value) }
            write(absolute, .ok(id: id), id, session)
        case .push(let id, let path, let value):
            let key = pushIDs.next(at: now.wallMilliseconds, random: &random)
            let write = Write(path: path.appending(key), value: value)
            self.write([write], .pushed(id: id, key: key), id, session)
        case .listen(let id, let path): listen(id, at: path, session)
        case .unlisten(let id, let listen): unlisten(listen, id, session)
        case .ping(let id): outbox.append(.ok(id: id), to: session)
        case .status(let id):
            if hasRoom(id, session) { outbox.append(.value(id: id, value: status), to: session) }
        }
    }

    /// Refuses a request for data from a client that has asked for much in one turn already: a few
    /// bytes may ask for the whole tree, and frames have room for millions of them.
    private mutating func hasRoom(_ id: UInt64, _ session: SessionID) -> Bool {
        if outbox.byteCount(for: session) <= Replica.answersLimit { return true }
        counters.refused += 1
        outbox.append(
            .error(
                id: id, code: .tooBig,
                problem: "the answers before this one have \(Replica.answersLimit >> 20) MB",
                fix: "wait for answers before you ask for more"), to: session)
        return false
    }

    /// Beyond this many bytes to one client in one turn, it gets no more data.
    private static let answersLimit = 16 << 20
    /// A listen is looked for among those of its session.
    private static let listensLimit = 10_000

    private mutating func write(
        _ writes: [Write], _ done: NodeMessage, _ id: UInt64, _ session: SessionID
    ) {
        do throws(DataError) {
            let settled = try Acceptance.settle(
                writes, in: tree.value, wallMilliseconds: now.wallMilliseconds)
            if !settled.isEmpty { accept(settled) }
            outbox.append(done, to: session)
        } catch {
            counters.refused += 1
            outbox.append(
                .error(id: id, code: .invalid, problem: error.problem, fix: error.fix),
                to: session)
        }
    }

    private mutating func listen(_ id: UInt64, at path: Path, _ session: SessionID) {
        guard hasRoom(id, session) else { return }
        guard listens.count(of: session) < Replica.listensLimit else {
            outbox.append(
                .error(
                    id: id, code: .tooBig,
                    problem: "this connection has \(Replica.listensLimit) listens",
                    fix: "end some, or listen further up in the tree"), to: session)
            return
        }
        guard listens.add(.init(session: session, id: id), at: path) else {
            outbox.append(
                .error(
                    id: id, code: .invalid, problem: "a listen with the id \(id) exists already",
                    fix: "give each listen of a connection its own id"), to: session)
            return
        }
        outbox.append(.ok(id: id), to: session)
        let whole = Write(path: .root, value: tree.value[path])
        outbox.append(.change(listen: id, writes: [whole]), to: session)
    }

    private mutating func unlisten(_ listen: UInt64, _ id: UInt64, _ session: SessionID) {
        guard listens.remove(.init(session: session, id: listen)) else {
            outbox.append(
                .error(
                    id: id, code: .invalid, problem: "there is no listen with the id \(listen)",
                    fix: "give the id of a listen that is still open"), to: session)
            return
        }
        outbox.append(.ok(id: id), to: session)
    }

    private mutating func refuse(_ error: FrameError, id: UInt64, for session: SessionID) {
        counters.refused += 1
        outbox.append(
            .error(id: id, code: error.code, problem: error.problem, fix: error.fix), to: session)
    }
}
