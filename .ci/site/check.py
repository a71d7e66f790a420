"""Opens every page of a DocC site in headless Chromium. Called by .ci/check-site."""
import collections
import functools
import http.server
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import websocket

widths = [1_280, 390]
# Goes to a page without loading the site's scripts again.
GO = """(path => {
    const app = document.querySelector('#app').__vue__;
    if (app.$route.path !== path) app.$router.push(path);
})"""
# The title of a page once it is rendered.
TITLE = """(async path => {
    const frame = () => new Promise(done => requestAnimationFrame(done));
    for (let frames = 0; frames < 600; frames++) {
        await frame();
        const title = document.querySelector('main h1, .not-found');
        const route = document.querySelector('#app')?.__vue__?.$route.path;
        if (title && route?.replace(/\\/$/, '') === path.replace(/\\/$/, '')) {
            await frame();
            return title.textContent.trim();
        }
    }
})"""
# Examples must fit in a wide window. Other code and tables must scroll if they are too wide.
PROBLEMS = """(() => {
    const found = [];
    const start = element => element.textContent.trim().split('\\n')[0].slice(0, 60);
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) found.push('the page is wider than the window');
    for (const wide of document.querySelectorAll('main pre, main table')) {
        let box = wide;
        while (box && box.clientWidth >= wide.scrollWidth) box = box.tagName === 'MAIN' ? null : box.parentElement;
        if (!box) continue;
        const isExample = wide.closest('.code-listing') && width > 1000;
        if (isExample || !['auto', 'scroll'].includes(getComputedStyle(box).overflowX))
            found.push('cut off: ' + start(wide));
    }
    for (const part of document.querySelectorAll('main :is(h1, h2, h3, p, li, img)')) {
        const isCut = part.getBoundingClientRect().right > width + 1 || part.scrollWidth > part.clientWidth + 1;
        if (isCut && !part.closest('table, .hierarchy') && !getComputedStyle(part).display.startsWith('inline'))
            found.push('cut off: ' + start(part));
    }
    for (const name of document.querySelectorAll('main td code')) {
        const lines = new Set([...name.getClientRects()].map(part => part.top));
        if (/^[\\w.]+$/.test(name.textContent) && lines.size > 1) found.push('broken: ' + start(name));
    }
    const raw = document.querySelector('main').innerText.match(/<?\\bdoc:\\/*\\w.*/);
    if (raw) found.push('shows a link as it is: ' + raw[0]);
    const luminance = color => {
        const [red, green, blue] = color.match(/[\\d.]+/g).map(value => (value / 255) ** 2.2);
        return 0.05 + 0.21 * red + 0.72 * green + 0.07 * blue;
    };
    for (const text of document.querySelectorAll('main h1, main p, main td, main p code')) {
        let box = text;
        while (box && getComputedStyle(box).backgroundColor === 'rgba(0, 0, 0, 0)') box = box.parentElement;
        if (!box) continue;
        const [one, other] = [text, box].map((element, index) =>
            luminance(getComputedStyle(element)[index ? 'backgroundColor' : 'color']));
        if (Math.max(one, other) < 3 * Math.min(one, other)) found.push('hard to read: ' + start(text));
    }
    return found.slice(0, 5);
})()"""
# Includes the links of the page's path.
LINKS = """[...document.querySelectorAll('main a[href]')].map(link => link.href.split('#')[0])"""
# Clicks a link that a reader can see.
CLICK = """(path => {
    const links = [...document.querySelectorAll('main a')].filter(link => link.getAttribute('href') === path);
    const link = links.find(link => link.getClientRects().length);
    link?.click();
    return Boolean(link);
})"""
FILTER = """(() => {
    const field = document.querySelector('.navigator-filter input');
    field?.focus();
    field?.select();
    return Boolean(field);
})()"""
FOUND = """[...document.querySelectorAll('.navigator-card-item')].map(item => item.textContent)"""


class Browser:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = wait_for(lambda: read(pathlib.Path(folder) / "DevToolsActivePort").splitlines()[0])
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
        self.socket = websocket.create_connection(address, timeout=60)
        self.ids = itertools.count(1)
        self.errors = []
        self.send("Runtime.enable")
        self.send("Log.enable")

    def send(self, method, **parameters):
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                return message.get("result", {})
            self.note(message)

    def note(self, message):
        """Collects errors of the console, such as of a file that is missing."""
        event = message.get("params", {})
        if message["method"] == "Log.entryAdded" and event["entry"]["level"] == "error":
            self.errors.append(f"{event['entry']['text']} {event['entry'].get('url', '')}")
        elif message["method"] == "Runtime.consoleAPICalled" and event["type"] == "error":
            self.errors.append(" ".join(str(value.get("value", "")) for value in event["args"]))
        elif message["method"] == "Runtime.exceptionThrown":
            self.errors.append(event["exceptionDetails"]["text"])

    def evaluate(self, script, *arguments):
        call = f"{script}({', '.join(map(json.dumps, arguments))})" if arguments else script
        done = self.send("Runtime.evaluate", expression=call, returnByValue=True, awaitPromise=True)
        return done.get("result", {}).get("value")

    def open(self, address):
        """Loads a page. Returns its title."""
        self.evaluate("window.isOld = true")
        self.send("Page.navigate", url=address)
        wait_for(lambda: self.evaluate("window.isOld !== true && Boolean(document.querySelector('main'))"))
        return self.evaluate(TITLE, self.evaluate("location.pathname"))

    def resize(self, width):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def color(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def read(path):
    return path.read_text() if path.exists() else ""


def wait_for(action, seconds=30):
    """The first value that isn't empty."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if value := action():
                return value
        except (IndexError, OSError):
            pass
        time.sleep(0.02)
    return None


def faults(browser, width):
    """What is wrong with the page that is open."""
    found = []
    for attempt in range(6):
        # The sidebar takes some frames to open and close. Rarely, it needs another change of the width, or to be loaded
        # again.
        if attempt:
            browser.resize(width - attempt % 2)
        if attempt == 5:
            browser.open(browser.evaluate("location.href"))
        wait_for(lambda: browser.evaluate(PROBLEMS) == [], seconds=2)
        # Checked again, because the sidebar may open after the first look.
        found = browser.evaluate(PROBLEMS)
        if found == []:
            break
    return ["isn't rendered"] if found is None else found


def check(browser, base, pages):
    """Checks each page. Returns what is wrong, and the number of links."""
    problems, links, titles = [], collections.defaultdict(set), collections.defaultdict(list)
    for width in widths:
        browser.resize(width)
        browser.open(base + "/documentation/")
        for path in pages:
            if len(problems) > 20:
                return problems, 0
            browser.evaluate(GO, path)
            title = browser.evaluate(TITLE, path)
            if not title or "can’t be found" in title:
                problems.append(f"{path}: has no title, or isn't rendered")
                continue
            problems += [f"{path}, {width} pixels: {text}" for text in faults(browser, width) + browser.errors]
            browser.errors = []
            links[path] |= {link.removeprefix(base).rstrip("/") + "/" for link in browser.evaluate(LINKS) or []}
            # Members of different types may have the same title.
            if width == widths[0] and path.count("/") <= 4:
                titles[browser.evaluate("document.title")].append(path)
    problems += [f"{title}: is the title of {', '.join(same)}" for title, same in titles.items() if len(same) > 1]
    reached, new = set(), {"/documentation/"}
    while new:
        reached |= new
        new = set().union(*(links.get(path, set()) for path in new)) - reached
    problems += [f"{path}: no link leads there" for path in pages if path not in reached]
    for path, targets in links.items():
        broken = [target for target in targets if target.startswith("/") and target not in pages]
        problems += [f"{path}: a broken link to {target}" for target in broken]
    return problems, sum(map(len, links.values()))


def walk(browser, base, articles):
    """Goes from the landing page to each article and back, as a reader does. Returns what is wrong."""
    problems = []
    for width, scheme in itertools.product(widths, ["light", "dark"]):
        browser.resize(width)
        browser.color(scheme)
        browser.open(base + "/")
        if browser.evaluate("location.pathname") != "/documentation/":
            return ["/ doesn't lead to the landing page"]
        for path in articles:
            if len(problems) > 20:
                return problems
            where = f"{path}, {width} pixels, {scheme}: "
            if not browser.evaluate(CLICK, path.rstrip("/")) or not browser.evaluate(TITLE, path):
                problems.append(where + "isn't reached from the landing page")
                browser.open(base + path)
            problems += [where + text for text in faults(browser, width) + browser.errors]
            browser.errors = []
            if not browser.evaluate(CLICK, "/documentation") or not browser.evaluate(TITLE, "/documentation"):
                problems.append(where + "doesn't lead back to the landing page")
                browser.open(base + "/")
    browser.color("light")
    return problems


def search(browser, base):
    """Searches methods of three modules on the core's page. Returns what is wrong."""
    browser.resize(widths[0])
    browser.open(base + "/documentation/serviceprovider/")
    problems = []
    for text, result in [("load", "load(service:"), ("ServiceRetry", "ServiceRetry"), ("CurlUn", "CurlUnavailable")]:
        wait_for(lambda: browser.evaluate(FILTER))
        browser.send("Input.insertText", text=text)
        if not wait_for(lambda: [item for item in browser.evaluate(FOUND) or [] if result in item], seconds=10):
            problems.append(f"the search for '{text}' finds nothing")
    return problems


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    names = [file.parent.relative_to(site) for file in sorted(site.glob("documentation/**/index.html"))]
    data = {f"/{name}/": json.loads((site / "data" / f"{name}.json").read_text()) for name in names}
    articles = [path for path, page in data.items() if page["metadata"]["role"] == "article"]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    # The browser leaves pages before all of their files are loaded.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        base = f"http://127.0.0.1:{server.server_port}"
        try:
            problems = walk(browser, base, articles)
            found, links = check(browser, base, data)
            problems += found + search(browser, base)
        finally:
            browser.close()
    print("\n".join(problems))
    if problems or len(data) < 100 or len(articles) < 10:
        sys.exit(f"failed: {len(problems)} problems in {len(data)} pages")
    print(f"ok: {len(data)} pages with {links} links, in two widths, and {len(articles)} articles in light and dark")


main()
