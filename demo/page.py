"""The page of the report: one case after the other, with plots and with recordings to play; light and dark."""

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demo.report import Case, Film

STYLE = """
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --ink: #1d2430; --soft: #5b6675; --line: #dfe3e9;
  --good: #1a7f4b; --bad: #c0272d; --accent: #2563a8 }
@media (prefers-color-scheme: dark) { :root { --back: #12161c; --card: #1a2029; --ink: #e6e9ee; --soft: #9aa5b4;
  --line: #2c3542; --good: #4cc38a; --bad: #ff7b72; --accent: #79b4f2 } .plot { filter: invert(1) hue-rotate(180deg) } }
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", sans-serif }
header, main { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem }
header { padding-top: 2.5rem }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .3rem }
h2 { font-size: 1.45rem; margin: 3rem 0 1rem; padding-top: 1.2rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.1rem; margin: 0 0 .3rem; line-height: 1.35 }
p { margin: 0 0 .8rem; max-width: 46rem }
a { color: var(--accent) }
.soft { color: var(--soft); font-size: .92rem }
.verdict { font-weight: 600; color: var(--good) } .verdict.bad { color: var(--bad) }
nav { display: flex; flex-wrap: wrap; gap: .45rem; margin: 1.1rem 0 0 }
nav a { border: 1px solid var(--line); background: var(--card); border-radius: 1rem; padding: .15rem .8rem;
  text-decoration: none; font-size: .92rem }
nav a:hover, nav a:focus-visible { border-color: var(--accent) }
.case { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: 1.25rem;
  margin: 0 0 1.1rem }
.case.with { display: grid; gap: .5rem 1.75rem; grid-template-columns: minmax(17rem, 2fr) minmax(0, 3fr);
  align-items: start }
.case.playing { grid-template-columns: minmax(0, 1fr) }
.case > div { min-width: 0 }
dl { margin: .9rem 0 0; font-size: .9rem; border-top: 1px solid var(--line) }
dl div { display: grid; grid-template-columns: 1.3rem 1fr; padding: .35rem 0; border-bottom: 1px solid var(--line) }
dl div::before { content: "\\2713"; color: var(--good); grid-row: span 2 }
dl .note::before { content: "\\00b7"; color: var(--soft) }
dl .bad::before { content: "\\2717"; color: var(--bad) } dl .bad dd { color: var(--bad); font-weight: 600 }
dt { color: var(--soft) } dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
dd small { color: var(--soft) }
img { display: block; max-width: 100%; height: auto; margin: 0 auto }
.case img + img, .show + img { margin-top: 1rem }
.drawn { border-radius: .5rem }
.show { position: relative; display: block; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden;
  background: #eef0f4; aspect-ratio: 16 / 9; margin: 0 0 .35rem; color: inherit; text-decoration: none }
.show img, .show picture, .show iframe { width: 100%; height: 100%; border: 0; display: block; object-fit: cover }
.show .still { object-fit: contain; background: #fff; padding: 0 0 2.5rem }
.show .play { position: absolute; left: 1rem; bottom: 1rem; background: #14202ee6; color: #fff; border-radius: 2rem;
  padding: .45rem 1.1rem .45rem .9rem; font-size: .95rem; box-shadow: 0 2px 10px #0004 }
.show:hover .play, .show:focus-visible .play { background: #2563a8 }
@media (prefers-color-scheme: dark) { .show { background: #171c24 } }
@media (max-width: 52rem) { .case.with { grid-template-columns: minmax(0, 1fr) } header { padding-top: 1.5rem }
  .case { padding: 1rem } div.show { aspect-ratio: 4 / 5 } h1 { font-size: 1.7rem } }
"""
SCRIPT = """
for (const link of document.querySelectorAll(".show")) link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const frame = document.createElement("iframe");
  frame.src = link.getAttribute("href");
  frame.title = link.dataset.title;
  frame.allow = "fullscreen";
  const place = document.createElement("div");
  place.className = link.className;
  place.append(frame);
  link.closest(".case").classList.add("playing");
  link.replaceWith(place);
});
"""
"""a still becomes the viewer where it stands; without this script, or with Ctrl, it opens as a page of its own"""
ABOUT = (
    "Each capability once, computed on this machine just now, and checked against theory, published results or other "
    "programs. Pictures with a play button are recordings in the viewer: turn them, pick a body, move the time."
)


def page(chapters: Iterable[tuple[str, list["Case"]]], heading: str) -> str:
    """The text of the report."""
    chapters = [(title, cases) for title, cases in chapters if cases]
    everything = [case for _, cases in chapters for case in cases]
    checks = [ok for case in everything for _, _, ok in case.checks if ok is not None]
    failed = [case for case in everything if not case.passed]
    verdict = f"all {len(checks)} checks of {len(everything)} cases passed"
    if failed:
        verdict = "failed: " + "; ".join(case.title for case in failed)
    links = "".join(f'<a href="#{anchor(title)}">{html.escape(title)}</a>' for title, _ in chapters)
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Gori demo</title>',
        f"<style>{STYLE}</style><header><h1>What Gori can do</h1><p>{ABOUT}</p>",
        f'<p><span class="verdict{" bad" if failed else ""}">{html.escape(verdict)}</span><br>',
        f'<span class="soft">{html.escape(heading)}</span></p><nav>{links}</nav></header><main>',
    ]
    for title, cases in chapters:
        parts.append(f'<h2 id="{anchor(title)}">{html.escape(title)}</h2>')
        parts += [_case(case) for case in cases]
    return "\n".join([*parts, f"</main><script>{SCRIPT}</script></html>"])


def anchor(title: str) -> str:
    return "-".join(title.lower().split())


def _case(case: "Case") -> str:
    rows = "".join(_row(*check) for check in case.checks)
    took = f'<span class="soft">{case.seconds:.1f} s.</span>'
    words = f"<h3>{html.escape(case.title)}</h3><p>{html.escape(case.words)} {took}</p>"
    shown = [_film(film) for film in case.films]
    shown += [f'<img class="{kind}" src="{name}" alt="{html.escape(case.title)}">' for name, kind in case.pictures]
    side = f"<div>{''.join(shown)}</div>" if shown else ""
    return f'<section class="case{" with" if shown else ""}"><div>{words}<dl>{rows}</dl></div>{side}</section>'


def _row(what: str, value: str, ok: bool | None) -> str:
    kind = "note" if ok is None else "good" if ok else "bad"
    value, _, bound = html.escape(value).partition(" (")
    small = f" <small>({bound}</small>" if bound else ""
    return f'<div class="{kind}"><dt>{html.escape(what)}</dt><dd>{value}{small}</dd></div>'


def _film(film: "Film") -> str:
    title = html.escape(film.title)
    if film.posters:
        light, dark = film.posters
        still = (
            f'<picture><source srcset="{dark}" media="(prefers-color-scheme: dark)">'
            f'<img src="{light}" alt="{title}"></picture>'
        )
    else:
        still = f'<img class="still" src="{film.still}" alt="{title}">'
    return (
        f'<a class="show" href="{film.name}.html" data-title="{title}">{still}'
        '<span class="play">&#9654;&ensp;play</span></a>'
    )
