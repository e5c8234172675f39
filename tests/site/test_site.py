"""Test the built site: links, anchors, pictures, and its pages in a browser.

``make doc`` builds the site; ``SOSVM_SITE`` names another folder.
"""

import os
import shutil
from contextlib import contextmanager
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.support import ROOT

SITE = Path(os.environ.get("SOSVM_SITE", ROOT / "doc" / "_build" / "html")).resolve()
WIDTH_OF_PHONE = 390
# The theme scrolls an article inside its page, and a table inside its frame. Only tables of more
# than six columns may scroll.
TOO_WIDE = """[...document.querySelectorAll(
    "html, .bd-article-container, .pst-scrollable-table-container")]
    .filter(part => part.scrollWidth > part.clientWidth)
    .filter(part => !(part.querySelector(":scope > table tr")?.cells.length > 6))
    .map(part => part.innerText.trim().slice(0, 60))"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (SITE / "index.html").is_file(), reason=f"no site in {SITE}; `make doc` builds it"
    ),
]


class Page(HTMLParser):
    """Links, anchors and images of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.images = [], {"", "top"}, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[name] for name in ("id", "name") if name in attributes}
        if tag in ("a", "link") and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in ("img", "script", "iframe") and attributes.get("src"):
            self.images.append(attributes["src"])


@cache
def pages():
    paths = [path for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
    return {path: Page(path) for path in paths}


def broken(page, links):
    """Return the links of a page to files or anchors that do not exist."""
    found = []
    for link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.exists() or (
            parts.fragment
            and target in pages()
            and unquote(parts.fragment) not in pages()[target].anchors
        ):
            found.append(f"{page.relative_to(SITE)}: {link}")
    return found


def test_links_and_anchors_exist():
    assert len(pages()) > 50
    assert not [bad for page, found in pages().items() for bad in broken(page, found.links)]


def test_images_and_scripts_exist():
    assert sum(len(found.images) for found in pages().values()) > 100
    assert not [bad for page, found in pages().items() for bad in broken(page, found.images)]


def gallery():
    return sorted((SITE / "auto_examples").glob("*/plot_*.html"))


def test_each_page_of_the_gallery_has_a_picture():
    if not any((SITE / "_images").glob("sphx_glr_plot_*_00*.png")):
        pytest.skip("the site was built without its gallery")
    assert len(gallery()) >= 25
    assert not [
        page.name
        for page in gallery()
        if not any(f"sphx_glr_{page.stem}_0" in image for image in pages()[page].images)
    ]


@contextmanager
def served():
    """Serve the site on a free port, as the search needs; return its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def address():
    with served() as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium, for example apt install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def test_no_page_and_no_table_of_few_columns_scrolls_sideways_on_a_phone(browser, address):
    view = browser.new_page(viewport={"width": WIDTH_OF_PHONE, "height": 800})
    wide = {}
    for page in pages():
        view.goto(f"{address}/{page.relative_to(SITE)}")
        # Formulas are typeset after the page has been loaded.
        view.evaluate("window.MathJax?.startup?.promise.then(() => true)")
        if found := view.evaluate(TOO_WIDE):
            wide[str(page.relative_to(SITE))] = found
    assert not wide


# What users look for, and the pages of which one must be the first result.
SEARCHES = {
    "missing values": "tutorial_csv",
    "prediction intervals": "regression",
    "recall": "thresholds",
    "class weights": "imbalance",
    "unscaled": "tables",
    "too slow": "kernel_models",
    "memory": "kernel_models",
    "save model": "deployment",
    "new class": "new_classes",
    "cross validation": "tuning",
    "grid search": "tuning",
    "predict_proba": "probabilities",
    "calibration": "probabilities",
    "threshold": "thresholds",
    "concept drift": "unbounded_streams",
    "outlier detection": "novelty",
    "anomaly": "novelty",
    "label noise": "robust",
    "wrong labels": "robust",
    "active learning": "active_pool",
    "label budget": "label_efficient",
    "text": "text",
    "pipeline": "pipelines",
    "onnx": "deployment",
    "checkpoint": "production",
    "large files": "production",
    "multiclass": "kernel_models multiclass",
    "sorted stream": "stream_order",
    "feature importance": "explaining",
    "gpu": "limitations",
    "csv": "tutorial_csv",
    "n_jobs": "kernel_models",
    "dask": "distributed",
    "partial_fit": "generated",
}


@pytest.mark.parametrize("query", SEARCHES)
def test_the_search_has_the_right_page_first(browser, address, query):
    view = browser.new_page()
    view.goto(f"{address}/search.html?q={quote(query)}")
    view.wait_for_selector("#search-results li a", timeout=20_000)
    # Results are added one after the other, the best first.
    first = view.get_attribute("#search-results li a", "href").partition("?")[0]
    view.close()
    assert any(page in first for page in SEARCHES[query].split()), first


def test_reproduction_pages_are_not_searched(browser, address):
    view = browser.new_page()
    view.goto(f"{address}/search.html?q=thesis")
    view.wait_for_selector("#search-results li a", timeout=20_000)
    view.wait_for_load_state("networkidle")
    links = view.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
    assert links and not [link for link in links if "/reproduction/" in link]


def test_the_browser_reports_no_error(browser, address):
    errors = []
    view = browser.new_page()
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.on("requestfailed", lambda request: errors.append(request.url))
    for name in ("index.html", "api.html", "user_guide.html", "auto_examples/index.html"):
        view.goto(f"{address}/{name}", wait_until="networkidle")
    assert not errors
