"""Reads requests with h11, as a server that answers each at once.

Input: cases, each 4 bytes of length (big endian) and the bytes of a connection. Output: a line for each case: `open` if more
may be read, or `over` after bytes that are wrong and after the last request, and for each complete request `METHOD TARGET BODY`
in hexadecimal digits.
"""
import struct
import sys

import h11


def read(data):
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    requests, request, body = [], None, b""
    connection.receive_data(data)
    try:
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA or event is h11.PAUSED:
                return "open", requests
            if isinstance(event, h11.Request):
                request, body = event, b""
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                requests.append(request.method + b" " + request.target + b" " + body)
                connection.send(h11.Response(status_code=404, headers=[("content-length", "0")]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE:
                    return "over", requests
                connection.start_next_cycle()
            else:
                return "over", requests
    except h11.RemoteProtocolError:
        return "over", requests


while header := sys.stdin.buffer.read(4):
    outcome, requests = read(sys.stdin.buffer.read(struct.unpack(">I", header)[0]))
    print(outcome, *(request.hex() for request in requests))
