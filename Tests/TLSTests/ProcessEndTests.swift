import Foundation
import Testing

@testable import TLS

/// A process that ends while threads of it use OpenSSL.
@Suite(.timeLimit(.minutes(1))) struct ProcessEndTests {
    @Test func `ends as it wants to`() async {
        await #expect(processExitsWith: .exitCode(69)) {
            for _ in 0..<4 {
                Thread.detachNewThread { while true { _ = SHA256.hash(of: [1]) } }
            }
            // All threads are at work by then; a slow machine makes the test easier to pass, never harder.
            usleep(20_000)
            exit(69)
        }
    }
}
