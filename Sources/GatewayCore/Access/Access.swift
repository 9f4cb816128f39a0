internal import Rules
internal import SyncProtocol
internal import Tokens

/// Who clients are by what they show, secrets and tokens, and who may do something. All sessions of a gateway share one.
package final class Access {
    private let secrets: SecretHashes?
    private var tokens: TokenVerifier?
    private let isEmulator: Bool
    /// Whether the replica has rules, by which it judges what users do.
    var hasRules = false

    /// Access to a node that knows neither secrets nor tokens: each client may do everything.
    package convenience init() { self.init(GatewayConfiguration()) }

    /// Access as a gateway permits it.
    package init(_ configuration: GatewayConfiguration) {
        (secrets, isEmulator) = (configuration.secrets, configuration.isEmulator)
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

    /// Who a client is that has shown nothing.
    package var initial: Identity { Identity(isOpen ? .administrator : .anonymous) }

    /// Whether the replica is asked to do something for somebody.
    ///
    /// Without rules it would refuse whatever a user wants. Where tokens show users, it says so itself; elsewhere
    /// a user is whoever has shown nothing, and is refused before the body is read.
    func admits(_ principal: Principal) -> Bool {
        principal == .administrator || hasRules || tokens != nil
    }

    /// The document that says what holds without rules.
    var documentWithoutRules: String {
        isEmulator ? #"{"rules":{".read":true,".write":true}}"# : #"{"rules":{}}"#
    }

    /// The identity that asks for a report on the node: in an emulator, reports are for all clients.
    func reader(_ identity: Identity) -> Identity {
        isEmulator ? Identity(.administrator) : identity
    }

    /// From now on other tokens are trusted. Who has shown one before is to be reviewed.
    func trust(_ trust: TokenTrust) { tokens?.trust = trust }

    /// Ends an identity by a token whose key is not trusted any more.
    func review(_ identity: inout Identity, at now: Moment) {
        if let trust = tokens?.trust { identity.end(unless: trust, at: now) }
    }

    /// Who shows a text.
    ///
    /// - Throws: what is wrong with it, as far as its sender is told.
    func identity(of text: String, at now: Moment) throws(CredentialFailure) -> Identity {
        if let secrets, secrets.contains(text) { return Identity(.administrator) }
        guard tokens != nil else { throw .wrong }
        do throws(TokenFailure) {
            let seconds = Double(now.wallMilliseconds) / 1_000
            return Identity(try tokens!.identity(of: text, at: seconds), at: now)
        } catch {
            throw CredentialFailure(error)
        }
    }

    /// Who shows a text, and acts as some user: only administrators do.
    func identity(
        of text: String, actingAs user: Claim?, at now: Moment
    ) throws(CredentialFailure) -> Identity {
        var identity = try identity(of: text, at: now)
        guard let user else { return identity }
        guard identity.principal == .administrator else { throw .notAdministrator }
        identity.principal = .override(user)
        return identity
    }
}
