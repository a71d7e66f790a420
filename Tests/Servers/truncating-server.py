"""Sends a response with chunks over TLS, then the end of TLS, and keeps the TCP connection open. At /cut, the last chunk
is missing.

    python3 Tests/Servers/truncating-server.py CERTIFICATE KEY FILE-FOR-THE-PORT
"""
import pathlib
import socket
import ssl
import sys
import threading


def serve(connection, context):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_side=True)

    def run(step, *arguments):
        while True:
            try:
                return step(*arguments)
            except ssl.SSLWantReadError:
                connection.sendall(outgoing.read())
                data = connection.recv(65_536)
                if not data:
                    raise EOFError from None
                incoming.write(data)

    try:
        run(tls.do_handshake)
        text = b""
        while b"first" not in text:
            text += run(tls.read, 65_536)
        body = b"a\r\nwhy\r\n" if b"/cut" in text else b"3\r\nwhy\r\n0\r\n\r\n"
        run(tls.write, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        # Sends the end, and waits for the client's.
        run(tls.unwrap)
    except (EOFError, OSError):
        pass
    connection.close()


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
with socket.create_server(("127.0.0.1", 0)) as listener:
    pathlib.Path(sys.argv[3]).write_text(str(listener.getsockname()[1]))
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0], context), daemon=True).start()
