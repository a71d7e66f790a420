"""Puts the landing page into a merged DocC site, and links each page to it. Called by .ci/site/build."""
import json
import pathlib
import sys

site, home_archive = map(pathlib.Path, sys.argv[1:])
root = "doc://ServiceProvider/documentation"
home_link = {
    "identifier": root, "type": "topic", "kind": "article", "role": "collection", "title": "All guides",
    "abstract": [], "url": "/documentation",
}


def finish(page):
    """Adds the landing page to the path of a page. Pages about extensions of another module say so in their titles."""
    page["references"][root] = home_link
    for path in page["hierarchy"]["paths"]:
        path.insert(0, root)
    metadata = page["metadata"]
    if metadata.get("roleHeading", "").startswith("Extended"):
        metadata["title"] += f" in {metadata['modules'][0]['name']}"


landing_page = site / "data/documentation.json"
home = json.loads((home_archive / "data/documentation/home.json").read_text())
home["identifier"]["url"] = root
home["hierarchy"]["paths"] = [[]]
listed = {name for section in home["topicSections"] for name in section["identifiers"]}
missing = []
for file in landing_page.with_suffix("").rglob("*.json"):
    page = json.loads(file.read_text())
    if page["metadata"]["role"] == "article" and page["identifier"]["url"] not in listed:
        missing.append(page["metadata"]["title"])
    finish(page)
    file.write_text(json.dumps(page))
landing_page.write_text(json.dumps(home))
index_file = site / "index/index.json"
index = json.loads(index_file.read_text())
for module in index["interfaceLanguages"]["swift"][0]["children"]:
    # The sidebar of a page in a "module" shows only that module, and finds nothing in the others.
    module["type"] = "collection"
index_file.write_text(json.dumps(index))
(site / "index.html").write_text('<!doctype html><meta http-equiv="refresh" content="0; url=documentation/">\n')
if missing:
    sys.exit("failed: .ci/site/Home.docc/Home.md doesn't list " + ", ".join(missing))
