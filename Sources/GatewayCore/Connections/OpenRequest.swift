internal import HTTPText
internal import Rules
internal import SyncProtocol

/// A request that is being read or answered.
struct OpenRequest {
    /// The largest rest of a body that is read although the request is refused, which keeps the connection.
    private static let droppedBytes = 64 << 10

    let method: HTTPMethod
    let form: ResponseForm
    /// The origin to name in the answer, if the request comes from a web page.
    let origin: String?
    let plan: RequestPlan
    /// Who sends it.
    let identity: Identity
    /// The database that it concerns.
    let database: DatabaseName
    /// The received part of a body.
    var body: [UInt8] = []
    /// Whether the client waits for `100 Continue` before it sends the body.
    var awaitsContinue: Bool
    /// Whether the answer is due before the body is read, and the connection closes after it.
    let answersAtOnce: Bool
    /// Whether the answer waits a moment nevertheless.
    let isDelayed: Bool
    /// Why it is refused without the replica; nil if it is not.
    let refusal: RestFailure?
    /// Whether it is refused once it is complete, because there is no such database, as a replica would refuse it.
    let concernsHiddenDatabase: Bool

    /// Begins a request of a client with an address.
    init(_ head: RequestHead, from client: String, in context: inout GatewayContext) {
        method = head.method
        if case .allowed(let origin) = context.originRule.decide(head) {
            self.origin = origin
        } else {
            origin = nil
        }
        awaitsContinue = head.expectsContinue && head.body != .length(0)
        do throws(RestFailure) {
            try context.checkSource(of: head)
            let database = try context.database(of: head, from: client)
            let sender = try context.identity(of: head, in: database)
            let plan = try RequestPlan(head, by: sender.principal, in: context)
            if plan.beginsLastingConnection { try context.lasting.checkRoom(in: database) }
            if case .report(.removal(let name)) = plan { context.output(.remove(name)) }
            if case .report = plan {
                identity = context.authentication.reader(sender)
            } else {
                identity = sender
            }
            self.plan = plan
            self.database = database
            answersAtOnce = false
            isDelayed = false
            refusal = nil
            concernsHiddenDatabase =
                plan.usesDatabase && context.authentication.hides(database)
                && !sender.principal.isAdministrator
        } catch {
            identity = Identity(.anonymous)
            database = .default
            plan = RequestPlan(refusing: head, because: error, in: context)
            refusal = error
            // Nodes that do not agree where a database is could send clients of this protocol back and forth without a pause.
            concernsHiddenDatabase = false
            isDelayed = error.isGuess || (error.absence != nil && head.isRealtime)
            answersAtOnce = isDelayed || awaitsContinue || !OpenRequest.isShort(head.body)
        }
        form = answersAtOnce ? head.responseForm.closing : head.responseForm
    }

    private static func isShort(_ body: RequestBody) -> Bool {
        switch body {
        case .length(let length): length <= droppedBytes
        case .chunked: false
        }
    }
}
