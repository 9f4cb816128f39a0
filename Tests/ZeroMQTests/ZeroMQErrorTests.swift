import Testing
import ZeroMQ

@Suite struct `A ZeroMQ error` {
    let context = Context()

    @Test func `a taken port is named, with what to do`() throws {
        let holder = try Socket(.router, in: context)
        try holder.bind("tcp://127.0.0.1:*")
        let endpoint = holder.lastEndpoint
        let port = try #require(endpoint.split(separator: ":").last)
        let socket = try Socket(.router, in: context)
        let error = #expect(throws: ZeroMQError.self) { try socket.bind(endpoint) }
        #expect(error?.code == .addressInUse)
        #expect(error?.problem == "cannot bind \(endpoint): address already in use")
        #expect(error?.fix == "stop the process on port \(port), or choose another port")
    }

    @Test(arguments: ["", "7001", "tcp://", "tcp://127.0.0.1:99999", "smtp://127.0.0.1:25"])
    func `what is no endpoint is refused`(endpoint: String) throws {
        let socket = try Socket(.dealer, in: context)
        #expect(throws: ZeroMQError.self) { try socket.bind(endpoint) }
        let error = #expect(throws: ZeroMQError.self) { try socket.connect(endpoint) }
        #expect(error?.code == .invalidEndpoint)
    }

    @Test func `an address of another machine is refused`() throws {
        let socket = try Socket(.router, in: context)
        let error = #expect(throws: ZeroMQError.self) { try socket.bind("tcp://192.0.2.1:7001") }
        #expect(error?.code == .addressUnavailable)
    }

    @Test func `a context out of sockets says so`() throws {
        var sockets: [Socket] = []
        let error = #expect(throws: ZeroMQError.self) {
            while sockets.count < 2000 { sockets.append(try Socket(.pair, in: context)) }
        }
        #expect(error?.code == .tooManySockets)
    }
}
