"""Speaks TLS over stdin and stdout, offering the protocols named, and says hello once the keys are agreed on."""

import os
import ssl
import sys

context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
context.set_alpn_protocols(sys.argv[1:])
incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
connection = context.wrap_bio(incoming, outgoing)
while True:
    try:
        connection.do_handshake()
        break
    except ssl.SSLWantReadError:
        os.write(1, outgoing.read())
        incoming.write(os.read(0, 65536))
connection.write(b"hello")
os.write(1, outgoing.read())
