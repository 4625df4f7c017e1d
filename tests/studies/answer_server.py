"""A small HTTP server around a store, made to be killed; a script for the tests.

    python answer_server.py URL

For every line on its input it starts a server in a process of its own, which takes
no time because everything is imported already, and prints the port and the number
of the process. The server keeps nothing: what it knows it reads from the store.

    POST /ask/TOKEN     -> {"question": "..."}, a new one or the one that is open
    POST /answer/TOKEN  {"question": "...", "answer": "..."}  -> 200, or 409
"""

import json
import os
import secrets
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from penchant.exceptions import ConflictError
from penchant.studies import SqlStore
from penchant.studies._replay import replay


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: SqlStore

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        _, what, token = self.path.split("/")
        person = self.store.find_participant(token)
        try:
            job = ask if what == "ask" else answer
            status, reply = 200, job(self.store, person.id, body)
        except ConflictError as error:
            status, reply = 409, {"detail": str(error)}
        content = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def ask(store: SqlStore, participant_id: str, _body: dict[str, Any]) -> dict[str, Any]:
    log = store.events(participant_id)
    now = replay(log, n_items=3).participation
    if now.open_question is not None:
        return {"question": now.open_question.id}
    question = secrets.token_hex(8)
    body = {"question": question, "form": "pair", "items": [0, 1], "repeat": False}
    store.append(participant_id, len(log), [("asked", body)])
    return {"question": question}


def answer(
    store: SqlStore, participant_id: str, body: dict[str, Any]
) -> dict[str, Any]:
    log = store.events(participant_id)
    now = replay(log, n_items=3).participation
    told = now.answer_to(body["question"])
    if told is not None:
        if told.answer != body["answer"]:
            raise ConflictError("answered differently before")
        return {}
    if now.open_question is None or now.open_question.id != body["question"]:
        raise ConflictError("not open")
    store.append(participant_id, len(log), [("answered", body)])
    return {}


def serve(url: str, tell: int) -> None:
    Handler.store = SqlStore(url)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    os.write(tell, f"{server.server_port} {os.getpid()}\n".encode())
    server.serve_forever()


def main(url: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead need no burial
    for _ in sys.stdin:
        if os.fork() == 0:
            sys.stdin.close()
            serve(url, sys.stdout.fileno())


if __name__ == "__main__":
    main(sys.argv[1])
