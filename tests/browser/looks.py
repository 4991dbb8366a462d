"""What can be measured on a page as a browser draws it."""

from collections import Counter
from typing import Any

from playwright.sync_api import Page

NAMED_ROLES = frozenset({"button", "link", "textbox", "region", "navigation", "group", "table", "heading"})
"""Roles that say nothing to somebody who cannot see, unless they have a name."""

_CONTRAST = """
() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = color => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = color => {
    const [r, g, b] = [...rgba(color)].slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (rgba(color)[3] === 255) return color;
    }
    return 'Canvas';
  };
  const found = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const text = walker.currentNode.data.trim().slice(0, 40);
    if (ratio < 4.5) found[text] = Math.round(ratio * 100) / 100;
  }
  return found;
}
"""
_FOCUS = """
async () => {
  // The page scrolls to what has the focus when it is drawn the next time.
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  return {
    name: (at.ariaLabel || at.labels?.[0]?.textContent || at.textContent).trim().replace(/\\s+/g, ' '),
    ring: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
    inside: at !== document.body && box.top >= 0 && box.bottom <= innerHeight && box.width > 0,
  };
}
"""


def too_faint(page: Page) -> dict[str, float]:
    """Texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3 AA), and that contrast."""
    found: dict[str, float] = page.evaluate(_CONTRAST)
    return found


def ground(page: Page) -> float:
    """How light the ground of a page is, from 0 (black) to 255 (white)."""
    color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(float, color.removeprefix("rgb(").removesuffix(")").split(","))) / 3


def focus(page: Page) -> dict[str, Any]:
    """The element with the focus: its name, the width of its ring in CSS pixels, whether it is in view."""
    found: dict[str, Any] = page.evaluate(_FOCUS)
    return found


def width(page: Page) -> tuple[int, int]:
    """How wide a page is and how wide the window is: sideways scrolling begins where they differ."""
    found = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    return found[0], found[1]


def accessible(page: Page) -> tuple[list[str], Counter[str]]:
    """From the accessibility tree: roles that lack their name, and how often each role occurs.

    A heading counts as `heading 1`, `heading 2` and so on too.
    """
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    nameless: list[str] = []
    roles: Counter[str] = Counter()
    for node in nodes:
        if node["ignored"]:
            continue
        role = str(node["role"]["value"])
        roles[role] += 1
        levels = [each["value"]["value"] for each in node.get("properties", ()) if each["name"] == "level"]
        if role == "heading":
            roles[f"heading {levels[0]}"] += 1
        if role in NAMED_ROLES and not node.get("name", {}).get("value", "").strip():
            nameless.append(role)
    return nameless, roles
