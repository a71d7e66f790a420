"""A bad network, for NetworkTests: runs a command in a network namespace whose only way to a server loses, delays or
reorders packets.

    bad-network.py FOLDER COMMAND...

The namespace of the command and that of the server each have a TUN device, and this program passes packets between
them. The command gets the server's address in NETWORK_SERVER, FOLDER in NETWORK_FOLDER, and an address for control in
NETWORK_CONTROL: "/use/NAME" chooses a network of `NETWORKS`, and "/packets" returns counts of its packets. Needs Linux,
and root or user namespaces.
"""
import ctypes
import dataclasses
import fcntl
import heapq
import http.server
import json
import os
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse

# Public addresses, for the test of a transport that refuses others. Nothing leaves the namespaces.
NEAR, FAR, PORT = "9.9.0.1", "9.9.0.2", 8080


@dataclasses.dataclass
class Network:
    """What happens to packets, in each direction. Times are in seconds."""
    loss: float = 0
    delay: float = 0
    jitter: float = 0
    # Bytes per second. A packet that would wait longer than `queue` is lost.
    rate: float = 0
    queue: float = 2
    # The share of packets that later ones overtake.
    reordering: float = 0
    # The count of packets after which the network is interrupted once, for `OUTAGE` seconds.
    outage_after: int = 0


OUTAGE = 5
NETWORKS = {
    "good": Network(),
    "loss1": Network(loss=0.01, delay=0.01),
    "loss5": Network(loss=0.05, delay=0.01),
    "delay": Network(delay=0.2, jitter=0.05),
    "modem": Network(delay=0.05, rate=7_000),
    "reordering": Network(delay=0.01, reordering=0.25),
    "outage": Network(delay=0.01, rate=500_000, outage_after=60),
    "train": Network(loss=0.03, delay=0.1, jitter=0.05, rate=100_000, reordering=0.05, outage_after=200),
}


class Link:
    """Passes packets between two TUN devices."""

    def __init__(self, near, far):
        self.devices = (near, far)
        self.random = random.Random(2026)
        self.use("good")
        self.waiting = []
        self.number = 0

    def use(self, name):
        self.network = NETWORKS[name]
        self.is_free_at = [0, 0]
        self.last = [0, 0]
        self.is_down_until = 0
        self.counts = {"passed": 0, "lost": 0, "reordered": 0}

    def receive(self, side, packet):
        network, now = self.network, time.monotonic()
        if now < self.is_down_until or self.random.random() < network.loss:
            self.counts["lost"] += 1
            return
        due = now
        if network.rate:
            due = max(now, self.is_free_at[side])
            if due - now > network.queue:
                self.counts["lost"] += 1
                return
            due += len(packet) / network.rate
            self.is_free_at[side] = due
        due += network.delay + self.random.uniform(-network.jitter, network.jitter)
        due = max(due, self.last[side])
        if self.random.random() < network.reordering:
            self.counts["reordered"] += 1
            due += 0.02
        else:
            self.last[side] = due
        self.number += 1
        heapq.heappush(self.waiting, (due, self.number, side, packet))

    def run(self):
        while True:
            wait = max(0, self.waiting[0][0] - time.monotonic()) if self.waiting else None
            for device in select.select(self.devices, [], [], wait)[0]:
                self.receive(self.devices.index(device), os.read(device, 65536))
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, side, packet = heapq.heappop(self.waiting)
                if time.monotonic() < self.is_down_until:
                    self.counts["lost"] += 1
                else:
                    os.write(self.devices[1 - side], packet)
                    self.counts["passed"] += 1
                    if self.counts["passed"] == self.network.outage_after:
                        self.is_down_until = time.monotonic() + OUTAGE


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status=200, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content_Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Control(Handler):
    def do_GET(self):
        _, verb, name = (self.path + "/").split("/")[:3]
        if verb == "use":
            self.server.link.use(name)
        self.answer(body=json.dumps(self.server.link.counts).encode(), Content_Type="application/json")


class Server(Handler):
    """The last part of a path is an ID of the test. "/log/ID" returns the ranges that requests with that ID asked for,
    and whether their bodies arrived complete."""
    log = {}
    timeout = 60

    def do_GET(self):
        _, verb, value, name = (self.path + "//").split("/")[:4]
        if verb == "log":
            return self.answer(body=json.dumps(self.log.get(value, [])).encode(), Content_Type="application/json")
        self.log.setdefault(name, []).append(self.headers.get("Range", ""))
        getattr(self, verb)(value)

    def do_PUT(self):
        """The path has the name of the file that the body must equal."""
        _, expected, name = self.path.split("/")
        entries = self.log.setdefault(name, [])
        number = len(entries)
        entries.append("incomplete")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(os.path.join(self.server.folder, expected), "rb") as file:
            entries[number] = "same" if body == file.read() else f"{len(body)} different bytes"
        self.answer()

    do_POST = do_PUT

    def item(self, value):
        self.answer(body=json.dumps({"id": int(value)}).encode(), Content_Type="application/json")

    def file(self, value):
        with open(os.path.join(self.server.folder, value), "rb") as file:
            body = file.read()
        tag = '"%s"' % value
        part = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if not part or self.headers.get("If-Range", tag) != tag:
            return self.answer(200, body, ETag=tag, Accept_Ranges="bytes")
        start = int(part[1])
        if start >= len(body):
            return self.answer(416, Content_Range=f"bytes */{len(body)}")
        self.answer(206, body[start:], ETag=tag, Content_Range=f"bytes {start}-{len(body) - 1}/{len(body)}")

    def events(self, value):
        """Sends an event each 50 ms, and no more after the given number."""
        first = int(self.headers.get("Last-Event-ID") or 0) + 1
        if first > int(value):
            return self.answer(204)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number in range(first, int(value) + 1):
            self.wfile.write(b"id: %d\ndata: %d\n\n" % (number, number))
            time.sleep(0.05)

    def redirect(self, value):
        self.answer(302, Location="http://" + urllib.parse.unquote(value))

    def wait(self, value):
        time.sleep(int(value))
        self.answer()

    def drip(self, value):
        """Sends a byte each 100 ms."""
        self.answer(Content_Length=value)
        for _ in range(int(value)):
            self.wfile.write(b"*")
            time.sleep(0.1)


class HTTPServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, *_):
        # Connections end at any time.
        pass


def enter_namespace(flags):
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        sys.exit(f"failed: no network namespace: {os.strerror(ctypes.get_errno())}")


def device(address):
    """Opens a TUN device, and gives it an address."""
    file = os.open("/dev/net/tun", os.O_RDWR)
    # TUNSETIFF with IFF_TUN and IFF_NO_PI.
    fcntl.ioctl(file, 0x400454CA, struct.pack("16sH14x", b"bad0", 0x1001))
    for command in ("link set lo up", f"addr add {address}/24 dev bad0", "link set bad0 up"):
        subprocess.run(["ip", *command.split()], check=True)
    return file


def serve(folder, channel):
    """Runs the server in a namespace of its own, until the other process ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    enter_namespace(0x40000000)
    socket.send_fds(channel, [b"x"], [device(FAR)])
    server = HTTPServer((FAR, PORT), Server)
    server.folder = folder
    channel.send(b"x")
    server.serve_forever()


def main(folder, *command):
    # Root doesn't need a user namespace.
    user, group = os.getuid(), os.getgid()
    enter_namespace(0x40000000 | (0x10000000 if user else 0))
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    for size in (32 << 10, 1 << 20):
        with open(os.path.join(folder, str(size)), "wb") as file:
            file.write(random.Random(size).randbytes(size))
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        serve(folder, theirs)
    theirs.close()
    _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    link = Link(device(NEAR), descriptors[0])
    if not ours.recv(1):
        sys.exit("failed: no server")
    control = HTTPServer(("127.0.0.1", 0), Control)
    control.link = link
    for work in (link.run, control.serve_forever):
        threading.Thread(target=work, daemon=True).start()
    environment = {
        "NETWORK_FOLDER": folder,
        "NETWORK_SERVER": f"http://{FAR}:{PORT}",
        "NETWORK_CONTROL": "http://127.0.0.1:%d" % control.server_address[1],
    }
    sys.exit(subprocess.run(command, env=os.environ | environment).returncode)


main(*sys.argv[1:])
