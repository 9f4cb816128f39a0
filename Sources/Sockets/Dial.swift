internal import CLibrary
public import EventLoop
internal import TLS

/// An attempt to connect, on a loop: a host with several addresses is tried at each in turn. A name is looked up for each
/// attempt, without blocking the loop.
///
/// Released, it gives up.
public final class Dial {
    private let address: HTTPAddress
    /// Nil for an address without TLS.
    private let tls: TLSContext?
    private let loop: Loop
    private var lookup: HostLookup?
    private var places: ArraySlice<SocketAddress> = []
    private var watcher: Watcher?
    /// Ends the attempt at an address that does not answer, if there is another one.
    private var limit: Watcher?
    private var finish: (Result<Stream, SocketError>) -> Void

    /// Begins to connect; `finish` is called later, once. With TLS, the stream ends if the server is not the one
    /// that the address means.
    ///
    /// - Throws: If the system refuses at once, or the file of authorities cannot be used.
    public convenience init(
        to address: HTTPAddress, on loop: Loop,
        finish: @escaping (Result<Stream, SocketError>) -> Void
    ) throws(SocketError) {
        try self.init(to: address, at: address.numericAddresses, on: loop, finish: finish)
    }

    /// The same, with the addresses of the host; nil to look them up.
    init(
        to address: HTTPAddress, at places: [SocketAddress]?, on loop: Loop,
        finish: @escaping (Result<Stream, SocketError>) -> Void
    ) throws(SocketError) {
        self.address = address
        self.loop = loop
        self.finish = finish
        tls = try address.context()
        if let places {
            self.places = places[...]
            try tryNext()
        } else {
            lookup = HostLookup(of: address.host, port: address.port, on: loop) {
                [unowned self] answer in
                lookup = nil
                conclude(answer)
            }
        }
    }

    /// How long one of several addresses may take.
    private static let patience = Duration.milliseconds(400)

    private func conclude(_ answer: HostAnswer) {
        do throws(SocketError) {
            places = try answer.addresses(of: address)[...]
            try tryNext()
        } catch {
            finish(.failure(error))
        }
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
            conclude(descriptor, descriptor.pendingError)
        }
        if watcher == nil { throw SocketError(trying: "wait for", address) }
        if places.isEmpty { return }
        limit = try? loop.timer(after: Dial.patience) { [unowned self] in
            conclude(descriptor, ETIMEDOUT)
        }
    }

    private func conclude(_ descriptor: Descriptor, _ failure: Int32) {
        for timer in [watcher, limit] { timer?.cancel() }
        (watcher, limit) = (nil, nil)
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
    /// Checks the file of trusted authorities, if the address names one.
    public func checkTrust() throws(SocketError) {
        if case .authorities(_, _?) = trust { _ = try context() }
    }

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
