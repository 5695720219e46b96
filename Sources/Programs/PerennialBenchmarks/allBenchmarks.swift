/// Every benchmark, in the order of the table.
let allBenchmarks: [any Benchmark.Type] = [
    VerificationBenchmark.self, IngestBenchmark.self, LaunchBenchmark.self, ForgeriesBenchmark.self,
    CheckBenchmark.self,
    MirrorCheckBenchmark.self,
    BatchBenchmark.self, CustomerBenchmark.self,
    MillionBenchmark.self, MemoryBenchmark.self, ReplayBenchmark.self, AppendBenchmark.self, ShardsBenchmark.self,
    RemoteBenchmark.self, PairBenchmark.self, TrioBenchmark.self, HandOffBenchmark.self, FailoverBenchmark.self,
    RecoveryBenchmark.self, MirrorBenchmark.self, CustomerMirrorBenchmark.self,
    FollowBenchmark.self, PublishBenchmark.self,
]
