// swift-tools-version: 6.2
import PackageDescription

// Every arrow points down; ARCHITECTURE.md draws the same picture.

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Whether this builds tests and what they run.
let isForTests = Context.environment["HEARTH_MARKS"] != nil

/// Marks of rare paths are counted in builds with HEARTH_MARKS=1 alone: tests, and a simulator that looks for them.
let marks: [SwiftSetting] = isForTests ? [.define("HEARTH_MARKS")] : []

/// The settings of code that computes little: optimising it for tests would be most of its compilation.
let toolSettings = settings + (isForTests ? [.unsafeFlags(["-Onone"])] : [])

/// A Swift target with the package's settings, and the pages beside its code.
func module(
    _ name: String, _ dependencies: [Target.Dependency], pages: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: pages, swiftSettings: settings)
}

/// A target of the command line.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: toolSettings)
}

/// The settings of tests whose own code computes little: optimising that would be two thirds of its compilation.
let testSettings = settings + [.unsafeFlags(["-Onone"])]

/// The test target of a module; fixtures are files that tests run.
///
/// - Parameter optimized: For tests that compute much themselves, as generators and oracles do; modules always are.
func tests(
    of name: String, using dependencies: [Target.Dependency] = [], fixtures: [String] = [],
    optimized: Bool = false
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name)] + dependencies,
        exclude: fixtures, swiftSettings: optimized ? settings : testSettings)
}

/// Names the one target whose tests are built, `ReplicaCore` say, and leaves out all that these do not need: the fast loop.
let testedTarget = Context.environment["HEARTH_TEST"]

let package = Package(
    name: "hearth",
    // The SDK needs these versions of Swift's library; only Linux is tested.
    platforms: [.macOS(.v26), .iOS(.v26)],
    products: [
        .executable(name: "hearth", targets: ["HearthCommand"]),
        .executable(name: "hearth-sim", targets: ["SimulatorCommand"]),
        .library(name: "Hearth", targets: ["Hearth"]),
    ],
    targets: [
        // Values: no imports at all; rounding numbers needs the C mathematics library.
        .target(
            name: "DataTree", exclude: ["firebase-semantics.md"], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m")]),

        // System: the only Swift that calls C libraries; drivers and tools use Glibc and `CRuntime`.
        .systemLibrary(name: "CZeroMQ"),
        .systemLibrary(name: "CSQLite"),
        .target(
            name: "COpenSSL", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CRuntime"),
        // The files of the console, compiled in.
        .target(name: "CConsole", exclude: ["console.md", "web"]),
        .target(name: "CEventLoop", linkerSettings: [.linkedLibrary("event")]),
        .target(name: "CLineEditor", linkerSettings: [.linkedLibrary("edit")]),
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        module("CLibrary", []),
        module("Threads", ["CLibrary"]),
        module("EventLoop", ["CEventLoop", "CLibrary", "Threads"]),
        module("TLS", ["COpenSSL", "CLibrary"]),
        module("Sockets", ["CEventLoop", "CLibrary", "EventLoop", "Threads", "TLS"]),
        module("ZeroMQ", ["CZeroMQ", "CLibrary"]),
        module("Storage", ["CSQLite", "CLibrary"]),
        module("LineEditor", ["CLineEditor"]),
        module("JSONText", ["DataTree", "CSimdjson"]),

        // Rare paths, which the simulator counts; by itself it does nothing.
        .target(name: "CMarks"),
        .target(name: "Marks", dependencies: ["CMarks"], swiftSettings: settings + marks),

        // Engine and protocol.
        // HTTP and WebSocket frames as text.
        module("HTTPText", ["DataTree"]),
        module("QueryEngine", ["DataTree", "Marks"]),
        module(
            "SyncProtocol", ["DataTree", "QueryEngine"],
            pages: ["README.md", "replication-protocol.md"]),

        // Cores: values in, values out.
        module(
            "Convergence", ["DataTree", "Marks", "SyncProtocol"],
            pages: ["convergence.md", "convergence_model.py"]),
        module("Store", ["DataTree", "Marks", "SyncProtocol", "Convergence"]),
        module(
            "ReplicaCore",
            [
                "DataTree", "JSONText", "Marks", "Randomness", "SyncProtocol", "QueryEngine",
                "Convergence", "Store", "Rules",
            ],
            pages: ["comparison.md", "coordination.md", "driving.md", "membership.md"]),
        module("ClientCore", ["DataTree", "Marks", "SyncProtocol", "QueryEngine"]),
        module("Rules", ["DataTree", "JSONText"], pages: ["rules.md"]),
        // The same by the definition, which the simulator and the tests judge by.
        module("RulesOracle", ["DataTree", "JSONText", "QueryEngine", "Rules", "SyncProtocol"]),
        module("Tokens", ["DataTree", "JSONText", "Rules", "TLS"], pages: ["tokens.md"]),
        module(
            "GatewayCore",
            [
                "DataTree", "HTTPText", "JSONText", "Marks", "QueryEngine", "Rules", "SyncProtocol",
                "Tokens",
            ],
            pages: ["firebase-rest.md", "firebase-websocket.md", "gateway.md"]),
        module("NodeCore", ["DataTree", "GatewayCore", "ReplicaCore", "SyncProtocol"]),

        // For messages about mistyped words; imports nothing.
        module("Spelling", []),
        // Numbers from a seed; imports nothing.
        module("Randomness", []),

        // Drivers.
        module("NodeStorage", ["CLibrary", "Storage", "Store", "Threads"]),
        module(
            "ClusterConfiguration",
            [
                "DataTree", "QueryEngine", "Sockets", "Spelling", "SyncProtocol", "TLS", "Tokens",
                "ZeroMQ",
            ]),
        module(
            "ClusterNode",
            [
                "CConsole", "ClusterConfiguration", "Convergence", "CRuntime", "DataTree",
                "EventLoop", "GatewayCore", "HTTPText", "JSONText", "NodeCore", "NodeStorage",
                "ReplicaCore", "Sockets", "Storage", "Store", "SyncProtocol", "Threads", "TLS",
                "Tokens",
                "ZeroMQ",
            ]),
        module(
            "ClusterSimulator",
            [
                "DataTree", "JSONText", "Marks", "SyncProtocol", "QueryEngine", "Convergence",
                "Store", "ReplicaCore", "HTTPText", "GatewayCore", "NodeCore", "ClientCore",
                "Randomness", "Rules", "RulesOracle", "Spelling", "TLS", "Tokens",
            ],
            pages: ["guarantees.md"]),
        module(
            "ClientConnection",
            [
                "ClientCore", "CLibrary", "DataTree", "EventLoop", "HTTPText", "QueryEngine",
                "Sockets", "Storage", "SyncProtocol", "Threads", "TLS",
            ]),
        // Only this target needs Foundation, which is half of a binary: the programs do not link it.
        module(
            "Hearth",
            [
                "ClientConnection", "ClientCore", "DataTree", "EventLoop", "JSONText",
                "QueryEngine", "SyncProtocol", "Threads", "TLS",
            ]),

        // The command line, lowest layer first: terminal and options; observation and administration of clusters;
        // load and benchmarks; verbs.
        tool("CommandLineKit", ["CRuntime", "Spelling"]),
        tool(
            "ClusterAdministration",
            [
                "ClientCore", "ClusterConfiguration", "CommandLineKit", "DataTree",
                "ClientConnection",
                "HTTPText", "JSONText", "NodeStorage", "QueryEngine", "Sockets", "Storage",
                "SyncProtocol", "Threads", "TLS", "Tokens",
            ]),
        tool(
            "LoadTools",
            [
                "CConsole", "ClientCore", "ClusterAdministration", "CommandLineKit",
                "ClusterConfiguration", "CRuntime", "DataTree", "EventLoop", "ClientConnection",
                "HTTPText", "JSONText", "QueryEngine", "Randomness", "Sockets", "SyncProtocol",
                "TLS",
                "Threads",
            ]),
        .executableTarget(
            name: "HearthCommand",
            dependencies: [
                "ClientCore", "ClusterAdministration", "ClusterConfiguration", "ClusterNode",
                "CommandLineKit", "CRuntime", "DataTree", "EventLoop",
                "HTTPText", "ClientConnection", "JSONText", "LineEditor", "LoadTools",
                "NodeStorage", "QueryEngine",
                "Rules", "Sockets", "Storage", "SyncProtocol", "TLS", "Threads", "Tokens", "ZeroMQ",
            ],
            swiftSettings: toolSettings,
            // Threads of a node free memory of other threads, for which the C library's allocator takes locks. Each turn
            // frees hundreds of kilobytes, which that allocator returns to the system.
            linkerSettings: [.linkedLibrary("jemalloc")]),
        // The simulator, and real clusters that its checks judge.
        .executableTarget(
            name: "SimulatorCommand",
            dependencies: [
                "CConsole", "ClientCore", "ClusterAdministration", "ClusterConfiguration",
                "ClusterSimulator",
                "CommandLineKit", "DataTree", "EventLoop", "ClientConnection", "JSONText",
                "LoadTools", "Marks", "QueryEngine", "Randomness", "ReplicaCore", "Sockets",
                "SyncProtocol", "TLS", "Threads",
            ],
            swiftSettings: toolSettings,
            linkerSettings: [.linkedLibrary("jemalloc")]),

        // Examples. The others in the folder are web pages and Python.
        .executableTarget(
            name: "SwiftChat", dependencies: ["Hearth"], path: "Sources/Examples/SwiftChat",
            exclude: ["README.md"], swiftSettings: toolSettings),

        // Of the documents alone: what they and the comments refer to exists.
        .testTarget(name: "DocumentTests", swiftSettings: testSettings),
        tests(of: "DataTree", using: ["JSONText"]),
        tests(of: "JSONText", using: ["DataTree"]),
        tests(of: "HTTPText", fixtures: ["Fixtures"]),
        tests(of: "Threads"),
        tests(of: "EventLoop", using: ["Threads"]),
        tests(of: "Sockets", using: ["EventLoop", "TLS"]),
        tests(of: "TLS", using: ["CLibrary"], fixtures: ["Fixtures"]),
        tests(of: "ZeroMQ", using: ["Threads"]),
        tests(of: "Storage", using: ["CSQLite"]),
        tests(of: "SyncProtocol", using: ["DataTree", "QueryEngine"]),
        tests(of: "QueryEngine", using: ["DataTree"], optimized: true),
        tests(
            of: "Store",
            using: ["Convergence", "DataTree", "SyncProtocol", "NodeStorage", "Storage"]),
        tests(of: "NodeStorage", using: ["Storage", "Store", "SyncProtocol", "Threads"]),
        tests(
            of: "ReplicaCore",
            using: [
                "Convergence", "DataTree", "QueryEngine", "Randomness", "Rules", "Store",
                "SyncProtocol",
            ]),
        tests(
            of: "ClientCore", using: ["DataTree", "SyncProtocol", "QueryEngine", "ReplicaCore"]),
        tests(
            of: "Rules",
            using: ["DataTree", "JSONText", "QueryEngine", "RulesOracle", "SyncProtocol"]),
        tests(of: "Tokens", using: ["JSONText", "Randomness", "Rules", "TLS"]),
        tests(
            of: "GatewayCore",
            using: [
                "DataTree", "HTTPText", "JSONText", "QueryEngine", "Randomness", "ReplicaCore",
                "Rules", "SyncProtocol", "TLS", "Tokens",
            ]),
        tests(
            of: "NodeCore",
            using: [
                "DataTree", "GatewayCore", "QueryEngine", "ReplicaCore", "Store", "SyncProtocol",
            ]),
        tests(of: "ClusterConfiguration", using: ["QueryEngine", "TLS", "Tokens", "ZeroMQ"]),
        .testTarget(
            name: "ClusterNodeTests",
            // The programs too: some tests run them, and so they must be built.
            dependencies: [
                "ClusterAdministration", "ClusterConfiguration", "ClusterNode", "DataTree",
                "EventLoop", "GatewayCore", "HearthCommand", "HTTPText", "NodeCore", "NodeStorage",
                "QueryEngine",
                "ReplicaCore", "Rules", "SimulatorCommand", "Sockets", "Storage", "Store",
                "SwiftChat", "SyncProtocol", "TLS", "ZeroMQ",
            ],
            exclude: ["Fixtures"], swiftSettings: testSettings),
        tests(
            of: "ClusterSimulator",
            using: [
                "ClientCore", "Convergence", "DataTree", "GatewayCore", "HTTPText", "JSONText",
                "Marks", "NodeCore", "QueryEngine", "ReplicaCore", "Store", "SyncProtocol",
                "ZeroMQ",
            ]),
        // The command too: it runs the node that some tests talk to, and so it must be built.
        .testTarget(
            name: "HearthTests",
            dependencies: [
                "Hearth", "ClientCore", "DataTree", "HearthCommand", "JSONText", "QueryEngine",
                "Sockets", "Threads",
            ],
            // A package of its own, which a test compiles.
            exclude: ["Fixtures/FirebaseSamples"], swiftSettings: testSettings),
        tests(of: "CommandLineKit"),
        tests(
            of: "ClusterAdministration",
            using: [
                "ClientCore", "ClusterConfiguration", "CommandLineKit", "DataTree", "NodeStorage",
                "Storage", "Store",
                "ClientConnection", "HTTPText", "JSONText", "Sockets", "SyncProtocol", "TLS",
                "ZeroMQ",
            ]),
        tests(
            of: "HearthCommand",
            using: [
                "ClientCore", "ClusterAdministration", "ClusterConfiguration", "CommandLineKit",
                "DataTree", "HTTPText", "JSONText",
                "LineEditor", "LoadTools", "QueryEngine", "Rules", "SimulatorCommand", "Sockets",
                "SyncProtocol", "TLS",
            ],
            fixtures: ["Fixtures"]),
        tests(
            of: "SimulatorCommand",
            using: [
                "ClientCore", "ClusterSimulator", "CommandLineKit", "DataTree", "EventLoop",
                "HearthCommand", "LoadTools", "Marks", "Sockets", "TLS",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

if let testedTarget {
    var needed: Set<String> = []
    var open = [testedTarget + "Tests"]
    while let name = open.popLast() {
        guard needed.insert(name).inserted else { continue }
        for case .byNameItem(let name, _) in package.targets.first(where: { $0.name == name })!
            .dependencies
        {
            open.append(name)
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    // The programs keep their names, by which tests start them.
    package.products = package.products.compactMap { $0 as? Product.Executable }
        .filter { needed.contains($0.targets[0]) }
}
