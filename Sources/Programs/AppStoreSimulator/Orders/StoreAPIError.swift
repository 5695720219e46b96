/// An error of the App Store Server API, by Apple's number. Its first three digits are the HTTP status.
struct StoreAPIError: Error, Hashable, Sendable {
    let code: Int
    let message: String

    var status: Int { self.code / 10_000 }

    static let badRequest = Self(code: 4_000_000, message: "Bad request.")
    static let badRevision = Self(code: 4_000_005, message: "Invalid request revision.")
    static let badTransactionID = Self(code: 4_000_006, message: "Invalid transaction id.")
    static let badOriginalTransactionID = Self(code: 4_000_008, message: "Invalid original transaction id.")
    static let badExtendByDays = Self(code: 4_000_009, message: "Invalid extend by days value.")
    static let badExtendReasonCode = Self(code: 4_000_010, message: "Invalid extend reason code.")
    static let badRequestIdentifier = Self(code: 4_000_011, message: "Invalid request identifier.")
    static let startDateTooFarBack = Self(code: 4_000_012, message: "Start date is too far in the past.")
    static let startAfterEnd = Self(code: 4_000_013, message: "Start date is after end date.")
    static let badPaginationToken = Self(code: 4_000_014, message: "Invalid pagination token.")
    static let badStartDate = Self(code: 4_000_015, message: "Invalid start date.")
    static let badEndDate = Self(code: 4_000_016, message: "Invalid end date.")
    static let paginationTokenExpired = Self(code: 4_000_017, message: "Pagination token has expired.")
    static let badNotificationType = Self(code: 4_000_018, message: "Invalid notification type or subtype.")
    static let severalFilters = Self(code: 4_000_019, message: "Multiple filters are not supported.")
    static let badTestNotificationToken = Self(code: 4_000_020, message: "Invalid test notification token.")
    static let badSort = Self(code: 4_000_021, message: "Invalid sort.")
    static let badProductType = Self(code: 4_000_022, message: "Invalid product type.")
    static let badProductID = Self(code: 4_000_023, message: "Invalid product id.")
    static let badSubscriptionGroup = Self(code: 4_000_024, message: "Invalid subscription group identifier.")
    static let badOwnershipType = Self(code: 4_000_026, message: "Invalid in-app ownership type.")
    static let emptyStorefronts = Self(code: 4_000_027, message: "Empty storefront country code list.")
    static let badStorefront = Self(code: 4_000_028, message: "Invalid storefront country code.")
    static let badRevoked = Self(code: 4_000_030, message: "Invalid revoked.")
    static let badStatus = Self(code: 4_000_031, message: "Invalid status.")
    static let badAccountTenure = Self(code: 4_000_032, message: "Invalid account tenure.")
    static let badConsumptionAccountToken = Self(code: 4_000_033, message: "Invalid app account token.")
    static let badConsumptionStatus = Self(code: 4_000_034, message: "Invalid consumption status.")
    static let badCustomerConsented = Self(code: 4_000_035, message: "Invalid customer consented.")
    static let badDeliveryStatus = Self(code: 4_000_036, message: "Invalid delivery status.")
    static let badLifetimeDollarsPurchased = Self(code: 4_000_037, message: "Invalid lifetime dollars purchased.")
    static let badLifetimeDollarsRefunded = Self(code: 4_000_038, message: "Invalid lifetime dollars refunded.")
    static let badPlatform = Self(code: 4_000_039, message: "Invalid platform.")
    static let badPlayTime = Self(code: 4_000_040, message: "Invalid play time.")
    static let badSampleContentProvided = Self(code: 4_000_041, message: "Invalid sample content provided.")
    static let badUserStatus = Self(code: 4_000_042, message: "Invalid user status.")
    static let badRefundPreference = Self(code: 4_000_044, message: "Invalid refund preference.")
    static let appTransactionIDNotSupported = Self(
        code: 4_000_048, message: "Invalid request. App transaction id is not supported.")
    static let badAppAccountToken = Self(code: 4_000_183, message: "Invalid app account token. It must be a UUID.")
    static let familyTransaction = Self(
        code: 4_000_185, message: "Invalid request. Family transaction is not supported.")
    static let notOriginalTransaction = Self(
        code: 4_000_187, message: "Invalid request. The transaction id is not an original transaction id.")
    static let consumptionOfSubscription = Self(
        code: 4_000_209, message: "Consumption percentage is not supported for auto-renewable subscriptions.")
    static let extensionIneligible = Self(
        code: 4_030_004, message: "Forbidden - subscription state ineligible for extension.")
    static let extensionsUsedUp = Self(
        code: 4_030_005, message: "Forbidden - subscription has reached maximum extension count.")
    static let extensionOfFamily = Self(
        code: 4_030_007, message: "Forbidden - family shared subscriptions cannot be extended directly.")
    static let accountNotFoundRetryable = Self(code: 4_040_002, message: "Account not found. Please try again.")
    static let originalTransactionIDNotFound = Self(code: 4_040_005, message: "Original transaction id not found.")
    static let noNotificationURL = Self(
        code: 4_040_007, message: "No App Store Server Notification URL found for provided app.")
    static let testNotificationNotFound = Self(
        code: 4_040_008,
        message: "Either the test notification token is expired or the notification and status are not yet available.")
    static let massExtensionNotFound = Self(
        code: 4_040_009, message: "Server was unable to find a status for provided request.")
    static let transactionIDNotFound = Self(code: 4_040_010, message: "Transaction id not found.")
    static let rateLimitExceeded = Self(code: 4_290_000, message: "Rate limit exceeded.")
    static let internalError = Self(code: 5_000_000, message: "An unknown error occurred.")
    static let internalErrorRetryable = Self(code: 5_000_001, message: "An unknown error occurred. Please try again.")
}
