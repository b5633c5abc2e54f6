/** The bar below the scene: play, step, scrub, speed, loop; for a live run pause, step, reset and record. */

import { SPEEDS, type Clock } from "../playback/clock";
import { button, h, setIcon } from "./dom";
import { time } from "./numbers";

export interface TimelineActions {
  toggle(): void;
  step(by: number): void;
  seek(time: number): void;
  live(): void;
  reset?: () => void;
  record?: () => void;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly bar: HTMLInputElement;
  private readonly now = h("output", { class: "now" });
  private readonly end = h("span", { class: "end" });
  private readonly said = h("span", { class: "said" });
  private readonly speed: HTMLSelectElement;
  private readonly loop: HTMLButtonElement;
  private readonly liveButton: HTMLButtonElement;
  private readonly recordButton: HTMLButtonElement;
  private scrubbing = false;
  private wasRunning = false;
  private updatedAt = 0;

  /** pause: between two changes of texts while the clock runs [ms] */
  constructor(private readonly clock: Clock, actions: TimelineActions, live: boolean, private readonly pause = 50) {
    this.play = button("play", "Play or pause (space)", actions.toggle);
    this.play.classList.add("main");
    this.bar = h("input", {
      type: "range", class: "scrub", min: "0", max: "1", step: "any", "aria-label": "Time",
      oninput: () => actions.seek(this.clock.first + Number(this.bar.value) * (this.clock.last - this.clock.first)),
      onpointerdown: () => (this.scrubbing = true),
      onpointerup: () => (this.scrubbing = false),
    });
    this.speed = h("select", { class: "speed", title: "Speed", "aria-label": "Speed", onchange: () => clock.setSpeed(Number(this.speed.value)) });
    for (const value of SPEEDS) this.speed.append(h("option", { value: String(value) }, `${value} ×`));
    this.loop = button("loop", "Repeat (L)", () => clock.setLoop(!clock.loop));
    this.liveButton = h("button", { class: "button live", type: "button", title: "Follow the run", onclick: actions.live }, "Live");
    this.recordButton = button("record", "Record", () => actions.record?.());
    this.recordButton.classList.add("record");
    this.element = h("footer", { class: "timeline" },
      this.play,
      button("back", "Back by one sample (,)", () => actions.step(-1)),
      button("forward", "On by one sample (.)", () => actions.step(1)),
      live && actions.reset ? button("reset", "Back to the start", actions.reset) : null,
      live && actions.record ? this.recordButton : null,
      this.now, this.bar, this.end, this.said,
      live ? this.liveButton : this.loop,
      this.speed,
    );
    clock.onChange(() => this.changed());
    this.update();
  }

  /** A short remark beside the times: how much is drawn, how late a run is. */
  say(text: string): void {
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  setRecording(on: boolean): void {
    this.recordButton.classList.toggle("on", on);
    this.recordButton.title = on ? "Stop and keep the recording" : "Record";
  }

  /** A live run's own state; a film's is that of the clock. */
  setPlaying(on: boolean): void {
    const name = on ? "pause" : "play";
    if (this.play.dataset.icon === name) return;
    this.play.dataset.icon = name;
    setIcon(this.play, name);
  }

  /** The clock has changed; while it runs, texts change a few times a second: each change is painted anew. */
  private changed(): void {
    const now = performance.now();
    const running = this.clock.playing || this.clock.following;
    if (running && this.wasRunning && now - this.updatedAt < this.pause) return;
    this.updatedAt = now;
    this.wasRunning = running;
    this.update();
  }

  update(): void {
    const { first, last, loop, speed, following, playing } = this.clock;
    const span = last - first;
    if (!following) this.setPlaying(playing);
    const share = span > 0 ? (this.clock.time - first) / span : 0;
    if (!this.scrubbing) this.bar.value = String(share);
    this.bar.style.setProperty("--share", `${100 * share}%`);
    this.now.textContent = time(this.clock.time, span);
    const end = time(last, span);
    if (this.end.textContent !== end) this.end.textContent = end;
    this.loop.classList.toggle("on", loop);
    this.liveButton.classList.toggle("on", following);
    const near = SPEEDS.reduce((best, value) => (Math.abs(value - speed) < Math.abs(best - speed) ? value : best), 1);
    if (this.speed.value !== String(near)) this.speed.value = String(near);
  }
}
