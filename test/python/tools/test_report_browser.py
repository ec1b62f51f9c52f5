"""What a browser makes of the page of a report."""

import pytest

from browser import CHROMIUM, Browser
from test_report import (HOSTILE, WITH_REGIONS, chain, compiled, hostile_model,  # pylint: disable=unused-import
                         report)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the package chromium is absent")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(str(tmp_path_factory.mktemp("browser"))) as window:
        yield window


def open_page(browser, path, tab="passes"):
    browser.events.clear()
    browser.open("about:blank")
    browser.open(f"{path.as_uri()}#{tab}")
    return browser


def titles(browser, pane=0):
    """What the boxes of a graph have as their first line."""
    found: list[str] = browser.run(
        f"[...document.querySelectorAll('.pane')[{pane}].querySelectorAll('.item')]"
        ".map((item) => item.querySelector('text').textContent)")
    return found


def click(browser, selector, event="click"):
    assert browser.run(f"document.querySelector({selector!r})"
                       f".dispatchEvent(new Event('{event}', {{bubbles: true}}))")


def test_passes(browser, compiled):
    page = open_page(browser, compiled / "report.html")
    rows = page.run("[...document.querySelectorAll('#steps tr.step')].map("
                    "(row) => [...row.cells].map((cell) => cell.textContent))")
    (fuse,) = [row for row in rows if row[1] == "relay-fuse-ops"]
    assert int(fuse[5]) < int(fuse[6])
    click(page, f"tr[data-step='{fuse[0]}']")
    shown = page.run("document.getElementById('step').innerText")
    assert "relay.call" in shown and "lines removed" in shown
    assert page.run("document.querySelectorAll('#step .added').length") > 5
    assert page.problems() == []


def test_graphs(browser, compiled):
    page = open_page(browser, compiled / "report.html", "graphs")
    before, after = titles(page, 0), titles(page, 1)
    assert before.count("nn.dense") == 4 and before.count("nn.relu") == 3
    # Fused groups are open, and have what was there before in them.
    assert after.count("nn.dense") == 4
    assert page.run("document.querySelectorAll('.pane')[1]"
                    ".querySelectorAll('.item.k-primitive').length") == 4
    # Boxes are below what they use, and all in sight.
    boxes = page.run("[...document.querySelectorAll('.pane')[0].querySelectorAll('.item')]"
                     ".map((item) => item.getBoundingClientRect().top)")
    assert boxes == sorted(boxes) and max(boxes) < 900
    # An operator tells what it is; which kernel it became; and how long that takes.
    click(page, ".pane .item:nth-child(n+15)")
    details = page.run("document.getElementById('details').innerText")
    for name in ("operation", "type", "place", "kernel", "time of the kernel"):
        assert name in details
    assert "tensor<1x1024xf32>" in details and "fused_nn_dense" in details
    assert page.problems() == []


def test_groups_search_and_zoom(browser, compiled):
    page = open_page(browser, compiled / "report.html", "graphs")
    count = len(titles(page, 1))
    selector = ".pane:nth-child(2) .item.k-primitive"
    click(page, selector, "dblclick")
    assert len(titles(page, 1)) < count
    click(page, ".details h2 + button")
    assert len(titles(page, 1)) == count
    page.run("(() => { const box = document.querySelector('.pane:nth-child(2) input');"
             "box.value = 'relay.nn.bias_add'; box.dispatchEvent(new KeyboardEvent('keydown', "
             "{key: 'Enter'})); })()")
    results = page.run("document.querySelector('.pane:nth-child(2) .results').innerText")
    assert results.startswith("4 found")
    click(page, ".pane:nth-child(2) .results button")
    assert "nn.bias_add" in page.run("document.getElementById('details').innerText")
    layer = "document.querySelector('.pane .canvas svg > g').getAttribute('transform')"
    before = page.run(layer)
    page.run("document.querySelector('.pane .canvas svg').dispatchEvent("
             "new WheelEvent('wheel', {deltaY: -100, clientX: 200, clientY: 300}))")
    assert page.run(layer) != before
    assert page.problems() == []


def test_kinds_of_groups(browser, tmp_path):
    report(tmp_path, WITH_REGIONS, "--cse")
    page = open_page(browser, tmp_path / "report.html", "graphs")
    for kind, title in (("external", "▾ @npu"), ("region", "▾ in if")):
        assert page.run(f"document.querySelector('.pane .item.k-{kind} text').textContent") == title
    click(page, ".pane .item.k-external")
    assert "for the compiler npu" in page.run("document.getElementById('details').innerText")
    assert page.problems() == []


def test_memory(browser, compiled):
    page = open_page(browser, compiled / "report.html", "memory")
    assert page.run("document.querySelectorAll('#memory .tensor').length") > 1
    click(page, "#memory .tensor")
    assert "of storage 0, steps 0 (fused_nn_dense" in page.run(
        "document.getElementById('tensor').textContent")
    assert page.problems() == []


def test_names_are_text(browser, tmp_path):
    page = open_page(browser, hostile_model(tmp_path), "graphs")
    assert page.run("document.querySelectorAll('img').length") == 0
    names = page.run("[...document.querySelectorAll('option')].map((o) => o.textContent)")
    assert f"@{HOSTILE}" in names
    click(page, ".pane .item.k-op")
    assert HOSTILE in page.run("document.getElementById('details').textContent")
    assert page.problems() == []


@pytest.mark.parametrize("length", [5000, 20000])
def test_large_graphs_are_groups(browser, tmp_path, length):
    report(tmp_path, chain(length), "--relay-fuse-ops")
    page = open_page(browser, tmp_path / "report.html", "graphs")
    assert 10 < len(titles(page)) < 300
    assert page.run("document.querySelectorAll('.item.k-chunk').length") > 10
    number = len(titles(page))
    click(page, ".pane .item.k-chunk", "dblclick")
    assert len(titles(page)) > number
    # What is in a closed group is found, and shown.
    page.run("(() => { const box = document.querySelector('.pane input');"
             f"box.value = 'mlir:{length - 5}:'; box.dispatchEvent(new KeyboardEvent('keydown', "
             "{key: 'Enter'})); })()")
    click(page, ".pane .results button")
    assert f"mlir:{length - 5}:" in page.run("document.getElementById('details').innerText")
    assert page.run("document.querySelector('.pane .item.selected') !== null")
    assert page.problems() == []
