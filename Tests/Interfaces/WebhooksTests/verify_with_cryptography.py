"""Verifies deliveries, one JSON object a line on standard input: secret (a `whpk_` public key), headers, body. Prints how many
have a `v1a` signature that is authentic, by the Standard Webhooks specification alone."""

import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

count = 0
for line in sys.stdin:
    delivery = json.loads(line)
    headers = {name.lower(): value for name, value in delivery["headers"].items()}
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(delivery["secret"].removeprefix("whpk_")))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{delivery['body']}".encode()
    for entry in headers["webhook-signature"].split():
        version, _, signature = entry.partition(",")
        try:
            if version == "v1a":
                key.verify(base64.b64decode(signature), signed)
                count += 1
        except InvalidSignature:
            pass
print(count)
