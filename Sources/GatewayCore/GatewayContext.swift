internal import HTTPText
internal import JSONText
internal import SyncProtocol

/// What all connections of a gateway share.
struct GatewayContext {
    let configuration: GatewayConfiguration
    let hostRule: HostRule
    let originRule: OriginRule
    let json = JSONReader()
    private(set) var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    private(set) var date = HTTPDate(unixSeconds: 0)
    private var dateSeconds: Int64 = 0
    var availability = Availability.unavailable(reason: "starting")
    var texts = GatewayTexts()
    var metrics = GatewayMetrics()
    /// The bytes of all bodies that are not complete.
    var bodyBytes = 0
    private var outputs: [GatewayOutput] = []

    init(_ configuration: GatewayConfiguration) {
        self.configuration = configuration
        hostRule = HostRule(names: configuration.hosts)
        originRule = OriginRule(origins: configuration.origins)
    }

    var elapsedMilliseconds: UInt64 { now.elapsedMilliseconds }

    mutating func beginTurn(at moment: Moment) {
        now = moment
        let seconds = Int64(clamping: moment.wallMilliseconds / 1000)
        if seconds != dateSeconds {
            dateSeconds = seconds
            date = HTTPDate(unixSeconds: seconds)
        }
    }

    mutating func output(_ output: GatewayOutput) { outputs.append(output) }

    /// Sends bytes, unless there are none.
    mutating func send(_ bytes: [UInt8], to id: SessionID) {
        if !bytes.isEmpty { outputs.append(.send(id, bytes)) }
    }

    /// Removes and returns what the driver must do.
    mutating func removeOutputs() -> [GatewayOutput] {
        if outputs.isEmpty { return [] }
        var removed: [GatewayOutput] = []
        swap(&removed, &outputs)
        return removed
    }
}
