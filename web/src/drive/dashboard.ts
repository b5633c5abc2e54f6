/** The dashboard: speed, engine, gear, pedals, the four wheels, and whether real time is held. */

import { h } from "../panels/dom";
import type { LiveFrame } from "../transport/types";

const NAMES = ["front left", "front right", "rear left", "rear right"];
const RPM = 4000;
const LOAD = 12000; // N, of a full bar
const SINKAGE = 0.15; // m
const SLIP = 0.5;

export interface Shown {
  speed: number;
  rpm: number;
  gear: number;
  selector: string;
  low: boolean;
  throttle: number;
  brake: number;
  steer: number;
  slip: number[];
  sinkage: number[];
  load: number[];
  ratio: number;
  held: number;
  behind: number;
  soft: boolean;
}

/** What a frame shows; soft: whether wheels can sink in. */
export function shownOf(frame: LiveFrame, soft: boolean): Shown {
  const v = frame.values as Record<string, number>;
  const wheels = frame.values as Record<string, number[]>;
  const state = frame.state ?? {};
  return {
    speed: v.speed, rpm: v.rpm, gear: v.gear, selector: String(state.selector ?? "D"), low: state.low === true, throttle: v.throttle,
    brake: v.brake, steer: v.steer, slip: wheels.slip, sinkage: wheels.sinkage, load: wheels.load, ratio: v.ratio, held: v.held,
    behind: v.behind, soft,
  };
}

interface WheelRow {
  slip: HTMLElement;
  sinkage: HTMLElement;
  load: HTMLElement;
  bars: HTMLElement[];
}

export class Dashboard {
  readonly root: HTMLElement;
  readonly real: HTMLElement;
  private readonly speed = h("span", { class: "speed" }, "0");
  private readonly gear = h("span", { class: "gear" }, "D");
  private readonly rpm = h("span", { class: "rpm" }, "0");
  private readonly rev = h("i");
  private readonly throttle = h("i");
  private readonly brake = h("i");
  private readonly steer = h("i");
  private readonly wheels: WheelRow[] = [];
  private readonly realText = h("span");
  private drawn = "";

  constructor() {
    const wheel = (name: string) => {
      const row: WheelRow = { slip: h("b"), sinkage: h("b"), load: h("b"), bars: [h("i"), h("i"), h("i")] };
      this.wheels.push(row);
      const line = (label: string, value: HTMLElement, bar: HTMLElement, kind: string) =>
        h("div", { class: `line ${kind}` }, h("span", {}, label), h("div", { class: "bar" }, bar), value);
      return h("div", { class: "wheel", title: name },
        line("load", row.load, row.bars[0], "load"), line("slip", row.slip, row.bars[1], "slip"),
        line("sinkage", row.sinkage, row.bars[2], "sink"));
    };
    this.real = h("div", { class: "real", role: "status" }, h("i", { class: "lamp" }), this.realText);
    this.root = h("div", { class: "dash" },
      h("div", { class: "dial" },
        h("div", { class: "big" }, this.speed, h("small", {}, "km/h"), this.gear),
        h("div", { class: "revs" }, h("div", { class: "bar" }, this.rev), this.rpm, h("small", {}, "rpm")),
        h("div", { class: "pedals" },
          h("label", {}, "throttle", h("div", { class: "bar green" }, this.throttle)),
          h("label", {}, "brake", h("div", { class: "bar red" }, this.brake)),
          h("label", {}, "steering", h("div", { class: "bar centre" }, this.steer)))),
      h("div", { class: "wheels" }, ...NAMES.map(wheel)));
  }

  /** Nothing is heard of the simulation: what stands here is old. */
  lost(): void {
    this.drawn = "no word from the server";
    this.realText.textContent = this.drawn;
    this.real.classList.add("late");
  }

  show(values: Shown): void {
    const text = (element: HTMLElement, value: string) => {
      if (element.textContent !== value) element.textContent = value;
    };
    const wide = (element: HTMLElement, share: number) => {
      element.style.transform = `scaleX(${Math.min(1, Math.max(0, share)).toFixed(3)})`;
    };
    text(this.speed, Math.abs(values.speed * 3.6).toFixed(0));
    const gear = values.selector === "D" ? `D${values.gear > 0 ? Math.round(values.gear) : ""}` : values.selector;
    text(this.gear, gear + (values.low ? " low" : ""));
    text(this.rpm, String(Math.round(values.rpm / 10) * 10));
    wide(this.rev, values.rpm / RPM);
    wide(this.throttle, values.throttle);
    wide(this.brake, values.brake);
    this.steer.style.transform = `translateX(${(-values.steer * 50).toFixed(1)}%)`;
    this.wheels.forEach((row, k) => {
      const [slip, sinkage, load] = [values.slip[k] ?? 0, values.sinkage[k] ?? 0, values.load[k] ?? 0];
      text(row.load, `${(load / 1000).toFixed(1)} kN`);
      text(row.slip, `${(100 * Math.max(-9.99, Math.min(9.99, slip))).toFixed(0).replace(/^-0$/, "0").replace("-", "−")} %`);
      text(row.sinkage, values.soft ? `${(1000 * sinkage).toFixed(0)} mm` : "–");
      wide(row.bars[0], load / LOAD);
      wide(row.bars[1], Math.abs(slip) / SLIP);
      wide(row.bars[2], sinkage / SINKAGE);
      row.bars[1].classList.toggle("warn", Math.abs(slip) > 0.3);
    });
    const good = values.behind < 0.05 && values.ratio > 0.97;
    const words = good ? `real time, held ${values.held.toFixed(values.held > 99.995 ? 0 : 2)} % of the time` : `not real time: ${(100 * values.ratio).toFixed(0)} %`;
    if (words !== this.drawn) {
      this.drawn = words;
      this.realText.textContent = words;
      this.real.classList.toggle("late", !good);
      this.real.title = "share of 10 ms in which simulated time was less than 50 ms behind the clock";
    }
  }
}
