"""Opens every page of a DocC site in headless Chromium. Called by .ci/check-site."""
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

# Goes to a page without loading the site's scripts again, and returns its title once it is rendered.
VISIT = """(async path => {
    const frame = () => new Promise(done => requestAnimationFrame(done));
    const app = await (async () => { for (;;) {
        const app = document.querySelector('#app')?.__vue__;
        if (app?.$router && document.querySelector('main')) return app;
        await frame();
    } })();
    if (app.$route.path !== path) await app.$router.push(path);
    for (let frames = 0; frames < 600; frames++) {
        await frame();
        const title = document.querySelector('main h1, .not-found');
        if (app.$route.path === path && title) { await frame(); return title.textContent.trim(); }
    }
})"""
# Examples must fit. Other code must scroll if it is too wide.
PROBLEMS = """(() => {
    const found = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) found.push('the page is wider than the window');
    for (const code of document.querySelectorAll('main pre')) {
        let box = code;
        while (box && box.clientWidth >= code.scrollWidth) box = box.tagName === 'MAIN' ? null : box.parentElement;
        if (!box) continue;
        const isExample = code.closest('.code-listing') && width > 1000;
        if (isExample || !['auto', 'scroll'].includes(getComputedStyle(box).overflowX))
            found.push('code is cut off: ' + code.textContent.trim().split('\\n')[0]);
    }
    return found;
})()"""
LINKS = """[...document.querySelectorAll('main a[href]')].map(link => link.href)"""
SEARCH = """[...document.querySelectorAll('.navigator-card-item')].map(item => item.textContent)"""


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

    def send(self, method, **parameters):
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                return message.get("result", {})

    def evaluate(self, script):
        done = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return done.get("result", {}).get("value")

    def resize(self, width):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

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


def reload(browser, path):
    browser.evaluate("window.isOld = true")
    browser.send("Page.reload")
    wait_for(lambda: browser.evaluate("window.isOld !== true"))
    browser.evaluate(f"{VISIT}({json.dumps(path)})")


def check(browser, base, paths):
    problems, links = [], {}
    browser.resize(1_280)
    browser.send("Page.navigate", url=base + paths[0])
    wait_for(lambda: browser.evaluate("location.pathname") == paths[0])
    for path in paths:
        browser.resize(1_280)
        title = browser.evaluate(f"{VISIT}({json.dumps(path)})")
        if not title or "can’t be found" in title:
            problems.append(f"{path}: isn't rendered")
            continue
        for width in [1_280, 390]:
            for attempt in range(6):
                # The sidebar takes some frames to open and close. Rarely, it needs another change of the width, or to
                # be loaded again.
                browser.resize(width - attempt % 2)
                if attempt == 5:
                    reload(browser, path)
                wait_for(lambda: browser.evaluate(PROBLEMS) == [], seconds=2)
                # Checked again, because the sidebar may open after the first look.
                found = browser.evaluate(PROBLEMS)
                if found == []:
                    break
            found = ["isn't rendered"] if found is None else found
            problems += [f"{path}, {width} pixels: {text}" for text in found]
        for link in browser.evaluate(LINKS) or []:
            links.setdefault(link.split("#")[0], path)
    known = {(base + path).rstrip("/") for path in paths}
    for link, path in links.items():
        if link.startswith(base) and link.rstrip("/") not in known:
            problems.append(f"{path}: a broken link to {link.removeprefix(base)}")
    return problems, links


def search(browser, base):
    browser.resize(1_280)
    browser.send("Page.navigate", url=base + "/documentation/serviceprovider/")
    focus = "(() => { const field = document.querySelector('.navigator-filter input'); field?.focus(); return !!field })()"
    if not wait_for(lambda: browser.evaluate(focus)):
        return ["there is no search field"]
    browser.send("Input.insertText", text="load")
    found = wait_for(lambda: [t for t in browser.evaluate(SEARCH) or [] if "load(service:" in t])
    return [] if found else ["the search for 'load' finds nothing"]


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = sorted(site.glob("documentation/**/index.html"))
    paths = [f"/{page.parent.relative_to(site)}/" for page in pages]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        base = f"http://127.0.0.1:{server.server_port}"
        try:
            problems, links = check(browser, base, paths)
            problems += search(browser, base)
        finally:
            browser.close()
    print("\n".join(problems))
    if problems or len(paths) < 100:
        sys.exit(f"failed: {len(problems)} problems in {len(paths)} pages")
    print(f"ok: {len(paths)} pages with {len(links)} links, in two widths")


main()
