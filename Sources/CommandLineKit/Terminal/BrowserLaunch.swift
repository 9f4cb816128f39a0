internal import Glibc

/// Opens pages in the user's browser.
package enum BrowserLaunch {
    /// Starts the program that opens a page; false if there is none.
    ///
    /// It is `BROWSER` of the environment, or else `xdg-open`. The caller does not wait for it, and its output is dropped.
    package static func open(_ address: String) -> Bool {
        let named = getenv("BROWSER").map { String(cString: $0) }
        let program = named.flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
        // The shell ends at once, so the browser is no child of this process, which would have to wait for its end.
        let script = "command -v \"$1\" >/dev/null || exit 127; \"$1\" \"$2\" &"
        return run(["/bin/sh", "-c", script, "sh", program, address]) == 0
    }

    /// Runs a program without input and output; returns the wait status, or -1 if the program cannot start.
    private static func run(_ words: [String]) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        guard posix_spawn(&child, words[0], &actions, nil, arguments, environ) == 0
        else { return -1 }
        var status: Int32 = -1
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
