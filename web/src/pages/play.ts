/** The playground: an example, its sliders, its motion with reactions, and charts beside it. */

import "uplot/dist/uPlot.min.css";
import "../play/play.css";
import { Board } from "../charts/board";
import { SeriesStore } from "../charts/series";
import { button, h, setIcon } from "../panels/dom";
import { Sliders } from "../panels/sliders";
import { Timeline } from "../panels/timeline";
import { Clock } from "../playback/clock";
import { Film } from "../playback/film";
import { readLink, writeLink } from "../play/link";
import { DARK, LIGHT } from "../scene/colours";
import { Stage } from "../scene/stage";
import { World } from "../scene/world";
import type { Message } from "../transport/messages";
import type { Json, Packet } from "../transport/packet";
import { readArrows, readFilm, readGrains, readScene, readSeries } from "../transport/read";
import { ServerTransport } from "../transport/server";
import type { Grains, Scene } from "../transport/types";

const SLOWEST_SHOWN = 2; // s that one turn of a fast machine takes on the screen, at least

/** Series of an example come over the socket: they belong to this page alone. */
class PlayTransport extends ServerTransport {
  private readonly waiting = new Map<string, (packet: Packet | null) => void>();

  override series(name: string): Promise<Packet | null> {
    return new Promise((done) => {
      this.waiting.set(name, done);
      this.send({ ask: "series", name });
      window.setTimeout(() => this.answer(name, null), 5000);
    });
  }

  answer(name: string, packet: Packet | null): void {
    this.waiting.get(name)?.(packet);
    this.waiting.delete(name);
  }
}

class PlayPage {
  readonly ready: Promise<void>;
  private readonly root: HTMLElement;
  private readonly stage: Stage;
  private readonly world: World;
  private readonly clock = new Clock();
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
  private scene: Scene | null = null;
  private film: Film | null = null;
  private grains: Grains[] = [];
  private example = "";
  private values: Record<string, number> = {};
  private own: Record<string, number> = {};
  private channels = "";
  private changes = 0;
  private last = 0;
  private pictures: number[] = [];
  private dark = matchMedia("(prefers-color-scheme: dark)").matches;
  private asked = false;
  private done!: () => void;

  constructor(holder: HTMLElement) {
    this.ready = new Promise((done) => (this.done = done));
    const canvas = h("canvas", { class: "stage", tabIndex: 0, "aria-label": "the machine in motion" });
    this.stage = new Stage(canvas);
    this.world = new World(this.stage);
    this.board = new Board(this.store, (time) => this.clock.seek(time), () => this.stage.invalidate());
    const timeline = new Timeline(this.clock, {
      toggle: () => (this.clock.playing ? this.clock.pause() : this.clock.play()),
      step: (by) => this.film && this.clock.step(this.film.data.times, by),
      seek: (time) => this.clock.seek(time),
      live: () => {},
    }, false);
    this.themeButton = button("moon", "light or dark", () => {
      this.dark = !this.dark;
      this.setTheme();
    });
    this.main = h("main", {}, canvas, this.said, this.legend);
    this.root = h("div", { class: "play" },
      h("header", {}, h("b", {}, "Gori playground"), this.nav, this.themeButton),
      h("aside", {}, this.title, this.about, this.knobs, h("div", { class: "acts" },
        button("reset", "values as they were at first", () => this.link.send({ do: "reset" }), "reset"),
        button("loop", "copy a link that holds these settings", () => this.copy(), "copy link"))),
      this.main, timeline.element, h("div", { class: "charts" }, this.board.element));
    holder.append(this.root);
    this.setTheme();
    new ResizeObserver(() => this.stage.resize(this.main.clientWidth, this.main.clientHeight)).observe(this.main);
    this.stage.resize(this.main.clientWidth, this.main.clientHeight);
    this.listen(canvas);
    this.link.start({
      packet: (packet) => this.take(packet),
      link: (state) => {
        if (state === "lost") this.say("the server is gone; trying again", true);
        if (state === "open") this.asked = false;
      },
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  private listen(canvas: HTMLCanvasElement): void {
    const fingers = new Map<number, [number, number]>();
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    };
    canvas.onpointermove = (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
      if (event.shiftKey || event.buttons === 2 || event.buttons === 4) this.stage.camera.pan(dx, dy, this.main.clientHeight);
      else this.stage.camera.orbit(dx, dy);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      this.stage.invalidate();
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.stage.camera.zoom(Math.exp(0.001 * event.deltaY));
      this.stage.invalidate();
    }, { passive: false });
    window.addEventListener("keydown", (event) => {
      if (event.code !== "Space" || event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      if (this.clock.playing) this.clock.pause();
      else this.clock.play();
    });
    window.addEventListener("hashchange", () => {
      const wanted = readLink(location.hash);
      if (wanted.example && writeLink(this.example, this.values, this.own) !== location.hash) this.ask(wanted.example, wanted.values);
    });
  }

  private setTheme(): void {
    this.root.dataset.theme = this.dark ? "dark" : "light";
    setIcon(this.themeButton, this.dark ? "sun" : "moon");
    if (this.scene) this.world.setTheme(this.dark ? DARK : LIGHT);
    else this.stage.setTheme(this.dark ? DARK : LIGHT);
    this.board.restyle();
  }

  private say(words: string, error = false): void {
    this.said.replaceChildren(h("div", { class: error ? "error" : "" }, words));
    const line = this.said.firstElementChild;
    window.setTimeout(() => line?.remove(), 5000);
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
      this.world.setArrows(readArrows(packet));
      this.world.showArrows("reaction", true);
      this.legend.hidden = false;
    } else if (type === "grains") {
      const grains = readGrains(packet);
      this.grains[grains.frame] = grains;
    } else if (type === "series") this.link.answer(String(packet.head.name), packet);
    else if (type === "notice") this.say(String(packet.head.message));
    else if (type === "error") this.say(String(packet.head.message), true);
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
    this.scene = readScene(packet);
    this.grains = [];
    this.world.grains.show(null);
    this.legend.hidden = true;
    const poses = packet.field("poses");
    this.world.build(this.scene, poses ? Float32Array.from(poses.data) : null);
    this.values = Object.fromEntries(this.scene.inputs.map((input) => [input.name, input.value]));
    if (another) {
      this.example = example;
      this.own = play.own as Record<string, number>;
      this.title.textContent = this.scene.title;
      this.about.textContent = String(play.about ?? "");
      document.title = `Gori: ${this.scene.title}`;
      this.sliders = new Sliders(this.scene.inputs, (name, value) => {
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
      this.channels = "";
    } else this.sliders?.update(this.values);
    const trails = play.trails as string[];
    for (const name of trails) this.world.trails.toggle(name, true);
    this.remember();
    this.camera = another;
    this.setTheme();
  }

  private camera = true;

  private remember(): void {
    history.replaceState(null, "", writeLink(this.example, this.values, this.own));
  }

  private setFilm(packet: Packet): void {
    const old = this.clock.last - this.clock.first;
    const share = old > 0 ? (this.clock.time - this.clock.first) / old : 0;
    this.film = new Film(readFilm(packet));
    this.clock.setRange(this.film.first, this.film.last);
    const span = this.film.last - this.film.first;
    this.clock.seek(this.film.first + share * span);
    if (this.camera) {
      this.camera = false;
      this.world.measure(this.film);
      this.stage.camera.view(this.scene?.camera?.view ?? "iso", undefined, undefined, true);
      this.stage.camera.fit(this.world.room, true);
      this.clock.setSpeed(Math.min(1, span / SLOWEST_SHOWN));
      this.clock.play();
    }
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

  // ---- pictures

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const passed = this.last ? Math.min(0.2, (now - this.last) / 1000) : 0;
    this.last = now;
    this.clock.tick(passed);
    if (this.film && this.scene) {
      this.film.sample(this.clock.time, this.world.moment);
      this.world.update(this.clock.time, this.film);
      this.board.setTime(this.clock.time);
      const count = this.grains.length;
      if (count) {
        const times = this.film.data.grainTimes;
        let k = 0;
        while (k + 1 < times.length && times[k + 1] <= this.clock.time) k++;
        if (this.grains[k]) this.world.grains.show(this.grains[k]);
      }
    }
    this.world.prepare();
    if (this.stage.frame(now, passed)) {
      this.pictures.push(now);
      while (this.pictures.length && this.pictures[0] < now - 1000) this.pictures.shift();
    }
  }

  page(): Record<string, unknown> {
    return {
      ready: this.ready,
      state: () => {
        const bodies: Record<string, number[]> = {};
        this.scene?.bodies.forEach((body, k) => (bodies[body.name] = [...this.world.moment.poses.slice(7 * k, 7 * k + 3)]));
        return {
          time: this.clock.time, frame: this.film?.frame(this.clock.time) ?? 0, playing: this.clock.playing, live: false, fps: this.pictures.length,
          drawn: this.world.grains.shown?.drawn ?? 0, bodies, example: this.example, values: { ...this.values }, changes: this.changes,
        };
      },
      seek: (time: number) => this.clock.seek(time),
      play: () => this.clock.play(),
      pause: () => this.clock.pause(),
      camera: (name: string) => this.stage.camera.view(name),
      picture: () => this.stage.picture(),
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
