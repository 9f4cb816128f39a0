internal import CLibrary
public import EventLoop
internal import TLS

/// An attempt to connect, on a loop: a host with several addresses is tried at each in turn.
///
/// Released, it gives up.
public final class Dial {
    private let address: HTTPAddress
    /// Nil for an address without TLS.
    private let tls: TLSContext?
    private let loop: Loop
    private var places: ArraySlice<SocketAddress>
    private var watcher: Watcher?
    private var finish: (Result<Stream, SocketError>) -> Void

    /// Begins to connect; `finish` is called later, once. With TLS, the stream ends if the server is not the one
    /// that the address means.
    ///
    /// - Throws: If the host is unknown.
    public init(
        to address: HTTPAddress, on loop: Loop,
        finish: @escaping (Result<Stream, SocketError>) -> Void
    ) throws(SocketError) {
        self.address = address
        self.loop = loop
        self.finish = finish
        tls = try address.context()
        places = try address.resolved()[...]
        try tryNext()
    }

    /// Tries the next address that the system does not refuse at once.
    private func tryNext() throws(SocketError) {
        var failure = ECONNREFUSED
        while let place = places.popFirst() {
            let descriptor = try Descriptor(for: place, of: address)
            failure = descriptor.connect(to: place)
            if failure == 0 { return try awaitOutcome(of: descriptor) }
        }
        throw SocketError(trying: "connect to", address, number: failure)
    }

    private func awaitOutcome(of descriptor: Descriptor) throws(SocketError) {
        watcher = try? loop.watchWritable(descriptor.number) { [unowned self] in
            conclude(descriptor)
        }
        if watcher == nil { throw SocketError(trying: "wait for", address) }
    }

    private func conclude(_ descriptor: Descriptor) {
        watcher?.cancel()
        watcher = nil
        let failure = descriptor.pendingError
        if failure == 0 {
            let stream = Stream(descriptor, on: loop)
            if let tls { stream.encrypt(by: tls.filter()) }
            return finish(.success(stream))
        }
        do throws(SocketError) {
            guard !places.isEmpty else {
                throw SocketError(trying: "connect to", address, number: failure)
            }
            try tryNext()
        } catch {
            finish(.failure(error))
        }
    }
}

extension HTTPAddress {
    /// The TLS of a client of this address; nil without TLS.
    func context() throws(SocketError) -> TLSContext? {
        guard let trust else { return nil }
        do throws(TLSError) {
            return try TLSContext.client(trusting: trust)
        } catch {
            throw SocketError(error, trying: "connect to", self)
        }
    }
}
