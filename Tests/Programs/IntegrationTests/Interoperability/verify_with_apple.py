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


# Apple documents these; the library's models have no attribute for them.
UNKNOWN_TO_LIBRARY = {
    "notification.externalPurchaseToken.tokenType",
    "notification.externalPurchaseToken.tokenExpirationDate",
    "transaction.previousOriginalTransactionId",
}

# The same of the values of its enumerations: decoded without meaning, but kept as they are.
UNKNOWN_VALUES = {"CREATED", "ACTIVE_TOKEN_REMINDER"}


def raw(decoded, name):
    return getattr(decoded, f"raw{name[0].upper()}{name[1:]}", None)


def plain(value):
    return value.value if isinstance(value, enum.Enum) else value


def differences(where, value, decoded):
    """What of a signed value, and of all within it, was decoded as something else."""
    if isinstance(value, dict):
        for name, member in value.items():
            place = f"{where}.{name}"
            if not hasattr(decoded, name):
                if place not in UNKNOWN_TO_LIBRARY:
                    yield f"{place} is unknown to Apple's library"
            elif isinstance(member, str) and member in UNKNOWN_VALUES:
                if getattr(decoded, name) is not None or raw(decoded, name) != member:
                    yield f"{place} was decoded as {getattr(decoded, name)!r}, and kept as {raw(decoded, name)!r}"
            else:
                yield from differences(place, member, getattr(decoded, name))
    elif isinstance(value, list):
        if len(value) != len(decoded or []):
            yield f"{where} was decoded as {decoded!r}"
        for element, decoded_element in zip(value, decoded or []):
            yield from differences(f"{where}[]", element, decoded_element)
    elif plain(decoded) != value:
        yield f"{where} was decoded as {decoded!r}"


def main(root, bundle_id, app_apple_id, environment, notifications):
    with open(root, "rb") as file:
        roots = [file.read()]
    verifier = SignedDataVerifier(
        roots, False, Environment(environment), bundle_id, int(app_apple_id) if environment == "Production" else None
    )
    nested = [
        ("data", "signedTransactionInfo", "transaction", verifier.verify_and_decode_signed_transaction),
        ("data", "signedRenewalInfo", "renewal", verifier.verify_and_decode_renewal_info),
        ("appData", "signedAppTransactionInfo", "app transaction", verifier.verify_and_decode_app_transaction),
    ]
    counts = collections.Counter()
    members = collections.defaultdict(set)
    found = []

    def compare(kind, jws, decoded):
        signed = signed_members(jws)
        members[kind].update(signed)
        found.extend(differences(kind, signed, decoded))
        return signed

    with open(notifications, encoding="ascii") as file:
        for line in file:
            signed = compare("notification", line.strip(), verifier.verify_and_decode_notification(line.strip()))
            counts["/".join(filter(None, [signed["notificationType"], signed.get("subtype")]))] += 1
            for part, name, kind, decode in nested:
                if jws := signed.get(part, {}).get(name):
                    compare(kind, jws, decode(jws))
    print(
        json.dumps(
            {
                "counts": counts,
                "differences": found[:20],
                "members": {kind: sorted(names) for kind, names in members.items()},
            }
        )
    )


main(*sys.argv[1:])
