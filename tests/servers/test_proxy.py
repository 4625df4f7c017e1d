"""The whole of what a public server is made of: nginx, https, a path, penchant."""

import http.cookiejar
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import pytest

from benchmarks import bench_load
from benchmarks import site as site_benchmark
from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, check_store, store_url
from penchant.web import hash_password

ROOT = Path(__file__).parents[2]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while True:
        assert process.poll() is None, "it ended"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, SqlStore, ssl.SSLContext]]:
    """Start penchant and nginx; give the address, the store, and whom to trust."""
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian: nginx-light).")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-keyout", str(key), "-out", str(certificate), "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost"),
        ],
        check=True,
        capture_output=True,
    )
    inner, outer = free_port(), free_port()
    public = f"https://localhost:{outer}/penchant/"
    settings = tmp_path / "penchant.toml"
    settings.write_text(
        f'public_url = "{public}"\nport = {inner}\nproxy = ["127.0.0.1"]\n'
        f'data = "{tmp_path / "studies"}"\nmetrics_token = "a word"\n'
    )
    parts = {
        "PENCHANT_UPSTREAM": f"127.0.0.1:{inner}",
        "PENCHANT_LISTEN": f"127.0.0.1:{outer}",
        "PENCHANT_NAME": "localhost",
        "PENCHANT_CERTIFICATE": str(certificate),
        "PENCHANT_CERTIFICATE_KEY": str(key),
    }
    # Only what is in capitals is ours; the rest are variables of nginx.
    text = Template((ROOT / "hosting" / "nginx.conf").read_text()).safe_substitute(
        parts
    )
    places = "".join(
        f"    {kind}_temp_path {tmp_path / kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = tmp_path / "nginx.conf"
    config.write_text(
        f"pid {tmp_path / 'nginx.pid'};\nerror_log {tmp_path / 'error.log'};\n"
        + ("user root;\n" if os.geteuid() == 0 else "")
        + text.replace("http {\n", f"http {{\n{places}", 1)
    )
    program = "from penchant.cli import main; main()"
    app = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--config", str(settings), "--no-open"]
    )
    proxy = subprocess.Popen([NGINX, "-c", str(config), "-g", "daemon off;"])
    try:
        wait_for(inner, app)
        wait_for(outer, proxy)
        with SqlStore(store_url(tmp_path / "studies")) as store:
            yield public, store, ssl.create_default_context(cafile=certificate)
    finally:
        for process in (proxy, app):
            process.terminate()
            process.wait(30)


class Browser:
    """Follows links and keeps cookies, as a browser does."""

    def __init__(self, trusted: ssl.SSLContext) -> None:
        self.cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=trusted),
            urllib.request.HTTPCookieProcessor(self.cookies),
        )

    def __call__(self, url: str, **fields: str) -> Any:
        data = urllib.parse.urlencode(fields).encode() if fields else None
        with self._opener.open(url, data, timeout=60) as response:
            return response.url, response.headers, response.read().decode()


@pytest.mark.slow
@pytest.mark.soak
def test_everything_works_behind_nginx_with_https_under_a_path(
    site: tuple[str, SqlStore, ssl.SSLContext],
) -> None:
    public, store, trusted = site
    store.add_owner("ada", hash_password("correct horse"), "admin")
    study = Study(store, store.create_study("Flats", load_flats().take(range(6))))
    browser = Browser(trusted)
    url, headers, page = browser(public)
    assert url == f"{public}login"
    assert headers["Strict-Transport-Security"]
    style = re.findall(r'href="(/penchant/static/[^"]*css)"', page)[0]
    assert browser(urllib.parse.urljoin(public, style))[0].startswith(public)
    url, _, page = browser(f"{public}login", name="ada", password="correct horse")
    assert url == public
    (cookie,) = browser.cookies
    assert (cookie.path, cookie.secure) == ("/penchant", True)
    _, _, page = browser(f"{public}studies/{study.id}")
    invitation = re.findall(r'value="(https://[^"]*/join)"', page)[0]
    assert invitation == f"{public}s/{study.id}/join"
    guest = Browser(trusted)
    home, _, page = guest(invitation, label="Zoe")
    assert home.startswith(f"{public}p/")
    for _ in range(3):
        question = re.findall(r'name="question" value="(\w+)"', page)[0]
        url, _, page = guest(f"{home}/answer", question=question, answer="left")
        assert url == home
    assert guest(f"{home}/result")[0] == f"{home}/result"
    assert check_store(store).n_answers == 3
    request = urllib.request.Request(
        f"{public}metrics", headers={"Authorization": "Bearer a word"}
    )
    with urllib.request.urlopen(request, context=trusted, timeout=60) as counts:
        assert "penchant_answers_total 3.0" in counts.read().decode()


@pytest.mark.slow
@pytest.mark.soak
def test_the_benchmark_of_the_whole_site_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    if NGINX is None or not list(Path("/usr/lib/postgresql").glob("*/bin")):
        pytest.skip("nginx or PostgreSQL is not installed (Debian: nginx-light).")
    monkeypatch.setattr(bench_load, "THINK", 0.1)
    found = site_benchmark.run(n_people=5, n_items=20, arrive=0.5)
    assert found["first errors"] == []
    assert (found["errors"], found["answers lost"]) == (0, 0)
    assert found["problems in the database"] == 0
    assert found["people"] == 5
    assert found["answers"] >= 5
