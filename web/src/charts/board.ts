/** All charts of a page: channels of the same unit share a chart while it is not crowded. */

import { h } from "../panels/dom";
import { Chart } from "./chart";
import type { Series } from "../transport/types";
import { partOf, partsOf, type SeriesStore } from "./series";

const MOST_LINES = 6;

export class Board {
  readonly element = h("div", { class: "board" });
  private charts: Chart[] = [];
  private time = 0;

  constructor(private readonly store: SeriesStore, private readonly seek: (time: number) => void, private readonly changed: () => void) {
    new ResizeObserver(() => this.charts.forEach((chart) => chart.resize())).observe(this.element);
  }

  get names(): string[] {
    return [...new Set(this.charts.flatMap((chart) => chart.names))];
  }

  /** Whether a channel is charted, or its columns of one unit. */
  has(name: string, unit?: string): boolean {
    return this.charts.some((chart) => chart.names.includes(name) && (unit === undefined || chart.unit === unit));
  }

  /** Adds a channel, or its columns of one unit; whether there is such a channel. */
  async add(name: string, unit?: string): Promise<boolean> {
    const series = await this.store.ask(name);
    if (!series || series.time.length === 0) return series !== null;
    for (const part of partsOf(series)) if (unit === undefined || part.unit === unit) this.put(partOf(series, part));
    return true;
  }

  private put(series: Series): void {
    if (this.has(series.name, series.unit)) return;
    let chart = this.charts.find((other) => other.unit === series.unit && other.lines + series.columns.length <= MOST_LINES);
    if (!chart) {
      chart = new Chart(series.unit, { seek: this.seek, remove: (name) => this.remove(name, series.unit) });
      this.charts.push(chart);
      this.element.append(chart.element);
    }
    chart.set(series);
    this.changed(); // the panel opens, and only then has a width
    chart.rebuild();
    chart.setTime(this.time);
  }

  remove(name: string, unit?: string): void {
    for (const chart of this.charts.filter((other) => other.names.includes(name) && (unit === undefined || other.unit === unit))) {
      chart.remove(name);
      if (chart.names.length) chart.rebuild();
      else {
        chart.dispose();
        this.charts = this.charts.filter((other) => other !== chart);
      }
    }
    this.changed();
  }

  /** The latest values of what a chart shows. */
  private renew(chart: Chart): void {
    for (const name of chart.names) {
      const series = this.store.get(name);
      const part = series && partsOf(series).find(({ unit }) => unit === chart.unit);
      if (series && part) chart.set(partOf(series, part));
    }
  }

  setTime(time: number): void {
    this.time = time;
    for (const chart of this.charts) chart.setTime(time);
  }

  /** New values of a run that goes on. */
  refresh(): void {
    for (const chart of this.charts) {
      this.renew(chart);
      chart.refresh();
    }
  }

  /** Asks for all series again: a recording has grown. */
  async reload(): Promise<void> {
    const names = this.names;
    this.store.forget();
    await Promise.all(names.map((name) => this.store.ask(name)));
    this.restyle();
  }

  /** Colours of the page have changed. */
  restyle(): void {
    for (const chart of this.charts) {
      this.renew(chart);
      chart.rebuild();
    }
  }

  clear(): void {
    for (const chart of this.charts) chart.dispose();
    this.charts = [];
  }
}
