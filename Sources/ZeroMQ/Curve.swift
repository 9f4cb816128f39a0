internal import CZeroMQ

// Encrypted and authenticated connections, by CURVE. Both ends set this up before they bind or
// connect; a peer without the right key never gets through, and sees nothing but silence.

extension Socket {
    /// Takes encrypted connections only, each from a peer that the context's gatekeeper admits to
    /// `domain`.
    public func admit(to domain: String, by zapHandler: ZAPHandler, as own: KeyPair) {
        set(ZMQ_CURVE_SERVER, to: Int32(1))
        set(ZMQ_CURVE_SECRETKEY, toText: own.secret)
        set(ZMQ_ZAP_DOMAIN, toBytes: Array(domain.utf8))
    }

    /// Connects from now on to the holder of a key only, and proves to be the holder of the own one.
    public func trust(_ peer: PublicKey, as own: KeyPair) {
        set(ZMQ_CURVE_SERVERKEY, toText: peer.description)
        set(ZMQ_CURVE_PUBLICKEY, toText: own.publicKey.description)
        set(ZMQ_CURVE_SECRETKEY, toText: own.secret)
    }

    /// Connects to an address, encrypted if it holds the key of who is there.
    ///
    /// - Throws: when the text is no address.
    public func connect(_ address: ServerAddress, as own: KeyPair?) throws(ZeroMQError) {
        // Whom to trust must be said before: without own keys, whoever draws new ones is a unknown peer.
        if let key = address.key { trust(key, as: own ?? .random()) }
        try connect(address.endpoint)
    }

    private func set(_ option: Int32, toText text: String) {
        set(option, toBytes: Array(text.utf8) + [0])
    }
}
