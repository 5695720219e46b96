import EventLog
import Evidence
import Subscriptions
import Testing

extension StoreContract {
    static let evidence = [
        StoreContract("signed originals come back byte for byte") { store in
            var writer = try StoreWriter(store)
            var notifications = SyntheticNotifications()
            let originals = (0..<20).map { notifications.renewal(customer: $0 % 3, period: $0) }
            try writer.append(originals.map { writer.event([1], evidence: [$0]) } + [writer.event([2])])
            for (place, original) in originals.enumerated() {
                let sequence = LogSequence(rawValue: Int64(place) + 1)
                let expected = Evidence.kept([EvidencePart(name: .signedPayload, jws: original)])
                #expect(try await store.evidence(of: sequence, in: ShardID(rawValue: 0)) == expected)
            }
            #expect(try await store.evidence(of: LogSequence(rawValue: 21), in: ShardID(rawValue: 0)) == nil)
            #expect(try await store.evidence(of: LogSequence(rawValue: 1), in: ShardID(rawValue: 1)) == nil)
        },
        StoreContract("evidence of several parts, and such as is no JWS") { store in
            var writer = try StoreWriter(store)
            let parts = [
                EvidencePart(name: .signedTransactionInfo, jws: Array("not a JWS".utf8)),
                EvidencePart(name: .signedRenewalInfo, jws: [0, 255, 46, 46]),
                EvidencePart(name: .signedPayload, jws: []),
            ]
            var event = writer.event([1])
            event.evidence = try EvidenceCodec().encode(parts)
            try writer.append([event])
            let kept = try await store.evidence(of: LogSequence(rawValue: 1), in: ShardID(rawValue: 0))
            #expect(kept == .kept(parts))
        },
        StoreContract("header segments are there once each, the newest first") { store in
            var writer = try StoreWriter(store)
            let headers = (0..<3).map { [UInt8](repeating: UInt8(ascii: "a") + $0, count: 2_000) }
            let rest = Array(".e30.\(String(repeating: "A", count: 86))".utf8)
            for header in headers + [headers[0]] {
                try writer.append([writer.event([1], evidence: [header + rest])])
            }
            #expect(try await store.headerSegments(limit: 9) == headers.reversed())
            #expect(try await store.headerSegments(limit: 2) == [headers[2], headers[1]])
        },
        StoreContract("erasing leaves hashes, the events, and other streams alone") { store in
            var writer = try StoreWriter(store)
            var notifications = SyntheticNotifications()
            let originals = (0..<3).map { notifications.renewal(customer: $0, period: 1) }
            try writer.append([
                writer.event([1], evidence: [originals[0]]), writer.event([2], evidence: [originals[1]]),
                writer.event([1], evidence: [originals[2]]), writer.event([1]),
            ])
            let log = try await store.log()
            let shard = ShardID(rawValue: 0)

            for _ in 1...2 { try await store.eraseEvidence(of: [1], in: shard) }

            let expected: [Evidence?] = [
                .erased(sha256: ContentHash.sha256(originals[0])),
                .kept([EvidencePart(name: .signedPayload, jws: originals[1])]),
                .erased(sha256: ContentHash.sha256(originals[2])), nil,
            ]
            for (event, evidence) in zip(log, expected) {
                #expect(try await store.evidence(of: event.sequence, in: shard) == evidence)
            }
            #expect(try await store.log() == log)
        },
        StoreContract("bodies are replaced, and all else of the events stays") { store in
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1]), writer.event([2]), writer.event([1])])
            let log = try await store.log()
            let shard = ShardID(rawValue: 0)
            let replacements = [
                BodyReplacement(of: log[0].sequence, log[0].body, by: [7]),
                BodyReplacement(of: log[2].sequence, log[2].body, by: []),
                // It has another body, and the last one does not exist.
                BodyReplacement(of: log[1].sequence, [1], by: [8]),
                BodyReplacement(of: LogSequence(rawValue: 9), log[0].body, by: [8]),
            ]

            for _ in 1...2 { try await store.replaceBodies(replacements, in: shard) }
            let elsewhere = BodyReplacement(of: log[1].sequence, log[1].body, by: [9])
            try await store.replaceBodies([elsewhere], in: ShardID(rawValue: 1))
            try await store.replaceBodies([], in: shard)

            var expected = log
            (expected[0].body, expected[2].body) = ([7], [])
            #expect(try await store.log() == expected)
            let delivered = try await store.events(withDedupKeys: [log[0].dedupKey], in: shard)
            #expect(delivered.map(\.body) == [[7]])
        },
        StoreContract("look-ups are removed, and those of others stay") { store in
            var writer = try StoreWriter(store)
            let gone = Lookup(kind: .customer, value: "gone", key: [1])
            var batch = writer.batch(0, [writer.event([1]), writer.event([2])])
            batch.lookups = [
                gone, Lookup(kind: .customer, value: "gone", key: [2]),
                Lookup(kind: .appAccountToken, value: "gone", key: [1]),
                Lookup(kind: .customer, value: "kept", key: [1]),
            ]
            _ = try writer.append([batch])
            for _ in 1...2 {
                try await store.removeLookups(of: [
                    SoughtIdentifier(kind: .customer, hash: gone.hash, spellings: ["gone"]),
                    SoughtIdentifier(Lookup(kind: .customer, value: "nobody", key: []).hash),
                ])
            }
            try await store.removeLookups(of: [])
            #expect(try await store.streams(for: .customer, value: "gone") == [])
            #expect(try await store.streams(for: .customer, value: "kept") == [[1]])
            #expect(try await store.streams(for: .appAccountToken, value: "gone") == [[1]])
        },
    ]
}
