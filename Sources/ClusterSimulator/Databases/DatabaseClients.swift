import SyncProtocol

/// The requests of clients that name databases, and what the cluster owes them.
struct DatabaseClients {
    /// An acknowledged write, and when it was acknowledged.
    struct Write {
        let database: String
        let key: String
        let milliseconds: UInt64
    }

    /// The increments of one location: those that were acknowledged, and those that may have happened.
    struct Sum {
        var acknowledged = 0
        var unknown = 0
    }

    /// The open requests, in the order in which they were sent.
    private(set) var open: [DatabaseRequest] = []
    private(set) var acknowledged: [Write] = []
    /// The sums of databases by the location and the database.
    private(set) var sums: [String: Sum] = [:]
    /// The databases of requests for a removal, and those whose removal was acknowledged.
    private(set) var removing: Set<String> = []
    var removed: Set<String> = []
    private var lastNumber: UInt64 = 0

    /// Whether no request is open.
    var areDone: Bool { open.isEmpty }

    /// Adds a request, and gives it a session.
    mutating func add(_ request: DatabaseRequest) -> DatabaseRequest {
        lastNumber += 1
        var request = request
        request.session = SessionID(number: lastNumber)
        if request.aim == .remove { removing.insert(request.database) }
        open.append(request)
        return request
    }

    mutating func remove(_ request: DatabaseRequest) {
        open.removeAll { $0.session == request.session }
    }

    mutating func acknowledge(_ request: DatabaseRequest, at milliseconds: UInt64) {
        acknowledged.append(
            Write(database: request.database, key: request.key, milliseconds: milliseconds))
    }

    /// Records the outcome of an increment; nil for an unknown one.
    mutating func add(increment request: DatabaseRequest, isAcknowledged: Bool) {
        let place = "\(request.key) \(request.database)"
        if isAcknowledged {
            sums[place, default: Sum()].acknowledged += 1
        } else {
            sums[place, default: Sum()].unknown += 1
        }
    }

    /// A key that no write has had.
    var freshKey: String { "k\(lastNumber)" }
}

/// A request of a client on a connection of its own.
struct DatabaseRequest {
    enum Aim: Equatable {
        case write, read, remove, increment
        /// Reads the value and the tag for a transaction, which adds one to the value.
        case prepare
        case transact
        /// Listens until this time.
        case listen(untilMilliseconds: UInt64)
        /// Is part of an operator's command.
        case command(Int)
    }

    let aim: Aim
    private(set) var node: Int
    let database: String
    var key = ""
    private let method: String
    private var target: String
    /// The fields and the body.
    private let rest: String
    /// The redirects that the client has followed.
    private(set) var redirects: [DatabaseAnswer.Redirect] = []
    var session = SessionID(number: 0)
    var sinceMilliseconds: UInt64 = 0
    /// When the value was written that a read asks for.
    var writeMilliseconds: UInt64?
    /// Whether the answer has to contain the value.
    var isCertain = false
    /// Whether the node knew that the database was removed.
    var isRemoved = false
    /// Whether the request is part of the last use of all databases, which has to succeed.
    var isLast = false

    /// A request with a method, a location, and a body.
    init(
        _ aim: Aim, _ method: String, _ database: String, _ key: String, at node: Int,
        fields: String = "", body: String? = nil
    ) {
        (self.aim, self.node, self.database, self.key) = (aim, node, database, key)
        self.method = method
        target = "/\(key).json?ns=\(database)"
        let content = body.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" } ?? "\r\n"
        rest = fields + content
    }

    /// A request about a database as a whole, to remove it or to ask where it is.
    init(_ aim: Aim, _ method: String, settingsOf database: String, at node: Int) {
        self.init(aim, method, database, "", at: node)
        target = "/.settings/databases/\(database).json"
    }

    /// Whether it reads or writes data, which only nodes of the database do.
    var isForData: Bool {
        switch aim {
        case .remove, .command: false
        case .write, .read, .increment, .prepare, .transact, .listen: true
        }
    }

    var text: String { "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(rest)" }

    /// The same request to the node that a redirect names.
    func following(_ redirect: DatabaseAnswer.Redirect) -> DatabaseRequest {
        var request = self
        request.redirects.append(redirect)
        (request.node, request.target) = (redirect.node, redirect.target)
        return request
    }
}

/// The parts of an answer that the clients use.
struct DatabaseAnswer {
    /// A node that a redirect names, and since which epoch that holds the database.
    struct Redirect: Equatable {
        let node: Int
        let epoch: String
        let target: String

        /// Reads `//HOST/TARGET`, where the host is the name of a node, such as n1, and the target ends with the epoch.
        fileprivate init?(_ location: Substring) {
            let host = location.dropFirst(2).prefix { $0 != "/" }
            guard let number = Int(host.dropFirst()), let mark = location.lastIndex(of: "=") else {
                return nil
            }
            node = number - 1
            target = String(location.dropFirst(2 + host.count))
            epoch = String(location[mark...].dropFirst())
        }
    }

    let status: String
    let body: String
    let tag: String
    let redirect: Redirect?

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        status = String(text.dropFirst(9).prefix(3))
        body = String(lines.last ?? "")
        tag = lines.first { $0.hasPrefix("ETag: ") }.map { String($0.dropFirst(6)) } ?? ""
        redirect = lines.first { $0.hasPrefix("Location: ") }.flatMap { Redirect($0.dropFirst(10)) }
    }
}
