// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A library target of this package: its own targets by name, products of other packages as they are.
/// - Parameter room: the folder of `Sources/` that it is in.
func library(
    _ name: String, in room: String, _ targets: [Target.Dependency] = [], products: [Target.Dependency] = [],
    more: [SwiftSetting] = []
) -> Target {
    .target(
        name: name, dependencies: targets + products, path: "Sources/\(room)/\(name)",
        swiftSettings: settings + more)
}

/// For what leaves the work to what it tests, which is optimised as in a release. To optimise it as well would take most of
/// the time of building it, and to describe it to debuggers much of the rest.
let light: [SwiftSetting] = [.unsafeFlags(["-Onone", "-gnone", "-no-emit-module-separately-wmo"])]

/// - Parameter areLight: unless they search themselves.
func tests(
    _ name: String, in room: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    areLight: Bool = true
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(room)/\(name)", exclude: exclude,
        swiftSettings: settings + (areLight ? light : []))
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let instrumentation = Target.Dependency.product(name: "Instrumentation", package: "swift-distributed-tracing")
let serviceContext = Target.Dependency.product(name: "ServiceContextModule", package: "swift-service-context")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

let package = Package(
    name: "Perennial",
    products: [
        .executable(name: "perennial", targets: ["Perennial"]),
        .library(name: "PerennialClient", targets: ["PerennialClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-service-context", from: "1.5.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CPrefetch", path: "Sources/CLibraries/CPrefetch"),
        .systemLibrary(
            name: "CPostgres", path: "Sources/CLibraries/CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CZeroMQ", path: "Sources/CLibraries/CZeroMQ", providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/CLibraries/CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),

        library("Waiting", in: "Primitives"),
        library("Subscriptions", in: "Domain"),
        library("ByteCoding", in: "Primitives"),
        library("StrictJSON", in: "Primitives"),
        library("PrecomputedP256", in: "Apple"),
        library("Entitlements", in: "Domain", ["Subscriptions"]),
        library("Customers", in: "Domain", ["Entitlements", "Subscriptions"]),
        library("EventLog", in: "Storage", ["Subscriptions"], products: [crypto], more: [.strictMemorySafety()]),
        library("Evidence", in: "Storage", ["ByteCoding", "CZstd", "EventLog"], more: [.strictMemorySafety()]),
        library("InMemoryStore", in: "Storage", ["EventLog", "Evidence", "Subscriptions"]),
        library("Ownership", in: "Cluster", ["ByteCoding", "EventLog"], products: [crypto]),
        library(
            "AppStore", in: "Apple", ["ByteCoding", "PrecomputedP256", "StrictJSON", "Subscriptions", "Waiting"],
            products: [crypto, x509, asn1, httpClient, jwt, nioCore, nioHTTP1]),
        library(
            "WireProtocol", in: "Cluster", ["Customers", "Entitlements", "EventLog", "Subscriptions"],
            products: [protobuf]),
        library(
            "SQLiteStore", in: "Storage", ["EventLog", "Evidence", "Subscriptions"], products: [grdb, grdbSQLite],
            more: [.strictMemorySafety()]
        ),
        library(
            "PostgresStore", in: "Storage", ["CPostgres", "EventLog", "Evidence", "Subscriptions", "Waiting"],
            more: [.strictMemorySafety()]),
        library("ZeroMQ", in: "Cluster", ["CZeroMQ", "Waiting"], more: [.strictMemorySafety()]),
        library(
            "Mirroring", in: "Cluster",
            [
                "CPrefetch", "Customers", "Entitlements", "EventLog", "Ownership", "Subscriptions", "WireProtocol",
                "ZeroMQ",
            ],
            products: [logging, metrics]),
        library(
            "Clustering", in: "Cluster", ["EventLog", "Ownership", "Waiting", "WireProtocol", "ZeroMQ"],
            products: [deque, instrumentation, logging, serviceContext]),
        library(
            "PerennialClient", in: "Interfaces",
            [
                "Customers", "Entitlements", "EventLog", "Mirroring", "Ownership", "Subscriptions", "WireProtocol",
                "ZeroMQ",
            ],
            products: [logging, metrics]),
        .executableTarget(
            name: "Paywall", dependencies: ["PerennialClient"], path: "proto/example/paywall", swiftSettings: settings),
        library(
            "ServiceContract", in: "Node",
            ["AppStore", "Clustering", "Customers", "Entitlements", "EventLog", "Subscriptions", "WireProtocol"]),
        library(
            "Shards", in: "Node",
            [
                "AppStore", "Clustering", "Customers", "Entitlements", "EventLog", "Mirroring", "Ownership",
                "ServiceContract", "Subscriptions", "Waiting", "WireProtocol",
            ], products: [deque, heap, lifecycle, logging, metrics]),
        library(
            "Queries", in: "Node",
            [
                "Clustering", "Customers", "Entitlements", "EventLog", "Mirroring", "Ownership", "ServiceContract",
                "Shards", "Subscriptions", "Waiting", "WireProtocol",
            ], products: [lifecycle, logging, metrics]),
        library(
            "Ingestion", in: "Node",
            [
                "AppStore", "EventLog", "Evidence", "Ownership", "ServiceContract", "Shards", "Subscriptions",
                "WireProtocol",
            ], products: [logging, metrics]),
        library(
            "Reconciliation", in: "Node",
            [
                "AppStore", "Clustering", "EventLog", "Ingestion", "Ownership", "ServiceContract", "Shards",
                "Subscriptions", "Waiting", "WireProtocol",
            ], products: [heap, logging, metrics]),
        library(
            "Jobs", in: "Node",
            [
                "ByteCoding", "Entitlements", "EventLog", "Ownership", "Queries", "ServiceContract", "Shards",
                "Subscriptions", "Waiting", "WireProtocol",
            ],
            products: [logging]),
        library(
            "SubscriptionService", in: "Node",
            [
                "AppStore", "Customers", "Entitlements", "EventLog", "Ingestion", "Jobs", "Mirroring", "Ownership",
                "Queries",
                "Reconciliation", "ServiceContract", "Shards", "Subscriptions", "Waiting", "WireProtocol",
            ], products: [lifecycle, logging]),
        library(
            "EntitlementStream", in: "Interfaces",
            [
                "EventLog", "Mirroring", "Queries", "ServiceContract", "Shards", "SubscriptionService", "WireProtocol",
                "ZeroMQ",
            ],
            products: [lifecycle, logging, metrics]),
        library(
            "Webhooks", in: "Interfaces",
            [
                "ByteCoding", "EventLog", "Queries", "ServiceContract", "Shards", "SubscriptionService",
                "Subscriptions", "Waiting", "WireProtocol",
            ],
            products: [crypto, httpClient, lifecycle, logging, metrics, nioCore, nioHTTP1, nioPosix]),
        library("PrometheusMetrics", in: "Interfaces", products: [metrics]),
        library(
            "HTTPAPI", in: "Interfaces",
            [
                "AppStore", "ByteCoding", "Customers", "EntitlementStream", "Entitlements", "EventLog",
                "Jobs", "PrometheusMetrics", "Queries", "Reconciliation", "ServiceContract", "StrictJSON",
                "SubscriptionService", "Subscriptions",
                "Webhooks",
            ],
            products: [hummingbird, hummingbirdTLS, crypto, lifecycle, logging, metrics, nioCore, nioHTTP1]),
        library(
            "AppStoreSimulator", in: "Programs", ["AppStore", "ByteCoding", "StrictJSON", "Subscriptions"],
            products: [crypto, x509, asn1, hummingbird, httpClient, lifecycle, logging, nioCore, nioHTTP1, yams]),
        .executableTarget(
            name: "Perennial",
            dependencies: [
                "AppStore", "AppStoreSimulator", "ByteCoding", "Clustering", "Customers", "EntitlementStream",
                "Entitlements", "EventLog", "HTTPAPI", "Mirroring", "Ownership", "PerennialClient", "PostgresStore",
                "PrometheusMetrics", "Reconciliation", "SQLiteStore", "ServiceContract", "Shards", "StrictJSON",
                "SubscriptionService", "Subscriptions", "Webhooks", "ZeroMQ", arguments, crypto, httpClient,
                hummingbird, lifecycle, logging, metrics, nioCore, nioHTTP1, signals, yams,
            ],
            path: "Sources/Programs/Perennial",
            swiftSettings: settings),
        library(
            "PerennialTestSupport", in: "Programs",
            [
                "AppStore", "EntitlementStream", "Entitlements", "EventLog", "Evidence", "InMemoryStore", "Mirroring",
                "Ownership", "PrometheusMetrics", "ServiceContract", "Shards", "SubscriptionService",
                "Subscriptions", "WireProtocol", "ZeroMQ",
            ],
            products: [hummingbird, lifecycle, logging], more: light),
        library("PostgresHarness", in: "Programs"),
        library("StoreSamples", in: "Programs", ["AppStoreSimulator", "Subscriptions"]),

        tests("WaitingTests", in: "Primitives", ["Waiting"]),
        tests("ByteCodingTests", in: "Primitives", ["ByteCoding"]),
        tests("StrictJSONTests", in: "Primitives", ["StrictJSON"]),
        tests("PrecomputedP256Tests", in: "Apple", ["PerennialTestSupport", "PrecomputedP256", crypto]),
        tests("SubscriptionsTests", in: "Domain", ["PerennialTestSupport", "Subscriptions"]),
        tests("EntitlementsTests", in: "Domain", ["Entitlements", "Subscriptions"]),
        tests("CustomersTests", in: "Domain", ["Customers", "Entitlements", "PerennialTestSupport", "Subscriptions"]),
        tests("EvidenceTests", in: "Storage", ["EventLog", "Evidence", "PerennialTestSupport"]),
        tests("InMemoryStoreTests", in: "Storage", ["InMemoryStore", "PerennialTestSupport"]),
        tests(
            "OwnershipTests", in: "Cluster", ["EventLog", "Ownership", "PerennialTestSupport"], areLight: false),
        tests(
            "ClusterSimulationTests", in: "Cluster", ["EventLog", "Ownership", "PerennialTestSupport"],
            areLight: false),
        tests(
            "AppStoreTests", in: "Apple",
            [
                "AppStore", "AppStoreSimulator", "ByteCoding", "StrictJSON", "Subscriptions", "Waiting", asn1, crypto,
                httpClient, nioCore, x509,
            ]),
        tests(
            "WireProtocolTests", in: "Cluster",
            [
                "Customers", "Entitlements", "EventLog", "PerennialTestSupport", "Subscriptions", "WireProtocol",
                protobuf,
            ], areLight: false),
        tests(
            "SQLiteStoreTests", in: "Storage",
            ["EventLog", "PerennialTestSupport", "SQLiteStore", "Subscriptions", grdb],
            areLight: false),
        tests(
            "PostgresStoreTests", in: "Storage",
            [
                "EventLog", "PerennialTestSupport", "PostgresHarness", "PostgresStore", "SQLiteStore", "Subscriptions",
                grdb,
            ],
            areLight: true),
        tests("ZeroMQTests", in: "Cluster", ["ZeroMQ"]),
        tests(
            "ClusteringTests", in: "Cluster",
            [
                "Clustering", "EventLog", "InMemoryStore", "Ownership", "PerennialTestSupport", "WireProtocol",
                "ZeroMQ", instrumentation, logging, serviceContext,
            ]),
        tests(
            "SubscriptionServiceTests", in: "Node",
            [
                "AppStore", "AppStoreSimulator", "ByteCoding", "Clustering", "Customers", "Entitlements", "EventLog",
                "InMemoryStore",
                "Ingestion", "Jobs", "Mirroring", "Ownership", "PerennialTestSupport", "PostgresHarness",
                "PostgresStore",
                "Queries", "Reconciliation", "SQLiteStore",
                "ServiceContract", "Shards", "SubscriptionService", "Subscriptions", "WireProtocol", "ZeroMQ", crypto,
                lifecycle, logging, metrics, metricsTestKit,
            ]),
        tests(
            "MirroringTests", in: "Cluster",
            [
                "Customers", "Entitlements", "EventLog", "Mirroring", "Ownership", "PerennialTestSupport",
                "Subscriptions",
                "WireProtocol",
            ], areLight: false),
        tests("PrometheusMetricsTests", in: "Interfaces", ["PrometheusMetrics", metrics]),
        tests(
            "EntitlementStreamTests", in: "Interfaces",
            [
                "Clustering", "Customers", "EntitlementStream", "Entitlements", "EventLog", "Mirroring", "Ownership",
                "PerennialClient", "PerennialTestSupport", "PostgresHarness", "PrometheusMetrics", "ServiceContract",
                "Shards", "SubscriptionService", "Subscriptions", "WireProtocol", "ZeroMQ", crypto, httpClient,
                hummingbird, lifecycle, logging, metrics, nioCore, nioHTTP1,
            ]),
        tests(
            "WebhooksTests", in: "Interfaces",
            [
                "EventLog", "HTTPAPI", "PerennialTestSupport", "PrometheusMetrics", "ServiceContract", "Shards",
                "SubscriptionService", "Subscriptions", "Webhooks", "WireProtocol", crypto, httpClient, hummingbird,
                lifecycle, logging, metrics, nioCore, nioHTTP1,
            ],
            exclude: ["verify_with_cryptography.py", "verify_with_standardwebhooks.py"]),
        tests(
            "HTTPAPITests", in: "Interfaces",
            [
                "AppStore", "AppStoreSimulator", "Customers", "Entitlements", "EventLog", "HTTPAPI", "InMemoryStore",
                "PerennialTestSupport", "PrometheusMetrics", "ServiceContract", "Shards", "SubscriptionService",
                "Subscriptions", "Waiting", "Webhooks", "WireProtocol", asn1, crypto, hummingbird, lifecycle, logging,
                metrics, nioCore, nioEmbedded, protobuf, x509, yams,
            ]),
        tests(
            "AppStoreSimulatorTests", in: "Programs",
            [
                "AppStore", "AppStoreSimulator", "PerennialTestSupport", "StoreSamples", "Subscriptions", crypto,
                httpClient, hummingbird, lifecycle, logging, nioCore, nioHTTP1,
            ]),
        tests(
            "PerennialTests", in: "Programs",
            [
                "AppStore", "AppStoreSimulator", "Entitlements", "EventLog", "HTTPAPI", "Perennial", "ServiceContract",
                "Shards", "StrictJSON", "SubscriptionService", "Subscriptions", logging,
            ]),
        tests(
            "IntegrationTests", in: "Programs",
            [
                "AppStore", "AppStoreSimulator", "Entitlements", "EventLog", "HTTPAPI", "InMemoryStore", "Perennial",
                "PerennialClient", "PerennialTestSupport", "PostgresHarness", "PrometheusMetrics", "Reconciliation",
                "SQLiteStore", "ServiceContract", "Shards", "StoreSamples", "SubscriptionService", "Subscriptions",
                "Webhooks", "ZeroMQ", crypto, httpClient, hummingbird, lifecycle, logging, metrics, nioCore, nioHTTP1,
            ],
            exclude: [
                "Interoperability/call_with_apple.py", "Interoperability/send_with_apple.py",
                "Interoperability/verify_with_apple.py",
            ]),
    ])

// What only measuring needs is no part of a node's build.
if Context.environment["PERENNIAL_BENCHMARKS"] == "1" {
    let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
    package.dependencies += [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0")
    ]
    package.targets += [
        .executableTarget(
            name: "PerennialBenchmarks",
            dependencies: [
                "AppStore", "AppStoreSimulator", "ByteCoding", "CPostgres", "CZeroMQ", "Clustering", "Customers",
                "EntitlementStream", "Entitlements", "EventLog", "Evidence", "HTTPAPI", "InMemoryStore", "Mirroring",
                "Ownership", "PostgresHarness", "PostgresStore", "PrometheusMetrics", "Queries", "Reconciliation",
                "SQLiteStore", "ServiceContract", "Shards", "SubscriptionService", "Subscriptions", "Webhooks",
                "WireProtocol", "ZeroMQ", arguments, crypto, httpClient, hummingbird, lifecycle, logging, metrics,
                nioCore, nioHTTP1, nioPosix, protobuf, signals, x509, asn1, histogram,
            ],
            path: "Sources/Programs/PerennialBenchmarks",
            exclude: ["Instructions/corpus.txt", "Instructions/recorded.tsv"],
            swiftSettings: settings),
        tests("PerennialBenchmarksTests", in: "Programs", ["PerennialBenchmarks", histogram, nioCore, nioPosix]),
    ]
}
