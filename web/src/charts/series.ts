/** Channels by name: asked for once, or grown from the values of a live run. */

import { readSeries } from "../transport/read";
import type { Transport } from "../transport/transport";
import type { Series } from "../transport/types";
import { before } from "../playback/film";

const MOST_LIVE = 4000;

export class SeriesStore {
  private readonly known = new Map<string, Series>();
  private readonly asked = new Map<string, Promise<Series | null>>();
  private readonly live = new Map<string, { time: number[]; rows: number[][] }>();

  constructor(private readonly transport: Transport) {}

  put(series: Series): void {
    this.known.set(series.name, series);
  }

  get(name: string): Series | null {
    return this.known.get(name) ?? null;
  }

  /** Null where there is no such channel. */
  ask(name: string): Promise<Series | null> {
    const here = this.known.get(name);
    if (here) return Promise.resolve(here);
    const asked = this.asked.get(name);
    if (asked) return asked;
    const answer = this.transport.series(name).then((packet) => {
      this.asked.delete(name);
      if (!packet || packet.type !== "series") return this.known.get(name) ?? null;
      const series = readSeries(packet);
      this.known.set(name, series);
      return series;
    });
    this.asked.set(name, answer);
    return answer;
  }

  /** A recording has grown: what is known is old. */
  forget(): void {
    this.known.clear();
  }

  /** Values of a live frame; a time that goes back begins anew. */
  grow(time: number, values: Record<string, number | number[]>, units: (name: string) => string): void {
    for (const [name, value] of Object.entries(values)) {
      let entry = this.live.get(name);
      if (!entry) this.live.set(name, (entry = { time: [], rows: [] }));
      if (entry.time.length && time < entry.time[entry.time.length - 1]) [entry.time, entry.rows] = [[], []];
      if (entry.time.length && time === entry.time[entry.time.length - 1]) continue;
      entry.time.push(time);
      entry.rows.push(Array.isArray(value) ? value : [value]);
      if (entry.time.length > MOST_LIVE) {
        entry.time.splice(0, MOST_LIVE / 10);
        entry.rows.splice(0, MOST_LIVE / 10);
      }
      const width = entry.rows[0].length;
      const columns = Array.from({ length: width }, (_, k) => (width > 1 ? String(k) : ""));
      this.known.set(name, { name, unit: units(name), units: [], columns, time: Float64Array.from(entry.time), values: Float64Array.from(entry.rows.flat()) });
    }
  }
}

/** A part of a channel whose columns have one unit: moments apart from forces. */
export interface Part {
  unit: string;
  /** numbers of the columns */
  columns: number[];
  /** what the columns have in common, "moment", or all of them, "wx wy wz"; empty where the channel is one part */
  label: string;
}

export function partsOf({ columns = [], unit = "", units = [] }: { columns?: string[]; unit?: string; units?: string[] }): Part[] {
  const each = units.length ? units : columns.map(() => unit);
  const found = [...new Set(each.length ? each : [unit])].map((own) => ({ unit: own, columns: each.map((_, c) => c).filter((c) => each[c] === own), label: "" }));
  if (found.length > 1) for (const part of found) part.label = common(part.columns.map((c) => columns[c] ?? String(c)));
  return found;
}

function common(names: string[]): string {
  const first = names.map((name) => name.split(" ")[0]);
  return names.every((name) => name.includes(" ") && name.startsWith(`${first[0]} `)) ? first[0] : names.join(" ");
}

/** The columns of one unit as a series of their own. */
export function partOf(series: Series, part: Part): Series {
  const [n, m] = [series.columns.length, part.columns.length];
  if (n === m) return series;
  const some = (values: ArrayLike<number>) => Float64Array.from({ length: (values.length / n) * m }, (_, k) => values[Math.floor(k / m) * n + part.columns[k % m]]);
  const { name, time, ghost } = series;
  return { name, unit: part.unit, units: [], columns: part.columns.map((c) => series.columns[c]), time, values: some(series.values), ghost: ghost && { time: ghost.time, values: some(ghost.values) } };
}

/** The other run's part of a series as a series. */
export function ghostOf(series: Series): Series | null {
  return series.ghost ? { ...series, ...series.ghost, ghost: null } : null;
}

/** Value of a column at a time: that of the sample before it, on the way to the next. */
export function valueAt(series: Series, column: number, time: number): number {
  const n = series.columns.length;
  if (series.time.length === 0) return NaN;
  const k = before(series.time, time);
  const next = Math.min(k + 1, series.time.length - 1);
  const gap = series.time[next] - series.time[k];
  const s = gap > 0 ? Math.min(1, Math.max(0, (time - series.time[k]) / gap)) : 0;
  const a = series.values[k * n + column];
  return a + (series.values[next * n + column] - a) * s;
}
