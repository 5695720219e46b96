import Foundation
import PerennialTestSupport
import Synchronization
import Testing
import Webhooks

@Suite(.timeLimit(.minutes(10))) struct HostLookupTests {
    /// What the name server is asked: it answers for `stuck` hosts when they are let go.
    private final class Server: Sendable {
        let questions = Mutex<[String]>([])
        let isLetGo = Flag()

        func resolve(_ host: String) -> [NetworkAddress] {
            self.questions.withLock { $0.append(host) }
            while host.hasPrefix("stuck"), !self.isLetGo.isRaised { Thread.sleep(forTimeInterval: 0.01) }
            return [NetworkAddress("1.1.1.1")].compactMap(\.self)
        }
    }

    @Test func aNameThatIsNotAnsweredKeepsNobodyWaitingForOthers() async throws {
        let server = Server()
        let lookup = HostLookup(resolve: server.resolve)
        await withTaskGroup { group in
            // given: many messages to each of many hosts whose names nobody answers for
            for host in 0..<20 {
                for _ in 0..<64 { group.addTask { _ = await lookup.addresses(of: "stuck\(host)") } }
            }
            await eventually { server.questions.withLock { $0.count == 20 } }
            // when, then
            for number in 0..<20 { #expect(await lookup.addresses(of: "well\(number)").map(\.text) == ["1.1.1.1"]) }
            // and all that wait for a host share one question
            server.isLetGo.raise()
            await group.waitForAll()
        }
        let asked = server.questions.withLock { $0.filter { $0.hasPrefix("stuck") } }
        #expect(Set(asked).count == 20)
        #expect(asked.count < 20 * 64)
    }
}
