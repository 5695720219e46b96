import ArgumentParser
import Subscriptions

extension Moment: ExpressibleByArgument {
    package init?(argument: String) { self.init(rfc3339: argument) }

    package var defaultValueDescription: String { self.description }
}
