import Entitlements
import EventLog
import Ownership
import ServiceContract
import Shards
import Subscriptions

/// Answers checks as the owner of the shards that are asked about: from their tables, and what those lack from the store.
struct OwnedShards: Sendable {
    let map: ShardHash
    let positions: PositionGuard
    let names: RowNames
    let catalog: Catalog
    let loader: EntitlementLoader
    let storeQuestions: StoreQuestions
    let clock: any WallClock
    let watch: ClockWatch

    /// Results of one moment.
    var verdicts: VerdictMaker { VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now) }

    func shard(of number: Int, in questions: CheckQuestions) -> ShardID {
        self.map.shard(of: questions.digests[number])
    }

    func table(of shard: ShardID) -> EntitlementTable { self.positions.shards[Int(shard.rawValue)].entitlements }

    /// A shard of this node that is being answered for.
    private struct Part {
        var shard: ShardID
        var numbers: ArraySlice<Int>
        /// From before its head.
        var generation: Int
    }

    /// As the owner of the shards that are asked about.
    /// - Parameters:
    ///   - bounds: places that the answers must not be older than.
    ///   - deadline: until then the store is waited for; nil: what only the store knows is left open.
    func answers(
        _ questions: CheckQuestions, atLeast bounds: [Position], until deadline: ContinuousClock.Instant?
    ) async -> PartialAnswers {
        var answers = PartialAnswers(count: questions.requests.count)
        var verdicts = self.verdicts
        var cold: [(part: Part, missing: [Int])] = []
        /// Answers what is in memory, for good: while the rest is loaded, this node may lose its right to answer.
        /// - Parameter head: from before the rows are read, so that the answer is not older than its token.
        func read(_ part: Part, _ head: Position) {
            let missing = verdicts.answer(
                part.numbers, of: questions, from: self.table(of: part.shard), into: &answers)
            do throws(ServiceError) {
                try self.positions.confirm([part.shard], since: part.generation)
                answers.note(head)
                if !missing.isEmpty { cold.append((part, missing)) }
            } catch {
                answers.fail(part.numbers, error)
            }
        }
        var headless: [Part] = []
        for (shard, numbers) in questions.order.parts {
            let part = Part(shard: shard, numbers: numbers, generation: self.positions.generation(of: [shard]))
            do throws(ServiceError) {
                let bound = bounds.first { $0.shard == shard }
                if let head = try self.positions.knownHead(of: shard, atLeast: bound) {
                    read(part, head)
                } else {
                    headless.append(part)
                }
            } catch {
                answers.fail(numbers, error)
            }
        }
        guard let deadline else { return answers }
        for (part, head) in await self.heads(of: headless, atLeast: bounds, until: deadline) {
            switch head {
            case .success(let head): read(part, head)
            case .failure(let error): answers.fail(part.numbers, error)
            }
        }
        let moment = min(verdicts.now, self.watch.present)
        // They stay in memory.
        await self.load(
            cold.flatMap(\.missing), of: questions, at: moment, until: deadline, &answers, &verdicts,
            into: self.table(of:))
        for (part, missing) in cold {
            do throws(ServiceError) {
                try self.positions.confirm([part.shard], since: part.generation)
            } catch {
                answers.fail(missing, error)
            }
        }
        return answers
    }

    /// Heads that only the store knows, or that shards have not come to, each by itself.
    private func heads(
        of parts: [Part], atLeast bounds: [Position], until deadline: ContinuousClock.Instant
    ) async -> [(Part, Result<Position, ServiceError>)] {
        await withTaskGroup(of: (Part, Result<Position, ServiceError>).self) { group in
            for part in parts {
                let bound = bounds.first { $0.shard == part.shard }
                group.addTask {
                    do throws(ServiceError) {
                        _ = try self.positions.shards[Int(part.shard.rawValue)].status.head()
                        try self.positions.checkLease()
                        let head = try await self.storeQuestions.ask(until: deadline) {
                            try await self.positions.ownHead(of: part.shard, atLeast: bound)
                        }
                        return (part, .success(head))
                    } catch {
                        return (part, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// - Parameters:
    ///   - moment: from when on rows are computed, where they have to be.
    ///   - deadline: what comes later is there for the next check.
    ///   - table: of a shard.
    func load(
        _ numbers: [Int], of questions: CheckQuestions, at moment: Moment, until deadline: ContinuousClock.Instant,
        _ answers: inout PartialAnswers, _ verdicts: inout VerdictMaker,
        into table: @escaping @Sendable (ShardID) -> EntitlementTable
    ) async {
        guard !numbers.isEmpty else { return }
        var missing = EntitlementLoader.Missing()
        for number in numbers {
            missing.add(
                questions.name(number), id: questions.requests[number].id, shard: self.shard(of: number, in: questions),
                number: number)
        }
        do throws(ServiceError) {
            let loaded = try await self.storeQuestions.ask(until: deadline) { [missing] in
                try await self.loader.load(missing, at: moment, table)
            }
            for (numbers, rows) in loaded {
                switch rows {
                case .success(let rows):
                    rows.withUnsafeBytes { rows in
                        for number in numbers {
                            answers.answer(number, verdicts.result(questions.requests[number], rows))
                        }
                    }
                case .failure(let error): answers.fail(numbers, error)
                }
            }
        } catch {
            answers.fail(numbers, error)
        }
    }
}
