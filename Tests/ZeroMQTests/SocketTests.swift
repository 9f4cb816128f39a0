import Testing
import Threads
import ZeroMQ

@Suite struct `Sockets` {
    let context = Context()

    func bound(_ kind: Socket.Kind, _ endpoint: String = "tcp://127.0.0.1:*") throws -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.bind(endpoint)
        return socket
    }

    func connected(_ kind: Socket.Kind, to peer: Socket) throws -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.connect(peer.lastEndpoint)
        return socket
    }

    @Test(arguments: ["tcp://127.0.0.1:*", "inproc://pair"])
    func `a message arrives whole, frame by frame`(endpoint: String) throws {
        let left = try bound(.pair, endpoint)
        let right = try connected(.pair, to: left)
        let frames: [[UInt8]] = [[1, 2], [], Array(repeating: 7, count: 100_000), [3], [4], [5]]
        #expect(right.wait(upTo: .zero) == false)
        #expect(right.send(frames) == .sent)
        #expect(left.wait(upTo: .seconds(5)))
        #expect(left.receive() == frames)
        #expect(left.receive() == nil)
    }

    @Test func `a received message can be read where it lies`() throws {
        let left = try bound(.pair)
        let right = try connected(.pair, to: left)
        let sum = [1, 2, 3].withUnsafeBytes { bytes in
            right.send(bytes)
            return bytes.reduce(0) { $0 + Int($1) }
        }
        #expect(left.wait(upTo: .seconds(5)))
        let received = left.receive { message in
            message.count == 1 ? message[0].reduce(0) { $0 + Int($1) } : -1
        }
        #expect(received == sum)
    }

    @Test func `a router answers each dealer by its name`() throws {
        let router = try bound(.router)
        let dealers = try ["n2", "n3"].map { name in
            let dealer = try Socket(.dealer, in: context)
            dealer.routingID = Array(name.utf8)
            #expect(dealer.routingID == Array(name.utf8))
            try dealer.connect(router.lastEndpoint)
            dealer.send(Array("hello".utf8))
            return dealer
        }
        for _ in dealers {
            #expect(router.wait(upTo: .seconds(5)))
            let request = try #require(router.receive())
            #expect(request.count == 2)
            #expect(router.send([request[0], request[0] + request[1]]) == .sent)
        }
        for (name, dealer) in zip(["n2", "n3"], dealers) {
            #expect(dealer.wait(upTo: .seconds(5)))
            #expect(dealer.receive() == [Array((name + "hello").utf8)])
        }
    }

    @Test func `a router that reports it knows no such peer says so`() throws {
        let router = try bound(.router)
        #expect(router.send([[9, 9], [1]]) == .sent)
        router.reportUnroutable()
        #expect(router.send([[9, 9], [1]]) == .unroutable)
    }

    @Test func `a dealer without a peer would block`() throws {
        #expect(try Socket(.dealer, in: context).send([1]) == .wouldBlock)
        let immediate = try Socket(.dealer, in: context)
        immediate.isImmediate = true
        try immediate.connect("tcp://127.0.0.1:9")
        #expect(immediate.send([[1], [2]]) == .wouldBlock)
    }

    @Test func `a publisher sees each subscription`() throws {
        let publisher = try Socket(.publisher, in: context)
        publisher.reportEverySubscription()
        try publisher.bind("tcp://127.0.0.1:*")
        for _ in 0..<2 {
            let subscriber = try connected(.subscriber, to: publisher)
            subscriber.subscribe()
            #expect(publisher.wait(upTo: .seconds(5)))
            #expect(publisher.receive() == [[1]])
            #expect(publisher.send([1, 2, 3]) == .sent)
            #expect(subscriber.wait(upTo: .seconds(5)))
            #expect(subscriber.receive() == [[1, 2, 3]])
            subscriber.close()
            #expect(publisher.wait(upTo: .seconds(5)))
            #expect(publisher.receive() == [[0]])
        }
    }

    @Test func `a drain stops at its limit and says whether more may wait`() throws {
        let left = try bound(.pair, "inproc://drain")
        let right = try connected(.pair, to: left)
        for number in 0..<10 { right.send([UInt8(number)]) }
        var seen: [UInt8] = []
        #expect(left.drain(limit: 4) { seen += $0[0] } == .limitReached)
        #expect(seen == [0, 1, 2, 3])
        #expect(left.events.contains(.readable))
        #expect(left.drain(limit: 100) { seen += $0[0] } == .emptied)
        #expect(seen == Array(0..<10))
        #expect(left.events == [.writable])
    }

    @Test func `a drain may answer on the socket it drains`() throws {
        let left = try bound(.pair)
        let right = try connected(.pair, to: left)
        right.send([[1], [2]])
        #expect(left.wait(upTo: .seconds(5)))
        let outcome = left.drain(limit: 10) { left.send(Array($0.copied().reversed())) }
        #expect(outcome == .emptied)
        #expect(right.wait(upTo: .seconds(5)))
        #expect(right.receive() == [[2], [1]])
    }

    @Test func `a frame above the limit drops the connection, not the socket`() throws {
        let router = try Socket(.router, in: context)
        router.maxMessageSize = 1000
        try router.bind("tcp://127.0.0.1:*")
        let dealer = try connected(.dealer, to: router)
        dealer.send([UInt8](repeating: 1, count: 1001))
        #expect(router.wait(upTo: .milliseconds(200)) == false)
        let polite = try connected(.dealer, to: router)
        polite.send([UInt8](repeating: 1, count: 1000))
        #expect(router.wait(upTo: .seconds(5)))
        #expect(router.receive()?[1].count == 1000)
    }

    @Test func `a socket comes back to an endpoint that restarts`() throws {
        var router: Socket? = try bound(.router)
        let endpoint = try #require(router?.lastEndpoint)
        let dealer = try Socket(.dealer, in: context)
        dealer.reconnectInterval = .milliseconds(10)
        try dealer.connect(endpoint)
        dealer.send([1])
        #expect(router?.wait(upTo: .seconds(5)) == true)
        router?.close()
        router = nil
        let restarted = try boundAgain(endpoint)
        // Messages that are sent before the dealer sees the end of its connection are lost.
        for _ in 0..<100 where !restarted.wait(upTo: .milliseconds(50)) { dealer.send([2]) }
        #expect(restarted.receive()?.last == [2])
    }

    /// Binds an endpoint whose last socket is still closing in the background.
    func boundAgain(_ endpoint: String) throws -> Socket {
        for _ in 0..<100 {
            if let socket = try? bound(.router, endpoint) { return socket }
            _ = try Socket(.pair, in: context).wait(upTo: .milliseconds(10))
        }
        return try bound(.router, endpoint)
    }

    @Test func `options are kept as they were set`() throws {
        let socket = try Socket(.dealer, in: context)
        #expect(socket.linger == .zero)
        #expect(socket.maxMessageSize == nil)
        socket.linger = nil
        socket.sendHighWaterMark = 5
        socket.receiveHighWaterMark = 6
        socket.maxMessageSize = 1 << 20
        socket.reconnectInterval = .milliseconds(50)
        socket.maxReconnectInterval = .seconds(2)
        socket.connectTimeout = .seconds(3)
        socket.silenceTimeout = .seconds(4)
        socket.isImmediate = true
        #expect(socket.linger == nil)
        #expect((socket.sendHighWaterMark, socket.receiveHighWaterMark) == (5, 6))
        #expect(socket.maxMessageSize == 1 << 20)
        #expect(socket.reconnectInterval == .milliseconds(50))
        #expect(socket.maxReconnectInterval == .seconds(2))
        #expect(socket.connectTimeout == .seconds(3))
        #expect(socket.silenceTimeout == .seconds(4))
        #expect(socket.isImmediate)
        socket.linger = .microseconds(1500)
        #expect(socket.linger == .milliseconds(2))
    }

    @Test func `sockets of one context serve different threads`() throws {
        let router = try bound(.router)
        let endpoint = router.lastEndpoint
        let context = context
        let threads = (0..<4).map { _ in
            SystemThread {
                guard let dealer = try? Socket(.dealer, in: context) else { return }
                dealer.linger = .seconds(5)
                try? dealer.connect(endpoint)
                for _ in 0..<250 { dealer.send([1]) }
            }
        }
        var count = 0
        while count < 1000, router.wait(upTo: .seconds(5)) {
            _ = router.drain(limit: 100) { _ in count += 1 }
        }
        for thread in threads { thread?.join() }
        #expect(count == 1000)
    }
}
