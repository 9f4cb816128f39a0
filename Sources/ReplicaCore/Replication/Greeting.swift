import Marks
import SyncProtocol

// How nodes introduce themselves: by a hello that each peer answers, and a goodbye.

extension Replication {
    /// Says hello to the peers that have not answered yet.
    mutating func greetPeers() {
        for peer in peers.all where !peer.isGreeted {
            let hello = Hello(
                cluster: configuration.cluster, member: configuration.member, writer: writer,
                endpoint: configuration.endpoint(of: configuration.member),
                members: configuration.members, oldestVersion: configuration.versions.lowerBound,
                newestVersion: configuration.versions.upperBound)
            turn.immediate.append(.ask(peer.member, PeerMessage.hello(hello).frame))
        }
    }

    /// Says goodbye to all peers, as this node stops; returns the time after which it stamps nothing.
    mutating func sendBye() -> HybridTime {
        let time = clock.advance(wallMilliseconds: now.wallMilliseconds)
        let bye = PeerMessage.bye(
            cluster: configuration.cluster, member: configuration.member, writer: writer, time: time
        )
        turn.published.append(.publish(bye.frame, .awaited))
        return time
    }

    /// Whether this node must exit because a peer refuses it.
    ///
    /// The refusal may be for another process with this name; and a node that some peer has welcomed is a
    /// member, even if another peer refuses it later.
    func isRefused(_ addressee: WriterID) -> Bool {
        addressee == writer && !peers.all.contains(where: \.isGreeted)
    }

    /// Welcomes a process that says hello, or refuses it with a reason.
    mutating func answer(_ hello: Hello, to member: String) {
        peers.namesAllUntilMilliseconds = now.elapsedMilliseconds + Peers.namingMilliseconds
        let answer: PeerMessage
        if let refusal = refusal(of: hello) {
            sometimes(.helloIsRefused)
            refusals.record(refusal, of: hello, at: now.elapsedMilliseconds)
            answer = .refuse(
                member: configuration.member, to: hello.writer, problem: refusal.problem,
                fix: refusal.fix)
        } else {
            refusals.forget(hello)
            let version = min(configuration.versions.upperBound, hello.newestVersion)
            _ = peers.changeDisk(of: hello.member) { $0.version = version }
            answer = .welcome(
                member: configuration.member, to: hello.writer, version: version)
        }
        turn.immediate.append(.answer(member, answer.frame))
    }

    /// Why a node cannot be the member that it claims to be; nil if it can.
    private func refusal(of hello: Hello) -> RefusedMembers.Refusal? {
        let own = configuration.member
        if hello.cluster != configuration.cluster {
            return .init(
                reason: .otherCluster,
                problem:
                    "\(own) belongs to the cluster \(configuration.cluster), not to \(hello.cluster)",
                fix: "give both the same \"cluster\", or other endpoints"
            )
        }
        let versions = configuration.versions
        guard hello.oldestVersion <= versions.upperBound, versions.lowerBound <= hello.newestVersion
        else {
            return .init(
                reason: .otherVersion,
                problem:
                    "\(own) speaks versions \(versions.lowerBound) to \(versions.upperBound) of the "
                    + "protocol, and \(hello.member) versions "
                    + "\(hello.oldestVersion) to \(hello.newestVersion)",
                fix: "run the same version of Hearth on all nodes of the cluster"
            )
        }
        guard peers.all.contains(where: { $0.member == hello.member }) else {
            return .init(
                reason: .unknownMember,
                problem: "the configuration of \(own) has no node \(hello.member)",
                fix: "list \(hello.member) in the configuration of \(own), and start \(own) again"
            )
        }
        let expected = configuration.endpoint(of: hello.member)
        if hello.endpoint != expected {
            return .init(
                reason: .secondOfAName,
                problem:
                    "two nodes have the name \(hello.member): \(own) knows it at \(expected), and this "
                    + "one is at \(hello.endpoint)",
                fix: "stop one of them, or give it another id"
            )
        }
        return difference(to: hello).map { difference in
            .init(
                reason: .otherMembers,
                problem: "the configurations of \(own) and \(hello.member) differ: \(difference)",
                fix: "give all nodes the same \"nodes\", and start them all again"
            )
        }
    }

    /// The first member that this node and another one do not both know with the same endpoint.
    private func difference(to hello: Hello) -> String? {
        var own: [String: String] = [:]
        var its: [String: String] = [:]
        for member in configuration.members { own[member.name] = member.endpoint }
        for member in hello.members { its[member.name] = member.endpoint }
        for name in (configuration.members + hello.members).map(\.name) {
            let (ours, theirs) = (own[name], its[name])
            if ours == theirs { continue }
            guard let ours else { return "\(hello.member) lists \(name), at \(theirs ?? "")" }
            guard let theirs else { return "\(configuration.member) lists \(name), at \(ours)" }
            return "\(name) is at \(ours) for \(configuration.member), and at \(theirs) for "
                + hello.member
        }
        return nil
    }
}
