import ArgumentParser
import ServiceContract
import SubscriptionService

extension Consistency: ExpressibleByArgument {}
