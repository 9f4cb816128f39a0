internal import ClusterAdministration
internal import CommandLineKit

/// Turns the words of the command line into one verb's work and its outcome into an exit status.
///
/// A type, not top-level code: that would be confined to the main actor, and closures on other threads
/// would trap.
@main
enum Main {
    static func main() { VerbProgram(root: .hearth, version: hearthVersion).run() }
}
