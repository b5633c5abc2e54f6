/** The drive page: keys, gamepad or fingers in; the vehicle, its ruts and its dashboard out. */

import "../drive/drive.css";
import { Cameras, VIEWS, type View } from "../drive/cameras";
import { Dashboard } from "../drive/dashboard";
import { Latency } from "../drive/latency";
import { Pedals, type Deed } from "../drive/pedals";
import { touchControls } from "../drive/touch";
import { button, h, setIcon } from "../panels/dom";
import { DARK, LIGHT, type Theme } from "../scene/colours";
import { Stage } from "../scene/stage";
import { Terrain } from "../scene/terrain";
import { World } from "../scene/world";
import type { Json, Packet } from "../transport/packet";
import { readFrame, readScene } from "../transport/read";
import { ServerTransport } from "../transport/server";
import type { Message } from "../transport/messages";
import type { LiveFrame, Ruts, Scene } from "../transport/types";

const DASH = { software: 240, hardware: 90 }; // ms between two looks at the dashboard: text that changes faster cannot be read
const PRESS = 60; // ms between two changes of the ground
const SOFTWARE_LEVEL = 3; // of the quality with which a machine without a graphics card begins
const HEARTBEAT = 250; // ms between two messages at least, so that the other side knows that there is a driver
const SKY = { light: ["#86aede", "#eef1f3"], dark: ["#0d1420", "#27303c"] };
const ASPHALT = { light: "#b7babf", dark: "#4d5259" };

interface Page {
  ready: Promise<void>;
  state(): Record<string, unknown>;
  latency: Latency;
  camera(view: unknown): void;
  picture(): string;
  seek(): void;
  play(): void;
  pause(): void;
}

class DrivePage {
  readonly latency = new Latency();
  readonly ready: Promise<void>;
  private readonly root: HTMLElement;
  private readonly stage: Stage;
  private readonly world: World;
  private readonly pedals = new Pedals();
  private readonly dash = new Dashboard();
  private readonly link: ServerTransport;
  private readonly title = h("h1", {}, "Gori");
  private readonly about = h("p", {}, "");
  private readonly said = h("div", { class: "say", "aria-live": "polite" });
  private readonly wait = h("div", { class: "wait" }, h("b", {}, "The vehicle settles on its wheels …"));
  private readonly buttons: Record<string, HTMLButtonElement> = {};
  private cameras: Cameras | null = null;
  private scene: Scene | null = null;
  private drive: Json = {};
  private frame: LiveFrame | null = null;
  private news: LiveFrame | null = null;
  private sent = "";
  private sentAt = 0;
  private last = 0;
  private pictures: number[] = [];
  private ruts: Ruts[] = [];
  private pressedAt = 0;
  private dashedAt = 0;
  private touched = false;
  private dark = matchMedia("(prefers-color-scheme: dark)").matches;
  private done!: () => void;
  private paused = false;

  constructor(holder: HTMLElement, token: string | null) {
    this.ready = new Promise((done) => (this.done = done));
    const canvas = h("canvas", { tabIndex: 0, "aria-label": "the vehicle on its course" });
    this.root = h("div", { class: "drive" }, canvas);
    holder.append(this.root);
    this.stage = new Stage(canvas);
    if (this.stage.software) this.stage.quality.level = SOFTWARE_LEVEL;
    this.world = new World(this.stage);
    this.root.append(
      h("div", { class: "top" }, h("div", { class: "title card" }, this.title, this.about, this.dash.real), this.tools()),
      this.dash.root, touchControls(this.pedals, () => this.tell()), this.keys(), this.said, this.wait);
    this.setTheme();
    new ResizeObserver(() => this.resize()).observe(this.root);
    this.resize();
    this.listen(canvas);
    this.link = new ServerTransport(token);
    this.link.start({
      packet: (packet) => this.take(packet),
      link: (state) => {
        if (state === "lost") {
          this.say("the server is gone; trying again", true);
          this.dash.lost();
        }
        if (state === "open") this.sent = "";
      },
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  private resize(): void {
    this.stage.resize(this.root.clientWidth, this.root.clientHeight);
  }

  private tools(): HTMLElement {
    const make = (key: string, icon: string, title: string, act: () => void, word = "") => {
      const element = button(icon, title, act);
      if (word) element.append(h("span", { class: "word" }, word));
      element.onmousedown = (event) => event.preventDefault(); // keys stay with the vehicle
      return (this.buttons[key] = element);
    };
    return h("div", { class: "tools card" },
      make("reset", "reset", "start again on fresh ground (R)", () => this.act("reset"), "reset"),
      make("camera", "camera", "chase, cockpit or free camera (C)", () => this.act("camera"), "chase"),
      make("low", "layers", "low range (G)", () => this.act("low"), "high"),
      make("lever", "sliders", "gear lever", () => this.nextLever(), "auto"),
      make("record", "record", "record (V)", () => this.act("record"), "record"),
      make("replay", "play", "show the recording again", () => this.link.send({ do: "replay" } as unknown as Message), "replay"),
      make("download", "down", "download the recording", () => this.download()),
      make("pause", "pause", "pause (P)", () => this.act("pause")),
      make("theme", "moon", "light or dark", () => {
        this.dark = !this.dark;
        this.setTheme();
      }));
  }

  private keys(): HTMLElement {
    const rows: [string[], string][] = [
      [["↑", "↓"], "go, brake and back"], [["←", "→"], "steer"], [["space"], "brake"], [["C"], "camera"], [["G"], "low range"],
      [["R"], "reset"], [["V"], "record"],
    ];
    return h("div", { class: "keys card" },
      ...rows.flatMap(([keys, words]) => [h("span", {}, ...keys.map((key) => h("kbd", {}, key))), h("span", {}, words)]));
  }

  private word(key: string, text: string): void {
    const element = this.buttons[key].querySelector(".word");
    if (element && element.textContent !== text) element.textContent = text;
  }

  private setTheme(): void {
    const base = this.dark ? DARK : LIGHT;
    const [top, bottom] = this.dark ? SKY.dark : SKY.light;
    const soft = this.scene?.terrain?.soft;
    const soil = soft ? base.soil : this.dark ? ASPHALT.dark : ASPHALT.light;
    const theme: Theme = { ...base, top, bottom, soil };
    this.root.dataset.theme = this.dark ? "dark" : "light";
    setIcon(this.buttons.theme, this.dark ? "sun" : "moon");
    if (this.scene) this.world.setTheme(theme);
    else this.stage.setTheme(theme);
  }

  // ---- input

  private listen(canvas: HTMLCanvasElement): void {
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const deed = this.pedals.deed(event.code);
      if (deed && !event.repeat) this.act(deed);
      if (this.pedals.key(event.code, true)) {
        event.preventDefault();
        if (!event.repeat) this.latency.pressed(event.code, event.timeStamp);
        this.tell();
      }
    });
    window.addEventListener("keyup", (event) => {
      if (this.pedals.key(event.code, false)) {
        event.preventDefault();
        this.tell();
      }
    });
    window.addEventListener("blur", () => {
      this.pedals.release();
      this.tell();
    });
    const fingers = new Map<number, [number, number]>();
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    };
    canvas.onpointermove = (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      this.stage.camera.orbit(event.clientX - before[0], event.clientY - before[1]);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      this.touched = true;
      this.stage.invalidate();
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.stage.camera.zoom(Math.exp(0.001 * event.deltaY));
      this.touched = true;
      this.stage.invalidate();
    }, { passive: false });
  }

  private act(deed: Deed): void {
    if (deed === "reset") this.link.send({ do: "reset" });
    else if (deed === "camera" && this.cameras) this.word("camera", this.cameras.next());
    else if (deed === "low") {
      this.pedals.low = !this.pedals.low;
      this.tell();
    } else if (deed === "record") {
      const on = this.frame?.state?.recording === true;
      this.link.send({ do: on ? "stop_record" : "record" });
    } else if (deed === "pause") this.link.send({ do: this.paused ? "resume" : "pause" });
    else if (deed === "help") this.root.querySelector(".keys")?.toggleAttribute("hidden");
  }

  private nextLever(): void {
    const levers = ["auto", ...((this.frame?.state?.gears as string[] | undefined) ?? [])];
    this.pedals.lever = levers[(levers.indexOf(this.pedals.lever) + 1) % levers.length];
    this.word("lever", this.pedals.lever);
    this.tell();
  }

  private download(): void {
    if (this.frame?.state?.file !== true) return;
    const link = h("a", { href: "/api/recording", download: "" });
    link.click();
  }

  /** Sends what the driver wants, if it is new or some time has passed. */
  private tell(now = performance.now()): void {
    if (!this.frame || this.frame.state?.steers === false) return;
    const speed = Number(this.frame.values.speed ?? 0);
    const pads = navigator.getGamepads?.() ?? [];
    const wish = this.pedals.wish(speed, pads.find((pad) => pad !== null) ?? null);
    const text = JSON.stringify(wish);
    if (text === this.sent && now - this.sentAt < HEARTBEAT) return;
    this.sent = text;
    this.sentAt = now;
    this.link.send({ drive: { ...wish }, sent: now });
  }

  // ---- packets

  private take(packet: Packet): void {
    const type = packet.head.type;
    if (type === "scene") this.begin(packet);
    else if (type === "frame") {
      const frame = readFrame(packet);
      const ruts = packet.head.ruts as Json | undefined;
      if (ruts?.fresh === true) this.freshGround();
      if (frame.ruts) this.ruts.push(frame.ruts);
      this.news = frame;
      // only the latest one is drawn: it is as good as shown, and the next may come while this one is drawn
      this.link.send({ shown: frame.number });
    } else if (type === "notice") this.say(String(packet.head.message));
    else if (type === "error") this.say(String(packet.head.message), true);
  }

  private begin(packet: Packet): void {
    this.scene = readScene(packet);
    this.drive = (packet.head.drive ?? {}) as Json;
    const poses = packet.field("poses");
    this.world.build(this.scene, poses ? Float32Array.from(poses.data) : null);
    this.setTheme();
    const chassis = this.world.machine.bodies[Number(this.drive.chassis ?? 1)];
    this.cameras = new Cameras(this.stage, chassis);
    const place = this.stage.camera.update.bind(this.stage.camera);
    const cameras = this.cameras;
    this.stage.camera.update = (passed: number) => {
      place(passed);
      cameras.place();
    };
    this.cameras.set("chase");
    this.title.textContent = this.scene.title;
    const soil = this.drive.soil && this.drive.soil !== "hard" ? String(this.drive.soil).replaceAll("_", " ") : "hard ground";
    this.about.textContent = `${String(this.drive.vehicle ?? "")} on ${soil}`;
    document.title = `Gori: ${this.scene.title}`;
  }

  private freshGround(): void {
    const terrain = this.scene?.terrain;
    this.ruts = [];
    if (!terrain || !this.world.terrain) return;
    this.world.terrain.root.removeFromParent();
    this.world.terrain = new Terrain(terrain, this.stage.theme);
    this.stage.scene.add(this.world.terrain.root);
  }

  private say(words: string, error = false): void {
    if ([...this.said.children].some((child) => child.textContent === words)) return;
    const line = h("div", { class: error ? "error" : "" }, words);
    this.said.append(line);
    while (this.said.children.length > 3) this.said.firstElementChild?.remove();
    window.setTimeout(() => line.remove(), 6000);
  }

  // ---- pictures

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const passed = this.last ? Math.min(0.2, (now - this.last) / 1000) : 0;
    this.last = now;
    const frame = this.news;
    if (frame) {
      this.news = null;
      this.showFrame(frame);
    }
    this.tell(performance.now());
    if (this.ruts.length && now - this.pressedAt > PRESS) {
      this.pressedAt = now;
      for (const ruts of this.ruts.splice(0)) this.world.setRuts(ruts);
    }
    // only what is new is drawn; a finer picture of what stands still would delay the next one
    if (frame || this.touched || this.stage.camera.moving) {
      this.touched = false;
      this.world.prepare();
      this.stage.frame(now, passed);
      this.pictures.push(now);
      while (this.pictures.length && this.pictures[0] < now - 1000) this.pictures.shift();
    }
    if (frame) {
      this.latency.drawn(Number(frame.values.angle ?? 0), Number(frame.values.speed ?? 0), performance.now());
    }
  }

  private showFrame(frame: LiveFrame): void {
    if (!this.scene) return;
    if (!this.frame) {
      this.wait.remove();
      this.done();
    }
    this.frame = frame;
    const { moment } = this.world;
    if (frame.poses) moment.poses.set(frame.poses);
    if (frame.spin) moment.spin.set(frame.spin);
    if (frame.grains) this.world.grains.show(frame.grains);
    this.world.update(frame.time, null);
    const now = performance.now();
    if (now - this.dashedAt < (this.stage.software ? DASH.software : DASH.hardware)) return;
    this.dashedAt = now;
    this.showDash(frame);
  }

  private showDash(frame: LiveFrame): void {
    if (!this.scene) return;
    const v = frame.values as Record<string, number> & Record<string, number[]>;
    const state = (frame.state ?? {}) as Record<string, unknown>;
    this.dash.show({
      speed: v.speed, rpm: v.rpm, gear: v.gear, selector: String(state.selector ?? "D"), low: state.low === true, throttle: v.throttle,
      brake: v.brake, steer: v.steer, slip: v.slip as unknown as number[], sinkage: v.sinkage as unknown as number[],
      load: v.load as unknown as number[], ratio: v.ratio, held: v.held, behind: v.behind, soft: this.scene.terrain?.soft != null,
    });
    const recording = state.recording === true;
    this.paused = state.paused === true;
    this.buttons.record.classList.toggle("on", recording);
    this.word("record", recording ? `${Number(state.recorded ?? 0).toFixed(0)} s` : "record");
    this.word("low", state.low === true ? "low" : "high");
    this.buttons.low.classList.toggle("on", state.low === true);
    this.buttons.download.disabled = state.file !== true;
    this.buttons.replay.disabled = state.file !== true || recording;
    this.word("replay", state.replay === true ? "replaying" : "replay");
    this.buttons.replay.classList.toggle("on", state.replay === true);
    setIcon(this.buttons.pause, this.paused ? "play" : "pause");
    if (Number(v.cones) > 0) this.about.textContent = `${v.cones} cones touched`;
  }

  page(): Page {
    return {
      ready: this.ready,
      latency: this.latency,
      state: () => {
        const bodies: Record<string, number[]> = {};
        this.scene?.bodies.forEach((body, k) => (bodies[body.name] = [...this.world.moment.poses.slice(7 * k, 7 * k + 3)]));
        return {
          time: this.frame?.time ?? 0, frame: this.frame?.number ?? 0, playing: !this.paused, live: true, fps: this.pictures.length,
          drawn: this.frame?.grains?.drawn ?? 0, bodies, values: this.frame?.values ?? {}, state: this.frame?.state ?? {},
          latency: this.latency.summary(), view: this.cameras?.view ?? null, level: this.stage.quality.level,
        };
      },
      camera: (view) => {
        if (VIEWS.includes(view as View)) {
          this.cameras?.set(view as View);
          this.word("camera", view as string);
        } else this.stage.camera.view(String(view));
      },
      picture: () => this.stage.picture(),
      seek: () => {},
      play: () => this.link.send({ do: "resume" }),
      pause: () => this.link.send({ do: "pause" }),
    };
  }
}

const place = window as unknown as { gori?: Record<string, unknown> };
place.gori ??= { mode: "server" };
const holder = (place.gori.element as HTMLElement | undefined) ?? document.getElementById("gori")!;
try {
  place.gori.page = new DrivePage(holder, (place.gori.token as string | undefined) ?? null).page();
} catch (error) {
  holder.textContent = String(error instanceof Error ? error.message : error);
}
