/** All charts of a page: channels of the same unit share a chart while it is not crowded. */

import { h } from "../panels/dom";
import { Chart } from "./chart";
import type { SeriesStore } from "./series";

const MOST_LINES = 6;

export class Board {
  readonly element = h("div", { class: "board" });
  private charts: Chart[] = [];
  private time = 0;

  constructor(private readonly store: SeriesStore, private readonly seek: (time: number) => void, private readonly changed: () => void) {
    new ResizeObserver(() => this.charts.forEach((chart) => chart.resize())).observe(this.element);
  }

  get names(): string[] {
    return this.charts.flatMap((chart) => chart.names);
  }

  has(name: string): boolean {
    return this.charts.some((chart) => chart.names.includes(name));
  }

  /** Whether there is such a channel. */
  async add(name: string): Promise<boolean> {
    if (this.has(name)) return true;
    const series = await this.store.ask(name);
    if (!series || series.time.length === 0 || this.has(name)) return series !== null;
    let chart = this.charts.find((other) => other.unit === series.unit && other.lines + series.columns.length <= MOST_LINES);
    if (!chart) {
      chart = new Chart(series.unit, { seek: this.seek, remove: (other) => this.remove(other) });
      this.charts.push(chart);
      this.element.append(chart.element);
    }
    chart.set(series);
    this.changed(); // the panel opens, and only then has a width
    chart.rebuild();
    chart.setTime(this.time);
    return true;
  }

  remove(name: string): void {
    const chart = this.charts.find((other) => other.names.includes(name));
    if (!chart) return;
    chart.remove(name);
    if (chart.names.length) chart.rebuild();
    else {
      chart.dispose();
      this.charts = this.charts.filter((other) => other !== chart);
    }
    this.changed();
  }

  setTime(time: number): void {
    this.time = time;
    for (const chart of this.charts) chart.setTime(time);
  }

  /** New values of a run that goes on. */
  refresh(): void {
    for (const chart of this.charts) {
      for (const name of chart.names) {
        const series = this.store.get(name);
        if (series) chart.set(series);
      }
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
      for (const name of chart.names) {
        const series = this.store.get(name);
        if (series) chart.set(series);
      }
      chart.rebuild();
    }
  }

  clear(): void {
    for (const chart of this.charts) chart.dispose();
    this.charts = [];
  }
}
