/** The drive page: keys, gamepad or fingers in; the vehicle, its ruts and its dashboard out. */

import "../drive/drive.css";
import { VIEWS, type View } from "../drive/cameras";
import { listenToCanvas, listenToKeys } from "../drive/controls";
import { Dashboard, shownOf } from "../drive/dashboard";
import { Latency } from "../drive/latency";
import { Orders } from "../drive/orders";
import { Pedals, type Deed } from "../drive/pedals";
import { Said } from "../drive/said";
import { keyCard, Toolbar, type Press } from "../drive/toolbar";
import { touchControls } from "../drive/touch";
import { DriveView } from "../drive/view";
import { h } from "../panels/dom";
import type { Json, Packet } from "../transport/packet";
import { readFrame } from "../transport/read";
import { ServerTransport } from "../transport/server";
import type { Message } from "../transport/messages";
import type { LiveFrame } from "../transport/types";

const DASH = { software: 240, hardware: 90 }; // ms between two looks at the dashboard: text that changes faster cannot be read

class DrivePage {
  readonly latency = new Latency();
  readonly ready: Promise<void>;
  private readonly root: HTMLElement;
  private readonly view: DriveView;
  private readonly pedals = new Pedals();
  private readonly orders = new Orders();
  private readonly dash = new Dashboard();
  private readonly tools = new Toolbar((what) => this.act(what));
  private readonly said = new Said();
  private readonly link: ServerTransport;
  private readonly title = h("h1", {}, "Gori");
  private readonly about = h("p", {}, "");
  private readonly wait = h("div", { class: "wait" }, h("b", {}, "The vehicle settles on its wheels …"));
  private readonly help = keyCard();
  /** the latest frame that was shown, and one that came since */
  private frame: LiveFrame | null = null;
  private news: LiveFrame | null = null;
  private dashedAt = 0;
  private dark = matchMedia("(prefers-color-scheme: dark)").matches;
  private done!: () => void;

  constructor(holder: HTMLElement, token: string | null) {
    this.ready = new Promise((done) => (this.done = done));
    const canvas = h("canvas", { tabIndex: 0, "aria-label": "the vehicle on its course" });
    this.root = h("div", { class: "drive" }, canvas);
    holder.append(this.root);
    this.view = new DriveView(canvas);
    this.root.append(
      h("div", { class: "top" }, h("div", { class: "title card" }, this.title, this.about, this.dash.real), this.tools.root),
      h("div", { class: "bottom" }, touchControls(this.pedals, () => this.tell()), this.dash.root), this.help, this.said.root, this.wait);
    this.setTheme();
    const resize = () => this.view.resize(this.root.clientWidth, this.root.clientHeight);
    new ResizeObserver(resize).observe(this.root);
    resize();
    const listener = {
      moved: () => this.tell(),
      pressed: (code: string, at: number) => this.latency.pressed(code, at),
      act: (deed: Deed) => this.act(deed),
      looked: () => this.view.look(),
    };
    listenToKeys(this.pedals, listener);
    listenToCanvas(canvas, this.view.stage.camera, listener);
    this.link = new ServerTransport(token);
    this.link.start({
      packet: (packet) => this.take(packet),
      link: (state) => {
        if (state === "lost") {
          this.news = null; // what is not drawn yet is old
          this.said.stands("the server is gone; trying again");
          this.dash.lost();
        }
        if (state === "open") {
          this.orders.forget();
          this.said.stands(null);
        }
      },
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  private setTheme(): void {
    this.root.dataset.theme = this.dark ? "dark" : "light";
    this.tools.setTheme(this.dark);
    this.view.setTheme(this.dark);
  }

  // ---- what the driver does

  private act(what: Press): void {
    const state = this.frame?.state ?? {};
    if (what === "reset") this.link.send({ do: "reset" });
    else if (what === "camera" && this.view.cameras) this.look(this.view.cameras.next());
    else if (what === "low") {
      this.pedals.low = !this.pedals.low;
      this.tell();
    } else if (what === "lever") {
      this.tools.word("lever", this.pedals.nextLever((state.gears as string[] | undefined) ?? []));
      this.tell();
    } else if (what === "record") this.link.send({ do: state.recording === true ? "stop_record" : "record" });
    else if (what === "replay") this.link.send({ do: "replay" } as unknown as Message);
    else if (what === "pause") this.link.send({ do: state.paused === true ? "resume" : "pause" });
    else if (what === "download" && state.file === true) h("a", { href: "/api/recording", download: "" }).click();
    else if (what === "help") this.help.toggleAttribute("hidden");
    else if (what === "theme") {
      this.dark = !this.dark;
      this.setTheme();
    }
  }

  private look(from: View): void {
    this.tools.word("camera", from);
    this.view.look();
  }

  /** Sends what the driver wants, if it is new or some time has passed. */
  private tell(now = performance.now()): void {
    if (!this.frame || this.frame.state?.steers === false) return;
    const pads = navigator.getGamepads?.() ?? [];
    const pad = pads.find((one) => one !== null && one.connected) ?? null;
    const order = this.orders.tell(this.pedals.wish(Number(this.frame.values.speed ?? 0), pad), now);
    if (order) this.link.send({ drive: { ...order.drive }, sent: order.sent });
  }

  // ---- packets

  private take(packet: Packet): void {
    const type = packet.head.type;
    if (type === "scene") this.begin(packet);
    else if (type === "frame") this.hear(packet);
    else if (type === "notice") this.said.say(String(packet.head.message));
    else if (type === "error") {
      const message = String(packet.head.message);
      if (this.frame) return this.said.say(message, true);
      this.said.stands(message); // there is nothing to drive
      this.wait.remove();
    }
  }

  private begin(packet: Packet): void {
    const { title } = this.view.build(packet);
    const drive = (packet.head.drive ?? {}) as Json;
    this.setTheme();
    this.look("chase");
    this.title.textContent = title;
    const soil = drive.soil && drive.soil !== "hard" ? String(drive.soil).replaceAll("_", " ") : "hard ground";
    this.about.textContent = `${String(drive.vehicle ?? "")} on ${soil}`;
    document.title = `Gori: ${title}`;
  }

  private hear(packet: Packet): void {
    const frame = readFrame(packet);
    this.view.press(frame.ruts, (packet.head.ruts as Json | undefined)?.fresh === true);
    this.news = frame;
    // only the latest one is drawn: it is as good as shown, and the next may come while this one is drawn
    this.link.send({ shown: frame.number });
    const now = performance.now();
    if (!this.orders.waiting(now)) return;
    this.orders.answered(Number(frame.state?.sent ?? 0));
    if (!this.orders.waiting(now)) this.draw(now); // what the driver waits for is not put off
  }

  // ---- pictures

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    this.tell();
    if (!this.orders.waiting(performance.now())) this.draw(now);
  }

  private draw(now: number): void {
    const frame = this.news;
    this.news = null;
    if (frame && this.view.scene) this.showFrame(frame);
    if (this.view.draw(frame, now) && frame) {
      this.latency.drawn(Number(frame.values.angle ?? 0), Number(frame.values.speed ?? 0), performance.now());
    }
  }

  private showFrame(frame: LiveFrame): void {
    if (!this.frame) {
      this.wait.remove();
      this.said.stands(null);
      this.done();
    }
    this.frame = frame;
    const now = performance.now();
    if (now - this.dashedAt < (this.view.stage.software ? DASH.software : DASH.hardware)) return;
    this.dashedAt = now;
    const state = frame.state ?? {};
    this.dash.show(shownOf(frame, this.view.scene?.terrain?.soft != null));
    this.tools.show(state);
    this.said.stands(typeof state.trouble === "string" ? state.trouble : null);
    if (Number(frame.values.cones) > 0) this.about.textContent = `${frame.values.cones} cones touched`;
  }

  /** For tests and scripts. */
  page(): Record<string, unknown> {
    const { view, link, latency } = this;
    return {
      ready: this.ready,
      latency,
      state: () => {
        const bodies: Record<string, number[]> = {};
        view.scene?.bodies.forEach((body, k) => (bodies[body.name] = [...view.world.moment.poses.slice(7 * k, 7 * k + 3)]));
        const { eye } = view.stage.camera;
        return {
          time: this.frame?.time ?? 0, frame: this.frame?.number ?? 0, playing: this.frame?.state?.paused !== true, live: true,
          fps: view.pictures.length, drawn: this.frame?.grains?.drawn ?? 0, bodies, values: this.frame?.values ?? {},
          state: this.frame?.state ?? {}, latency: latency.summary(), view: view.cameras?.view ?? null, level: view.stage.quality.level,
          eye: { position: eye.position.toArray(), ahead: eye.matrixWorld.elements.slice(8, 11).map((x) => -x), up: eye.up.toArray() },
        };
      },
      sees: () => view.ahead(),
      camera: (from: unknown) => {
        if (VIEWS.includes(from as View)) {
          view.cameras?.set(from as View);
          this.look(from as View);
        } else view.stage.camera.view(String(from));
      },
      picture: () => view.stage.picture(),
      seek: () => {},
      play: () => link.send({ do: "resume" }),
      pause: () => link.send({ do: "pause" }),
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
