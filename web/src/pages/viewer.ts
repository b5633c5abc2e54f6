/** A page of the viewer: packets in, the scene and its clock, pictures out. Panels are put around it by `panels.ts`. */

import type { Color } from "three";
import { SeriesStore } from "../charts/series";
import { Clock } from "../playback/clock";
import { Film } from "../playback/film";
import { GrainReel } from "../playback/grainReel";
import { History } from "../playback/history";
import { Pace } from "../playback/pace";
import { DARK, LIGHT } from "../scene/colours";
import { Stage } from "../scene/stage";
import { World } from "../scene/world";
import { readArrows, readFilm } from "../transport/read";
import type { Link, Transport } from "../transport/transport";
import type { LiveFrame, Scene } from "../transport/types";
import type { ViewerEvents, ViewerOptions } from "./options";
import { GrainAmount } from "./grainAmount";
import { showGrains } from "./grainView";
import { receiver } from "./receiver";
import { firstLook, lookFrom } from "./viewpoint";

const SEEK_WAIT = 15_000; // ms

export class Viewer {
  readonly stage: Stage;
  readonly world: World;
  readonly clock = new Clock();
  readonly pace = new Pace();
  readonly store: SeriesStore;
  scene: Scene | null = null;
  film: Film | null = null;
  ghost: Film | null = null;
  history: History | null = null;
  latest: LiveFrame | null = null;
  reel: GrainReel | null = null;
  link: Link = "connecting";
  /** colours of the bodies at a time; null: their own */
  colours: ((time: number) => (Color | null)[] | null) | null = null;
  /** called when all bodies have moved to the present time */
  moved: () => void = () => {};
  readonly ready: Promise<void>;
  private readonly arrowsAsked = new Set<string>();
  private nowReady!: () => void;
  private complete = false;
  private grainsHere = true;
  private measured = false;
  private stale = true;
  private lastNow = 0;
  private unshown = 0;
  readonly amount: GrainAmount;
  private closed = false;
  private readonly waiting: { from: number; done: () => void }[] = [];

  constructor(canvas: HTMLCanvasElement, readonly transport: Transport, readonly options: ViewerOptions, private readonly events: ViewerEvents) {
    this.ready = new Promise((resolve) => (this.nowReady = resolve));
    this.stage = new Stage(canvas);
    this.amount = new GrainAmount(this.stage.software);
    this.world = new World(this.stage);
    this.store = new SeriesStore(transport);
    this.clock.onChange(() => (this.stale = true));
    requestAnimationFrame((now) => this.loop(now));
  }

  start(): void {
    const packet = receiver(this.world, this.store, {
      scene: (scene) => this.setScene(scene), film: (film) => this.setFilm(film), ghost: (film) => this.setGhost(film),
      frame: (frame) => this.setFrame(frame), message: (text, kind) => this.events.message(text, kind),
      begun: () => this.scene !== null, changed: () => this.invalidate(),
    });
    this.transport.start({ packet, link: (link) => this.events.link((this.link = link)) });
  }

  get live(): boolean {
    return this.scene !== null && this.scene.mode !== "film" && this.scene.mode !== "machine";
  }

  private setScene(scene: Scene): void {
    const again = this.scene !== null;
    this.scene = scene;
    this.world.build(scene, scene.poses);
    this.arrowsAsked.clear();
    this.history = scene.mode === "film" ? null : new History(scene.bodies.length);
    if (this.live) this.clock.follow(true);
    if (!again) this.look();
    this.events.scene(scene, again);
    for (const text of scene.notices) this.events.message(text, "notice");
    for (const name of this.options.trails ?? []) this.world.trails.toggle(name, true);
    for (const kind of this.options.arrows ?? []) void this.showArrows(kind, true);
    if (scene.mode === "film" && !again) void this.transport.film().then((packet) => {
      if (packet) this.setFilm(new Film(readFilm(packet)));
      else this.complete = true;
    });
    else this.complete = true;
    this.stale = true;
  }

  private look(): void {
    firstLook(this.world, this.scene!);
    if (this.options.camera) this.camera(this.options.camera);
  }

  private setFilm(film: Film): void {
    const again = this.film !== null;
    this.film = film;
    this.clock.growing = !film.data.complete;
    this.clock.setRange(film.first, film.last);
    if (!again) {
      this.clock.time = film.first;
      film.sample(film.first, this.world.moment);
      this.world.measure(film);
      this.look();
    }
    const { grainTimes, series } = film.data;
    if (grainTimes.length && grainTimes.length !== this.reel?.times.length) {
      this.reel = new GrainReel(this.transport, grainTimes, this.reel?.most ?? this.amount.most, () => (this.stale = true));
    }
    for (const entry of series) this.store.put(entry);
    this.complete = true;
    this.stale = true;
    this.events.film(film, again);
  }

  private setGhost(film: Film): void {
    if (!this.scene) return;
    this.ghost = film;
    this.world.setGhost(this.scene, film);
    if (this.stage.camera.untouched && !this.stage.camera.followed) this.look();
    this.events.ghost(film);
    this.stale = true;
  }

  private setFrame(frame: LiveFrame): void {
    if (!this.scene || !this.history) return;
    this.latest = frame;
    this.unshown = frame.number;
    if (frame.poses) {
      this.history.push(frame.time, { poses: frame.poses, spin: frame.spin ?? new Float32Array(this.scene.wheels.length) });
      this.clock.setRange(this.history.first, this.history.last);
      if (this.clock.following || !this.live) this.clock.time = this.clock.last;
    }
    if (frame.ruts) this.world.setRuts(frame.ruts);
    for (const arrows of frame.arrows) this.world.setArrows(arrows);
    this.store.grow(frame.time, frame.values, (name) => this.scene!.channels.find((channel) => channel.name === name)?.unit ?? "");
    this.stale = true;
    this.events.frame(frame);
  }

  private loop(now: number): void {
    if (this.closed) return;
    requestAnimationFrame((next) => this.loop(next));
    const passed = Math.min(1, Math.max(0, (now - this.lastNow) / 1000));
    this.lastNow = now;
    if (!this.scene) return;
    this.clock.tick(passed);
    if (this.stale) this.update();
    if (this.stage.frame(now, passed)) this.afterDrawing(now);
  }

  /** Moves everything to the present time. */
  private update(): void {
    this.stale = false;
    const { time, playing, speed } = this.clock;
    const past = this.film ?? this.history;
    past?.sample(time, this.world.moment);
    if (this.reel) {
      const { grains, exact } = showGrains(this.reel, this.world.grains, time, playing, speed);
      this.grainsHere = exact;
      if (grains && !this.measured) {
        this.measured = true;
        this.world.includeGrains(grains);
        if (!this.stage.camera.followed) this.look();
      }
    } else if (this.latest?.grains) this.world.grains.show(this.latest.grains);
    if (this.ghost && this.world.ghost) {
      this.ghost.sample(Math.min(time, this.ghost.last), this.world.ghost.moment);
      this.world.ghost.update(time);
    }
    if (this.colours) this.world.paint(this.colours(time));
    this.world.update(time, past);
    this.moved();
  }

  private afterDrawing(now: number): void {
    const [width, height] = this.stage.size;
    this.world.labels.update(this.stage.camera.eye, width, height);
    const moving = this.clock.playing || (this.live && this.clock.following);
    if (moving) this.pace.mark(now);
    else this.pace.rest();
    if (this.unshown) {
      this.transport.send({ shown: this.unshown });
      this.unshown = 0;
    }
    const grains = this.world.grains.shown;
    const most = this.amount.fewer(now, moving && this.stage.quality.plainest ? this.pace.fps : 0, grains?.drawn ?? 0);
    if (most !== null) this.setGrains(most);
    if (this.complete && this.grainsHere) {
      this.stage.finely = true;
      this.nowReady();
    }
    for (let k = this.waiting.length - 1; k >= 0; k--) {
      if (this.grainsHere || now - this.waiting[k].from > SEEK_WAIT) this.waiting.splice(k, 1)[0].done();
    }
    this.events.drawn(now);
  }

  seek(time: number): Promise<void> {
    this.clock.seek(time);
    this.stage.invalidate();
    this.grainsHere = this.reel === null;
    this.stale = true;
    return new Promise((done) => this.waiting.push({ from: performance.now(), done }));
  }

  /** How many grains to draw at most; null: as many as the machine bears. */
  askGrains(most: number | null): void {
    this.setGrains(this.amount.ask(most));
  }

  private setGrains(most: number): void {
    this.reel?.setMost(most);
    if (!this.reel) this.transport.send({ ask: "grains", frame: 0, most });
    this.stale = true;
  }

  async showArrows(kind: string, on: boolean): Promise<boolean> {
    if (on && !this.arrowsAsked.has(kind) && !this.live) {
      this.arrowsAsked.add(kind);
      const packet = await this.transport.arrows(kind);
      if (packet?.type === "arrows") this.world.setArrows(readArrows(packet));
    }
    const found = this.world.showArrows(kind, on);
    this.stale = true;
    return found;
  }

  /** A standard view, "follow", "chase" or "fit"; body: which one to follow. */
  camera(to: string | { position: number[]; target: number[] }, body?: number): boolean {
    const known = lookFrom(this.world, this.scene, to, body);
    if (!known) this.events.message(`There is no view ${String(to)}.`, "error");
    return known;
  }

  setDark(dark: boolean): void {
    this.world.setTheme(dark ? DARK : LIGHT);
    this.invalidate();
  }

  invalidate(): void { this.stale = true; }

  /** over: paints more into it, in pixels of the page. */
  picture(over: (paint: CanvasRenderingContext2D) => void = () => {}): string {
    this.update();
    return this.stage.picture((paint) => {
      this.world.labels.paint(paint);
      over(paint);
    });
  }

  close(): void {
    this.closed = true;
    this.transport.close();
    this.stage.dispose();
  }
}
