import AppStoreSimulator
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Subscriptions
import Synchronization
import Testing

/// The simulator against a receiver on this machine, in fast time.
@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
    private func configuration(_ path: String) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(keysDirectory: path)
        configuration.subscribers = 20
        configuration.speed = 5_000_000
        configuration.horizon = .none
        return configuration
    }

    @Test func everyNotificationArrives() async throws {
        try await withTemporaryDirectory { path in
            let receiver = Receiver()
            let statistics = try await receiver.receive(from: self.configuration(path)) { $0.delivered >= 60 }
            #expect(statistics.givenUp == 0)
            #expect(statistics.failedAttempts == 0)
            #expect(receiver.uuids.count >= 60)
            #expect(Set(receiver.uuids).count == receiver.uuids.count)
        }
    }

    @Test func whatFailsIsTriedAgain() async throws {
        try await withTemporaryDirectory { path in
            // given a receiver that refuses each notification once
            let receiver = Receiver(refusesFirst: true)
            let statistics = try await receiver.receive(from: self.configuration(path)) { $0.delivered >= 30 }

            // then it comes again, and is counted as failed and as delivered
            #expect(statistics.failedAttempts >= 30)
            #expect(statistics.givenUp == 0)
        }
    }

    @Test func lossesAndRepetitionsHappenOnTheWay() async throws {
        try await withTemporaryDirectory { path in
            var configuration = self.configuration(path)
            configuration.disturbances = Disturbances(lose: 0.3, repeat: 0.3, delay: 0.3)
            let receiver = Receiver()
            let statistics = try await receiver.receive(from: configuration) { $0.delivered >= 60 }
            #expect(statistics.lost > 0)
            #expect(statistics.repeated > 0)
            #expect(receiver.uuids.count > Set(receiver.uuids).count)
        }
    }

    @Test func goesOnAfterARestart() async throws {
        try await withTemporaryDirectory { path in
            // given a simulation that was stopped
            let configuration = self.configuration(path)
            let receiver = Receiver()
            _ = try await receiver.receive(from: configuration) { $0.delivered >= 40 }
            let before = Set(receiver.uuids)

            // when it goes on from the same directory
            _ = try await receiver.receive(from: configuration) { $0.delivered >= 40 }

            // then nothing came twice, and the order of lives was kept
            #expect(receiver.uuids.count == Set(receiver.uuids).count)
            #expect(Set(receiver.uuids).count >= before.count + 40)
        }
    }

    @Test func anotherSeedDoesNotGoOnInTheSameDirectory() async throws {
        try await withTemporaryDirectory { path in
            var configuration = self.configuration(path)
            _ = try await Receiver().receive(from: configuration) { $0.delivered >= 1 }
            configuration.seed = 2
            let error = #expect(throws: SimulatorError.self) {
                try AppStoreSimulator(configuration, logger: Logger(label: "test"))
            }
            #expect(error?.code == .otherSimulation)
        }
    }

    @Test func refusesSettingsThatCannotBe() {
        let wrong: [(String, (inout SimulatorConfiguration) -> Void)] = [
            ("port", { $0.port = 70_000 }), ("subscribers", { $0.subscribers = 0 }), ("speed", { $0.speed = -1 }),
            ("lose", { $0.disturbances.lose = 1.5 }), ("environment", { $0.store.environment = .xcode }),
        ]
        for (name, change) in wrong {
            var configuration = SimulatorConfiguration(keysDirectory: "/nowhere")
            change(&configuration)
            let error = #expect(throws: SimulatorError.self) { try configuration.validate() }
            #expect(error?.message.contains(name) == true)
        }
    }
}
