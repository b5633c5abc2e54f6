/** The panels around the viewer: what they show, and what they do with it. */

import { h } from "../panels/dom";
import { helpOverlay } from "../panels/help";
import { Layout } from "../panels/layout";
import { Connection, Legend, Messages, Remarks, RunKey, ScaleBar } from "../panels/overlays";
import { print } from "../panels/print";
import type { Sliders } from "../panels/sliders";
import type { Timeline } from "../panels/timeline";
import type { BodyTree } from "../panels/tree";
import { Card } from "../panels/values";
import type { Film } from "../playback/film";
import { download, VideoRecorder } from "../scene/capture";
import type { Transport } from "../transport/transport";
import type { LiveFrame, Scene } from "../transport/types";
import { Charting } from "./charting";
import { displayPage } from "./display";
import { Hands } from "./hands";
import { showTitle, treeOf } from "./heading";
import { inputsPage } from "./inputs";
import { keymap } from "./keymap";
import { listenToKeys } from "./keys";
import { listenToMouse } from "./mouse";
import { Painting } from "./painting";
import { step, timelineOf, toggle } from "./playing";
import { remark, sentence } from "./remark";
import { remember, remembered } from "./theme";
import type { ViewerOptions } from "./options";
import { Viewer } from "./viewer";

const PAUSE = { software: 400, hardware: 100 }; // ms between two changes of texts while time runs

export class Panels {
  readonly viewer: Viewer;
  private readonly layout: Layout;
  private readonly charting: Charting;
  private readonly card: Card;
  private readonly legend = new Legend();
  private readonly scale = new ScaleBar();
  private readonly remarks = new Remarks();
  private readonly runs = new RunKey();
  private readonly messages = new Messages();
  private readonly connection = new Connection();
  private readonly video = new VideoRecorder();
  private readonly help = helpOverlay(true);
  private timeline: Timeline | null = null;
  private tree: BodyTree | null = null;
  private sliders: Sliders | null = null;
  private painting: Painting | null = null;
  private readonly hands: Hands;
  private dark = false;
  private names = false;
  private lastText = 0;
  private colour = "";
  private readonly quiet: () => void;
  private readonly sized: ResizeObserver;

  constructor(readonly root: HTMLElement, transport: Transport, options: ViewerOptions, whole: boolean) {
    this.layout = new Layout(root, {
      view: (name) => this.viewer.camera(name), fit: () => this.viewer.camera("fit"), charts: () => this.charting.open(), theme: () => this.setDark(!this.dark, true),
      picture: () => this.picture(), video: VideoRecorder.possible ? () => this.film() : null,
      help: () => (this.help.hidden = !this.help.hidden),
    }, options.bare ?? false);
    this.card = new Card({
      follow: (chase) => this.hands.follow(chase), close: () => this.hands.select(null),
      pulls: () => this.hands.pulls, pull: (on) => this.hands.setPulling(on),
    });
    this.viewer = new Viewer(this.layout.canvas, transport, options, {
      scene: (scene, again) => this.setScene(scene, again),
      film: (film, again) => this.setFilm(film, again),
      ghost: (film) => this.setGhost(film),
      frame: (frame) => this.setFrame(frame),
      drawn: (now) => this.drawn(now),
      message: (text, kind) => this.messages.show(text, kind),
      link: (link) => this.connection.set(link),
    });
    this.hands = new Hands(this.viewer, this.card, (body) => this.tree?.select(body));
    this.viewer.moved = () => this.hands.stretch();
    this.charting = new Charting(this.viewer, this.layout, (text) => this.messages.show(text, "error"));
    const foot = h("div", { class: "foot" }, this.remarks.element, this.scale.element);
    this.layout.stage.append(this.viewer.world.labels.element, foot, this.runs.element, this.legend.element, this.card.element, this.messages.element, this.connection.element);
    root.append(this.help);
    this.sized = new ResizeObserver(() => this.resize());
    for (const part of [this.layout.stage, this.layout.side, this.layout.charts]) this.sized.observe(part);
    this.resize();
    this.setDark(options.dark ?? remembered() ?? matchMedia("(prefers-color-scheme: dark)").matches, false);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
      if (options.dark === undefined || options.dark === null) this.setDark(event.matches, false);
    });
    listenToMouse(this.layout.canvas, this.viewer.stage.camera, {
      changed: () => this.viewer.stage.invalidate(),
      click: (x, y) => this.hands.select(this.hands.under(x, y)),
      doubleClick: (x, y) => this.hands.lookAt(x, y),
      grab: (x, y, asked) => this.hands.grab(x, y, asked),
      pull: (x, y) => this.hands.pull(x, y),
      release: () => this.hands.release(),
    });
    this.quiet = listenToKeys(root, whole, keymap(this.viewer, {
      toggle: () => toggle(this.viewer), step: (by) => step(this.viewer, by), follow: (chase) => this.hands.follow(chase),
      names: () => this.setNames(!this.names), theme: () => this.setDark(!this.dark, true), picture: () => this.picture(),
      side: () => this.layout.toggle("side"), help: () => (this.help.hidden = !this.help.hidden),
      escape: () => { if (this.help.hidden) this.hands.select(null); else this.help.hidden = true; },
    }));
    this.viewer.start();
  }

  private get fileName(): string {
    return (this.viewer.scene?.title ?? "gori").replace(/[^\p{L}\p{N}._-]+/gu, "-");
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.layout.stage;
    const margins = { left: 0, right: 0, top: 0, bottom: this.layout.covered };
    this.layout.stage.style.setProperty("--covered", `${margins.bottom}px`);
    if (clientWidth > 0 && clientHeight > 0) this.viewer.stage.resize(clientWidth, clientHeight, margins);
  }

  // ---- what comes

  private setScene(scene: Scene, again: boolean): void {
    const { layout, viewer } = this;
    showTitle(layout, scene);
    this.remarks.set("scene", scene.notices.map(sentence));
    this.painting = new Painting(scene, viewer.store, viewer.film);
    viewer.colours = null;
    this.colour = "";
    if (again) this.hands.select(null);
    layout.clearTabs();
    this.sliders = null;
    if (scene.inputs.length) {
      const { sliders, page, title } = inputsPage(scene, viewer.transport);
      this.sliders = sliders;
      layout.tab(title, "sliders", page);
    }
    this.tree = treeOf(viewer, scene, this.hands);
    layout.tab("Bodies", "tree", this.tree.element);
    layout.hasCharts(scene.channels.length > 0);
    if (scene.channels.length) layout.tab("Channels", "chart", this.charting.list(scene));
    layout.tab("Display", "layers", this.display(scene));
    if (scene.mode !== "machine" && !this.timeline) {
      this.timeline = timelineOf(viewer, viewer.stage.software ? PAUSE.software : undefined);
      if (!layout.root.classList.contains("bare")) layout.root.append(this.timeline.element);
    }
  }

  private setGhost(film: Film): void {
    if (film.data.names) this.runs.show(film.data.names);
    this.showDisplay();
  }

  private setFilm(film: Film, again: boolean): void {
    const { viewer } = this;
    this.remarks.set("thinned", film.data.thinned ? [sentence(film.data.thinned)] : []);
    if (again) return void this.charting.board.reload();
    if (film.count < 2) this.timeline?.element.remove();
    this.painting = new Painting(viewer.scene!, viewer.store, film);
    if (this.layout.root.classList.contains("bare")) return;
    this.charting.begin(film);
    this.showDisplay();
    // it plays once its first picture is complete
    if (!viewer.options.bare && film.count > 1) void viewer.ready.then(() => viewer.clock.time === film.first && viewer.clock.play());
  }

  /** What can be shown has changed. */
  private showDisplay(): void {
    if (this.viewer.scene) this.layout.root.querySelector(".settings")?.replaceChildren(...this.display(this.viewer.scene).childNodes);
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
    // where the processor draws, painting a text anew costs as much as half a picture
    const running = clock.playing || (viewer.live && clock.following);
    if (running && now - this.lastText < (stage.software ? PAUSE.software : PAUSE.hardware)) {
      if (!stage.software) this.charting.board.setTime(clock.time);
      return;
    }
    this.lastText = now;
    const { eye, target } = stage.camera;
    const [, height] = stage.size;
    this.scale.update((2 * eye.position.distanceTo(target) * Math.tan((eye.fov * Math.PI) / 360)) / height);
    this.charting.board.setTime(clock.time);
    if (viewer.live && this.charting.board.names.length) this.charting.board.refresh();
    this.hands.showCard();
    this.showLegend();
    this.timeline?.say(remark(viewer));
    const { ghost } = viewer;
    if (ghost) this.runs.ended(clock.time > ghost.last ? ghost.last : null);
  }

  private showLegend(): void {
    const scale = this.painting?.scale ?? this.viewer.world.grains.shown?.legend;
    if (scale) this.legend.show(scale.name, scale.unit ?? "", scale.low, scale.high);
    else this.legend.hide();
  }

  // ---- what a person does

  private picture(): void {
    const over = [this.scale.element, this.legend.element, this.runs.element];
    download(this.viewer.picture((paint) => print(paint, this.layout.stage, over)), `${this.fileName}.png`);
  }

  private film(): void {
    if (this.video.on) this.video.stop();
    else this.video.start(this.layout.canvas, `${this.fileName}.webm`);
    this.layout.filming(this.video.on);
  }

  private setDark(dark: boolean, keep: boolean): void {
    this.dark = dark;
    this.root.dataset.theme = dark ? "dark" : "light";
    this.viewer.setDark(dark);
    this.charting.board.restyle();
    if (keep) remember(dark);
  }

  private display(scene: Scene): HTMLElement {
    return displayPage(this.viewer, scene, {
      names: this.names, setNames: (on) => this.setNames(on), colours: this.painting?.choices() ?? [], colour: this.colour,
      paint: (name) => void this.paint(name), say: (text) => this.messages.show(text), resize: () => this.resize(),
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

  close(): void {
    this.quiet();
    this.sized.disconnect();
    this.viewer.close();
    this.root.replaceChildren();
  }
}
