import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand

private typealias ExitStatus = CommandLineKit.ExitStatus

/// `hearth cluster status` and its relatives as an operator sees them, against nodes in processes of their own.
@Suite(.serialized) struct StatusProcessTests {
    /// Whether this user may make a network of its own.
    private static let mayMakeNetworks =
        (try? Command.shell("unshare -n ip link set lo up").status == 0) ?? false

    /// A network with an address from which nothing comes, and a cluster whose first node would be there.
    private static let silentNetwork = """
        set -eu; cd "$1"; ip link set lo up
        ip link add silent0 type veth peer name silent1
        ip addr add 10.9.9.254/24 dev silent0; ip link set silent0 up; ip link set silent1 up
        ip neigh replace 10.9.9.1 lladdr 02:00:00:00:00:01 dev silent0 nud permanent
        node() { echo "{id: '$1', client: 'http://$2:$3', requests: 'tcp://$2:$(($3 + 1))', updates: 'tcp://$2:$(($3 + 2))'},"; }
        echo "{cluster: 's', nodes: [$(node n1 10.9.9.1 7001; node n2 127.0.0.1 7011; node n3 127.0.0.1 7021)]}" > s.json5
        trap 'kill $(jobs -p)' EXIT
        for id in n2 n3; do "$0" node --config s.json5 --id $id --insecure > $id.log 2>&1 & done
        for id in n2 n3; do for event in 'has contact' 'serving clients'; do until grep -q "$event" $id.log; do sleep 0.1; done; done; done
        """

    @Test(.enabled(if: mayMakeNetworks))
    func `a silent host does not hide the nodes that serve`() throws {
        let folder = try TemporaryFolder()
        let script = """
            \(Self.silentNetwork)
            "$0" cluster status --config s.json5 --json | grep -o '"state":"[a-z]*"' || true
            "$0" cluster doctor --config s.json5 || echo "exit code $?"
            """
        let run = try Command.shell(
            #"exec unshare -n bash -c "$2" "$0" "$1""#, [folder.path, script])
        let states = run.output.split(separator: "\n").prefix(3)
        #expect(
            states == ["\"state\":\"silent\"", "\"state\":\"serving\"", "\"state\":\"serving\""])
        #expect(
            run.output.contains("error: n1 is silent: http://10.9.9.1:7001 does not answer\n"))
        #expect(!run.output.contains("error: n2") && !run.output.contains("error: n3"))
        #expect(run.output.hasSuffix("exit code 1\n"))
        #expect(run.errors.contains("error: n1 is silent\n"))
    }

    @Test(.enabled(if: mayMakeNetworks))
    func `a command that one node can do does not wait for a silent host`() throws {
        let folder = try TemporaryFolder()
        let script = #"""
            \#(Self.silentNetwork)
            echo '{"rules": {}}' > r.json
            for words in "rules set r.json" "rules get" "why /a" "backup copy" "cluster evict n1 --force"; do
              start=$SECONDS; "$0" $words --config s.json5 --timeout 20 > out 2>&1 || true
              [ $((SECONDS - start)) -lt 15 ] || echo "slow: $words"
            done
            "$0" rules get --config s.json5
            "$0" get /a --node n1 --config s.json5 --timeout 1 || true
            """#
        let run = try Command.shell(
            #"exec unshare -n bash -c "$2" "$0" "$1""#, [folder.path, script])
        #expect(run.output == "{\"rules\": {}}\n")
        #expect(run.errors.contains("error: no node answers at n1\n"))
    }

    @Test func `a node that is busy for more than a second serves`() throws {
        let cluster = try CommandCluster(nodes: 2)
        try #require(try cluster.run("cluster", "pause", "n2").status == 0)
        // A configuration does not tell that the process is suspended.
        let run = try Command.shell(
            """
            (sleep 1.5; "$0" cluster resume n2 --dir "$1" > /dev/null) &
            "$0" cluster status --config "$1/cluster.json"; status=$?; wait; exit $status
            """, [cluster.folder.path])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test func `a node whose folder or process file is lost is still seen, and stopped`() throws {
        let cluster = try CommandCluster(nodes: 2)
        // Renamed, because the node may create a file in a folder that is being emptied.
        try FileManager.default.moveItem(
            atPath: cluster.folder.path + "/n1", toPath: cluster.folder.path + "/lost")
        try cluster.folder.write(Array("garbage".utf8), to: "n2/pid")
        let status = try cluster.run("cluster", "status")
        #expect(status.status == 0, "\(status.output)\(status.errors)")
        let down = try cluster.run("cluster", "down")
        #expect(down.status == 0)
        #expect(down.output.contains("n1 stopped") && down.output.contains("n2 stopped"))
        #expect(try cluster.run("cluster", "status").output.contains("n1    stopped"))
    }

    @Test func `nodes that show their status to administrators only are not unreachable`() throws {
        let folder = try TemporaryFolder()
        let run = try Command.shell(
            """
            cd "$1"; umask 077; "$0" keys secret app.secret > hash; "$0" keys secret wrong.secret >> hash
            "$0" keys secret token.secret >> hash; "$0" token new --uid ada --with token.secret > ada.token
            hash=$(grep -o '[0-9a-f]\\{64\\}' hash | head -1)
            for port in $(shuf -i 15000-31000 -n 20); do
              cat > c.json5 <<END
            {cluster: "c", secrets: ["$hash"], tokens: {issuers: [{secrets: ["token.secret"]}]}, nodes: [{id: "n1",
             client: "http://127.0.0.1:$port", requests: "tcp://127.0.0.1:$((port + 1))", updates: "tcp://127.0.0.1:$((port + 2))"}]}
            END
              "$0" node --config c.json5 --id n1 > log 2>&1 & node=$!
              until curl -sf http://127.0.0.1:$port/health > health || ! kill -0 $node; do sleep 0.1; done
              [ -s health ] && break
            done
            trap 'kill $node' EXIT
            for shown in "" "--secret wrong.secret" "--token ada.token"; do
              for command in "cluster status" "cluster doctor" "backup b" "rules set rules.json" "set /a 1" "watch /a" \\
                "cluster evict n1" "rules get" "export /a -"; do
                echo '{"rules": {}}' > rules.json
                "$0" $command --config c.json5 $shown > out 2> errors; echo "$? $command $shown"
                grep -h 'n1 serves; only administrators may see its status' out errors | head -1
              done
            done
            "$0" cluster status --config c.json5 --secret app.secret > out; echo $?
            HEARTH_SECRET_FILE= "$0" get /a --config c.json5; "$0" get /a --config c.json5 --token nofile
            """, [folder.path])
        let lines = run.output.split(separator: "\n")
        #expect(lines.filter { $0.contains("only administrators may see its status") }.count == 6)
        let codes = lines.filter { $0.first?.isNumber == true }
        #expect(codes.count == 28 && codes.last == "0")
        #expect(codes.dropLast().allSatisfy { $0.hasPrefix("77 ") }, "\(run.output)")
        #expect(run.errors.contains("cannot read token nofile"))
        #expect(!run.errors.contains("secret :"))
    }

    @Test func `a push in a stream ends after its timeout while its input is open and idle`() throws
    {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            """
            { echo 1; until [ -s "$1/keys" ]; do sleep 0.05; done
              "$0" cluster kill n1 --dir "$1" >&2; date +%s%N > "$1/killed"; exec sleep 20; } |
                { "$0" push /a --stdin --timeout 2 --dir "$1" > "$1/keys"; echo $?; date +%s%N > "$1/ended"; }
            """, [cluster.folder.path])
        func nanoseconds(_ file: String) throws -> Int {
            let text = try String(contentsOfFile: cluster.folder.path + "/" + file, encoding: .utf8)
            return try #require(Int(text.trimmingCharacters(in: .newlines)))
        }
        #expect(run.output == "\(ExitStatus.unavailable.rawValue)\n")
        #expect(run.errors.contains("no node answers at n1 for 2 s"))
        let waited = try nanoseconds("ended") - nanoseconds("killed")
        #expect((1_500_000_000...6_000_000_000).contains(waited), "\(waited) ns")
    }

    @Test func `a watch ends when its reader is gone, also without an event`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            #""$0" watch /a --events value --dir "$1" | head -n 1; echo "${PIPESTATUS[0]}""#,
            [cluster.folder.path])
        #expect(run.output.hasSuffix("\n\(128 + SIGPIPE)\n"), "\(run.output) \(run.errors)")
    }

    @Test func `all data is removed by force only where no terminal can confirm it`() throws {
        let cluster = try CommandCluster(nodes: 1)
        try #require(try cluster.run("set", "/a", "1").status == 0)
        let refused = try cluster.run("remove", "/")
        #expect(refused.status == ExitStatus.usage.rawValue && refused.errors.contains("--force"))
        let unset = try cluster.run("set", "/", "{}")
        #expect(unset.status == ExitStatus.usage.rawValue && unset.errors.contains("--force"))
        #expect(try cluster.value(at: "/a") == "1")
        #expect(try cluster.run("remove", "/", "--force").status == 0)
        #expect(try cluster.value(at: "/") == "null")
        #expect(try cluster.run("set", "/a", "null").status == 0)
        #expect(try cluster.run("set", "/", "null", "--force").status == 0)
    }

    @Test func `the name of a backup is checked before any node is asked`() throws {
        let run = try Command.run(["backup", "a b", "--node", "http://127.0.0.1:9"])
        #expect(run.status == ExitStatus.usage.rawValue && run.errors.contains("letters, digits"))
    }
}
