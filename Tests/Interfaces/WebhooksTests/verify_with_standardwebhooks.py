"""Verifies deliveries, one JSON object a line on standard input: secret, headers, body. Prints how many were authentic."""

import json
import sys

from standardwebhooks.webhooks import Webhook

count = 0
for line in sys.stdin:
    delivery = json.loads(line)
    message = Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
    assert {"type", "timestamp", "data"} <= message.keys()
    count += 1
print(count)
