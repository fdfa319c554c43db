#!/usr/bin/python3
"""upstream.py PORT - an HTTP server that answers each request after 50 ms; for the slow path of http.load."""
import socketserver
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Slow(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(0.05)
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"slow\n")

    def log_message(self, *arguments):
        pass


ThreadingHTTPServer.server_bind = socketserver.TCPServer.server_bind  # the other one looks the host's name up
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Slow).serve_forever()
