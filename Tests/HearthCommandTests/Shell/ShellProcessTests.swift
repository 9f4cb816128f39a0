import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand

private typealias ExitStatus = CommandLineKit.ExitStatus

/// The shell in a process of its own, with commands from a pipe and at a terminal.
@Suite(.serialized) struct ShellProcessTests {
    @Test func `an error leaves the shell alive, and is its exit code`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let commands = """
            set /rooms/lobby {"title": "Lobby", "open": [1, 2]}
            # a remark
            get /rooms/lobby/title
            nonsense
            get /rooms/lobby --node n9
            push /rooms --stdin
            set /a -
            hearth get /rooms/lobby/open
            exit
            get /rooms
            """
        let run = try cluster.run("shell", "--node", "n1", input: commands)
        #expect(run.output == "\"Lobby\"\n[1,2]\n")
        #expect(run.status == ExitStatus.usage.rawValue)
        for problem in ["unknown verb \"nonsense\"", "no node \"n9\"", "push cannot read standard"]
        {
            #expect(run.errors.contains(problem))
        }
        let fine = try cluster.run("shell", input: "get /rooms/lobby/title\n")
        #expect(fine.status == 0)
    }

    @Test func `other verbs run as well, at the nodes of the shell`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try cluster.run("shell", input: "cluster status --json\nversion\n")
        #expect(run.output.contains("\"serving\""), "\(run.errors)")
    }

    /// Types at a pseudo-terminal: the fourth argument at once, and then, for each line of a file, `text|what is to be shown then`.
    private static let typist = #"""
        import os, pty, select, sys, time
        steps = [line.rstrip("\n").split("|") for line in open(sys.argv[1])]
        child, terminal = pty.fork()
        if child == 0:
            os.environ["TERM"] = "xterm"
            os.environ["HOME"] = sys.argv[2]
            os.execv(sys.argv[3], ["hearth", "shell", "--dir", sys.argv[2]])
        shown = b""
        def await_text(text):
            global shown
            deadline = time.monotonic() + 60
            while text.encode() not in shown:
                if not select.select([terminal], [], [], deadline - time.monotonic())[0]:
                    sys.exit("not shown: " + text + " in " + repr(shown))
                shown += os.read(terminal, 4096)
            shown = shown.split(text.encode(), 1)[1]
        os.write(terminal, sys.argv[4].encode().decode("unicode_escape").encode("latin-1"))
        await_text("hearth> ")
        for keys, text in steps:
            os.write(terminal, keys.encode().decode("unicode_escape").encode("latin-1"))
            if text: await_text(text)
        deadline = time.monotonic() + 60
        ended, status = 0, 0
        while not ended and time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            if select.select([terminal], [], [], 0.05)[0]:
                try: os.read(terminal, 4096)
                except OSError: pass
        if not ended:
            os.kill(child, 9)
            sys.exit("it does not end")
        print(os.waitstatus_to_exitcode(status))
        """#

    @Test func `at a terminal Tab completes, Ctrl-C interrupts a command and Ctrl-D leaves`() throws
    {
        let cluster = try CommandCluster(nodes: 1)
        try #require(try cluster.run("set", "/rooms", #"{"lobby":1,"lounge":{"x":1}}"#).status == 0)
        let steps = [
            #"exp\t|ort "#, #"\x03|^C"#, "|hearth> ",
            #"get /ro\t|oms/"#, #"lo\t\t|/rooms/lobby"#, #"u\t|unge/"#, #"x\n|1"#,
            #"watch /rooms/lobby --events value\n|"data":1}"#, #"\x03|^C"#, "|hearth> ",
            // The history has the command before the last one.
            #"\x1b[A\x1b[A|get /rooms/lounge/x"#, #"\n|1"#, #"get /a --node \t|n1 "#,
            #"\x03|^C"#, "|hearth> ",
            #"\x04|"#,
        ]
        let run = try type(steps, at: cluster)
        #expect(run.output == "0\n", "\(run.errors)")
        let history = try String(
            contentsOfFile: cluster.folder.path + "/.hearth_history", encoding: .utf8)
        #expect(history.contains("watch"))
    }

    @Test func `Ctrl-D leaves that was typed before the prompt`() throws {
        let run = try type([], ahead: #"\x04"#, at: try CommandCluster(nodes: 1))
        #expect(run.output == "0\n", "\(run.errors)")
    }

    private func type(
        _ steps: [String], ahead: String = "", at cluster: CommandCluster
    ) throws -> Command.Outcome {
        let folder = cluster.folder
        try folder.write(Array(Self.typist.utf8), to: "typist.py")
        try folder.write(Array(steps.map { $0 + "\n" }.joined().utf8), to: "steps")
        return try Command.shell(
            #"/usr/bin/python3 "$1/typist.py" "$1/steps" "$1" "$0" "$2""#, [folder.path, ahead])
    }
}
