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
func library(
    _ name: String, _ targets: [Target.Dependency] = [], products: [Target.Dependency] = [],
    more: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: targets + products, swiftSettings: settings + more)
}

/// For what leaves the work to what it tests, which is optimised as in a release. To optimise it as well would take most of
/// the time of building it, and to describe it to debuggers much of the rest.
let light: [SwiftSetting] = [.unsafeFlags(["-Onone", "-gnone", "-no-emit-module-separately-wmo"])]

/// - Parameter areLight: unless they search themselves.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], areLight: Bool = true
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings + (areLight ? light : []))
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
        .systemLibrary(name: "CPrefetch"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),

        library("Subscriptions"),
        library("Base64Coding"),
        library("JSONScanning"),
        library("KnownKeyECDSA"),
        library("Spelling"),
        library("Entitlements", ["Subscriptions"]),
        library("EventSourcing", ["Base64Coding", "CZstd"], products: [crypto], more: [.strictMemorySafety()]),
        library("Sharding", ["Base64Coding", "EventSourcing"], products: [crypto]),
        library(
            "AppStore", ["Subscriptions", "Base64Coding", "JSONScanning", "KnownKeyECDSA"],
            products: [crypto, x509, asn1, httpClient, jwt, nioCore, nioHTTP1]),
        library("WireProtocol", ["Subscriptions", "EventSourcing"], products: [protobuf]),
        library("SQLiteStore", ["EventSourcing"], products: [grdb, grdbSQLite], more: [.strictMemorySafety()]),
        library("PostgresStore", ["CPostgres", "EventSourcing"], more: [.strictMemorySafety()]),
        library("ZeroMQ", ["CZeroMQ"], more: [.strictMemorySafety()]),
        library(
            "Mirroring",
            ["CPrefetch", "Entitlements", "EventSourcing", "Sharding", "Subscriptions", "WireProtocol", "ZeroMQ"],
            products: [logging, metrics]),
        library(
            "Clustering", ["ZeroMQ", "WireProtocol", "Sharding", "EventSourcing"],
            products: [deque, instrumentation, logging, serviceContext]),
        library(
            "PerennialClient",
            ["Entitlements", "EventSourcing", "Mirroring", "Sharding", "Subscriptions", "WireProtocol", "ZeroMQ"],
            products: [logging, metrics]),
        .executableTarget(
            name: "Paywall", dependencies: ["PerennialClient"], path: "proto/example/paywall", swiftSettings: settings),
        library(
            "SubscriptionRuntime",
            [
                "Clustering", "EventSourcing", "Mirroring", "Sharding", "WireProtocol", "AppStore", "Entitlements",
                "Subscriptions",
            ],
            products: [deque, heap, lifecycle, logging, metrics]),
        library(
            "Publishing",
            [
                "Base64Coding", "EventSourcing", "Mirroring", "SubscriptionRuntime", "Subscriptions", "WireProtocol",
                "ZeroMQ",
            ],
            products: [crypto, httpClient, lifecycle, logging, metrics, nioCore, nioHTTP1, nioPosix]),
        library(
            "HTTPAPI",
            [
                "AppStore", "Entitlements", "EventSourcing", "JSONScanning", "Publishing", "Spelling",
                "SubscriptionRuntime", "Subscriptions",
            ],
            products: [hummingbird, hummingbirdTLS, crypto, lifecycle, logging, metrics, nioCore, nioHTTP1]),
        library(
            "AppStoreSimulator", ["AppStore", "Base64Coding", "JSONScanning", "Spelling", "Subscriptions"],
            products: [crypto, x509, asn1, hummingbird, httpClient, lifecycle, logging, nioCore, nioHTTP1, yams]),
        .executableTarget(
            name: "Perennial",
            dependencies: [
                "AppStore", "AppStoreSimulator", "Clustering", "Entitlements", "EventSourcing", "HTTPAPI",
                "JSONScanning", "Mirroring", "PerennialClient", "PostgresStore", "Publishing", "SQLiteStore",
                "Sharding",
                "Spelling", "SubscriptionRuntime", "Subscriptions", "ZeroMQ",
                arguments, crypto, httpClient, hummingbird, lifecycle, logging, metrics, nioCore, nioHTTP1, signals,
                yams,
            ],
            swiftSettings: settings),
        library(
            "PerennialTestSupport", ["EventSourcing", "SubscriptionRuntime", "Subscriptions"],
            products: [hummingbird, lifecycle, logging], more: light),
        library("PostgresHarness"),
        library("StoreSamples", ["AppStoreSimulator", "Subscriptions"]),

        tests("Base64CodingTests", ["Base64Coding"]),
        tests("JSONScanningTests", ["JSONScanning"]),
        tests("KnownKeyECDSATests", ["KnownKeyECDSA", "PerennialTestSupport", crypto]),
        tests("SpellingTests", ["Spelling"]),
        tests("SubscriptionsTests", ["PerennialTestSupport", "Subscriptions"]),
        tests("EntitlementsTests", ["Entitlements", "Subscriptions"]),
        tests("EventSourcingTests", ["EventSourcing", "PerennialTestSupport"]),
        tests("ShardingTests", ["EventSourcing", "PerennialTestSupport", "Sharding"], areLight: false),
        tests("ClusterSimulationTests", ["EventSourcing", "PerennialTestSupport", "Sharding"], areLight: false),
        tests(
            "AppStoreTests",
            [
                "AppStore", "AppStoreSimulator", "Base64Coding", "JSONScanning", "Subscriptions", asn1, crypto,
                httpClient,
                nioCore, x509,
            ]),
        tests(
            "WireProtocolTests", ["EventSourcing", "PerennialTestSupport", "Subscriptions", "WireProtocol", protobuf],
            areLight: false),
        tests("SQLiteStoreTests", ["EventSourcing", "PerennialTestSupport", "SQLiteStore", grdb], areLight: false),
        tests(
            "PostgresStoreTests",
            ["EventSourcing", "PerennialTestSupport", "PostgresHarness", "PostgresStore", "SQLiteStore", grdb],
            areLight: true),
        tests("ZeroMQTests", ["ZeroMQ"]),
        tests(
            "ClusteringTests",
            [
                "Clustering", "EventSourcing", "PerennialTestSupport", "Sharding", "WireProtocol", "ZeroMQ",
                instrumentation, logging, serviceContext,
            ]),
        tests(
            "SubscriptionRuntimeTests",
            [
                "AppStore", "AppStoreSimulator", "Clustering", "Entitlements", "EventSourcing", "Mirroring",
                "PerennialTestSupport", "Sharding", "SQLiteStore", "SubscriptionRuntime", "Subscriptions",
                "WireProtocol", "ZeroMQ", crypto, lifecycle, logging, metrics, metricsTestKit,
            ]),
        tests(
            "MirroringTests",
            [
                "Entitlements", "EventSourcing", "Mirroring", "PerennialTestSupport", "Sharding", "Subscriptions",
                "WireProtocol",
            ], areLight: false),
        tests(
            "PublishingTests",
            [
                "AppStore", "Clustering", "Entitlements", "EventSourcing", "HTTPAPI", "Mirroring", "PerennialClient",
                "PerennialTestSupport", "PostgresHarness", "Publishing", "Sharding", "SubscriptionRuntime",
                "Subscriptions", "WireProtocol",
                "ZeroMQ", crypto, httpClient, hummingbird, lifecycle, logging, metrics, nioCore, nioHTTP1,
            ],
            exclude: ["Webhooks/verify_with_cryptography.py", "Webhooks/verify_with_standardwebhooks.py"]),
        tests(
            "HTTPAPITests",
            [
                "AppStore", "AppStoreSimulator", "Entitlements", "EventSourcing", "HTTPAPI", "JSONScanning",
                "PerennialTestSupport", "Publishing",
                "SubscriptionRuntime", "Subscriptions", "WireProtocol", asn1, crypto, hummingbird, lifecycle, logging,
                metrics, nioCore, nioEmbedded, protobuf, x509, yams,
            ]),
        tests(
            "AppStoreSimulatorTests",
            [
                "AppStore", "AppStoreSimulator", "PerennialTestSupport", "StoreSamples", "Subscriptions", crypto,
                httpClient, hummingbird, lifecycle, logging, nioCore, nioHTTP1,
            ]),
        tests(
            "PerennialTests",
            [
                "AppStore", "AppStoreSimulator", "Entitlements", "EventSourcing", "HTTPAPI", "JSONScanning",
                "Perennial",
                "SubscriptionRuntime", "Subscriptions", logging,
            ]),
        tests(
            "IntegrationTests",
            [
                "AppStore", "AppStoreSimulator", "Entitlements", "EventSourcing", "HTTPAPI", "Perennial",
                "PerennialClient", "PerennialTestSupport", "PostgresHarness", "Publishing", "SQLiteStore",
                "StoreSamples",
                "SubscriptionRuntime", "Subscriptions", "ZeroMQ", crypto, httpClient, hummingbird, lifecycle, logging,
                metrics, nioCore, nioHTTP1,
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
                "AppStore", "AppStoreSimulator", "Base64Coding", "CPostgres", "CZeroMQ", "Clustering", "Entitlements",
                "EventSourcing", "HTTPAPI", "Mirroring", "PostgresHarness", "PostgresStore", "Publishing",
                "SQLiteStore", "Sharding", "SubscriptionRuntime", "Subscriptions", "WireProtocol", "ZeroMQ",
                arguments, crypto, httpClient, hummingbird, lifecycle, logging, metrics, nioCore, nioHTTP1, nioPosix,
                protobuf, signals, x509, asn1, histogram,
            ],
            exclude: ["Instructions/corpus.txt", "Instructions/recorded.tsv"],
            swiftSettings: settings),
        tests("PerennialBenchmarksTests", ["PerennialBenchmarks", histogram, nioCore, nioPosix]),
    ]
}
