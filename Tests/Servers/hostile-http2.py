"""An HTTP/2 server that misbehaves on purpose, for HTTP2Tests. Needs hpack from PyPI.

    hostile-http2.py CERTIFICATE KEY FILE

Writes the ports of its listeners to FILE, as JSON. The path of a request is "/CASE/ID". The case is the name of a
function below, and says how the server answers. "/log/ID" returns what the server saw of the requests with that ID.
"""
import collections
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time

import hpack

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR = range(3)
REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM, HTTP_1_1_REQUIRED = 7, 8, 11, 13
TABLE_SIZE, _, MAX_STREAMS, INITIAL_WINDOW, MAX_FRAME = range(1, 6)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# The longest time that a function waits for the client, in seconds.
PATIENCE = 60

log_lock = threading.Lock()
log = collections.defaultdict(lambda: {"requests": 0, "connections": [], "resets": []})


class Closed(Exception):
    """The client has closed the connection, or reset the stream."""


class Stream:
    """A request and its answer."""

    def __init__(self, connection, number, fields):
        self.connection, self.number, self.fields = connection, number, dict(fields)
        _, self.case, self.id = (self.fields[":path"].split("?")[0] + "//").split("/")[:3]
        self.window, self.received, self.is_complete, self.is_reset = connection.initial_window, 0, False, False

    @property
    def log(self):
        return log[self.id]

    def head(self, status=200, fields=(), end=False):
        """Sends a block of headers. A status of None sends none, as trailers do."""
        pairs = ([] if status is None else [(":status", str(status))]) + list(fields)
        self.block(self.connection.encoder.encode(pairs), end)

    def block(self, block, end=False):
        """Sends an encoded block of headers, in as many frames as it needs."""
        parts = [block[start:start + 16384] for start in range(0, len(block), 16384)] or [b""]
        for index, part in enumerate(parts):
            flags = (END_HEADERS if index == len(parts) - 1 else 0) | (END_STREAM if end and index == 0 else 0)
            self.frame(CONTINUATION if index else HEADERS, flags, part)

    def data(self, body=b"", end=False):
        """Sends a body within the client's windows."""
        while True:
            part = body[:16384]
            if part:
                self.connection.wait(lambda: min(self.window, self.connection.window) >= len(part) or self.is_reset)
                if self.is_reset:
                    raise Closed
                self.window -= len(part)
                self.connection.window -= len(part)
            body = body[len(part):]
            self.frame(DATA, END_STREAM if end and not body else 0, part)
            if not body:
                return

    def hello(self, body=b"hello", end=True):
        self.head()
        self.data(body, end)

    def reset(self, code=NO_ERROR):
        self.frame(RST_STREAM, 0, struct.pack(">I", code))

    def frame(self, kind, flags=0, payload=b""):
        self.connection.frame(kind, flags, self.number, payload)

    def goaway(self, code=NO_ERROR, last=None, text=b""):
        last = self.number if last is None else last
        self.connection.frame(GOAWAY, 0, 0, struct.pack(">II", last, code) + text)

    def settings(self, *pairs):
        self.connection.frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", *pair) for pair in pairs))

    def allow(self, count):
        """Lets the client send more of its body."""
        self.frame(WINDOW_UPDATE, 0, struct.pack(">I", count))
        self.connection.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", count))

    def read_body(self):
        self.connection.wait(lambda: self.is_complete or self.is_reset)
        return self.received

    def close(self):
        self.connection.close()

    def until_closed(self):
        """Waits until the client gives up."""
        self.connection.wait(lambda: self.is_reset)


class TLS:
    """A socket with TLS that one thread may read while others write, which Python's own doesn't allow."""

    def __init__(self, sock, context):
        self.sock, self.state, self.writing = sock, threading.Lock(), threading.Lock()
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.ssl = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        while not self.has_shaken_hands():
            self.feed()
        self.flush()

    def has_shaken_hands(self):
        try:
            self.ssl.do_handshake()
            return True
        except ssl.SSLWantReadError:
            self.flush()
            return False

    def feed(self):
        data = self.sock.recv(65536)
        if not data:
            raise Closed
        with self.state:
            self.incoming.write(data)

    def flush(self):
        with self.state:
            data = self.outgoing.read()
        self.sock.sendall(data)

    def recv(self, count):
        while True:
            try:
                with self.state:
                    return self.ssl.read(count)
            except ssl.SSLWantReadError:
                self.feed()

    def sendall(self, data):
        with self.writing:
            with self.state:
                self.ssl.write(data)
            self.flush()

    def say_goodbye(self):
        with self.writing:
            try:
                with self.state:
                    self.ssl.unwrap()
            except ssl.SSLWantReadError:
                pass
            self.flush()

    def cut(self):
        with self.state:
            self.sock.shutdown(socket.SHUT_RDWR)

    def close(self):
        """Waits until no thread writes. Otherwise one could write to a new connection whose socket has the same number."""
        try:
            self.cut()
        except OSError:
            pass
        with self.writing, self.state:
            self.sock.close()


class Connection:
    """Reads the frames of a connection, and answers each request on a thread of its own."""

    count = 0

    def __init__(self, sock, profile):
        self.sock, self.profile, self.streams, self.is_closed = sock, profile, {}, False
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.window, self.initial_window = 65535, 65535
        self.condition = threading.Condition()
        with log_lock:
            Connection.count += 1
            self.number = Connection.count

    def frame(self, kind, flags, stream, payload=b"", length=None):
        size = len(payload) if length is None else length
        self.raw(struct.pack(">I", size)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload)

    def raw(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            self.end()
            raise Closed from None

    def wait(self, condition):
        with self.condition:
            if not self.condition.wait_for(lambda: condition() or self.is_closed, PATIENCE):
                return
        if self.is_closed and not condition():
            raise Closed

    def close(self):
        """Closes the connection in both directions, with TLS's and TCP's goodbyes."""
        try:
            self.sock.say_goodbye()
        except OSError:
            pass
        self.cut()

    def cut(self):
        """Closes the connection without a goodbye."""
        try:
            self.sock.cut()
        except OSError:
            pass
        self.end()

    def end(self):
        with self.condition:
            self.is_closed = True
            self.condition.notify_all()

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.sock.recv(count - len(data))
            if not part:
                raise Closed
            data += part
        return data

    def run(self):
        try:
            if self.read(len(PREFACE)) != PREFACE:
                raise Closed
            if self.profile != "silent":
                windows = {"window0": 0, "window1": 1}
                self.frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW, windows.get(self.profile, 65535)))
            while True:
                head = self.read(9)
                payload = self.read(int.from_bytes(head[:3], "big"))
                self.take(head[3], head[4], int.from_bytes(head[5:], "big") & 0x7FFFFFFF, payload)
        except (Closed, OSError, ValueError):
            pass
        finally:
            self.end()
            self.sock.close()

    def take(self, kind, flags, number, payload):
        if kind == HEADERS or kind == CONTINUATION:
            self.take_headers(kind, flags, number, payload)
            return
        with self.condition:
            stream = self.streams.get(number)
            if kind == SETTINGS and not flags & ACK:
                for start in range(0, len(payload), 6):
                    name, value = struct.unpack(">HI", payload[start:start + 6])
                    if name == INITIAL_WINDOW:
                        for other in self.streams.values():
                            other.window += value - self.initial_window
                        self.initial_window = value
            elif kind == WINDOW_UPDATE:
                count = int.from_bytes(payload, "big")
                if stream:
                    stream.window += count
                elif number == 0:
                    self.window += count
            elif kind == DATA and stream:
                stream.received += len(payload)
                stream.is_complete |= bool(flags & END_STREAM)
            elif kind == RST_STREAM and stream:
                stream.is_reset = True
                stream.log["resets"].append(int.from_bytes(payload, "big"))
            self.condition.notify_all()
        if kind == SETTINGS and not flags & ACK and self.profile != "silent":
            self.frame(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK and self.profile != "silent":
            self.frame(PING, ACK, 0, payload)
        elif kind == DATA and payload and self.profile.startswith("h2"):
            for target in (0, number):
                self.frame(WINDOW_UPDATE, 0, target, struct.pack(">I", len(payload)))

    def take_headers(self, kind, flags, number, payload):
        if kind == HEADERS and flags & 0x20:
            payload = payload[5:]
        self.block = (self.block if kind == CONTINUATION else b"") + payload
        if kind == HEADERS:
            self.ends = flags & END_STREAM
        if not flags & END_HEADERS:
            return
        stream = Stream(self, number, self.decoder.decode(self.block))
        stream.is_complete = bool(self.ends)
        with self.condition:
            self.streams[number] = stream
        if stream.case != "log":
            with log_lock:
                stream.log["requests"] += 1
                stream.log["connections"].append(self.number)
        threading.Thread(target=self.answer, args=(stream,), daemon=True).start()

    def answer(self, stream):
        try:
            cases[stream.case](stream)
        except (Closed, OSError):
            pass


cases = {}


def case(function):
    """Registers a function under its name, with hyphens."""
    cases[function.__name__.strip("_").replace("_", "-")] = function
    return function


def cases_of(**variants):
    """Registers a function once for each variant, which becomes its second argument."""
    def register(function):
        for name, value in variants.items():
            name = f"{function.__name__}_{name}".replace("_", "-")
            cases[name] = lambda stream, value=value: function(stream, value)
        return function
    return register


@case
def ok(stream):
    stream.hello()


@case
def _log(stream):
    stream.head(fields=[("content-type", "application/json")])
    stream.data(json.dumps(stream.log).encode(), True)


@case
def length(stream):
    """Answers with the size of the request's body."""
    stream.hello(str(stream.read_body()).encode())


# Reset streams

@cases_of(no_error=NO_ERROR, internal=INTERNAL_ERROR, cancel=CANCEL, protocol=PROTOCOL_ERROR, unknown=0xFF)
def reset_first(stream, code):
    stream.reset(code)


@case
def refused_once(stream):
    if stream.log["requests"] == 1:
        stream.reset(REFUSED_STREAM)
    else:
        length(stream)


@cases_of(always=REFUSED_STREAM, calm=ENHANCE_YOUR_CALM)
def refused(stream, code):
    stream.reset(code)


@case
def needs_http1(stream):
    stream.reset(HTTP_1_1_REQUIRED)


@cases_of(no_error=NO_ERROR, internal=INTERNAL_ERROR, cancel=CANCEL, refused=REFUSED_STREAM)
def reset_in_body(stream, code):
    stream.hello(end=False)
    stream.reset(code)


@case
def reset_in_known_body(stream):
    stream.head(fields=[("content-length", "10")])
    stream.data(b"hello")
    stream.reset(NO_ERROR)


@case
def reset_after_head(stream):
    stream.head()
    stream.reset(NO_ERROR)


@cases_of(no_error=NO_ERROR, internal=INTERNAL_ERROR)
def reset_after_end(stream, code):
    stream.hello()
    stream.reset(code)


@case
def reset_after_length(stream):
    """The whole body arrives, but not the end of the stream."""
    stream.head(fields=[("content-length", "5")])
    stream.data(b"hello")
    stream.reset(NO_ERROR)


@case
def reset_every_second(stream):
    """Half of the streams of a connection are reset in the middle of their body."""
    stream.head()
    stream.data(stream.id.encode())
    if stream.number // 2 % 2:
        stream.reset(INTERNAL_ERROR)
    else:
        stream.data(stream.id.encode(), True)


# GOAWAY and lost connections

@case
def both_ways(stream):
    """The response starts before the request ends, and ends after it."""
    stream.head()
    stream.data(b"first")
    count = stream.read_body()
    stream.data(b"last %d" % count, True)


# Fields that aren't valid. The second text is one that libcurl writes about its own resets.
@cases_of(secret=b"SECRETVALUE", reset=b"reset by curl (error 0x5 STREAM_CLOSED)")
def early_trailer(stream, value):
    stream.head()
    stream.data(b"first")
    stream.block(literal(b"X-Upper", value), True)


@case
def secret_field(stream):
    stream.block(b"\x88" + literal(b"X-Upper", b"SECRETVALUE"))
    stream.data(b"hello", True)


@case
def goaway_and_finish(stream):
    stream.head()
    stream.goaway()
    stream.data(b"hello", True)


@case
def goaway_in_two_steps(stream):
    stream.goaway(last=0x7FFFFFFF)
    stream.head()
    stream.goaway()
    stream.data(b"hello", True)


@case
def goaway_with_text(stream):
    stream.head()
    stream.goaway(text=b"x" * 16000)
    stream.data(b"hello", True)


@case
def goaway_once(stream):
    """The first request wasn't processed, so that any request may be sent again."""
    if stream.log["requests"] == 1:
        stream.goaway(last=0)
        stream.close()
    else:
        length(stream)


@cases_of(unprocessed=NO_ERROR, calm=ENHANCE_YOUR_CALM)
def goaway(stream, code):
    stream.goaway(code, last=0)
    stream.close()


@case
def goaway_in_body(stream):
    stream.hello(end=False)
    stream.goaway(INTERNAL_ERROR, last=0)
    stream.close()


@case
def goaway_and_close(stream):
    stream.hello(end=False)
    stream.goaway()
    stream.close()


@case
def goaway_flood(stream):
    stream.head()
    for _ in range(1000):
        stream.goaway()
    stream.data(b"hello", True)


@case
def close_first(stream):
    stream.close()


@case
def close_once(stream):
    if stream.log["requests"] == 1:
        stream.close()
    else:
        length(stream)


@case
def close_after_head(stream):
    stream.head()
    stream.close()


@case
def close_in_body(stream):
    stream.hello(end=False)
    stream.close()


@case
def cut_in_frame(stream):
    stream.head()
    stream.connection.frame(DATA, END_STREAM, stream.number, b"hello", length=100)
    stream.connection.cut()


@case
def cut_in_head(stream):
    stream.connection.frame(HEADERS, END_HEADERS, stream.number, b"\x88", length=50)
    stream.connection.cut()


# Trailers

@case
def trailers(stream):
    stream.hello(end=False)
    stream.head(None, [("x-checksum", "1"), ("set-cookie", "a=b")], end=True)


@case
def trailers_with_length(stream):
    stream.hello(end=False)
    stream.head(None, [("content-length", "99")], end=True)


@case
def trailers_without_end(stream):
    stream.hello(end=False)
    stream.head(None, [("x-checksum", "1")])
    stream.until_closed()


@case
def trailers_with_status(stream):
    stream.hello(end=False)
    stream.head(500, end=True)


@case
def trailers_flood(stream):
    stream.hello(end=False)
    stream.head(None, [(f"x-{number}", "1") for number in range(2000)], end=True)


@case
def data_after_trailers(stream):
    stream.hello(end=False)
    stream.head(None, [("x-checksum", "1")], end=True)
    stream.data(b" again", True)


# Informational responses

@case
def early_hints(stream):
    for _ in range(3):
        stream.head(103, [("link", "</style.css>; rel=preload")])
    stream.hello()


@case
def informational_flood(stream):
    for _ in range(3000):
        stream.head(100)
    stream.hello()


@case
def endless_informational(stream):
    while True:
        stream.head(103, [("x-fill", "x" * 100)])


@case
def switching_protocols(stream):
    stream.head(101)
    stream.hello()


@case
def informational_with_end(stream):
    stream.head(103, end=True)


# Frames of data

@case
def empty_data(stream):
    stream.head()
    for _ in range(5000):
        stream.data()
    stream.data(b"hello", True)


@case
def endless_empty_data(stream):
    stream.head()
    while True:
        stream.data()


@case
def only_end(stream):
    stream.head(fields=[("content-type", "text/plain")])
    stream.data(b"", True)


@case
def padded(stream):
    stream.head()
    stream.frame(DATA, PADDED, b"\xC8hel" + bytes(200))
    stream.frame(DATA, PADDED | END_STREAM, b"\x00lo")


@case
def too_much_padding(stream):
    stream.head()
    stream.frame(DATA, PADDED | END_STREAM, b"\x64hello")


@case
def data_before_head(stream):
    stream.data(b"hello")
    stream.hello()


@case
def data_after_end(stream):
    stream.hello()
    stream.data(b" again", True)


@case
def single_bytes(stream):
    stream.head()
    for _ in range(5000):
        stream.data(b"x")
    stream.data(b"", True)


@case
def beyond_the_window(stream):
    stream.head()
    while True:
        stream.frame(DATA, 0, bytes(16384))


@case
def endless_body(stream):
    stream.head()
    while True:
        stream.data(bytes(16384))


@case
def drip(stream):
    stream.head()
    while True:
        stream.data(b"x")
        time.sleep(0.05)


@case
def silence(stream):
    stream.until_closed()


@case
def silence_in_body(stream):
    stream.hello(end=False)
    stream.until_closed()


@case
def large(stream):
    stream.hello(bytes(range(256)) * 8192)


# Windows and settings

@case
def one_byte_windows(stream):
    """On a listener whose first window is one byte. The client may send more before it knows that."""
    allowed = 1
    while not stream.is_complete:
        count = stream.received
        if allowed <= count:
            stream.allow(count + 1 - allowed)
            allowed = count + 1
        stream.connection.wait(lambda: stream.received > count or stream.is_complete or stream.is_reset)
    stream.hello(str(stream.received).encode())


@case
def window_overflow(stream):
    stream.allow(0x7FFFFFFF)
    stream.allow(0x7FFFFFFF)
    stream.hello()


@case
def window_of_zero(stream):
    stream.allow(0)
    stream.hello()


@case
def shrinking_window(stream):
    stream.settings((INITIAL_WINDOW, 0))
    stream.settings((INITIAL_WINDOW, 65535))
    length(stream)


@case
def window_too_large(stream):
    stream.settings((INITIAL_WINDOW, 0xFFFFFFFF))
    stream.hello()


@case
def settings_storm(stream):
    # A busy libcurl takes 1,000 unanswered ones for an attack.
    for number in range(500):
        stream.settings((MAX_STREAMS, 50 + number % 50), (TABLE_SIZE, 4096 - number % 100))
    stream.hello()


@case
def endless_settings(stream):
    while True:
        stream.settings((MAX_STREAMS, 100))


@case
def long_settings(stream):
    stream.settings(*[(MAX_STREAMS, 100)] * 2000)
    stream.hello()


@case
def settings_of_odd_length(stream):
    stream.connection.frame(SETTINGS, 0, 0, b"12345")
    stream.hello()


@case
def settings_on_a_stream(stream):
    stream.frame(SETTINGS, 0, b"")
    stream.hello()


@case
def unknown_settings(stream):
    stream.settings((0x99, 1), (0xFFFF, 0xFFFFFFFF))
    stream.hello()


@cases_of(small=0, large=0xFFFFFFFF)
def frame_size(stream, size):
    stream.settings((MAX_FRAME, size))
    stream.hello()


@case
def no_header_table(stream):
    stream.settings((TABLE_SIZE, 0))
    stream.hello()


@case
def unrequested_acknowledgement(stream):
    stream.connection.frame(SETTINGS, ACK, 0)
    stream.hello()


@case
def pings(stream):
    for _ in range(50):
        stream.connection.frame(PING, 0, 0, b"12345678")
    stream.hello()


@case
def ping_flood(stream):
    for _ in range(5000):
        stream.connection.frame(PING, 0, 0, b"12345678")
    stream.hello()


@case
def endless_pings(stream):
    while True:
        stream.connection.frame(PING, 0, 0, b"12345678")


@case
def short_ping(stream):
    stream.connection.frame(PING, 0, 0, b"1234")
    stream.hello()


@case
def pings_without_an_answer(stream):
    """On a listener that answers neither PING nor SETTINGS."""
    stream.connection.frame(SETTINGS, 0, 0)
    stream.hello()


# Blocks of headers

@case
def continuations(stream):
    stream.frame(HEADERS, 0, b"\x88")
    for name in (b"x-a", b"x-b", b"x-c"):
        stream.frame(CONTINUATION, 0, literal(name, b"1"))
    stream.frame(CONTINUATION, END_HEADERS)
    stream.data(b"hello", True)


@case
def endless_continuations(stream):
    stream.frame(HEADERS, 0, b"\x88")
    while True:
        stream.frame(CONTINUATION, 0, b"\x00\x01a\x01b" * 1000)


@case
def empty_continuations(stream):
    stream.frame(HEADERS, 0, b"\x88")
    while True:
        stream.frame(CONTINUATION)


@case
def interrupted_headers(stream):
    stream.frame(HEADERS, 0, b"\x88")
    stream.connection.frame(PING, 0, 0, b"12345678")
    stream.frame(CONTINUATION, END_HEADERS)
    stream.data(b"hello", True)


@case
def continuation_alone(stream):
    stream.frame(CONTINUATION, END_HEADERS, b"\x88")
    stream.hello()


@case
def long_headers(stream):
    stream.head(fields=[(f"x-{number}", "x" * 2000) for number in range(200)])
    stream.data(b"hello", True)


@case
def long_header(stream):
    stream.head(fields=[("x-long", "x" * 300_000)])
    stream.data(b"hello", True)


@case
def many_headers(stream):
    stream.head(fields=[(f"x-{number}", "1") for number in range(1100)])
    stream.data(b"hello", True)


@case
def header_bomb(stream):
    """4 KB that are sent once, and repeated by single bytes: 16,000 of them are 64 MB."""
    stream.block(b"\x88" + b"\x40\x01x\x7f\x81\x1e" + b"x" * 4000 + b"\xbe" * 16000)
    stream.data(b"hello", True)


@cases_of(index=b"\xff\xff\xff\xff\x0f", zero=b"\x80", huffman=b"\x00\x81\xff\x00", cut=b"\x00\x05ab",
          table=b"\x3f\xff\xff\xff\x7f", integer=b"\x7f" + b"\xff" * 20)
def bad_block(stream, block):
    stream.block(b"\x88" + block)
    stream.data(b"hello", True)


def literal(name, value):
    """Encodes a field without any check."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


@cases_of(upper=literal(b"X-Upper", b"1"), connection=literal(b"connection", b"close"),
          keep_alive=literal(b"keep-alive", b"timeout=5"), chunked=literal(b"transfer-encoding", b"chunked"),
          upgrade=literal(b"upgrade", b"h2c"), second_status=b"\x8d", unknown_pseudo=literal(b":version", b"2"),
          late_pseudo=literal(b"x-a", b"1") + literal(b":status", b"200"), null=literal(b"x-a", b"a\0b"),
          line_feed=literal(b"x-a", b"a\nset-cookie: x=y"), carriage_return=literal(b"x-a", b"a\rb"),
          empty_name=literal(b"", b"1"), space_in_name=literal(b"x a", b"1"), colon_in_name=literal(b"x:a", b"1"),
          blanks=literal(b"x-a", b" a "), latin=literal(b"x-a", b"caf\xe9"))
def field(stream, block):
    stream.block(b"\x88" + block)
    stream.data(b"hello", True)


@cases_of(missing=b"", text=b"\x08\x03abc", short=b"\x08\x0299", long=b"\x08\x041000", empty=b"\x08\x00",
          zero=b"\x08\x03000", signed=b"\x08\x04+200", large=b"\x08\x03999")
def status(stream, block):
    stream.block(block)
    stream.data(b"hello", True)


# Lengths

@cases_of(short="3", long="10", text="five", signed="+5", huge="99999999999999999999", two="5, 6", same="5, 5")
def content_length(stream, value):
    stream.head(fields=[("content-length", value)])
    stream.data(b"hello", True)


@case
def two_lengths(stream):
    stream.head(fields=[("content-length", "5"), ("content-length", "50")])
    stream.data(b"hello", True)


@case
def length_without_data(stream):
    stream.head(fields=[("content-length", "5")], end=True)


@cases_of(no_content=204, not_modified=304)
def body_of(stream, code):
    stream.head(code, [("content-length", "5")] if code == 304 else [])
    stream.data(b"hello", True)


@case
def zipped_and_cut(stream):
    stream.head(fields=[("content-encoding", "gzip")])
    stream.data(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", True)


@case
def zipped_and_reset(stream):
    stream.head(fields=[("content-encoding", "gzip")])
    stream.data(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")
    stream.reset(NO_ERROR)


# Other frames

@case
def push(stream):
    block = stream.connection.encoder.encode(
        [(":method", "GET"), (":scheme", "https"), (":authority", "127.0.0.1"), (":path", "/pushed")])
    stream.frame(PUSH_PROMISE, END_HEADERS, struct.pack(">I", 2) + block)
    stream.hello()


@case
def unknown_frames(stream):
    for kind in (0x0A, 0x0C, 0x10, 0x42, 0xFF):
        stream.connection.frame(kind, 0xFF, 0, b"anything")
        stream.frame(kind, 0, b"anything")
    stream.hello()


@case
def oversized_frame(stream):
    stream.head()
    stream.frame(DATA, END_STREAM, bytes(3_000_000))


@case
def even_stream(stream):
    stream.connection.frame(HEADERS, END_HEADERS, 2, b"\x88")
    stream.hello()


@case
def idle_stream(stream):
    stream.connection.frame(RST_STREAM, 0, stream.number + 100, struct.pack(">I", CANCEL))
    stream.hello()


@case
def reset_of_everything(stream):
    stream.connection.frame(RST_STREAM, 0, 0, struct.pack(">I", CANCEL))
    stream.hello()


@case
def short_reset(stream):
    stream.frame(RST_STREAM, 0, b"\0")
    stream.hello()


@case
def own_dependency(stream):
    stream.frame(PRIORITY, 0, struct.pack(">IB", stream.number, 1))
    stream.hello()


@case
def garbage(stream):
    stream.connection.raw(os.urandom(100_000))
    stream.until_closed()


@case
def http1_text(stream):
    stream.connection.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    stream.until_closed()


# Uploads

@cases_of(with_reset=True, without_reset=False)
def early_refusal(stream, resets):
    """Refuses a body before it has arrived (RFC 9113, section 8.1)."""
    stream.head(413)
    stream.data(b"too large", True)
    if resets:
        stream.reset(NO_ERROR)
    else:
        stream.read_body()


@case
def early_200(stream):
    """Responds before the body has arrived, and resets the stream."""
    stream.hello()
    stream.reset(NO_ERROR)


@case
def early_length(stream):
    """Responds before the body has arrived. Only the length shows that the response is complete."""
    stream.head(fields=[("content-length", "5")])
    stream.data(b"hello", True)


@case
def close_during_upload(stream):
    stream.connection.wait(lambda: stream.received > 0)
    stream.close()


@case
def misdirected(stream):
    stream.head(421)
    stream.data(b"misdirected", True)


@case
def redirect(stream):
    """Redirects to another origin: the same server by another name."""
    stream.head(302, [("location", f"https://localhost:{ports['h2']}/seen/{stream.id}")], end=True)


@case
def seen(stream):
    """Answers with the request's fields."""
    stream.head()
    stream.data(json.dumps(stream.fields).encode(), True)


class HTTP1:
    """Answers each request over HTTP/1.1 with "one"."""

    def __init__(self, sock):
        self.sock = sock

    def run(self):
        try:
            data = b""
            while True:
                while b"\r\n\r\n" not in data:
                    part = self.sock.recv(65536)
                    if not part:
                        return
                    data += part
                data = data.split(b"\r\n\r\n", 1)[1]
                self.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
        except (Closed, OSError):
            pass
        finally:
            self.sock.close()


ports = {}


def serve(listener, profile, context):
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=greet, args=(sock, profile, context), daemon=True).start()


def greet(sock, profile, context):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        tls = TLS(sock, context)
    except (Closed, OSError):
        sock.close()
        return
    (Connection(tls, profile) if tls.ssl.selected_alpn_protocol() == "h2" else HTTP1(tls)).run()


def main(certificate, key, file):
    for profile in ("h2", "window0", "window1", "silent", "http1", "no_protocol"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        names = {"http1": ["http/1.1"], "no_protocol": None}.get(profile, ["h2", "http/1.1"])
        if names:
            context.set_alpn_protocols(names)
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        ports[profile] = listener.getsockname()[1]
        threading.Thread(target=serve, args=(listener, profile, context), daemon=True).start()
    with open(file + ".new", "w", encoding="utf-8") as output:
        json.dump(ports, output)
    os.rename(file + ".new", file)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
