internal import HTTPText
internal import Rules
internal import SyncProtocol

// A native client. Its frames bypass the gateway, which supplies its identity.

extension Connection {
    /// Processes a text message of a native client, between its frames.
    ///
    /// An invalid credential closes the connection, so every guess costs a new connection.
    mutating func receive(credential text: [UInt8], _ context: inout GatewayContext) {
        guard case .native = activity else { return }
        switch CredentialMessage(text) {
        case .token(let text)?:
            do throws(CredentialFailure) {
                let shown = try context.authentication.nativeIdentity(
                    of: text, at: context.now)
                goOnNatively(as: shown, saying: .accepted, &context)
            } catch {
                close(&context)
            }
        case CredentialMessage.none?:
            goOnNatively(as: context.authentication.initial, saying: .accepted, &context)
        case .accepted?, .expired?, nil: close(&context)
        }
    }

    /// Goes on with a native client whose token has expired.
    mutating func expireNative(_ context: inout GatewayContext) {
        goOnNatively(as: context.authentication.initial, saying: .expired, &context)
    }

    /// Continues with another identity, if that has any permission.
    private mutating func goOnNatively(
        as next: Identity, saying message: CredentialMessage, _ context: inout GatewayContext
    ) {
        identity = next
        var bytes: [UInt8] = []
        WebSocketWriter.append(.text, message.bytes, to: &bytes)
        context.send(bytes, to: id)
        guard context.authentication.admits(next.principal, to: database) else {
            return close(&context)
        }
        identify(&context)
    }
}

extension Authentication {
    /// Returns the identity that a credential proves, on an open connection.
    fileprivate mutating func nativeIdentity(
        of text: String, at now: Moment
    ) throws(CredentialFailure) -> Identity {
        isOpen ? initial : try identity(of: text, at: now)
    }
}
