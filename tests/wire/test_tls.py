"""The transport over TLS: whom it trusts, and what it says where it does not."""

import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from harness.transport import Transport
from tests.wire.peers import answering, http, post


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [*command, *names, "-keyout", path, "-out", f"{path}.crt"], check=True, capture_output=True
    )
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


@pytest.fixture
def tls_peer(peer, certificate: Path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def behave(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            answering(http(b"{}"))(secure)

    return peer(behave)


def test_tls_with_a_given_authority_keeps_its_connection(tls_peer, certificate: Path) -> None:
    url = tls_peer.url.replace("http://127.0.0.1", "https://localhost")
    with Transport(ca_file=f"{certificate}.crt") as transport:
        for _ in range(3):
            sent = transport.send(post(url, b"x" * 500_000), timeout=5)
            assert (sent.problem, sent.answer.body) == (None, b"{}")
    assert tls_peer.accepted == 1


def test_tls_without_verification(tls_peer) -> None:
    with Transport(verify=False) as transport:
        assert transport.send(post(tls_peer.url.replace("http:", "https:")), timeout=5).problem is None


def test_a_certificate_nobody_vouches_for(tls_peer, transport) -> None:
    sent = transport.send(post(tls_peer.url.replace("http://127.0.0.1", "https://localhost")), timeout=5)
    assert sent.answer is None
    assert sent.problem.startswith("the TLS handshake failed: the certificate is not trusted (")


def test_tls_to_a_peer_without_it(peer, transport) -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(http(b"{}", status=b"400 Plain HTTP"))

    sent = transport.send(post(peer(behave).url.replace("http:", "https:")), timeout=5)
    assert sent.answer is None
    assert sent.problem.startswith("the TLS handshake failed: ")
