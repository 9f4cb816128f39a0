package import CommandLineKit

extension SiblingProgram {
    /// The program that runs nodes and talks to them.
    package static let hearth = SiblingProgram("hearth")
    /// The program that has the simulator, which nodes do not need, and all that its checks judge.
    package static let simulator = SiblingProgram("hearth-sim")
}
