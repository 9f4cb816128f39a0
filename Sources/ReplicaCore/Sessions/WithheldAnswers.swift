import SyncProtocol

// A disk that accepts no writes for long: requests that were accepted before are answered, without their data.

extension Replica {
    /// Answers the requests whose answers wait for the disk, once they have waited long enough.
    mutating func answerOverdueRequests() {
        guard let storageFailure, heartbeats.isDue(at: now.elapsedMilliseconds),
            storageFailure.isOverdue(at: now)
        else { return }
        answerWaitingRequests(because: storageFailure)
    }

    /// Answers all requests whose answers wait for the disk: writes may still be done.
    mutating func answerWaitingRequests(because failure: StorageFailure) {
        let withheld = turns.takeAnswers { [listens = sessions.listens] session, message in
            message.isAnswer(of: session, besides: listens)
        }
        let waiters = sessions.writeConcernWaiters.takeAll(after: turns.durable.vector[writer])
        let answers =
            withheld + waiters.map { (session: $0.session, message: NodeMessage.ok(id: $0.id)) }
        sessions.answerWithoutData(answers, because: failure)
        replication.turn.immediate.append(all: sessions.takeImmediate())
    }
}

extension Sessions {
    /// Sends, in place of these answers, that the disk has not stored the data on which they depend.
    ///
    /// A native client that said hello first learns, under the id 0, that this node answers none of its requests.
    /// It then asks another node with the same stamps.
    fileprivate mutating func answerWithoutData(
        _ answers: [(session: SessionID, message: NodeMessage)], because failure: StorageFailure
    ) {
        var warned: Set<SessionID> = []
        for (session, message) in answers {
            let failure = access.isUser(session) ? .asUsersSeeIt : failure
            if clients.told(session) != nil, warned.insert(session).inserted {
                refuseAtOnce(failure, 0, session)
            }
            guard message.confirmsWrite else {
                refuseAtOnce(failure, message.answeredID ?? 0, session)
                continue
            }
            countRefusal()
            let unknown = NodeMessage.error(
                id: message.answeredID ?? 0, code: .undecided,
                problem: "\(failure.problem); the write may still take effect",
                fix: "read the location before you write again")
            sendAtOnce(unknown, to: session)
        }
    }
}

extension TurnQueue {
    /// Removes the answers that `isTaken` from the outputs that wait for the disk, and returns them, in order.
    mutating func takeAnswers(
        where isTaken: (SessionID, NodeMessage) -> Bool
    ) -> [(session: SessionID, message: NodeMessage)] {
        var taken: [(session: SessionID, message: NodeMessage)] = []
        changeWaitingOutputs { output in
            output.without { session, message in
                guard isTaken(session, message) else { return false }
                taken.append((session, message))
                return true
            }
        }
        return taken
    }
}

extension Output {
    /// The same without some messages to a client; nil if nothing is left.
    fileprivate func without(_ isRemoved: (SessionID, NodeMessage) -> Bool) -> Output? {
        switch self {
        case .replyMessages(let session, let answers):
            let kept = answers.filter { !isRemoved(session, $0.message) }
            return kept.isEmpty ? nil : .replyMessages(session, kept)
        case .reply(let session, let frame):
            var kept = FrameWriter()
            var hasRemoved = false
            // The replica itself has encoded it.
            let messages = (try? FrameReader<NodeMessage>.messages(in: frame)) ?? []
            for case .message(let message) in messages {
                if isRemoved(session, message) { hasRemoved = true } else { kept.append(message) }
            }
            if !hasRemoved { return self }
            return kept.isEmpty ? nil : .reply(session, kept.bytes)
        case .replyLarge(let session, let frame):
            return Output.reply(session, frame.encoded).without(isRemoved)
        default: return self
        }
    }
}

extension NodeMessage {
    /// Whether it says that a write is done.
    fileprivate var confirmsWrite: Bool {
        switch self {
        case .ok, .acknowledged, .pushed: true
        default: false
        }
    }

    /// Whether it answers a request; the first messages of a listen stay with its data.
    fileprivate func isAnswer(of session: SessionID, besides listens: Listens) -> Bool {
        guard let answeredID else { return false }
        return !listens.contains(Listens.Listener(session: session, id: answeredID))
    }
}
