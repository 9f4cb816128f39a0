import Foundation
import Testing

/// Real processes, sockets and disks: that the parts are wired as they should be.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `A cluster of processes` {
    @Test func `serves a program in Python at every node`() throws {
        let cluster = try TestCluster()
        let outcome = try Program.client(
            "tour", cluster.address(1), cluster.address(2), cluster.address(3)
        ).end()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `keeps acknowledged writes when a node is killed while it writes`() throws {
        let cluster = try TestCluster()
        let pushers = try [
            cluster.push(2_000, labelled: "a", to: 1),
            cluster.push(1_000_000, labelled: "b", to: 2),
            cluster.push(2_000, labelled: "c", to: 3),
        ]
        try eventually("n2 is in the middle of it") { pushers[1].acknowledged.count > 1_000 }
        try cluster.run("kill", "n2")
        for pusher in pushers { #expect(try pusher.end().status == 0, "\(pusher.errors)") }
        try cluster.run("start", "n2")
        try cluster.waitUntilEqual()

        let list = try cluster.list(at: 2)
        for pusher in pushers {
            let acknowledged = pusher.acknowledged
            #expect(acknowledged.count >= 1_000)
            #expect(acknowledged.allSatisfy { list[$0.key] == $0.value })
            #expect(acknowledged.map(\.key) == acknowledged.map(\.key).sorted())
        }
        // Each value was pushed once, so each is there once.
        #expect(Set(list.values).count == list.count)
    }

    @Test(arguments: ["interval", "memory"])
    func `restores the lost data of a node`(durability: String) throws {
        let cluster = try TestCluster(durability: durability)
        _ = try cluster.push(500, labelled: "a", to: 2).end()
        try cluster.waitUntilEqual()
        try cluster.run("kill", "n2")
        try cluster.run("start", "n2")
        _ = try cluster.push(500, labelled: "b", to: 2).end()
        try cluster.waitUntilEqual()
        #expect(try cluster.list(at: 2).count == 1_000)
    }

    @Test func `repairs the operations that a paused node missed`() throws {
        let cluster = try TestCluster()
        try cluster.run("pause", "n3")
        let status = try Program.hearth(
            "cluster", "status", "--json", "--dir", cluster.folder.path
        ).end()
        #expect(status.output.contains(#""state":"paused""#))
        #expect(status.status == 69)
        _ = try cluster.push(500, labelled: "a", to: 1).end()
        try cluster.run("resume", "n3")
        try cluster.waitUntilEqual()
        #expect(try cluster.list(at: 3).count == 500)
    }

    @Test func `stops in order, and continues with its data`() throws {
        let cluster = try TestCluster()
        _ = try cluster.push(500, labelled: "a", to: 1).end()
        try cluster.waitUntilEqual()
        let down = try cluster.run("down")
        for id in ["n1", "n2", "n3"] { #expect(down.contains("\(id) stopped (process ")) }
        #expect(try cluster.run("logs", "n1").hasSuffix("n1 stopped\n"))
        let up = try cluster.up().end()
        #expect(up.status == 0, "\(up.errors)")
        #expect(try cluster.list(at: 2).count == 500)
    }

    @Test func `refuses a folder whose cluster runs`() throws {
        let cluster = try TestCluster()
        let second = try cluster.up().end()
        #expect(second.status == 69)
        #expect(second.errors.contains("\(cluster.folder.path) is in use: node n1 runs as process"))
        #expect(second.errors.contains("hearth cluster down --dir \(cluster.folder.path)"))
    }

    @Test func `has a second node of a name end, and the doctor say where it was`() throws {
        let cluster = try TestCluster()
        let file = cluster.folder.text(of: "cluster.json")
        let twin = try TestCluster.freePorts()
        let folder = try TemporaryFolder()
        let ports = (10...12).map { (":\(cluster.basePort + $0)", ":\(twin + $0)") }
        let configuration = try folder.write(
            ports.reduce(file) { $0.replacing($1.0, with: $1.1) }, to: "cluster.json")
        let second = try Program.hearth("node", "--config", configuration, "--id", "n2").end()
        #expect(second.status == 69)
        #expect(second.errors.contains("two nodes have the name n2"), "\(second.errors)")

        let doctor = try Program.hearth("cluster", "doctor", "--dir", cluster.folder.path).end()
        #expect(doctor.status == 1)
        let place = "tcp://127.0.0.1:\(twin + 12)"
        #expect(
            doctor.output.hasPrefix(
                "warning: n2 is also the name of another process, at \(place): n1 and n3 refused it"
            ),
            "\(doctor.output)")
        #expect(doctor.output.split(separator: "\n").count == 2)
    }

    @Test func `refuses to start where a port is taken`() throws {
        let other = try TestCluster()
        let folder = try TemporaryFolder()
        let outcome = try Program.hearth(
            "cluster", "up", "--dir", folder.path, "--base-port", "\(other.basePort - 10)",
            "--detach"
        ).end()
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("port \(other.basePort), which n2 needs, is taken"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("n1/pid")))
    }
}
