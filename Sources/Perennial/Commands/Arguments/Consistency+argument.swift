import ArgumentParser
import SubscriptionRuntime

extension Consistency: ExpressibleByArgument {}
