package import DataTree

// The properties of requests that their types declare. Visitors read those of frequent requests, without an allocation.

extension ClientRequest {
    /// The effect of the request.
    public var kind: RequestKind { read(KindVisitor()) }

    /// Whether only a member of the cluster can execute it: an evicted node refuses it until it has rejoined.
    package var needsMember: Bool { read(MembershipVisitor()) }

    /// The requirement for users.
    package var rulesCheck: RulesCheck { read(RulesVisitor()) }

    /// The write concern; nil if the client requests only `ok`.
    package var concern: WriteConcern? { read(ConcernVisitor()) }

    /// How long the client waits for its write concern; nil for the usual time.
    package var patienceMilliseconds: UInt64? { content.patienceMilliseconds }

    /// The stamp of a write of a native client.
    var stamp: Stamp? { content.stamp }

    /// The name, the first element of its array.
    package var name: String { read(NameVisitor()) }

    /// Whether it shows a part of the tree once; requests that also watch the tree decide about rules themselves.
    package var isTreeRead: Bool {
        if case .read = rulesCheck { true } else { false }
    }

    /// The locations that it reads or writes.
    package var locations: [Path] { content.locations }

    /// The first violation of the rules that reading a frame enforces, for a request that was made of values; nil
    /// if valid.
    package var failure: DataError? { content.failure }

    private var content: any RequestContent { read(ContentVisitor()) }

    @inline(__always)
    private func read<Visitor: RequestVisitor>(_ visitor: Visitor) -> Visitor.Result {
        var visitor = visitor
        return accept(&visitor)
    }
}

private struct KindVisitor: RequestVisitor {
    func visit<Content: RequestContent>(_: Content) -> RequestKind { Content.kind }
}

private struct NameVisitor: RequestVisitor {
    func visit<Content: RequestContent>(_: Content) -> String { "\(Content.name)" }
}

private struct MembershipVisitor: RequestVisitor {
    func visit<Content: RequestContent>(_: Content) -> Bool { Content.needsMember }
}

private struct RulesVisitor: RequestVisitor {
    func visit(_ content: some RequestContent) -> RulesCheck { content.rulesCheck }
}

private struct ConcernVisitor: RequestVisitor {
    func visit(_ content: some RequestContent) -> WriteConcern? { content.concern }
}

private struct ContentVisitor: RequestVisitor {
    func visit(_ content: some RequestContent) -> any RequestContent { content }
}
