"""Takes the pictures of the documentation: .ci/screenshots.py WORK IMAGES (.ci/screenshots calls it)

Runs the demo with Prometheus beside it, and `blobshuffle status` in a terminal meanwhile. WORK gets
all pictures and what they were made from, IMAGES those that the documentation shows.
"""

import html
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import markdown
from PIL import Image, ImageChops

# What the documentation shows.
SHOWN = ("status.svg", "status-watch.svg", "dashboard.png", "demo-report.png", "demo-result.png")
APPLICATION = "concordance"
SCRAPE_SECONDS = 2
RATE_INTERVAL = f"{5 * SCRAPE_SECONDS}s"
MOST_BYTES = 200_000
# The dashboard's rows that the documentation shows.
SHOWN_ROWS = ("Now", "Load", "Latency", "Blobs")
COLORS = ("#1f77b4", "#e6862c", "#3a923a", "#c03d3e", "#8a63b0", "#7f5b4e", "#d684bd", "#6b6b6b")
# What the demo does not have: its instances end before their first sweep, and it has no target and
# no slow functions.
WITHOUT_DATA = {
    "Ages: last sweep",
    "Predicted and measured latency: measured p95",
    "Calls: {{node}}",
    "Mean latency of calls: {{node}}",
    "Running calls and limit: {{node}}: running",
    "Running calls and limit: {{node}}: limit",
    "Pending records: {{node}}: pending",
    "Pending records: {{node}}: waiting",
    "Limits of the rate: input",
    "Limits of the rate: key order",
    "Limits of the rate: concurrency",
    "Limits of the rate: budget",
    "Failures of calls: retried",
    "Failures of calls: timed out",
    "Failures of calls: failed",
    "Failures of calls: skipped",
    "Waiting for calls: commits",
    "Waiting for calls: records",
    "Oldest pending record: {{node}}",
}


def free_ports(count):
    """The first of so many ports in a row that nobody listens on."""
    for first in range(19400, 20400, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    sys.exit("screenshots: no ports are free from 19400 to 20400.")


def wait_for(what, condition, process=None, seconds=600):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        if process is not None and process.poll() is not None:
            sys.exit(f"screenshots: the demo ended before {what}, with status {process.returncode}.")
        time.sleep(0.3)
    sys.exit(f"screenshots: {what} took longer than {seconds} s.")


class Prometheus:
    """A server that scrapes the demo's three instances, on the port after theirs."""

    def __init__(self, work, first_port):
        port = first_port + 3
        targets = json.dumps([f"127.0.0.1:{first_port + i}" for i in range(3)])
        (work / "prometheus.yml").write_text(
            f"scrape_configs:\n  - job_name: blobshuffle\n    scrape_interval: {SCRAPE_SECONDS}s\n"
            f"    static_configs: [{{targets: {targets}}}]\n"
        )
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/tsdb"]
            + [f"--web.listen-address=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL,
            stderr=open(work / "prometheus.log", "w"),
        )

    def ask(self, path, **parameters):
        """The result of a query. Fails if Prometheus refuses it."""
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=30) as answer:
            return json.load(answer)["data"]["result"]

    def range(self, expression, start, end):
        return self.ask("query_range", query=expression, start=start, end=end, step=SCRAPE_SECONDS)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Terminal:
    """A terminal of tmux, with a server of its own."""

    def __init__(self, work, name, columns, rows):
        self.tmux = ["tmux", "-L", f"blobshuffle-{os.getpid()}-{name}", "-f", "/dev/null"]
        shell = "env PS1='$ ' PATH=.:/usr/bin:/bin bash --norc --noprofile"
        subprocess.run(
            self.tmux + ["new-session", "-d", "-x", str(columns), "-y", str(rows), shell],
            check=True,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )

    def type(self, text):
        subprocess.run(self.tmux + ["send-keys", "-l", text], check=True)
        subprocess.run(self.tmux + ["send-keys", "Enter"], check=True)

    def clear(self):
        subprocess.run(self.tmux + ["send-keys", "C-l"], check=True)

    def text(self):
        shown = subprocess.run(self.tmux + ["capture-pane", "-p"], check=True, capture_output=True)
        return shown.stdout.decode().rstrip("\n")

    def close(self):
        subprocess.run(self.tmux + ["kill-server"], check=False)


def terminal_svg(text, title):
    """The text in a window. Each line has its width, so every font keeps the columns."""
    lines = [line.rstrip() for line in text.split("\n")]
    columns = max(map(len, lines))
    advance, height, margin, bar = 7.8, 18, 16, 30
    width = round(columns * advance + 2 * margin)
    total = len(lines) * height + 2 * margin + bar - 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" width="{width}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f'<rect width="{width}" height="{total}" rx="8" fill="#1d232b"/>',
        *(f'<circle cx="{18 + 18 * i}" cy="16" r="5" fill="#4a5563"/>' for i in range(3)),
        f'<text x="{width / 2}" y="20" fill="#9aa5b1" font-family="sans-serif" font-size="12" '
        f'text-anchor="middle">{html.escape(title)}</text>',
        '<g fill="#e6e9ed" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="13">',
    ]
    for number, line in enumerate(lines):
        if line:
            indent = len(line) - len(line.lstrip())
            x = margin + indent * advance
            y = bar + margin + number * height
            length = (len(line) - indent) * advance
            shown = html.escape(line.strip()).replace("  ", " \u00a0")
            parts.append(
                f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" xml:space="preserve">{shown}</text>'
            )
    return "\n".join(parts + ["</g>", "</svg>", ""])


def browse(page, picture, width, height, trims=True):
    """A picture of a page, without the empty rest at its bottom, in few colours."""
    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        + ["--force-device-scale-factor=1", f"--window-size={width},{height}", "--timeout=10000"]
        + [f"--screenshot={picture}", page.absolute().as_uri()],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    image = Image.open(picture).convert("RGB")
    if trims:
        background = Image.new("RGB", image.size, image.getpixel((0, image.height - 1)))
        box = ImageChops.difference(image, background).getbbox()
        image = image.crop((0, 0, image.width, min(image.height, box[3] + 20)))
    image.quantize(128, dither=Image.Dither.NONE).save(picture, optimize=True)
    print(f"screenshots: {picture}: {image.width} x {image.height}, {picture.stat().st_size:,} bytes")


def digits(value):
    """Three of them, and never an exponent."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def formatted(value, unit):
    if unit in ("Bps", "bytes"):
        for name, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if abs(value) >= size:
                return f"{digits(value / size)} {name}" + ("/s" if unit == "Bps" else "")
        return f"{digits(value)} B" + ("/s" if unit == "Bps" else "")
    if unit == "s":
        return f"{digits(value)} s" if abs(value) >= 1 or value == 0 else f"{digits(value * 1000)} ms"
    if unit == "currencyUSD":
        return f"${digits(value)}"
    if unit == "percentunit":
        return f"{digits(value * 100)} %"
    suffix = {"cps": "/s", "reqps": "/s"}.get(unit, "")
    return (f"{digits(value / 1000)} K" if abs(value) >= 1000 else f"{digits(value)}") + suffix


def ticks(most, unit):
    """Round numbers of the unit, from 0 to at least the most."""
    if most <= 0:
        return [0, 1]
    if unit in ("Bps", "bytes") and most >= 1024:
        scale = 1024 ** int(math.log(most, 1024))
        return [scale * mark for mark in ticks(most / scale, "short")]
    step = 10 ** math.floor(math.log10(most / 3))
    step *= next(factor for factor in (1, 2, 5, 10) if most / (step * factor) <= 4)
    return [step * i for i in range(math.ceil(most / step - 1e-9) + 1)]


def plot(series, panel, start, end, width, height):
    """The lines of a panel, with axes; stacked if the panel stacks."""
    defaults = panel["fieldConfig"]["defaults"]
    unit = defaults.get("unit", "short")
    custom = defaults.get("custom", {})
    stacked = custom.get("stacking", {}).get("mode") == "normal"
    left, bottom, top, right = 62, 22, 8, 10
    values = {name: {t: v for t, v in points if not math.isnan(v)} for name, points in series.items()}
    times = sorted({t for points in values.values() for t in points})
    floors = {name: dict.fromkeys(times, 0.0) for name in values}
    if stacked:
        below = dict.fromkeys(times, 0.0)
        for name, points in values.items():
            floors[name] = dict(below)
            for t in times:
                below[t] = points[t] = points.get(t, 0.0) + below[t]
    marks = ticks(max((v for points in values.values() for v in points.values()), default=0), unit)
    x = lambda t: left + (t - start) / (end - start) * (width - left - right)
    y = lambda v: height - bottom - v / marks[-1] * (height - bottom - top)
    parts = [f'<svg width="{width}" height="{height}">']
    for mark in marks:
        parts.append(f'<path d="M{left} {y(mark):.1f}H{width - right}" stroke="#e3e6ea"/>')
        parts.append(f'<text x="{left - 6}" y="{y(mark) + 4:.1f}" text-anchor="end">{formatted(mark, unit)}</text>')
    for second in range(0, int(end - start) + 1, 20 if end - start < 130 else 60):
        label = f"{second // 60}:{second % 60:02d}"
        parts.append(f'<text x="{x(start + second):.1f}" y="{height - 6}" text-anchor="middle">{label}</text>')
    for number, (name, points) in reversed(list(enumerate(values.items()))):
        color = COLORS[number % len(COLORS)]
        line = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in sorted(points.items()))
        if points and custom.get("fillOpacity"):
            floor = " ".join(f"{x(t):.1f},{y(floors[name][t]):.1f}" for t in sorted(points, reverse=True))
            parts.append(
                f'<polygon points="{line} {floor}" fill="{color}" fill-opacity="{custom["fillOpacity"] / 100}"/>'
            )
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
    return "".join(parts + ["</svg>"])


def panel_html(panel, prometheus, start, end, busiest, missing):
    """A panel at its place in the grid, with the data of its expressions; a single number is that of the busiest time."""
    place = panel["gridPos"]
    unit = panel["fieldConfig"]["defaults"].get("unit", "short")
    series = {}
    for target in panel["targets"]:
        expression = target["expr"].replace("$application", ".*").replace("$zone", ".*")
        found = prometheus.range(expression.replace("$__rate_interval", RATE_INTERVAL), start, end)
        legend = target["legendFormat"]
        if not found:
            missing.append(f"{panel['title']}: {legend}")
        for one in found:
            name = re.sub(r"{{(\w+)}}", lambda match: one["metric"].get(match[1], ""), legend)
            series[name] = [(t, float(v)) for t, v in one["values"]]
    width = round(1360 / 24 * place["w"]) - 30
    title = f"<h3>{html.escape(panel['title'])}</h3>"
    if panel["type"] == "stat":
        shown = [v for points in series.values() for t, v in points if t <= busiest and not math.isnan(v)]
        body = f'<p class="stat">{formatted(shown[-1], unit) if shown else "No data"}</p>'
    elif not series:
        body = '<p class="none">No data</p>'
    else:
        body = plot(series, panel, start, end, width, place["h"] * 30 - 76)
        names = (
            f'<span><i style="background:{COLORS[number % len(COLORS)]}"></i>{html.escape(name)}</span>'
            for number, name in enumerate(series)
        )
        body += f'<p class="legend">{"".join(names)}</p>'
    return (
        f'<section style="grid-column:{place["x"] + 1}/span {place["w"]};'
        f'min-height:{place["h"] * 30 - 10}px">{title}{body}</section>'
    )


STYLE = """
body { margin: 0; padding: 16px 20px; width: 1360px; background: #f4f5f7; color: #24292f;
  font: 13px "Liberation Sans", Arial, sans-serif }
h1 { font-size: 20px; margin: 0 0 2px } h2 { font-size: 15px; margin: 18px 0 6px }
.grid { display: grid; grid-template-columns: repeat(24, 1fr); gap: 8px }
section { background: #fff; border: 1px solid #dfe2e6; border-radius: 3px; padding: 8px 10px;
  box-sizing: border-box; overflow: hidden }
h3 { font-size: 13px; margin: 0 0 6px } svg text { font-size: 11px; fill: #57606a }
.stat { font-size: 30px; color: #2c7a3f; text-align: center; margin: 12px 0 }
.none { color: #6e7781; text-align: center; padding-top: 60px }
.legend { margin: 2px 0 0; line-height: 1.4 } .legend span { margin-right: 12px; white-space: nowrap }
.legend i { display: inline-block; width: 12px; height: 3px; margin: 0 5px 3px 0; vertical-align: middle }
"""


def dashboard_pages(prometheus, work):
    """The dashboard as a page, whole and only the rows that the documentation shows."""
    dashboard = json.loads(Path("dashboards/blobshuffle.json").read_text())
    now = time.time()
    # Until the first instance ends: what comes then is not what the dashboard is for.
    seen = prometheus.range("count(blobshuffle_uptime_seconds) == 3", now - 1800, now)
    start, end = seen[0]["values"][0][0], seen[0]["values"][-1][0] - 2 * SCRAPE_SECONDS
    load = next(panel for panel in dashboard["panels"] if panel["type"] == "stat")["targets"][0]["expr"]
    load = load.replace("$application", ".*").replace("$zone", ".*").replace("$__rate_interval", RATE_INTERVAL)
    busiest = max(prometheus.range(load, start, end)[0]["values"], key=lambda point: float(point[1]))[0]
    missing = []
    rows = []
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            rows.append((panel["title"], []))
        else:
            rows[-1][1].append(panel_html(panel, prometheus, start, end, busiest, missing))
    for name, shown in (("dashboard", SHOWN_ROWS), ("dashboard-whole", [title for title, _ in rows])):
        body = "".join(
            f'<h2>{title}</h2><div class="grid">{"".join(panels)}</div>' for title, panels in rows if title in shown
        )
        (work / f"{name}.html").write_text(
            f"<!DOCTYPE html><meta charset=utf-8><style>{STYLE}</style>"
            f"<h1>{dashboard['title']}</h1>Minutes of a demo, and its busiest moment in the first row; the expressions of "
            f"dashboards/blobshuffle.json, asked of Prometheus, drawn without Grafana{body}"
        )
    unexpected = set(missing) - WITHOUT_DATA
    print(f"screenshots: without data: {', '.join(sorted(missing)) or 'none'}")
    if unexpected:
        sys.exit(f"screenshots: these expressions should have data: {sorted(unexpected)}")


README_STYLE = """
body { max-width: 838px; margin: 0 auto; padding: 32px; color: #1f2328; line-height: 1.5;
  font: 16px/1.5 "Liberation Sans", Arial, sans-serif }
h1, h2 { border-bottom: 1px solid #d1d9e0b3; padding-bottom: .3em } a { color: #0969da; text-decoration: none }
code { background: #818b981f; padding: .2em .4em; border-radius: 6px; font: 85% "DejaVu Sans Mono", monospace }
pre { background: #f6f8fa; padding: 16px; border-radius: 6px; overflow: auto; line-height: 1.45 }
pre code { background: none; padding: 0 } table { border-collapse: collapse; margin: 16px 0 }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px } img { max-width: 100% }
"""


def readme_page(work):
    text = markdown.markdown(Path("README.md").read_text(), extensions=["tables", "fenced_code", "sane_lists"])
    (work / "readme.html").write_text(
        f"<!DOCTYPE html><meta charset=utf-8><base href='{Path.cwd().as_uri()}/'>"
        f"<style>{README_STYLE}</style>{text}"
    )


def status_pictures(work, temporary, log, demo):
    """What `blobshuffle status` shows of the demo while it shuffles through blobs."""
    settings = wait_for(
        "the run through blobs began",
        lambda: next(temporary.glob("blobshuffle-demo-*/blobs-application/instance-0.properties"), None),
        demo,
    )
    config = temporary / "shop.properties"
    arguments = f"--application-id {APPLICATION} --config shop.properties"
    once, live = Terminal(work, "once", 120, 40), Terminal(work, "live", 120, 24)
    try:
        wait_for("its warm-up", lambda: "BlobShuffle: warming up" in log.read_text(), demo)
        shutil.copy(settings, config)
        for terminal in (once, live):
            terminal.type(f"cd {temporary}; blobshuffle() {{ {Path.cwd()}/blobshuffle \"$@\"; }}; clear")
        live.type(f"blobshuffle status {arguments} --watch --every 1s")
        wait_for("a fifth of it", lambda: log.read_text().count("  20 %") > 1, demo)
        once.clear()
        once.type(f"blobshuffle status {arguments}")
        shown = wait_for(
            "the status", lambda: "BEHIND" in once.text() and once.text().endswith("$") and once.text(), demo
        )
        watched = wait_for("the live status", lambda: "BEHIND" in live.text() and live.text(), demo)
    finally:
        once.close()
        live.close()
    (work / "status.svg").write_text(terminal_svg(shown.rstrip("$").rstrip(), "blobshuffle status"))
    (work / "status-watch.svg").write_text(terminal_svg(watched, "blobshuffle status --watch"))


def run_demo(work, temporary):
    """Runs it to its end; returns Prometheus, which has seen it."""
    first_port = free_ports(4)
    prometheus = Prometheus(work, first_port)
    log = work / "demo.log"
    options = os.environ.get("BLOBSHUFFLE_JAVA_OPTS", "")
    environment = os.environ | {"BLOBSHUFFLE_JAVA_OPTS": f"{options} -Djava.io.tmpdir={temporary}"}
    try:
        with open(log, "w") as out:
            demo = subprocess.Popen(
                ["./blobshuffle", "demo", "--metrics-listen", f"127.0.0.1:{first_port}"]
                + ["--store", str(temporary / "shuffle"), "--report", str(work / "demo-report.html")],
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
            )
        try:
            status_pictures(work, temporary, log, demo)
            if demo.wait() != 0:
                sys.exit(f"screenshots: the demo failed, see {log}.")
        finally:
            demo.terminate()
            demo.wait()
    except BaseException:
        prometheus.close()
        raise
    return prometheus


def main(work, images):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    # Both class paths are built before a clock runs.
    for command in ("help", "status"):
        subprocess.run(["./blobshuffle", command, "--help"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["./blobshuffle", "demo", "--help"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(prefix="demo-") as temporary:
        prometheus = run_demo(work, Path(temporary))
    try:
        dashboard_pages(prometheus, work)
    finally:
        prometheus.close()
    shutil.rmtree(work / "tsdb")
    take(work, images)


def take(work, images):
    """The pictures of all pages that are there."""
    readme_page(work)
    for svg in ("status", "status-watch"):
        (work / f"{svg}.html").write_text(f"<!DOCTYPE html><img src={svg}.svg>")
        browse(work / f"{svg}.html", work / f"{svg}.png", 1100, 900)
    browse(work / "readme.html", work / "readme.png", 1000, 5000)
    browse(Path("target/site/index.html"), work / "site.png", 1280, 1000, trims=False)
    browse(work / "dashboard.html", work / "dashboard.png", 1400, 1600)
    browse(work / "dashboard-whole.html", work / "dashboard-whole.png", 1400, 5000)
    browse(work / "demo-report.html", work / "demo-report.png", 1000, 3000)
    # Its first part: the verdict and the table.
    report = (work / "demo-report.html").read_text().partition("</table>")
    (work / "demo-result.html").write_text(report[0] + report[1])
    browse(work / "demo-result.html", work / "demo-result.png", 1000, 1500)
    for name in SHOWN:
        if (work / name).stat().st_size > MOST_BYTES:
            sys.exit(f"screenshots: {name} has more than {MOST_BYTES} bytes.")
        shutil.copy(work / name, images / name)
    print(f"screenshots: look at {work}/*.png, then commit {images}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
