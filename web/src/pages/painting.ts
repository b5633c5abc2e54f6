/** Colours of bodies by a value: their speed, their height, or a channel that bodies have (body.channel). */

import type { Color } from "three";
import { valueAt, type SeriesStore } from "../charts/series";
import { scaleColour } from "../scene/colours";
import type { Film } from "../playback/film";
import type { Scene, Series } from "../transport/types";

export interface Scale {
  name: string;
  unit: string;
  low: number;
  high: number;
}

export class Painting {
  scale: Scale | null = null;
  private of: ((body: number, time: number) => number | null) | null = null;

  constructor(private readonly scene: Scene, private readonly store: SeriesStore, private readonly film: Film | null) {}

  /** What bodies can be coloured by. */
  choices(): { name: string; label: string }[] {
    const found = [{ name: "", label: "their own" }];
    if (this.film && this.film.count > 1) found.push({ name: "speed", label: "speed of the origin" }, { name: "height", label: "height of the origin" });
    const bodies = new Set(this.scene.bodies.map(({ name }) => name));
    const counts = new Map<string, number>();
    for (const { name } of this.scene.channels) {
      const at = name.indexOf(".");
      if (at > 0 && bodies.has(name.slice(0, at))) counts.set(name.slice(at + 1), (counts.get(name.slice(at + 1)) ?? 0) + 1);
    }
    for (const [suffix, count] of counts) if (count > 1 && found.length < 40) found.push({ name: `.${suffix}`, label: suffix });
    return found;
  }

  async choose(name: string): Promise<void> {
    this.scale = null;
    this.of = null;
    if (name === "") return;
    let of: (body: number, time: number) => number | null;
    let unit = "";
    if (name.startsWith(".")) {
      const series: (Series | null)[] = await Promise.all(this.scene.bodies.map((body) =>
        this.scene.channels.some((channel) => channel.name === body.name + name) ? this.store.ask(body.name + name) : null));
      unit = series.find((entry) => entry)?.unit ?? "";
      // of a vector its length
      of = (body, time) => {
        const entry = series[body];
        return entry ? Math.hypot(...entry.columns.map((_, c) => valueAt(entry, c, time))) * (entry.columns.length === 1 ? Math.sign(valueAt(entry, 0, time)) : 1) : null;
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
