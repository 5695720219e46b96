"""Verifies and decodes signed notifications with Apple's own client library, and holds what it decodes against what was
signed, member by member.

    python verify_with_apple.py ROOT BUNDLE_ID APP_APPLE_ID ENVIRONMENT NOTIFICATIONS

ROOT is the authority's certificate in DER, NOTIFICATIONS a file with one JWS a line. Prints a report as JSON.
"""

import base64
import collections
import enum
import json
import sys

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier


def signed_members(jws):
    payload = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def plain(value):
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, list):
        return [plain(element) for element in value]
    return value


def differences(where, members, decoded):
    for name, value in members.items():
        if isinstance(value, dict):
            yield from differences(f"{where}.{name}", value, getattr(decoded, name, None))
        elif not hasattr(decoded, name):
            yield f"{where}.{name} is unknown to Apple's library"
        elif plain(getattr(decoded, name)) != value:
            yield f"{where}.{name} was decoded as {getattr(decoded, name)!r}"


def main(root, bundle_id, app_apple_id, environment, notifications):
    with open(root, "rb") as file:
        roots = [file.read()]
    verifier = SignedDataVerifier(
        roots, False, Environment(environment), bundle_id, int(app_apple_id) if environment == "Production" else None
    )
    counts = collections.Counter()
    found = []
    with open(notifications, encoding="ascii") as file:
        for line in file:
            notification = verifier.verify_and_decode_notification(line.strip())
            members = signed_members(line.strip())
            counts["/".join(filter(None, [members["notificationType"], members.get("subtype")]))] += 1
            found += differences("notification", members, notification)
            data = members["data"]
            if "signedTransactionInfo" in data:
                transaction = verifier.verify_and_decode_signed_transaction(data["signedTransactionInfo"])
                found += differences("transaction", signed_members(data["signedTransactionInfo"]), transaction)
            if "signedRenewalInfo" in data:
                renewal = verifier.verify_and_decode_renewal_info(data["signedRenewalInfo"])
                found += differences("renewal", signed_members(data["signedRenewalInfo"]), renewal)
    print(json.dumps({"counts": counts, "differences": found[:20]}))


main(*sys.argv[1:])
