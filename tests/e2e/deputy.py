"""A person's command for the tests: drives the mock's console with a login that the test wrote down.

Reads one act on standard input, does it with plain HTTP, tells what the page says. Sessions are made anew each time.
"""

import json
import re
import sys
import urllib.parse
import urllib.request
from html import unescape
from http.cookiejar import CookieJar

PASSWORDS = sys.argv[1]


def text(html: str) -> str:
    """The words of a page."""
    bare = re.sub(r"<(style|script|head)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def fields(html: str, action: str) -> tuple[str, dict[str, str]]:
    """Where the form goes whose address ends so, and its hidden fields."""
    for form in re.findall(r"<form\b.*?</form>", html, flags=re.DOTALL):
        where = unescape(re.search(r'action="([^"]*)"', form)[1])
        if where.split("?")[0].endswith(action):
            hidden = re.findall(r'<input[^>]*type="hidden"[^>]*>', form)
            named = {
                re.search(r'name="([^"]*)"', one)[1]: unescape(re.search(r'value="([^"]*)"', one)[1])
                for one in hidden
            }
            return where, named
    return "", {}


def main() -> None:
    """One act."""
    wanted = json.load(sys.stdin)
    with open(PASSWORDS, encoding="utf-8") as file:
        password = json.load(file)[wanted["who"]["email"]]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    page = browser.open(wanted["url"]).read().decode()
    where, named = fields(page, "/login")
    if where:
        sent = urllib.parse.urlencode(
            {**named, "email": wanted["who"]["email"], "password": password}
        ).encode()
        page = browser.open(urllib.parse.urljoin(wanted["url"], where), sent).read().decode()
    where, named = fields(page, "/continue" if wanted["decision"] != "cancel" else "/cancel")
    decidable = bool(where)
    if decidable and wanted["decision"] != "look":
        sent = urllib.parse.urlencode(named).encode()
        page = browser.open(urllib.parse.urljoin(wanted["url"], where), sent).read().decode()
    json.dump({"seen": text(page), "decidable": decidable}, sys.stdout)


main()
