"""Where the server comes from: --server=URL, else the mock server, started once (and anew where a test wants flags)."""
import os
import re
import resource
import signal
import subprocess

import openai
import pytest

from wire import Address


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)  # for a thousand clients


def pytest_addoption(parser):
    parser.addoption("--server", default=os.environ.get("INGOT_SERVER"), help="URL of a running server")


class Server:
    """A server of the test's own. `max_files`: the (soft, hard) limit of what it may open."""

    def __init__(self, *command, max_files=None):
        limit = None if max_files is None else lambda: resource.setrlimit(resource.RLIMIT_NOFILE, max_files)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=limit)
        self.url = self.wait_until_ready()
        self.address = Address.of(self.url)

    def wait_until_ready(self):
        """The first address that it prints."""
        for line in self.process.stdout:
            if found := re.search(r"http://[^/\s]+", line):
                return found[0]
        raise AssertionError(f"the server did not start: it ended with {self.process.wait()}")

    def client(self, api_key="none"):
        return openai.OpenAI(base_url=self.url + "/v1", api_key=api_key, max_retries=0, timeout=30)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)  # nothing, where it has ended
        return self.process.wait(timeout=10)


class MockServer(Server):
    def __init__(self, *flags, **limits):
        program = os.environ.get("INGOT_MOCK_SERVER") or pytest.skip("INGOT_MOCK_SERVER is not set")
        super().__init__(program, *flags, **limits)

    def fail_step(self):
        self.process.send_signal(signal.SIGUSR1)

    def kill_engine(self):
        self.process.send_signal(signal.SIGUSR2)


def servers_of(kind):
    """Makes servers of this kind. They must end well, as under a sanitizer one may not."""
    servers = []

    def start(*flags, **limits):
        servers.append(kind(*flags, **limits))
        return servers[-1]

    try:
        yield start
        assert all(server.stop() == 0 for server in servers)
    finally:
        for server in servers:
            server.process.kill()


@pytest.fixture(scope="session")
def url(request):
    given = request.config.getoption("--server")
    if given:
        yield given.rstrip("/")
        return
    server = MockServer("--step-us", "200")
    yield server.url
    assert server.stop() == 0


@pytest.fixture(scope="session")
def address(url):
    return Address.of(url)


@pytest.fixture(scope="session")
def client(url):
    return openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0, timeout=120)


@pytest.fixture(scope="session")
def model(client):
    return client.models.list().data[0].id


@pytest.fixture(scope="session")
def real_server(request):
    """For tests of what the mock engine has not: a prefix cache, steps that take time, a trained model."""
    if not request.config.getoption("--server"):
        pytest.skip("needs a server with a model: --server")


@pytest.fixture
def mock_server(request):
    """A factory of mock servers with flags of the test's own."""
    if request.config.getoption("--server"):
        pytest.skip("needs the mock server")
    yield from servers_of(MockServer)


def own_servers():
    program = os.environ["INGOT_E2E_BUILD"] + "/ingot"
    yield from servers_of(lambda *flags, **limits: Server(program, "serve", "--port", "0", *flags, **limits))


@pytest.fixture
def own_server(real_server):
    """A factory of servers with the default model and flags of the test's own."""
    yield from own_servers()


@pytest.fixture(scope="module")
def modules_server(real_server):
    """The same for a module's tests together."""
    yield from own_servers()
