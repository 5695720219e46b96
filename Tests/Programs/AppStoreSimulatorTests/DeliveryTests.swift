import AppStoreSimulator
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Subscriptions
import Synchronization
import Testing

/// The simulator against a receiver on this machine, in fast time.
@Suite(.timeLimit(.minutes(10))) struct DeliveryTests {
    private func configuration(_ path: String) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(keysDirectory: path)
        configuration.subscribers = 20
        configuration.speed = 5_000_000
        configuration.horizon = .none
        // A receiver that is paused is not one that fails.
        configuration.patience = .hours(1)
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
            // The publisher has asked for one test, at the start.
            #expect(receiver.types.count { $0 == "TEST" } == 1)
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

    @Test func nothingIsLostOrForgottenOverRestarts() async throws {
        try await withTemporaryDirectory { path in
            // given a store of the sandbox, where what is lost is given up on
            var configuration = self.configuration(path)
            configuration.store.environment = .sandbox
            configuration.disturbances = Disturbances(lose: 0.3, delay: 0.3, reorder: 0.3)
            let receiver = Receiver()

            // when it is stopped again and again
            var before: [String: DeliveryLog.State] = [:]
            for _ in 1...4 {
                let simulator = try await receiver.stopped(configuration) { $0.delivered >= 15 && $0.givenUp > 0 }
                let entries = simulator.truths.ids(first: .max).flatMap { simulator.deliveries.entries(about: $0) }
                let states = Dictionary(uniqueKeysWithValues: entries.map { ($0.telling.uuid, $0.state) })

                // then it knows what came of everything that was settled before
                for (uuid, state) in before where state == .arrived || state == .givenUp {
                    #expect(states[uuid] == state)
                }
                #expect(before.values.contains(.givenUp) || before.isEmpty)
                let settled = { (states: [String: DeliveryLog.State]) in
                    states.values.count { $0 == .arrived || $0 == .givenUp }
                }
                #expect(settled(states) > settled(before))

                // and the receiver has all that counts as arrived, once, and nothing else
                let arrived = Set(states.filter { $0.value == .arrived }.keys)
                #expect(receiver.uuids.count == Set(receiver.uuids).count)
                #expect(arrived.isSubset(of: receiver.uuids))
                #expect(Set(receiver.uuids).subtracting(arrived).allSatisfy { states[$0] == nil })
                before = states
            }
        }
    }

    @Test func anEarlierVersionsSimulationIsRefused() throws {
        try withTemporaryDirectory { path in
            // given the file of a version that did not name its format
            let old = """
                {"origin":{"seed":1,"subscribers":20,"bundleId":"com.example.app","environment":"Production",
                "start":0},"reached":5,"unfinished":{"a":{"attempts":1,"due":7}}}
                """
            try Data(old.utf8).write(to: URL(fileURLWithPath: path + "/simulation.json"))

            // then it is refused, and left as it is
            let error = #expect(throws: SimulatorError.self) {
                try AppStoreSimulator(self.configuration(path), logger: Logger(label: "test"))
            }
            #expect(
                error?.message
                    == "simulator: \(path) holds a simulation of an earlier version: "
                    + "use another directory or delete it")
            #expect(try String(contentsOfFile: path + "/simulation.json", encoding: .utf8) == old)
        }
    }

    @Test func anotherHistoryDoesNotGoOnInTheSameDirectory() async throws {
        try await withTemporaryDirectory { path in
            var configuration = self.configuration(path)
            _ = try await Receiver().receive(from: configuration) { $0.delivered >= 1 }
            configuration.past = .days(100)
            let error = #expect(throws: SimulatorError.self) {
                try AppStoreSimulator(configuration, logger: Logger(label: "test"))
            }
            #expect(error?.code == .otherSimulation)
            #expect(error?.message.contains("a history of 170 days") == true)
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
            ("lose", { $0.disturbances.lose = 1.5 }),
            ("reorder", { $0.disturbances.reorder = -0.1 }),
            ("history", { $0.past = .days(0) }), ("history", { $0.past = .days(3_651) }),
            // Before the certificates that sign.
            ("history", { $0.past = .days(2_700) }),
            ("environment", { $0.store.environment = .xcode }),
            ("limits", { $0.limits = 0 }), ("limits", { $0.limits = .infinity }),
            ("deliver-to", { $0.deliverTo = ["http://127.0.0.1:8080/", "127.0.0.1:8081"] }),
        ]
        for (name, change) in wrong {
            var configuration = SimulatorConfiguration(keysDirectory: "/nowhere")
            change(&configuration)
            let error = #expect(throws: SimulatorError.self) { try configuration.validate() }
            #expect(error?.message.contains(name) == true)
        }
    }
}
