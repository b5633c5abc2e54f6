/** Colours of bodies by a value: their speed, their height, or a channel that bodies have (body.channel). */

import type { Color } from "three";
import { partOf, partsOf, valueAt, type SeriesStore } from "../charts/series";
import { scaleColour } from "../scene/colours";
import type { Film } from "../playback/film";
import type { Scene, Series } from "../transport/types";

export interface Scale {
  name: string;
  unit: string;
  low: number;
  high: number;
}

/** Columns of one unit that colour a body. */
interface Source {
  body: number;
  channel: string;
  unit: string;
}

const MOST_CHOICES = 60;
const OF_JOINTS = new Set(["q", "v", "a", "reaction", "effort", "power", "energy"]);

export class Painting {
  scale: Scale | null = null;
  private of: ((body: number, time: number) => number | null) | null = null;

  constructor(private readonly scene: Scene, private readonly store: SeriesStore, private readonly film: Film | null) {}

  /** Channels that bodies have by themselves, "velocity vx vy vz", or by the joint that carries them, "joint q". */
  private own(): Map<string, Source[]> {
    const found = new Map<string, Source[]>();
    const joints = new Map(this.scene.joints.map(({ name, child }) => [name, child]));
    const bodies = new Map(this.scene.bodies.map(({ name }, body) => [name, body]));
    for (const channel of this.scene.channels) {
      // names may have dots of their own: the longest owner counts
      let at = channel.name.length;
      while (at > 0 && !joints.has(channel.name.slice(0, at)) && !bodies.has(channel.name.slice(0, at))) at = channel.name.lastIndexOf(".", at - 1);
      if (at <= 0) continue;
      const owner = channel.name.slice(0, at);
      // a joint and a body may have one name: their channels differ
      const ofJoint = joints.has(owner) && (!bodies.has(owner) || OF_JOINTS.has(channel.name.slice(at + 1)));
      const [body, kind] = ofJoint ? [joints.get(owner)!, "joint "] : [bodies.get(owner)!, ""];
      for (const part of partsOf(channel)) {
        const key = `${kind}${channel.name.slice(at + 1)}${part.label && ` ${part.label}`}`;
        found.set(key, [...(found.get(key) ?? []), { body, channel: channel.name, unit: part.unit }]);
      }
    }
    return found;
  }

  /** What bodies can be coloured by. */
  choices(): { name: string; label: string }[] {
    const found = [{ name: "", label: "their own" }];
    if (this.film && this.film.count > 1) found.push({ name: "speed", label: "speed of the origin" }, { name: "height", label: "height of the origin" });
    if (!this.film) return found;
    for (const [key, sources] of this.own()) if (sources.length > 1 && found.length < MOST_CHOICES) found.push({ name: `.${key}`, label: key });
    return found;
  }

  async choose(name: string): Promise<void> {
    this.scale = null;
    this.of = null;
    if (name === "") return;
    let of: (body: number, time: number) => number | null;
    let unit = "";
    if (name.startsWith(".")) {
      const series: (Series | null)[] = this.scene.bodies.map(() => null);
      await Promise.all((this.own().get(name.slice(1)) ?? []).map(async (source) => {
        const whole = await this.store.ask(source.channel);
        const part = whole && partsOf(whole).find((one) => one.unit === source.unit);
        if (whole && part) series[source.body] = partOf(whole, part);
        unit = source.unit;
      }));
      of = (body, time) => {
        const entry = series[body];
        if (!entry) return null;
        // of a vector its length
        return entry.columns.length < 2 ? valueAt(entry, 0, time) : Math.hypot(...entry.columns.map((_, c) => valueAt(entry, c, time)));
      };
    } else {
      const film = this.film!;
      unit = name === "speed" ? "m/s" : "m";
      of = name === "speed" ? (body, time) => (body === 0 ? null : speedOf(film, body, time)) : (body, time) => film.data.poses[(film.frame(time) * film.data.bodies + body) * 7 + 2];
    }
    let [low, high] = [Infinity, -Infinity];
    const [first, last] = [this.film?.first ?? 0, this.film?.last ?? 0];
    for (let k = 0; k <= 100; k++) {
      for (let body = 1; body < this.scene.bodies.length; body++) {
        const value = of(body, first + ((last - first) * k) / 100);
        if (value !== null && Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
    }
    if (low > high) return;
    if (Math.abs(low) < 1e-6 * Math.abs(high)) low = 0; // rounding
    this.of = of;
    this.scale = { name: name.replace(/^\./, ""), unit, low, high: high > low ? high : low + 1 };
  }

  colours(time: number): (Color | null)[] | null {
    const { of, scale } = this;
    if (!of || !scale) return null;
    return this.scene.bodies.map((_, body) => {
      const value = of(body, time);
      return value === null ? null : scaleColour((value - scale.low) / (scale.high - scale.low));
    });
  }
}

/** Speed of a body's origin between two samples of a film [m/s]. */
export function speedOf(film: Film, body: number, time: number): number {
  const { times, poses, bodies } = film.data;
  const k = Math.min(film.frame(time), film.count - 2);
  if (k < 0) return 0;
  const [a, b] = [(k * bodies + body) * 7, ((k + 1) * bodies + body) * 7];
  return Math.hypot(poses[b] - poses[a], poses[b + 1] - poses[a + 1], poses[b + 2] - poses[a + 2]) / Math.max(times[k + 1] - times[k], 1e-12);
}
