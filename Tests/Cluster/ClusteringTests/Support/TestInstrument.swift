import Instrumentation
import ServiceContextModule
import Synchronization

/// Carries `TraceKey` alone.
struct TestInstrument: Instrument {
    private static let installed: Void = InstrumentationSystem.bootstrap(TestInstrument())

    /// For the whole process, once.
    static func install() { self.installed }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let value = context[TraceKey.self] else { return }
        injector.inject(value, forKey: "trace", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context[TraceKey.self] = extractor.extract(key: "trace", from: carrier)
    }
}
