internal import ClientCore
internal import DataTree
internal import SyncProtocol

// How writes are sent, and how their outcome is reported.

extension DatabaseReference {
    /// Sends a write without a callback.
    func send(_ work: Request.Work) {
        post(work) { error in
            if let error { self.warn(of: error) }
        }
    }

    /// Sends a write, and calls the application's block.
    func send(_ work: Request.Work, _ completion: @escaping WriteCompletion) {
        let completion = Carried(completion)
        post(work) { error in self.complete(completion, error) }
    }

    /// Sends what is made of the caller's data, unless that is wrong.
    func send(_ work: () throws(DataError) -> Request.Work) {
        do throws(DataError) {
            send(try work())
        } catch {
            warn(of: HearthError(error))
        }
    }

    /// Sends what is made of the caller's data, unless that is wrong.
    func send(
        _ completion: @escaping WriteCompletion, _ work: () throws(DataError) -> Request.Work
    ) {
        do throws(DataError) {
            send(try work(), completion)
        } catch {
            complete(Carried(completion), HearthError(error))
        }
    }

    /// Sends the write that the caller's data make, and waits for its outcome or for the task's cancellation, which
    /// leaves the write on its way.
    nonisolated(nonsending) func waiting(
        for work: () throws(DataError) -> Request.Work
    ) async throws(HearthError) -> DatabaseReference {
        try await Outcome<DatabaseReference>.of(
            .write("a write at \(path)")
        ) { outcome throws(HearthError) in
            let request: Request.Work
            do throws(DataError) {
                request = try work()
            } catch {
                throw HearthError(error)
            }
            post(request) { error in
                outcome.end(error.map { .failure($0) } ?? .success(self))
            }
        }
    }

    /// Sends a write, and reports its outcome on the connection's own queue.
    func post(
        _ work: Request.Work, _ completion: @escaping @Sendable (HearthError?) -> Void
    ) {
        switch connection {
        case .failure(let error): completion(error)
        case .success(let connection):
            connection.send(work, concern: concern ?? database.writeConcern) { result in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
    }

    private func complete(_ completion: Carried<WriteCompletion>, _ error: HearthError?) {
        database.delivery.call { await completion.block(error, self) }
    }

    private func warn(of error: HearthError) {
        Log.warn("a write at \(path) failed: \(error)")
    }
}

extension HearthError {
    /// An error about the caller's data.
    init(_ error: DataError) {
        self.init(.invalid, error.problem, fix: error.fix)
    }
}

extension Write {
    /// The writes of one update, in the order of their paths.
    static func all(_ values: [AnyHashable: Any]) throws(DataError) -> [Write] {
        var writes: [Write] = []
        for (name, value) in values {
            guard let name = name.base as? String else {
                throw DataError(
                    problem: "the key \(name) is not a string", fix: "use paths as keys")
            }
            writes.append(Write(path: try Path(name), value: try Value(plain: value)))
        }
        return writes.sorted { $0.path < $1.path }
    }
}
