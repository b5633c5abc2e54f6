/** The playground: an example, its sliders, its motion with reactions, and charts beside it. */

import "uplot/dist/uPlot.min.css";
import "../play/play.css";
import { Board } from "../charts/board";
import { SeriesStore } from "../charts/series";
import { button, h, setIcon } from "../panels/dom";
import { Sliders } from "../panels/sliders";
import { Timeline } from "../panels/timeline";
import { Clock } from "../playback/clock";
import { listenToCanvas } from "../play/hands";
import { readLink, writeLink } from "../play/link";
import { Showing } from "../play/showing";
import { PlayTransport } from "../play/transport";
import { DARK, LIGHT } from "../scene/colours";
import type { Message } from "../transport/messages";
import type { Json, Packet } from "../transport/packet";
import { readSeries } from "../transport/read";

const READ = 5000; // ms

class PlayPage {
  readonly ready: Promise<void>;
  private readonly root: HTMLElement;
  private readonly clock = new Clock();
  private readonly showing: Showing;
  private readonly link = new PlayTransport((window as unknown as { gori: { token?: string } }).gori.token ?? null);
  private readonly store = new SeriesStore(this.link);
  private readonly board: Board;
  private readonly main: HTMLElement;
  private readonly nav = h("nav", { "aria-label": "examples" });
  private readonly title = h("h1");
  private readonly about = h("p");
  private readonly knobs = h("div");
  private readonly said = h("div", { class: "say", "aria-live": "polite" });
  private readonly legend = h("div", { class: "legend" }, h("i"), h("span", {}, "reactions"));
  private readonly themeButton: HTMLButtonElement;
  private sliders: Sliders | null = null;
  private example = "";
  private values: Record<string, number> = {};
  private own: Record<string, number> = {};
  private channels = "";
  private changes = 0;
  private dark = matchMedia("(prefers-color-scheme: dark)").matches;
  private asked = false;
  private done!: () => void;

  constructor(holder: HTMLElement) {
    this.ready = new Promise((done) => (this.done = done));
    const canvas = h("canvas", { class: "stage", tabIndex: 0, "aria-label": "the machine in motion" });
    const showing = (this.showing = new Showing(canvas, this.clock));
    this.board = new Board(this.store, (time) => this.clock.seek(time), () => showing.stage.invalidate());
    const timeline = new Timeline(this.clock, {
      toggle: () => this.toggle(),
      step: (by) => showing.film && this.clock.step(showing.film.data.times, by),
      seek: (time) => this.clock.seek(time),
      live: () => {},
    }, false);
    this.themeButton = button("moon", "light or dark", () => {
      this.dark = !this.dark;
      this.setTheme();
    });
    const fit = button("fit", "all of the machine into the picture (F)", () => showing.fit(true));
    fit.classList.add("fit");
    this.main = h("main", {}, canvas, this.said, this.legend, fit);
    this.root = h("div", { class: "play" },
      h("header", {}, h("b", {}, "Gori playground"), this.nav, this.themeButton),
      h("aside", {}, this.title, this.about, this.knobs, h("div", { class: "acts" },
        button("reset", "values as they were at first", () => this.link.send({ do: "reset" }), "reset"),
        button("loop", "copy a link that holds these settings", () => this.copy(), "copy link"))),
      this.main, timeline.element, h("div", { class: "charts" }, this.board.element));
    holder.append(this.root);
    this.setTheme();
    const resize = () => showing.resize(this.main.clientWidth, this.main.clientHeight);
    new ResizeObserver(resize).observe(this.main);
    resize();
    listenToCanvas(canvas, showing.stage, () => (showing.moved = true));
    this.listen();
    this.link.start({
      packet: (packet) => this.take(packet),
      link: (state) => {
        if (state === "lost") this.say("the server is gone; trying again", true);
        if (state === "open") this.asked = false;
      },
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  private toggle(): void {
    if (this.clock.playing) this.clock.pause();
    else this.clock.play();
  }

  private listen(): void {
    window.addEventListener("keydown", (event) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement || event.ctrlKey || event.metaKey) return;
      if (event.code === "Space") {
        event.preventDefault();
        this.toggle();
      } else if (event.code === "KeyF") this.showing.fit(true);
    });
    window.addEventListener("hashchange", () => {
      const wanted = readLink(location.hash);
      if (wanted.example && writeLink(this.example, this.values, this.own) !== location.hash) this.ask(wanted.example, wanted.values);
    });
  }

  private setTheme(): void {
    this.root.dataset.theme = this.dark ? "dark" : "light";
    setIcon(this.themeButton, this.dark ? "sun" : "moon");
    this.showing.setTheme(this.dark ? DARK : LIGHT);
    this.board.restyle();
  }

  private say(words: string, error = false): void {
    this.said.replaceChildren(h("div", { class: error ? "error" : "" }, words));
    const line = this.said.firstElementChild;
    window.setTimeout(() => line?.remove(), READ);
  }

  private copy(): void {
    const address = location.href;
    void navigator.clipboard?.writeText(address).then(() => this.say("the link is copied"), () => this.say(address));
  }

  private ask(example: string, values: Record<string, number> = {}): void {
    this.link.send({ do: "example", value: example } as unknown as Message);
    for (const [name, value] of Object.entries(values)) this.link.send({ set: "parameter", name, value });
  }

  // ---- packets

  private take(packet: Packet): void {
    const { type } = packet.head;
    if (type === "scene") this.begin(packet);
    else if (type === "film") this.setFilm(packet);
    else if (type === "arrows") {
      this.showing.setArrows(packet);
      this.legend.hidden = false;
    } else if (type === "grains") this.showing.setGrains(packet);
    else if (type === "series") this.link.answer(String(packet.head.name), packet);
    else if (type === "notice" || type === "error") this.say(String(packet.head.message), type === "error");
  }

  private begin(packet: Packet): void {
    const play = (packet.head.play ?? {}) as Json;
    const example = String(play.example);
    const wanted = readLink(location.hash);
    if (!this.asked) {
      this.asked = true;
      if (wanted.example && (wanted.example !== example || Object.keys(wanted.values).length)) this.ask(wanted.example, wanted.values);
    }
    const another = example !== this.example;
    this.legend.hidden = true;
    const scene = this.showing.build(packet, another, play.trails as string[]);
    this.values = Object.fromEntries(scene.inputs.map((input) => [input.name, input.value]));
    if (another) {
      this.example = example;
      this.own = play.own as Record<string, number>;
      this.title.textContent = scene.title;
      this.about.textContent = String(play.about ?? "");
      document.title = `Gori: ${scene.title}`;
      this.sliders = new Sliders(scene.inputs, (name, value) => {
        this.values[name] = value;
        this.link.send({ set: "parameter", name, value });
        this.remember();
      });
      this.knobs.replaceChildren(this.sliders.element);
      this.nav.replaceChildren(...(play.examples as { name: string; title: string }[]).map((entry) => {
        const choice = h("button", { type: "button", class: entry.name === example ? "on" : "" }, entry.title);
        choice.onclick = () => this.ask(entry.name);
        return choice;
      }));
      this.nav.querySelector(".on")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      this.channels = "";
    } else this.sliders?.update(this.values);
    this.remember();
    this.setTheme();
  }

  private remember(): void {
    history.replaceState(null, "", writeLink(this.example, this.values, this.own));
  }

  private setFilm(packet: Packet): void {
    this.showing.setFilm(packet);
    for (const series of packet.head.series as Json[]) this.store.put(readSeries(packet, series));
    const names = (packet.head.series as Json[]).map((series) => String(series.name));
    if (names.join() !== this.channels) {
      this.channels = names.join();
      this.board.clear();
      void Promise.all(names.map((name) => this.board.add(name)));
    } else this.board.restyle();
    this.changes++;
    this.done();
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    this.showing.tick(now);
    this.board.setTime(this.clock.time);
  }

  /** For tests and scripts. */
  page(): Record<string, unknown> {
    const { showing, clock } = this;
    return {
      ready: this.ready,
      state: () => {
        const bodies: Record<string, number[]> = {};
        showing.scene?.bodies.forEach((body, k) => (bodies[body.name] = [...showing.world.moment.poses.slice(7 * k, 7 * k + 3)]));
        return {
          time: clock.time, frame: showing.film?.frame(clock.time) ?? 0, playing: clock.playing, live: false, fps: showing.pictures.length,
          drawn: showing.world.grains.shown?.drawn ?? 0, bodies, example: this.example, values: { ...this.values }, changes: this.changes,
          inside: showing.inside, distance: showing.stage.camera.distance,
        };
      },
      seek: (time: number) => clock.seek(time),
      play: () => clock.play(),
      pause: () => clock.pause(),
      camera: (name: string) => showing.stage.camera.view(name),
      picture: () => showing.stage.picture(),
    };
  }
}

const place = window as unknown as { gori?: Record<string, unknown> };
place.gori ??= { mode: "server" };
const holder = (place.gori.element as HTMLElement | undefined) ?? document.getElementById("gori")!;
try {
  place.gori.page = new PlayPage(holder).page();
} catch (error) {
  holder.textContent = String(error instanceof Error ? error.message : error);
}
