"""Calls every endpoint that concerns purchases of a simulated App Store Server API with Apple's own client library, and
reads each answer and each error.

    python call_with_apple.py KEYS_DIRECTORY ENVIRONMENT

KEYS_DIRECTORY holds root.cer, AuthKey.p8 and store.json. Prints a report as JSON: what was read, and what was wrong.
"""

import copy
import json
import pathlib
import sys
import time
import uuid

from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.Type import Type
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UserStatus import UserStatus
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

DAY = 24 * 3600 * 1000


def order_id(transaction_id):
    number, digits = int(transaction_id), ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
    return "M" + digits


class Caller:
    def __init__(self, keys, environment):
        keys = pathlib.Path(keys)
        self.store = json.loads((keys / "store.json").read_text())
        self.environment = Environment(environment)
        self.client = self.make_client(self.store["keyId"])
        self.verifier = SignedDataVerifier(
            [(keys / "root.cer").read_bytes()],
            False,
            self.environment,
            self.store["bundleId"],
            self.store["appAppleId"] if environment == "Production" else None,
        )
        self.read = []
        self.wrong = []

    def make_client(self, key_id):
        key = (pathlib.Path(sys.argv[1]) / "AuthKey.p8").read_bytes()
        client = AppStoreServerAPIClient(
            key, key_id, self.store["issuerId"], self.store["bundleId"], self.environment
        )
        client._base_url = self.store["baseURL"]
        return client

    def check(self, name, condition):
        (self.read if condition else self.wrong).append(name)

    def expect_error(self, name, code, call, *arguments):
        try:
            call(*arguments)
            self.wrong.append(f"{name}: no error")
        except APIException as error:
            self.check(
                name if error.raw_api_error == code else f"{name}: {error.http_status_code} {error.raw_api_error}",
                error.raw_api_error == code
                and error.http_status_code == (code // 10_000 if code else 401)
                and (error.api_error is not None or code is None),
            )

    def transactions(self, signed):
        return [self.verifier.verify_and_decode_signed_transaction(jws) for jws in signed]

    # Endpoints

    def statuses(self, transaction_id):
        answer = self.client.get_all_subscription_statuses(transaction_id)
        self.check("statuses: app", answer.bundleId == self.store["bundleId"] and answer.environment == self.environment)
        for group in answer.data:
            for item in group.lastTransactions:
                transaction = self.verifier.verify_and_decode_signed_transaction(item.signedTransactionInfo)
                renewal = self.verifier.verify_and_decode_renewal_info(item.signedRenewalInfo)
                self.check(
                    "statuses",
                    item.status is not None
                    and transaction.subscriptionGroupIdentifier == group.subscriptionGroupIdentifier
                    and transaction.originalTransactionId
                    == renewal.originalTransactionId
                    == item.originalTransactionId,
                )
        statuses = [item.status for group in answer.data for item in group.lastTransactions]
        others = [status for status in Status if status not in statuses]
        self.check(
            "statuses: filter",
            self.client.get_all_subscription_statuses(transaction_id, others).data == []
            and len(self.client.get_all_subscription_statuses(transaction_id, list(Status)).data) == len(answer.data),
        )
        return {item.originalTransactionId: item.status for group in answer.data for item in group.lastTransactions}

    def history(self, transaction_id):
        request = TransactionHistoryRequest(sort=Order.ASCENDING)
        found, revision = [], None
        while True:
            page = self.client.get_transaction_history(
                transaction_id, revision, request, GetTransactionHistoryVersion.V2
            )
            found += self.transactions(page.signedTransactions)
            revision = page.revision
            if not page.hasMore:
                break
        self.check("history", len({transaction.transactionId for transaction in found}) == len(found) > 0)
        filtered = self.client.get_transaction_history(
            transaction_id,
            None,
            TransactionHistoryRequest(
                startDate=found[0].purchaseDate,
                endDate=found[0].purchaseDate + 1,
                productIds=[found[0].productId],
                productTypes=list(ProductType),
                sort=Order.DESCENDING,
                inAppOwnershipType=found[0].inAppOwnershipType,
                revoked=found[0].revocationDate is not None,
            ),
            GetTransactionHistoryVersion.V2,
        )
        self.check(
            "history: filters",
            found[0].transactionId in [item.transactionId for item in self.transactions(filtered.signedTransactions)],
        )
        return found

    def single(self, transaction):
        id = transaction.transactionId
        info = self.verifier.verify_and_decode_signed_transaction(
            self.client.get_transaction_info(id).signedTransactionInfo
        )
        self.check("transaction info", (info.transactionId, info.price) == (id, transaction.price))
        app = self.verifier.verify_and_decode_app_transaction(
            self.client.get_app_transaction_info(id).signedAppTransactionInfo
        )
        self.check("app transaction", app.appTransactionId == transaction.appTransactionId)
        self.check("finish", self.client.finish_transaction(id) is None)
        if self.environment == Environment.PRODUCTION:
            order = self.client.look_up_order_id(order_id(id))
            self.check(
                "order",
                order.status == OrderLookupStatus.VALID
                and [item.transactionId for item in self.transactions(order.signedTransactions)] == [id],
            )
            self.check("order: invalid", self.client.look_up_order_id("X").status == OrderLookupStatus.INVALID)

    def refunds(self, transaction_id):
        refunds = self.client.get_refund_history(transaction_id, None)
        dates = [item.revocationDate for item in self.transactions(refunds.signedTransactions)]
        self.check("refunds", None not in dates and dates == sorted(dates) and refunds.hasMore is False)
        return len(dates)

    def account_token(self, transaction_id):
        token = str(uuid.uuid4())
        self.client.set_app_account_token(transaction_id, UpdateAppAccountTokenRequest(appAccountToken=token))
        found = [item.appAccountToken for item in self.history(transaction_id)]
        self.check("account token", token in found)

    def consumption(self, transaction_id):
        request = ConsumptionRequest(
            customerConsented=True,
            sampleContentProvided=False,
            deliveryStatus=DeliveryStatus.DELIVERED,
            refundPreference=RefundPreference.DECLINE,
        )
        self.check("consumption", self.client.send_consumption_information(transaction_id, request) is None)
        request.customerConsented = False
        self.expect_error(
            "consumption: consent", 4000035, self.client.send_consumption_information, transaction_id, request
        )

    def first_versions(self, transaction_id, found):
        """What Apple has replaced, and its client can still be asked for."""
        ids, revision = [], None
        while True:
            page = self.client.get_transaction_history(
                transaction_id, revision, TransactionHistoryRequest(), GetTransactionHistoryVersion.V1
            )
            ids += [transaction.transactionId for transaction in self.transactions(page.signedTransactions)]
            revision = page.revision
            if not page.hasMore:
                break
        kept = [item.transactionId for item in found if item.type != Type.CONSUMABLE or item.revocationDate]
        self.check("history: first version", ids == kept)
        request = ConsumptionRequestV1(
            customerConsented=True,
            consumptionStatus=ConsumptionStatus.NOT_CONSUMED,
            platform=Platform.APPLE,
            sampleContentProvided=False,
            deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY,
            appAccountToken="",
            accountTenure=AccountTenure.THIRTY_DAYS_TO_NINETY_DAYS,
            playTime=PlayTime.ONE_DAY_TO_FOUR_DAYS,
            lifetimeDollarsRefunded=LifetimeDollarsRefunded.ZERO_DOLLARS,
            lifetimeDollarsPurchased=LifetimeDollarsPurchased.TWO_THOUSAND_DOLLARS_OR_GREATER,
            userStatus=UserStatus.ACTIVE,
        )
        self.check("consumption: first version", self.client.send_consumption_data(transaction_id, request) is None)
        for code, name in [
            (4000032, "accountTenure"), (4000034, "consumptionStatus"), (4000036, "deliveryStatus"),
            (4000037, "lifetimeDollarsPurchased"), (4000038, "lifetimeDollarsRefunded"), (4000039, "platform"),
            (4000040, "playTime"), (4000042, "userStatus"),
        ]:
            field = "raw" + name[0].upper() + name[1:]
            wrong = copy.copy(request)
            setattr(wrong, field, 99)
            self.expect_error(
                "consumption: first version", code, self.client.send_consumption_data, transaction_id, wrong
            )
        request.appAccountToken = "somebody"
        self.expect_error(
            "consumption: first version", 4000033, self.client.send_consumption_data, transaction_id, request
        )

    def extension(self, transaction_ids):
        request = ExtendRenewalDateRequest(
            extendByDays=5, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier="a-request"
        )
        for id in transaction_ids:
            try:
                answer = self.client.extend_subscription_renewal_date(id, request)
            except APIException as error:
                self.check("extension: refused", error.raw_api_error in (4030004, 4030005, 4030007))
                continue
            ends = [item.expiresDate for item in self.history(id) if item.originalTransactionId == id]
            self.check(
                "extension",
                answer.success and answer.originalTransactionId == id and answer.effectiveDate == max(ends),
            )

    def mass_extension(self, product_id):
        request = MassExtendRenewalDateRequest(
            extendByDays=3,
            extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE,
            requestIdentifier=str(uuid.uuid4()),
            productId=product_id,
            storefrontCountryCodes=["USA", "DEU"],
        )
        answer = self.client.extend_renewal_date_for_all_active_subscribers(request)
        status = self.client.get_status_of_subscription_renewal_date_extensions(answer.requestIdentifier, product_id)
        self.check(
            "mass extension",
            answer.requestIdentifier == status.requestIdentifier == request.requestIdentifier
            and isinstance(status.complete, bool)
            and (not status.complete or status.succeededCount + status.failedCount >= 0),
        )
        self.expect_error(
            "mass extension: unknown",
            4040009,
            self.client.get_status_of_subscription_renewal_date_extensions,
            str(uuid.uuid4()),
            product_id,
        )

    def notifications(self, now):
        request = NotificationHistoryRequest(startDate=now - 25 * DAY, endDate=now)
        found, token = [], None
        while True:
            page = self.client.get_notification_history(token, request)
            found += page.notificationHistory
            token = page.paginationToken
            if not page.hasMore:
                break
        uuids = [self.verifier.verify_and_decode_notification(item.signedPayload).notificationUUID for item in found]
        self.check("notifications", len(set(uuids)) == len(uuids) > 20)
        attempts = [attempt for item in found for attempt in item.sendAttempts]
        self.check(
            "notifications: attempts",
            all(attempt.sendAttemptResult == SendAttemptResult.SUCCESS and attempt.attemptDate for attempt in attempts),
        )
        request.notificationType = NotificationTypeV2.DID_RENEW
        renewals = self.client.get_notification_history(None, request).notificationHistory
        types = [self.verifier.verify_and_decode_notification(item.signedPayload).notificationType for item in renewals]
        self.check("notifications: type", set(types) == {NotificationTypeV2.DID_RENEW})
        request.notificationSubtype = Subtype.VOLUNTARY
        self.expect_error("notifications: subtype", 4000018, self.client.get_notification_history, None, request)
        request = NotificationHistoryRequest(startDate=now - 25 * DAY, endDate=now, onlyFailures=True)
        self.check("notifications: failures", self.client.get_notification_history(None, request).notificationHistory == [])
        request.startDate = now - 181 * DAY
        self.expect_error("notifications: too far back", 4000012, self.client.get_notification_history, None, request)

    def test_notification(self):
        token = self.client.request_test_notification().testNotificationToken
        while True:
            try:
                status = self.client.get_test_notification_status(token)
                break
            except APIException as error:
                if error.raw_api_error != 4040008:
                    raise
                time.sleep(0.02)
        notification = self.verifier.verify_and_decode_notification(status.signedPayload)
        self.check(
            "test notification",
            notification.notificationType == NotificationTypeV2.TEST
            and [attempt.sendAttemptResult for attempt in status.sendAttempts] == [SendAttemptResult.SUCCESS],
        )

    def errors(self):
        unknown = "2000999999990001"
        self.expect_error("errors: statuses", 4040010, self.client.get_all_subscription_statuses, unknown)
        self.expect_error("errors: malformed", 4000006, self.client.get_transaction_info, "abc")
        self.expect_error("errors: transaction", 4040010, self.client.get_transaction_info, unknown)
        self.expect_error("errors: app transaction", 4040010, self.client.get_app_transaction_info, unknown)
        self.expect_error("errors: finish", 4040010, self.client.finish_transaction, unknown)
        self.expect_error("errors: refunds", 4040010, self.client.get_refund_history, unknown, None)
        self.expect_error("errors: test status", 4000020, self.client.get_test_notification_status, "x")
        self.expect_error(
            "errors: history",
            4000005,
            self.client.get_transaction_history,
            self.store["transactionIds"][0],
            "x",
            TransactionHistoryRequest(),
            GetTransactionHistoryVersion.V2,
        )
        self.expect_error(
            "errors: extension",
            4040005,
            self.client.extend_subscription_renewal_date,
            unknown,
            ExtendRenewalDateRequest(
                extendByDays=1, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier="x"
            ),
        )
        self.expect_error(
            "errors: account token",
            4000183,
            self.client.set_app_account_token,
            self.store["transactionIds"][0],
            UpdateAppAccountTokenRequest(appAccountToken="x"),
        )
        self.expect_error(
            "errors: unauthorized",
            None,
            self.make_client("ABCDEFGHIJ").get_transaction_info,
            self.store["transactionIds"][0],
        )

    def run(self):
        ids = self.store["transactionIds"]
        statuses, refunds = {}, 0
        for id in ids:
            statuses.update(self.statuses(id))
            self.single(self.history(id)[0])
            refunds += self.refunds(id)
        self.check("refunds: some", refunds > 0)
        subscription = next(iter(statuses))
        self.account_token(subscription)
        self.consumption(subscription)
        self.first_versions(subscription, self.history(subscription))
        self.extension(statuses)
        self.mass_extension(self.history(subscription)[-1].productId)
        self.notifications(int(time.time() * 1000))
        self.test_notification()
        self.errors()


caller = Caller(*sys.argv[1:])
caller.run()
print(json.dumps({"read": sorted(set(caller.read)), "wrong": caller.wrong[:20]}))
