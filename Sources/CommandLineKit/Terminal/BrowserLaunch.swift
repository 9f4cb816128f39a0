internal import Glibc

/// Opens pages in the user's browser.
package enum BrowserLaunch {
    /// Starts the program that opens a page; false if there is none.
    ///
    /// It is `BROWSER` of the environment, or else `xdg-open`. The caller does not wait for it, and its output is dropped.
    package static func open(_ address: String) -> Bool {
        let named = getenv("BROWSER").map { String(cString: $0) }
        let program = named.flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let words: [String] = [program, address]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        return posix_spawnp(&child, program, &actions, nil, arguments, environ) == 0
    }
}
