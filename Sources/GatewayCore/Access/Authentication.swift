internal import Rules
internal import SyncProtocol
internal import Tokens

/// The identities of clients, by their secrets and tokens, and their permissions. All sessions of a gateway share
/// one.
package struct Authentication {
    private let secrets: SecretHashes?
    private let monitorSecrets: SecretHashes?
    private var tokens: TokenVerifier?
    private let isEmulator: Bool
    /// The databases whose replicas have rules, by which they judge what users do.
    private var databasesWithRules: Set<DatabaseName> = []
    /// The named databases that the node knows.
    private var databases: Set<DatabaseName> = []

    /// The authentication of a node without secrets and tokens: each client may do everything.
    package init() { self.init(GatewayConfiguration()) }

    /// The authentication of a gateway.
    package init(_ configuration: GatewayConfiguration) {
        (secrets, monitorSecrets) = (configuration.secrets, configuration.monitorSecrets)
        isEmulator = configuration.isEmulator
        tokens = configuration.tokens.map {
            TokenVerifier(trusting: $0, remembering: configuration.rememberedTokens)
        }
    }

    /// Whether each client may do everything, whatever it shows.
    var isOpen: Bool { secrets == nil && tokens == nil }

    /// Whether tokens identify users.
    var hasTokens: Bool { tokens != nil }

    /// Whether pages of other sites know nothing by which they could do anything.
    var keepsOutPages: Bool { !isOpen && tokens?.trust.acceptsUnsigned != true }

    /// The identity of a client without a credential.
    package var initial: Identity { Identity(isOpen ? .administrator(name: nil) : .anonymous) }

    /// Records whether a database has rules.
    mutating func setRules(_ hasRules: Bool, of database: DatabaseName) {
        if hasRules {
            databasesWithRules.insert(database)
        } else {
            databasesWithRules.remove(database)
        }
    }

    /// Records whether there is a database.
    mutating func setDatabase(_ database: DatabaseName, exists: Bool) {
        if exists {
            databases.insert(database)
        } else {
            databases.remove(database)
        }
    }

    /// Whether only administrators learn that there is no such database, and may create it. All others are refused as by a
    /// database that permits them nothing.
    func hides(_ database: DatabaseName) -> Bool {
        hidesNames && !database.isDefault && !database.isCatalog && !databases.contains(database)
    }

    /// Whether only administrators learn which databases there are.
    var hidesNames: Bool { !isOpen && !isEmulator }

    /// Whether the replica of a database receives requests of a principal. The catalog is for administrators.
    ///
    /// The replica refuses a monitor's requests for data. Without rules, it refuses all requests of users. If tokens are configured, the replica itself
    /// answers so. Otherwise a user is a client without a credential, and is refused before the body is read.
    func admits(_ principal: Principal, to database: DatabaseName) -> Bool {
        if database.isCatalog || hides(database) { return principal.isAdministrator }
        return principal.isAdministrator || principal == .monitor || tokens != nil
            || databasesWithRules.contains(database)
    }

    /// The document that says what holds without rules.
    var documentWithoutRules: String {
        isEmulator ? #"{"rules":{".read":true,".write":true}}"# : #"{"rules":{}}"#
    }

    /// The identity that asks for a report on the node: in an emulator, reports are for all clients.
    func reader(_ identity: Identity) -> Identity {
        isEmulator ? Identity(.administrator(name: nil)) : identity
    }

    /// Whether a principal may read a report on the node.
    func mayRead(_ report: NodeReport, as principal: Principal) -> Bool {
        switch reader(Identity(principal)).principal {
        case .administrator: true
        case .monitor: report.isForMonitors
        case .user, .override: false
        }
    }

    /// Replaces the trusted token issuers. Identities by earlier tokens must be reviewed.
    mutating func trust(_ trust: TokenTrust) { tokens?.trust = trust }

    /// Ends an identity if the key of its token is no longer trusted.
    func review(_ identity: inout Identity, at now: Moment) {
        if let trust = tokens?.trust { identity.end(unless: trust, at: now) }
    }

    /// Returns the identity that a credential proves.
    ///
    /// - Throws: The failure, with the details that the sender may learn.
    mutating func identity(of text: String, at now: Moment) throws(CredentialFailure) -> Identity {
        if let fingerprint = secrets?.fingerprint(of: text) {
            return Identity(.administrator(name: "secret:\(fingerprint)"))
        }
        if let monitorSecrets, monitorSecrets.contains(text) { return Identity(.monitor) }
        guard tokens != nil else { throw .wrong }
        do throws(TokenFailure) {
            let seconds = Double(now.wallMilliseconds) / 1_000
            return Identity(try tokens!.identity(of: text, at: seconds), at: now)
        } catch {
            throw CredentialFailure(error)
        }
    }

    /// Returns the identity of an administrator who acts as a user.
    mutating func identity(
        of text: String, actingAs user: Claim?, at now: Moment
    ) throws(CredentialFailure) -> Identity {
        var identity = try identity(of: text, at: now)
        guard let user else { return identity }
        guard identity.principal.isAdministrator else { throw .notAdministrator }
        identity.principal = .override(user)
        return identity
    }
}
