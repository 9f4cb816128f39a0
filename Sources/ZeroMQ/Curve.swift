internal import CZeroMQ

// Encrypted and authenticated connections, by CURVE. Both ends set this up before they bind or connect; the
// connection of a peer without the right key never succeeds, and fails silently.

extension Socket {
    /// Takes encrypted connections only, each from a peer that the context's gatekeeper admits to
    /// `domain`.
    public func admit(to domain: String, by zapHandler: ZAPHandler, as own: KeyPair) {
        set(ZMQ_CURVE_SERVER, to: Int32(1))
        set(ZMQ_CURVE_SECRETKEY, toText: own.secret)
        set(ZMQ_ZAP_DOMAIN, toBytes: Array(domain.utf8))
    }

    /// From now on connects only to the owner of a public key, and proves to own the key pair given.
    public func trust(_ peer: PublicKey, as own: KeyPair) {
        set(ZMQ_CURVE_SERVERKEY, toText: peer.description)
        set(ZMQ_CURVE_PUBLICKEY, toText: own.publicKey.description)
        set(ZMQ_CURVE_SECRETKEY, toText: own.secret)
    }

    private func set(_ option: Int32, toText text: String) {
        set(option, toBytes: Array(text.utf8) + [0])
    }
}
