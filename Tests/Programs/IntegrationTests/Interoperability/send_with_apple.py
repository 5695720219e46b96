"""Sends one request of each kind that concerns purchases with Apple's own client library, whatever the answers are.

    python send_with_apple.py KEYS_DIRECTORY
"""

import json
import pathlib
import sys

from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest

keys = pathlib.Path(sys.argv[1])
store = json.loads((keys / "store.json").read_text())
client = AppStoreServerAPIClient(
    (keys / "AuthKey.p8").read_bytes(), store["keyId"], store["issuerId"], store["bundleId"], Environment.PRODUCTION
)
client._base_url = store["baseURL"]
request_id = "7e3fb204-2ba0-4e28-9b2f-8b4e0c1f3a11"

calls = [
    lambda: client.get_all_subscription_statuses("1", [Status.ACTIVE, Status.BILLING_GRACE_PERIOD]),
    lambda: client.get_all_subscription_statuses("1"),
    lambda: client.get_transaction_info("2"),
    lambda: client.get_transaction_history(
        "3",
        "revision 1",
        TransactionHistoryRequest(
            startDate=1700000000000,
            endDate=1700000000001,
            productIds=["a.b", "c&d"],
            productTypes=[ProductType.AUTO_RENEWABLE, ProductType.CONSUMABLE],
            sort=Order.DESCENDING,
            subscriptionGroupIdentifiers=["21", "22"],
            inAppOwnershipType=InAppOwnershipType.FAMILY_SHARED,
            revoked=True,
        ),
        GetTransactionHistoryVersion.V2,
    ),
    lambda: client.get_app_transaction_info("4"),
    lambda: client.finish_transaction("5"),
    lambda: client.set_app_account_token("6", UpdateAppAccountTokenRequest(appAccountToken=request_id)),
    lambda: client.look_up_order_id("MABC"),
    lambda: client.get_refund_history("7", "r"),
    lambda: client.get_refund_history("7", None),
    lambda: client.send_consumption_information(
        "8",
        ConsumptionRequest(
            customerConsented=True,
            deliveryStatus=DeliveryStatus.DELIVERED,
            sampleContentProvided=False,
            consumptionPercentage=50000,
            refundPreference=RefundPreference.GRANT_PRORATED,
        ),
    ),
    lambda: client.extend_subscription_renewal_date(
        "9",
        ExtendRenewalDateRequest(
            extendByDays=3, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, requestIdentifier="request 9"
        ),
    ),
    lambda: client.extend_renewal_date_for_all_active_subscribers(
        MassExtendRenewalDateRequest(
            requestIdentifier=request_id,
            extendByDays=4,
            extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION,
            productId="pro.monthly",
            storefrontCountryCodes=["USA", "DEU"],
        )
    ),
    lambda: client.get_status_of_subscription_renewal_date_extensions(request_id, "pro.monthly"),
    lambda: client.get_notification_history(
        "token+/=",
        NotificationHistoryRequest(
            startDate=1700000000000,
            endDate=1700000000001,
            notificationType=NotificationTypeV2.SUBSCRIBED,
            notificationSubtype=Subtype.INITIAL_BUY,
            onlyFailures=True,
        ),
    ),
    lambda: client.get_notification_history(
        None, NotificationHistoryRequest(startDate=1700000000000, endDate=1700000000001, transactionId="10")
    ),
    lambda: client.request_test_notification(),
    lambda: client.get_test_notification_status("token_1"),
]

for call in calls:
    try:
        call()
    except APIException:
        pass
