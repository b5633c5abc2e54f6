/** The panels around the viewer: what they show, and what they do with it. */

import { Vector3 } from "three";
import { Board } from "../charts/board";
import { valueAt } from "../charts/series";
import { ChannelList } from "../panels/channels";
import { button, h } from "../panels/dom";
import { helpOverlay } from "../panels/help";
import { Layout } from "../panels/layout";
import { count, figure } from "../panels/numbers";
import { Connection, Legend, Messages, ScaleBar } from "../panels/overlays";
import { settingsPanel } from "../panels/settings";
import { Sliders } from "../panels/sliders";
import { Timeline } from "../panels/timeline";
import { BodyTree } from "../panels/tree";
import { Card } from "../panels/values";
import { KINDS } from "../scene/colours";
import { download, VideoRecorder } from "../scene/capture";
import { pick, unproject, type Picked } from "../scene/picking";
import type { Transport } from "../transport/transport";
import type { LiveFrame, Scene } from "../transport/types";
import { listenToKeys } from "./keys";
import { listenToMouse } from "./mouse";
import { Painting, speedOf } from "./painting";
import { Viewer, type ViewerOptions } from "./viewer";

const CHARTED = 4; // channels of a film that are charted at first
const MOST_CHANNELS = 12; // in the card of a body

export class Panels {
  readonly viewer: Viewer;
  private readonly layout: Layout;
  private readonly board: Board;
  private readonly card: Card;
  private readonly legend = new Legend();
  private readonly scale = new ScaleBar();
  private readonly messages = new Messages();
  private readonly connection = new Connection();
  private readonly video = new VideoRecorder();
  private readonly help = helpOverlay(true);
  private timeline: Timeline | null = null;
  private tree: BodyTree | null = null;
  private channels: ChannelList | null = null;
  private sliders: Sliders | null = null;
  private painting: Painting | null = null;
  private picked: Picked | null = null;
  private pulled: { body: number; point: Vector3; target: Vector3 } | null = null;
  private dark = false;
  private names = false;
  private lastText = 0;
  private colour = "";
  private readonly quiet: () => void;
  private readonly sized: ResizeObserver;

  constructor(readonly root: HTMLElement, transport: Transport, options: ViewerOptions, whole: boolean) {
    this.layout = new Layout(root, {
      view: (name) => this.viewer.camera(name), fit: () => this.viewer.camera("fit"), theme: () => this.setDark(!this.dark, true),
      picture: () => download(this.viewer.picture(), `${this.fileName}.png`), video: VideoRecorder.possible ? () => this.film() : null,
      help: () => (this.help.hidden = !this.help.hidden),
    }, options.bare ?? false);
    this.card = new Card({ follow: (chase) => this.follow(chase), close: () => this.select(null) });
    this.viewer = new Viewer(this.layout.canvas, transport, options, {
      scene: (scene, again) => this.setScene(scene, again),
      film: (_, again) => this.setFilm(again),
      frame: (frame) => this.setFrame(frame),
      drawn: (now) => this.drawn(now),
      message: (text, kind) => this.messages.show(text, kind),
      link: (link) => this.connection.set(link),
    });
    this.board = new Board(this.viewer.store, (time) => this.seek(time), () => this.charted());
    this.layout.charts.append(this.board.element, h("p", { class: "empty" }, "No charts yet: choose channels in the panel of that name."));
    this.layout.stage.append(this.viewer.world.labels.element, this.scale.element, this.legend.element, this.card.element, this.messages.element, this.connection.element);
    root.append(this.help);
    this.sized = new ResizeObserver(() => this.resize());
    this.sized.observe(this.layout.stage);
    this.resize();
    this.setDark(options.dark ?? remembered() ?? matchMedia("(prefers-color-scheme: dark)").matches, false);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
      if (options.dark === undefined || options.dark === null) this.setDark(event.matches, false);
    });
    listenToMouse(this.layout.canvas, this.viewer.stage.camera, {
      changed: () => this.viewer.stage.invalidate(),
      click: (x, y) => this.select(this.under(x, y)),
      doubleClick: (x, y) => this.lookAt(x, y),
      grab: (x, y) => this.grab(x, y),
      pull: (x, y) => this.pull(x, y),
      release: () => this.release(),
    });
    this.quiet = listenToKeys(root, whole, this.keys());
    this.viewer.start();
  }

  private get fileName(): string {
    return (this.viewer.scene?.title ?? "gori").replace(/[^\p{L}\p{N}._-]+/gu, "-");
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.layout.stage;
    if (clientWidth > 0 && clientHeight > 0) this.viewer.stage.resize(clientWidth, clientHeight);
  }

  // ---- what comes

  private setScene(scene: Scene, again: boolean): void {
    const { layout, viewer } = this;
    if (!layout.root.classList.contains("bare") && layout.root.id === "gori") document.title = `${scene.title} – Gori`;
    layout.title.textContent = scene.title;
    layout.badge.textContent = { machine: "machine", film: "recording", live: "live", drive: "drive", play: "example" }[scene.mode];
    if (scene.mode === "film" && !scene.channels.length && scene.time && scene.time[0] === scene.time[1]) layout.badge.textContent = "machine";
    this.painting = new Painting(scene, viewer.store, viewer.film);
    viewer.colours = null;
    this.colour = "";
    if (again) this.select(null);
    layout.clearTabs();
    this.addSliders(scene);
    this.tree = new BodyTree(scene, {
      pick: (body) => this.select({ body, joint: null, grain: null, point: viewer.world.machine.bodies[body].position, distance: 0 }),
      follow: (body) => viewer.camera("follow", body),
      show: (body, on) => { viewer.world.machine.setVisible(body, on); viewer.stage.invalidate(); },
      trail: (body, on) => { viewer.world.trails.toggle(scene.bodies[body].name, on); viewer.invalidate(); },
    }, (body) => viewer.world.trails.has(scene.bodies[body].name) || Boolean(viewer.options.trails?.includes(scene.bodies[body].name)));
    layout.tab("Bodies", "tree", this.tree.element);
    if (scene.channels.length) {
      this.channels = new ChannelList(scene.channels, (name) => this.board.has(name), (name) => void this.toggleChannel(name));
      layout.tab("Channels", "chart", this.channels.element);
    }
    layout.tab("Display", "layers", this.settings(scene));
    if (scene.mode !== "machine" && !this.timeline) this.addTimeline();
  }

  private addSliders(scene: Scene): void {
    this.sliders = null;
    if (!scene.inputs.length) return;
    const machine = scene.mode === "machine";
    let waiting: [string, number] | null = null;
    let busy = false;
    const { transport } = this.viewer;
    // one message at a time, and the latest value of all that a hand went through
    const send = () => {
      if (!waiting || busy) return;
      const [name, value] = waiting;
      waiting = null;
      busy = true;
      transport.send(machine ? { set: "q", joint: name, value: [value] } : { set: "input", name, value });
      window.setTimeout(() => { busy = false; send(); }, 25);
    };
    this.sliders = new Sliders(scene.inputs, (name, value) => { waiting = [name, value]; send(); });
    const page = h("div", {}, this.sliders.element, machine ? h("div", { class: "actions" }, button("reset", "Back to the start", () => transport.send({ do: "reset" }), "Reset")) : null);
    this.layout.tab(machine ? "Coordinates" : "Inputs", "sliders", page);
  }

  private addTimeline(): void {
    const { viewer } = this;
    const send = viewer.transport.send.bind(viewer.transport);
    const live = viewer.live;
    this.timeline = new Timeline(viewer.clock, {
      toggle: () => this.toggle(), step: (by) => this.step(by), seek: (time) => this.seek(time), live: () => viewer.clock.follow(true),
      reset: live ? () => send({ do: "reset" }) : undefined,
      record: live ? () => send({ do: viewer.latest?.state?.recording ? "stop_record" : "record" }) : undefined,
    }, live);
    if (!this.layout.root.classList.contains("bare")) this.layout.root.append(this.timeline.element);
    let speed = viewer.clock.speed;
    if (live) viewer.clock.onChange(() => {
      if (viewer.clock.speed === speed) return;
      speed = viewer.clock.speed;
      send({ do: "speed", value: speed });
    });
  }

  private setFilm(again: boolean): void {
    const { viewer } = this;
    if (again) {
      void this.board.reload();
      return;
    }
    const film = viewer.film!;
    if (film.count < 2) this.timeline?.element.remove();
    this.painting = new Painting(viewer.scene!, viewer.store, film);
    if (this.layout.root.classList.contains("bare")) return;
    const wanted = viewer.options.channels ?? film.data.series.slice(0, CHARTED).map(({ name }) => name);
    const room = this.layout.wide && this.layout.root.clientHeight > 400;
    if (wanted.length && room) void Promise.all(wanted.map((name) => this.board.add(name)));
    const page = this.settings(viewer.scene!);
    this.layout.root.querySelector(".settings")?.replaceChildren(...page.childNodes);
    if (!viewer.options.bare && film.count > 1) viewer.clock.play();
  }

  private setFrame(frame: LiveFrame): void {
    this.sliders?.update(frame.values);
    if (this.viewer.live) {
      this.timeline?.setPlaying(frame.state?.paused !== true);
      this.timeline?.setRecording(frame.state?.recording === true);
    }
  }

  // ---- after each picture

  private drawn(now: number): void {
    const { viewer } = this;
    const { stage, clock } = viewer;
    const { eye, target } = stage.camera;
    const [, height] = stage.size;
    this.scale.update((2 * eye.position.distanceTo(target) * Math.tan((eye.fov * Math.PI) / 360)) / height);
    this.board.setTime(clock.time);
    if (now - this.lastText < 100) return;
    this.lastText = now;
    if (viewer.live && this.board.names.length) this.board.refresh();
    this.showCard();
    this.showLegend();
    this.timeline?.say(this.remark());
  }

  private remark(): string {
    const { viewer } = this;
    const said: string[] = [];
    const state = viewer.latest?.state;
    if (state && typeof state.ratio === "number" && !state.paused) said.push(`${figure(state.ratio, 2)} × real time${state.late ? ", late" : ""}`);
    const share = viewer.film && viewer.clock.playing ? viewer.pace.share(viewer.film.rate * viewer.clock.speed) : null;
    if (share !== null && share < 0.9) said.push(`drawn ${Math.round(100 * share)} %`);
    const grains = viewer.world.grains.shown;
    if (grains && grains.drawn < grains.count) said.push(`${count(grains.drawn)} of ${count(grains.count)} grains`);
    else if (grains) said.push(`${count(grains.count)} grains`);
    return said.join(" · ");
  }

  private showLegend(): void {
    const scale = this.painting?.scale ?? this.viewer.world.grains.shown?.legend;
    if (scale) this.legend.show(scale.name, scale.unit ?? "", scale.low, scale.high);
    else this.legend.hide();
  }

  private showCard(): void {
    const { viewer, picked } = this;
    const { scene, film, clock } = viewer;
    if (!picked || !scene) return;
    if (picked.grain !== null) {
      const radius = viewer.world.grains.shown?.radius ?? 0;
      return this.card.grain(picked.grain, picked.point.toArray(), typeof radius === "number" ? radius : radius[picked.grain]);
    }
    if (picked.body === null) return;
    const prefix = `${scene.bodies[picked.body].name}.`;
    const joint = picked.joint ?? scene.joints.find(({ child }) => child === picked.body) ?? null;
    const own = scene.channels.filter(({ name }) => name.startsWith(prefix) || (joint && name.startsWith(`${joint.name}.`)));
    const rows: [string, string][] = [];
    for (const { name, unit } of own) {
      const series = viewer.store.get(name);
      if (series && series.columns.length <= 3 && rows.length < MOST_CHANNELS) rows.push([name, `${series.columns.map((_, c) => figure(valueAt(series, c, clock.time))).join("  ")} ${unit ?? ""}`]);
    }
    const pose = viewer.world.moment.poses.subarray(7 * picked.body, 7 * picked.body + 7);
    this.card.body(scene, picked.body, picked.joint ? `${picked.joint.type} joint ${picked.joint.name}` : null, { pose, speed: film && film.count > 1 ? speedOf(film, picked.body, clock.time) : null, channels: rows });
  }

  // ---- what a person does

  private under(x: number, y: number, grains = true): Picked | null {
    const { world, stage } = this.viewer;
    return this.viewer.scene ? pick(world.machine, grains ? world.grains : null, stage.camera.eye, x, y) : null;
  }

  private select(picked: Picked | null): void {
    this.picked = picked;
    this.viewer.world.machine?.highlight(picked?.body || null);
    this.tree?.select(picked?.body ?? null);
    if (picked) this.showCard();
    else this.card.hide();
    this.viewer.stage.invalidate();
  }

  private lookAt(x: number, y: number): void {
    const found = this.under(x, y);
    if (!found) return;
    const { camera } = this.viewer.stage;
    camera.follow(null);
    camera.target.copy(found.point);
    this.viewer.stage.invalidate();
  }

  private follow(chase: boolean): void {
    if (this.viewer.stage.camera.followed && !chase && !this.viewer.stage.camera.chasing) this.viewer.stage.camera.follow(null);
    else this.viewer.camera(chase ? "chase" : "follow", this.picked?.body || undefined);
  }

  private grab(x: number, y: number): boolean {
    const { viewer } = this;
    if (!viewer.live) return false;
    const found = this.under(x, y, false);
    if (!found?.body) return false;
    const body = viewer.world.machine.bodies[found.body];
    this.pulled = { body: found.body, point: body.worldToLocal(found.point.clone()), target: found.point };
    this.select(found);
    this.pull(x, y);
    return true;
  }

  private pull(x: number, y: number): void {
    if (!this.pulled) return;
    const { world, stage, transport } = this.viewer;
    const { body, point } = this.pulled;
    const at = world.machine.bodies[body].localToWorld(point.clone());
    const target = unproject(stage.camera.eye, x, y, at);
    world.pull.set(Float32Array.from([...at.toArray(), ...target.toArray()]));
    transport.send({ drag: { body, point: point.toArray(), target: target.toArray() } });
    stage.invalidate();
  }

  private release(): void {
    this.pulled = null;
    this.viewer.world.pull.set(new Float32Array());
    this.viewer.transport.send({ drag: null });
    this.viewer.stage.invalidate();
  }

  private toggle(): void {
    const { clock, live, latest, transport } = this.viewer;
    if (!live) return clock.playing ? clock.pause() : clock.play();
    if (!clock.following) return clock.follow(true);
    transport.send({ do: latest?.state?.paused ? "resume" : "pause" });
  }

  private step(by: number): void {
    const { clock, film, history, live, transport } = this.viewer;
    if (live && by > 0 && clock.following) return transport.send({ do: "step" });
    clock.following = false;
    clock.step(film?.data.times ?? history?.times ?? [], by);
  }

  private seek(time: number): void {
    this.viewer.clock.seek(time);
  }

  private film(): void {
    if (this.video.on) this.video.stop();
    else this.video.start(this.layout.canvas, `${this.fileName}.webm`);
    this.layout.filming(this.video.on);
  }

  private async toggleChannel(name: string): Promise<void> {
    if (this.board.has(name)) this.board.remove(name);
    else if (!(await this.board.add(name))) this.messages.show(`There is no channel ${name} here.`, "error");
  }

  private charted(): void {
    this.layout.toggle("charts", this.board.names.length > 0);
    this.channels?.update();
  }

  private setDark(dark: boolean, keep: boolean): void {
    this.dark = dark;
    this.root.dataset.theme = dark ? "dark" : "light";
    this.viewer.setDark(dark);
    this.board.restyle();
    if (keep) remember(dark);
  }

  private settings(scene: Scene): HTMLElement {
    const { viewer } = this;
    const { world, stage } = viewer;
    const layer = (label: string, key: "joints" | "cuts" | "frames" | "com") =>
      world.machine.has(key) ? [{ label, on: world.shown[key], change: (on: boolean) => world.show({ [key]: on }) }] : [];
    return settingsPanel({
      layers: [
        ...layer("Joints", "joints"), ...layer("Cut joints", "cuts"), ...layer("Frames", "frames"), ...layer("Centres of mass", "com"),
        ...(scene.springs.length ? [{ label: "Springs and struts", on: world.shown.springs, change: (on: boolean) => world.show({ springs: on }) }] : []),
        { label: "Names", on: this.names, change: (on: boolean) => this.setNames(on) },
        ...(world.ghost ? [{ label: "Ghost", on: true, change: (on: boolean) => { world.ghost!.root.visible = on; stage.invalidate(); } }] : []),
      ],
      arrows: scene.mode === "film" && scene.channels.length ? Object.keys(KINDS).map((kind) => ({
        label: { contact: "Contacts", reaction: "Reactions", force: "Forces" }[kind]!, on: Boolean(viewer.options.arrows?.includes(kind)),
        change: (on: boolean) => void viewer.showArrows(kind, on).then((found) => found || !on || this.messages.show(`This recording has no arrows of ${kind}s.`)),
      })) : [],
      colours: this.painting?.choices() ?? [],
      colour: this.colour,
      setColour: (name) => void this.paint(name),
      look: [
        { label: "Ground", on: true, change: (on) => { (world.terrain?.root ?? world.ground.mesh).visible = on; stage.invalidate(); } },
        { label: "Shadows", on: stage.shadows, change: (on) => { stage.shadows = on; this.resize(); } },
        { label: "Perspective", on: !stage.camera.flat, change: (on) => { stage.camera.flat = !on; stage.invalidate(); } },
      ],
    });
  }

  private async paint(name: string): Promise<void> {
    this.colour = name;
    const painting = this.painting;
    await painting?.choose(name);
    this.viewer.colours = painting?.scale ? (time) => painting.colours(time) : null;
    if (!this.viewer.colours) this.viewer.world.paint(null);
    this.viewer.invalidate();
    this.showLegend();
  }

  private setNames(on: boolean): void {
    this.names = on;
    this.viewer.world.showNames(on);
    this.viewer.stage.invalidate();
  }

  private keys(): Record<string, () => void> {
    const { viewer } = this;
    const { clock, world, stage } = viewer;
    const flip = (key: "joints" | "frames") => () => world.show({ [key]: !world.shown[key] });
    const speed = (factor: number) => () => clock.setSpeed(clock.speed * factor);
    return {
      " ": () => this.toggle(), ",": () => this.step(-1), ".": () => this.step(1), l: () => clock.setLoop(!clock.loop),
      ArrowLeft: () => clock.seek(clock.time - 1), ArrowRight: () => clock.seek(clock.time + 1), Home: () => clock.seek(clock.first), End: () => clock.seek(clock.last),
      "+": speed(2), "=": speed(2), "-": speed(0.5), f: () => viewer.camera("fit"), "0": () => viewer.camera("iso"), "1": () => viewer.camera("x"),
      "2": () => viewer.camera("y"), "3": () => viewer.camera("z"), o: () => { stage.camera.flat = !stage.camera.flat; stage.invalidate(); },
      c: () => this.follow(false), v: () => this.follow(true), j: flip("joints"), a: flip("frames"), n: () => this.setNames(!this.names),
      t: () => this.setDark(!this.dark, true), p: () => download(viewer.picture(), `${this.fileName}.png`), b: () => this.layout.toggle("side"),
      "?": () => (this.help.hidden = !this.help.hidden),
      Escape: () => { if (this.help.hidden) this.select(null); else this.help.hidden = true; },
    };
  }

  close(): void {
    this.quiet();
    this.sized.disconnect();
    this.viewer.close();
    this.root.replaceChildren();
  }
}

const KEPT = "gori.dark";

function remembered(): boolean | null {
  try {
    const kept = localStorage.getItem(KEPT);
    return kept === null ? null : kept === "yes";
  } catch {
    return null; // a file or a cell may have no storage
  }
}

function remember(dark: boolean): void {
  try {
    localStorage.setItem(KEPT, dark ? "yes" : "no");
  } catch {
    // then it is forgotten with the page
  }
}
