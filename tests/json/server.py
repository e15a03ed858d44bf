"""Requests to `routh view` as a server, for check: pairs of a section of docs/json.md and the answer. No clock: a request is repeated until
the state that it waits for has come, or the server has ended."""
import base64
import os
import re
import socket
import struct
import subprocess
import urllib.request

EXPORTED = re.compile(r'<script[^>]*class="routh-head"[^>]*>(.*?)</script>', re.S)


class Server:
    """`routh view WORDS`, until the end of the with statement."""

    def __init__(self, program, folder, *words):
        self.process = subprocess.Popen([program, "view", *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        address = self.process.stdout.readline().strip()
        self.base, _, self.token = address.partition("/?token=")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def get(self, path):
        with urllib.request.urlopen(f"{self.base}{path}?token={self.token}") as answer:
            return answer.read().decode()

    def wait(self, path, pattern):
        """Repeats the request until the answer has the pattern."""
        while True:
            text = self.get(path)
            if re.search(pattern, text):
                return text

    def send(self, text):
        """One message of a page, by a WebSocket of its own."""
        host, port = self.base.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as line:
            key = base64.b64encode(os.urandom(16)).decode()
            line.sendall((f"GET /ws?token={self.token} HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: {self.base}\r\nUpgrade: websocket\r\n"
                          f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Protocol: routh\r\n\r\n").encode())
            answer = b""
            while b"\r\n\r\n" not in answer:
                more = line.recv(4096)
                if not more:
                    raise ConnectionError("the server refused a WebSocket")
                answer += more
            data, mask = text.encode(), os.urandom(4)
            body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
            line.sendall(struct.pack("!BB", 0x81, 0x80 | len(data)) + mask + body)
            line.sendall(struct.pack("!BB", 0x88, 0x80) + mask)  # close, after the message was taken
            while line.recv(4096):
                pass


def ask_live(program, folder):
    path = os.path.join(folder, "live.yaml")
    with Server(program, folder, "live.yaml") as server:
        yield "GET /runs", server.get("/runs")
        yield "GET /head/RUN", server.get("/head/0")
        server.send("set contacts.0.mu 0.3")
        server.send("set contacts.0.mu -7")
        yield "GET /now/RUN", server.wait("/now/0", r'"refused":"')
        yield "GET /head/RUN", server.get("/head/0")
        yield "GET /values/RUN", server.get("/values/0")
        for contact in range(3):
            yield "GET /law/RUN/CONTACT", server.get(f"/law/0/{contact}")
        yield "GET /scene", server.get("/scene")
        yield "GET /impacts/RUN/EVENT", server.wait("/impacts/0/0", r'"contacts"')
        server.send("set world.gravity [5,0,-9.81]")
        yield "GET /now/RUN", server.wait("/now/0", r'"ended":"')
        yield "GET /events/RUN/FIRST", server.get("/events/0/0")
        yield "GET /head/RUN", server.get("/head/0")
        yield "GET /file", server.get("/file")
        with open(path, "a", encoding="utf-8") as file:
            file.write("nonsense: 1\n")
        os.utime(path, (1e9, 1e9))  # a time of change that differs from the first in any case
        yield "GET /file", server.wait("/file", r'"fault":"')


def ask_recordings(program, folder):
    for name in ("block.rhr", "session.rhr", "terrain.rhr", "crowd.rhr"):
        with Server(program, folder, name) as server:
            yield "GET /head/RUN", server.get("/head/0")
            yield "GET /now/RUN", server.get("/now/0")
            yield "GET /events/RUN/FIRST", server.get("/events/0/0")
            if name == "block.rhr":
                for event in range(8):
                    yield "GET /impacts/RUN/EVENT", server.get(f"/impacts/0/{event}")


def ask_sandbox(program, folder):
    with Server(program, folder) as server:
        server.send("add ball 0 0 1 1 0 0 0 0 0 0 1000 7")
        yield "GET /file of a sandbox", server.wait("/file", r'"refused":"')


def make_documents(program, folder):
    yield from ask_live(program, folder)
    yield from ask_recordings(program, folder)
    yield from ask_sandbox(program, folder)
    with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
        yield "GET /head/RUN", EXPORTED.search(file.read())[1]
