"""Takes pictures of the console with a headless Chromium: `python tests/console/screens.py FOLDER`.

Needs `chromium` on the PATH. It starts the mock API as a program, goes through the approvals of one person over HTTP
and lets the browser draw what came back. The pages are read from files beside the style sheet, so a picture shows
exactly what was answered.
"""

import json
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

WIDTHS = {"wide": (1100, 1250), "phone": (380, 1500)}
HOSTILE = "<script>alert(1)</script> \u202egnp.exe " + "muito texto. " * 900


class Stage:
    """A running mock with one tenant, one person in front of the console."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        secret = secrets.token_urlsafe()
        process.stdin.write(secret + "\n")
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        self.folder = folder
        self.control = httpx.Client(
            base_url=ready["control_url"], headers={"authorization": f"Bearer {secret}"}
        )
        self.browser = httpx.Client(base_url=ready["api_url"], follow_redirects=True)
        self.world = self.control.post("/_control/tenants", json={"seed": "retratos"}).json()
        self.person = self.world["people"][0]
        path = f"/_control/tenants/{self.world['id']}/tokens"
        token = self.control.post(path, json={"person": self.person["id"]}).json()["token"]
        self.api = httpx.Client(base_url=ready["api_url"], headers={"authorization": f"Bearer {token}"})

    def newest(self, collection: str) -> str:
        return str(self.world["records"][collection][0]["id"])

    def ask(self, operation: str, **arguments: Any) -> str:
        body = {"operation": operation, "arguments": arguments}
        answer = self.api.post("/v1/operation_approvals", json=body)
        answer.raise_for_status()
        return str(answer.json()["url"])

    def press(self, url: str, button: str) -> str:
        page = self.browser.get(url).text
        part = page.split(f'/{button}">', 1)[1].split("</form>", 1)[0]
        names = [piece.split('"')[0] for piece in part.split('name="')[1:]]
        values = [piece.split('"')[0] for piece in part.split('value="')[1:]]
        form = dict(zip(names, values, strict=True))
        return self.browser.post(f"{url}/{button}", data=form).text

    def draw(self, name: str, page: str) -> None:
        page = page.replace('href="/console/console.css', 'href="console.css')
        (self.folder / "console.css").write_bytes(self.browser.get("/console/console.css").content)
        source = self.folder / f"{name}.html"
        source.write_text(page, encoding="utf-8")
        for label, (width, height) in WIDTHS.items():
            self._shoot(source, self.folder / f"{name}-{label}.png", width, height)

    def _shoot(self, source: Path, picture: Path, width: int, height: int) -> None:
        # A window of Chromium has a least width, so a phone is a frame of that width within one.
        shown = source
        if width < 600:
            shown = source.with_name(f"{source.stem}-framed.html")
            shown.write_text(
                f'<body style="margin:0"><iframe src="{source.name}" style="border:0" '
                f'width="{width}" height="{height}"></iframe>',
                encoding="utf-8",
            )
        with tempfile.TemporaryDirectory() as profile:
            subprocess.run(
                [
                    "chromium",
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--hide-scrollbars",
                    f"--user-data-dir={profile}",
                    f"--window-size={max(width, 600)},{height}",
                    f"--screenshot={picture}",
                    shown.as_uri(),
                ],
                check=True,
                capture_output=True,
                timeout=60,
            )


def main(folder: Path) -> None:
    """Draw every page into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "mock_api", "--control-secret-file", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        _draw_all(Stage(process, folder))
    finally:
        process.communicate(timeout=15)


def _draw_all(stage: Stage) -> None:
    run = {"id": stage.newest("tasks"), "environment_id": stage.newest("environments")}
    url = stage.ask("kadu_tasks_run", **run, parameters={"limite_centavos": 15000}, idempotency_key="dia-30")
    stage.draw("login", stage.browser.get(url).text)
    form = {"email": stage.person["email"], "password": "errada", "next": "/settings/approvals"}
    stage.draw("login-refused", stage.browser.post("/login", data=form).text)
    stage.browser.post("/login", data={**form, "password": stage.person["password"]})
    stage.draw("approval", stage.browser.get(url).text)
    stage.draw("executed", stage.press(url, "continue"))
    rotate = stage.ask("kadu_webhooks_rotate_secret", id=stage.newest("webhooks"))
    stage.draw("secret", stage.press(rotate, "continue"))
    stage.draw("secret-reloaded", stage.browser.get(rotate).text)
    execution = stage.world["records"]["executions"][0]["id"]
    hostile = stage.ask("kadu_executions_continue", id=execution, instructions=HOSTILE[:4000])
    stage.draw("hostile", stage.browser.get(hostile).text)
    stage.draw("declined", stage.press(hostile, "cancel"))
    doomed = stage.ask("kadu_environments_delete", id=stage.newest("environments"))
    stage.draw("delete", stage.browser.get(doomed).text)
    path = f"/_control/tenants/{stage.world['id']}/people/{stage.person['id']}"
    stage.control.patch(path, json={"without_permissions": ["agent.environments.delete"]})
    stage.draw("failed", stage.press(doomed, "continue"))
    for _ in range(3):
        stage.ask("kadu_tasks_run", **run)
    stage.draw("settings", stage.browser.get("/settings/approvals").text)
    stage.draw("settings-executed", stage.browser.get("/settings/approvals?tab=executed").text)
    stage.draw("nothing", stage.browser.get("/approvals/nenhum").text)


if __name__ == "__main__":
    if shutil.which("chromium") is None:
        sys.exit("Chromium is not on the PATH; install it to take pictures.")
    if len(sys.argv) != 2:
        sys.exit("Usage: python tests/console/screens.py FOLDER")
    main(Path(sys.argv[1]))
