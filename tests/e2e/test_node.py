"""The official Node client, installed into the build folder: chat, streams, completions, stop, errors, leaving early."""
import os
import pathlib
import shutil
import subprocess

import pytest

from wire import becomes, metric

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def node_client():
    """The script beside its pinned packages."""
    for program in ("node", "npm"):
        assert shutil.which(program), f"{program} is missing: install Node.js 20 or newer (Debian: apt install nodejs npm)"
    folder = pathlib.Path(os.environ["INGOT_E2E_BUILD"]) / "e2e-node"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    stamp = folder / ".installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.copy(HERE / "package.json", folder)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=120)
        stamp.write_text(wanted)
    return shutil.copy(HERE / "openai_client.mjs", folder)


def test_openai_for_node(node_client, url, address):
    done = subprocess.run(["node", node_client, url], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert becomes(lambda: metric(address, "vllm:num_requests_running") == 0)
