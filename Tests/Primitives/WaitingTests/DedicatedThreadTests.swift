import Foundation
import Testing
import Waiting

struct DedicatedThreadTests {
    @Test func `each of a thousand threads has its name from its first statement`() async throws {
        for number in 0..<1000 {
            let name = await withCheckedContinuation { continuation in
                DedicatedThread.start(named: "worker-\(number)") {
                    let comm = FileManager.default.contents(atPath: "/proc/thread-self/comm") ?? Data()
                    continuation.resume(returning: String(decoding: comm, as: UTF8.self))
                }
            }
            try #require(name == "worker-\(number)\n")
        }
    }
}
