import ClusterAdministration
import DataTree
import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand

private typealias ExitStatus = CommandLineKit.ExitStatus

/// `hearth migrate` into a node of its own.
@Suite(.serialized) struct MigrateTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures").path

    @Test func `an export file is copied with priorities, and once only`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let text = #"{".priority":1,"a":{".priority":"p",".value":5},"b":{"c":[1,null,true]}}"#
        try cluster.folder.write(Array(text.utf8), to: "e.json")
        let (file, state) = (cluster.folder.path + "/e.json", cluster.folder.path + "/state")
        let done = try cluster.run("migrate", "--file", file, "--state", state, "--json")
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains(#"{"differences":0,"event":"compared","values":3}"#))
        #expect(done.output.contains("connectDatabaseEmulator"))
        #expect(try cluster.value(at: "/.priority") == "1")
        #expect(try cluster.value(at: "/a/.priority") == #""p""#)
        #expect(try cluster.run("get", "/a").output == "5\n")
        #expect(try cluster.value(at: "/b") == #"{"c":{"0":1,"2":true}}"#)

        let again = try cluster.run("migrate", "--file", file, "--state", state)
        #expect(again.status == ExitStatus.usage.rawValue)
        #expect(again.errors.contains("says that this migration is done"))
        let other = try cluster.run("migrate", "--file", file, "--state", state + "2")
        #expect(other.status == ExitStatus.usage.rawValue)
        #expect(other.errors.contains("fix: add --overwrite"), "\(other.errors)")
        // A finished migration does not block the next one, which has the default state file, too.
        try cluster.folder.write(Array("5".utf8), to: "f.json")
        let next = try cluster.run(
            "migrate", "--file", cluster.folder.path + "/f.json", "--state", state, "--path", "/f")
        #expect(next.status == 0, "\(next.errors)")
        #expect(try cluster.value(at: "/f") == "5")
        _ = try cluster.run("set", "/old", "1")
        let over = try cluster.run(
            "migrate", "--file", file, "--state", state, "--overwrite")
        #expect(over.status == 0, "\(over.errors)")
        #expect(try cluster.value(at: "/old") == "null")
    }

    @Test func `a live source is followed, also after the end of the migration's process`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            """
            cd "$1"; echo secret > s; chmod 600 s
            python3 "$2/firebase_service.py" port secret & service=$!
            trap 'kill -9 $service' EXIT
            until [ -s port ]; do sleep 0.1; done; url=http://127.0.0.1:$(< port)
            put() { curl -sf -X PUT -d "$2" "$url/$1.json?auth=secret" > /dev/null || echo "no write $1"; }
            python3 -c 'import json; print(json.dumps({"m": {f"k{i}": {"n": i} for i in range(20000)},
              "big": {"x": "y" * 5_000_000, "z": {".value": 1, ".priority": "first"}}, "u": {"a": {"name": "ada"}}}))' > d
            curl -sf -X PUT -d @d "$url/.json?auth=secret" > /dev/null
            "$0" migrate --from $url --dir . ; echo "without a secret: $?"
            migrate() { exec "$0" migrate --from $url --from-secret s --rules fetch --json --dir .; }
            migrate > one 2> errors & first=$!
            for i in $(seq 20); do put "m/during$i" "{\\"n\\": $i}"; done
            until [ -s hearth-migrate.json ]; do sleep 0.1; done
            kill -9 $first; wait $first 2> /dev/null
            put .settings/rules '{"rules": {".read": false}}'
            put u/a '{"name": "away", ".priority": 3}'
            curl -sf -X DELETE "$url/m/k7.json?auth=secret" > /dev/null
            migrate > two 2>> errors & second=$!
            until grep -q following two || ! kill -0 $second; do sleep 0.1; done
            put m/after '{"n": 1}'; put u/a/name '"back"'
            curl -sf -X PATCH -d '{"u/b/c": 1, "m/k8": null}' "$url/.json?auth=secret" > /dev/null
            until [ "$("$0" get /u/b/c --dir .)" = 1 ] || ! kill -0 $second; do sleep 0.1; done
            "$0" cluster pause n1 --dir . > /dev/null
            curl -sf -X DELETE "$url/.streams.json?auth=secret" > /dev/null
            until grep -qE 'waiting for (n1|a node)' errors || ! kill -0 $second; do sleep 0.1; done
            kill -INT $second; sleep 0.3; "$0" cluster resume n1 --dir . > /dev/null
            wait $second; echo "migrated: $?"
            curl -sf "$url/.json?auth=secret&format=export" > source; "$0" export / target --dir . > /dev/null
            python3 -c 'import json; print("equal", json.load(open("source")) == json.load(open("target")))'
            "$0" rules get --dir . 2> /dev/null; cat errors >&2
            python3 -c 'import json; print("events", [json.loads(line)["event"] for line in open("two")][-5:])'
            """, [cluster.folder.path, Self.fixtures])
        #expect(run.output.contains("without a secret: \(ExitStatus.denied.rawValue)\n"))
        #expect(run.errors.contains("fix: name a file with an administrator's credential"))
        #expect(run.output.contains("migrated: 0\nequal True\n"), "\(run.output)\(run.errors)")
        #expect(run.output.contains(#"{"rules": {".read": true}}"#), "\(run.output)")
        #expect(!run.output.contains("no write"))
        #expect(
            run.output.contains("events ['rules', 'hash', 'hash', 'hash', 'done']"),
            "\(run.output)\(run.errors)")
    }

    @Test(arguments: [
        (["migrate"], ExitStatus.usage, "--from and --file are both given, or both missing"),
        (["migrate", "--file", "/missing.json"], .noInput, "cannot read /missing.json"),
        (
            ["migrate", "--from", "http://127.0.0.1:9", "--rules", "/missing.json"], .noInput,
            "cannot read /missing.json"
        ),
        (["migrate", "--from", "http://127.0.0.1:9"], .unavailable, "no cluster in"),
    ])
    func `a mistake of the command line is found without a cluster`(
        words: [String], status: CommandLineKit.ExitStatus, problem: String
    ) throws {
        let folder = try TemporaryFolder()
        let run = try Command.run(words, in: folder.path)
        #expect(run.status == status.rawValue, "\(run.errors)")
        #expect(run.errors.contains(problem), "\(run.errors)")
    }

    @Test func `a migration whose last step fails is resumed`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let address = try cluster.run("cluster", "status", "--json").output
        let node = try #require(address.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output
        var options = Migration.Options()
        options.stateFile = cluster.folder.path + "/state"
        var steps: [String] = []
        func migrate(_ finish: () throws(CommandError) -> Void) throws(CommandError) {
            let migration = try Migration(
                from: .export(.integer(1), at: .root), named: "e",
                to: NodeClient(nodes: [String(node)]), options
            ) { event in
                if case .resumed = event { steps.append("resumed") }
            }
            _ = try migration.run(beforeEnd: finish)
        }
        let failure = CommandError(.unavailable, "no rules", fix: "try again")
        #expect(throws: failure) { try migrate { () throws(CommandError) in throw failure } }
        try migrate { () throws(CommandError) in steps.append("finished") }
        #expect(steps == ["resumed", "finished"])
    }
}
