import DataTree
import QueryEngine
import SyncProtocol

// What a replica does for its clients.

extension Replica {
    mutating func serve(_ frame: [UInt8], for session: SessionID) {
        frame.withUnsafeBytes { bytes in
            do throws(FrameError) {
                for request in try FrameReader<ClientMessage>(bytes) {
                    switch request {
                    case .message(let message): serve(message, for: session)
                    case .refused(let id, let error):
                        refuse(error.code, error.problem, fix: error.fix, id ?? 0, session)
                    }
                }
            } catch {
                refuse(error.code, error.problem, fix: error.fix, 0, session)
            }
        }
    }

    mutating func close(_ session: SessionID) {
        listens.removeAll(of: session)
        slowClients.remove(session)
        outbox.removeAll(to: session)
        writeConcernWaiters.removeAll(of: session)
        stabilityWaiters.removeAll(of: session)
        coordination.forwarded.removeAll(of: session)
        clientSessions.remove(session)
        writeDisconnect(of: session)
    }

    private mutating func serve(_ message: ClientMessage, for session: SessionID) {
        let id = message.id
        if let storageFailure, !canAnswer(message) {
            switch message.request {
            case .status: return tell(status.value, at: id, session)
            case .ping: return tell(wallClock, at: id, session)
            default: return refuseAtOnce(storageFailure, id, session)
            }
        }
        switch message.request {
        case .hello(let hello): greet(hello.seen, id, session)
        case .get(let get): self.get(get.path, get.query, id, session)
        case .children(let children): list(children, id, session)
        case .put(let put): self.put(put, id, session)
        case .merge(let merge):
            let writes = merge.writes.below(merge.path)
            write(writes, .ok(id: id), id, session, merge.concern, at: merge.stamp)
        case .push(let push): self.push(push.value, below: push.path, id, session)
        case .listen(let listen): self.listen(listen, id, session)
        case .unlisten(let unlisten): self.unlisten(unlisten.listen, id, session)
        case .onDisconnect(let put):
            noteDisconnect([Write(path: put.path, value: put.value)], id, session)
        case .onDisconnectMerge(let merge):
            noteDisconnect(merge.writes.below(merge.path), id, session)
        case .onDisconnectCancel(let cancel):
            disconnects.cancel(at: cancel.path, for: session)
            outbox.append(.ok(id: id), to: session)
        case .evict(let evict): self.evict(evict.member, id, session)
        case .backup(let backup): backUp(to: backup.name, id, session)
        case .awaitStable(let wait): awaitStable(within: wait.milliseconds, id, session)
        case .ping: outbox.append(.value(id: id, value: wallClock), to: session)
        case .status:
            guard hasRoom(id, session) else { return }
            outbox.append(.value(id: id, value: status.value), to: session)
        }
    }

    /// What `ping` answers.
    private var wallClock: Value { .integer(Int64(clamping: now.wallMilliseconds)) }

    private mutating func list(
        _ children: ChildrenRequest, _ id: UInt64, _ session: SessionID
    ) {
        guard hasRoom(id, session) else { return }
        let listing = ChildListing(
            of: tree.value[children.path], from: children.from, limit: children.limit)
        outbox.append(.value(id: id, value: listing.value), to: session)
    }

    private mutating func put(_ put: PutRequest, _ id: UInt64, _ session: SessionID) {
        let write = Write(path: put.path, value: put.value)
        if let condition = put.condition {
            transact(write, if: condition, id, session, put.concern, named: put.stamp)
        } else {
            self.write([write], .ok(id: id), id, session, put.concern, at: put.stamp)
        }
    }

    private mutating func push(
        _ value: Value, below parent: Path, _ id: UInt64, _ session: SessionID
    ) {
        let key = pushIDs.next(at: now.wallMilliseconds, random: &random)
        let path = parent.appending(key)
        // The reader of the request has seen only the path without the new key.
        if let failure = path.limitExceeded {
            let fix = "push to a shorter path"
            return refuse(.invalid, "invalid path \(path): \(failure)", fix: fix, id, session)
        }
        write([Write(path: path, value: value)], .pushed(id: id, key: key), id, session)
    }

    private mutating func get(
        _ path: Path, _ query: Query, _ id: UInt64, _ session: SessionID
    ) {
        guard hasRoom(id, session) else { return }
        guard query.isFiltered else {
            return outbox.append(.value(id: id, value: tree.value[path]), to: session)
        }
        do throws(DataError) {
            let children = try listens.results(
                of: query, at: path, in: tree.value, at: now.elapsedMilliseconds)
            outbox.append(children: children, id: id, to: session)
        } catch {
            refuse(.tooBig, error.problem, fix: error.fix, id, session)
        }
    }

    /// Refuses a request for data from a client that has asked for much in one turn already: a few
    /// bytes may ask for the whole tree, and frames have room for millions of them.
    mutating func hasRoom(_ id: UInt64, _ session: SessionID) -> Bool {
        if outbox.byteCount(for: session) <= Replica.answersLimit { return true }
        refuse(
            .tooBig, "the answers before this one have \(Replica.answersLimit >> 20) MB",
            fix: "wait for answers before you ask for more", id, session)
        return false
    }

    /// Beyond this many bytes to one client in one turn, it gets no more data.
    private static let answersLimit = 16 << 20
    /// A listen is looked for among those of its session.
    private static let listensLimit = 10_000

    private mutating func write(
        _ writes: [Write], _ done: NodeMessage, _ id: UInt64, _ session: SessionID,
        _ concern: WriteConcern? = nil, at stamp: Stamp? = nil
    ) {
        if rejoin != nil {
            clientSessions.halt(session)
            return refuseWhileRejoining(id, session)
        }
        if let stamp {
            guard isDue(stamp, id, session, concern) else { return }
        } else if clientSessions.isHalted(session) {
            return refuse(
                .late, Replica.haltedFailure, fix: "send \"hello\", then the write again", id,
                session)
        }
        do throws(DataError) {
            if stamp != nil { try Acceptance.check(stamped: writes) }
            let resolved = try Acceptance.resolveServerValues(
                writes, in: tree.value, wallMilliseconds: now.wallMilliseconds)
            if !resolved.isEmpty { accept(resolved, stamp: stamp) }
            if let concern {
                answer(id, once: concern, for: session)
            } else {
                outbox.append(done, to: session)
            }
        } catch {
            refuse(.invalid, error.problem, fix: error.fix, id, session)
        }
    }

    private mutating func listen(
        _ listen: ListenRequest, _ id: UInt64, _ session: SessionID
    ) {
        guard hasRoom(id, session) else { return }
        guard listens.count(of: session) < Replica.listensLimit else {
            return refuse(
                .tooBig, "this connection has \(Replica.listensLimit) listens",
                fix: "end some, or listen further up in the tree", id, session)
        }
        let listener = Listens.Listener(session: session, id: id)
        guard !listens.contains(listener) else {
            return refuse(
                .invalid, "a listen with the id \(id) exists already",
                fix: "give each listen of a connection its own id", id, session)
        }
        do throws(DataError) {
            let shown = try listens.add(
                listener, to: listen.query, at: listen.path, in: tree.value,
                at: now.elapsedMilliseconds)
            outbox.append(.ok(id: id), to: session)
            if !slowClients.isEmpty, slowClients.holdsBack(listener) { return }
            outbox.append(NodeMessage.first(of: id, showing: shown, to: listen.held), to: session)
        } catch {
            refuse(.tooBig, error.problem, fix: error.fix, id, session)
        }
    }

    private mutating func unlisten(_ listen: UInt64, _ id: UInt64, _ session: SessionID) {
        let listener = Listens.Listener(session: session, id: listen)
        slowClients.remove(listener)
        guard listens.remove(listener) else {
            return refuse(
                .invalid, "there is no listen with the id \(listen)",
                fix: "give the id of a listen that is still open", id, session)
        }
        outbox.append(.ok(id: id), to: session)
    }

    /// Refuses what a node that was evicted cannot do yet.
    mutating func refuseWhileRejoining(_ id: UInt64, _ session: SessionID) {
        let isAlone = peers.liveCount(at: now.elapsedMilliseconds) == 0
        refuse(
            .unavailable,
            "\(configuration.member) was evicted from the cluster and has not rejoined yet: it "
                + (isAlone ? "reaches no other node" : "is getting the data of the others"),
            fix: "use another node, or wait until \(configuration.member) has rejoined", id, session
        )
    }

    mutating func refuse(
        _ code: ErrorCode, _ problem: String, fix: String, _ id: UInt64, _ session: SessionID
    ) {
        counters.refused += 1
        outbox.append(.error(id: id, code: code, problem: problem, fix: fix), to: session)
    }
}

extension NodeMessage {
    /// What a client that holds something must be sent so that it holds what a listen shows.
    fileprivate static func first(
        of listen: UInt64, showing value: Value, to held: HeldData?
    ) -> NodeMessage {
        let whole = NodeMessage.change(listen: listen, writes: [Write(path: .root, value: value)])
        guard let held else { return whole }
        if held.hash.matches(value) { return .change(listen: listen, writes: []) }
        guard let ranges = held.ranges, !ranges.posts.isEmpty else { return whole }
        let changed = ranges.rangesThatDiffer(from: value).map { range in
            let parts = range.parts(of: value).map { Write(path: $0.path, value: $0.value) }
            return ChangedRange(range, writes: parts)
        }
        // As when every number is one that the client's hash spells in another way.
        if changed.count == ranges.hashes.count { return whole }
        return .ranges(listen: listen, ranges: changed)
    }
}

extension [Write] {
    /// These writes, whose paths are relative to `path`.
    fileprivate func below(_ path: Path) -> [Write] {
        map { Write(path: path.appending($0.path), value: $0.value) }
    }
}
