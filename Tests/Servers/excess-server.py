"""Sends bytes after the end of a response over TLS, for ExcessTLSTests.

    python3 Tests/Servers/excess-server.py CERTIFICATE KEY FILE-FOR-THE-PORT

The header fields of a request say what it sends, in Base64. X-Response is the response, and X-With-It follows it: in the
same record of TLS, or in one of its own if there is X-Split. "/between/ID" sends X-Between to the connection whose
request had this X-ID, and waits until the client's system has it. X-After comes before the response to the next request
on the connection.
"""
import base64
import fcntl
import pathlib
import select
import socket
import ssl
import struct
import sys
import termios
import threading
import time

RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n%b"
connections = {}


class Connection:
    """TLS in memory, so that two records can be sent at once, and any thread can write."""

    def __init__(self, sock):
        self.sock, self.lock, self.fields = sock, threading.Lock(), {}
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)

    def run(self, step, *arguments):
        while True:
            with self.lock:
                try:
                    return step(*arguments)
                except ssl.SSLWantReadError:
                    self.sock.sendall(self.outgoing.read())
            data = self.sock.recv(65_536)
            if not data:
                raise EOFError
            with self.lock:
                self.incoming.write(data)

    def send(self, *records):
        with self.lock:
            for record in filter(None, records):
                self.tls.write(record)
            self.sock.sendall(self.outgoing.read())

    def send_between(self):
        try:
            self.send(self.part("between"))
            end, closing = time.monotonic() + 60, select.poll()
            closing.register(self.sock, select.POLLRDHUP)
            while self.unconfirmed() > 0 and not closing.poll(0) and time.monotonic() < end:
                time.sleep(0)
        except (OSError, ValueError):
            pass  # The client has closed the connection, as it should.

    def unconfirmed(self):
        """How many bytes the client's system hasn't confirmed."""
        return struct.unpack("i", fcntl.ioctl(self.sock, termios.TIOCOUTQ, bytes(4)))[0]

    def part(self, name):
        return base64.b64decode(self.fields.get("x-" + name, ""))

    def serve(self):
        try:
            self.run(self.tls.do_handshake)
            while True:
                self.answer()
        except (EOFError, OSError):
            pass
        self.sock.close()

    def answer(self):
        text = b""
        while b"\r\n\r\n" not in text:
            data = self.run(self.tls.read, 65_536)
            if not data:
                raise EOFError
            text += data
        lines = text.decode().split("\r\n")
        path = lines[0].split(" ")[1]
        if path == "/first":
            self.fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
            connections[self.fields["x-id"]] = self
            response, excess = self.part("response"), self.part("with-it")
            self.send(*([response, excess] if "x-split" in self.fields else [response + excess]))
        elif path.startswith("/between/"):
            connections.pop(path.split("/")[2]).send_between()
            self.send(RESPONSE % b"done")
        else:
            self.send(self.part("after"))
            self.send(RESPONSE % b"REAL")


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
with socket.create_server(("127.0.0.1", 0)) as listener:
    pathlib.Path(sys.argv[3]).write_text(str(listener.getsockname()[1]))
    while True:
        threading.Thread(target=Connection(listener.accept()[0]).serve, daemon=True).start()
