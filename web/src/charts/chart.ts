/** One chart: lines of channels of one unit over time, with the cursor of the scene. Dragging in it moves the time. */

import uPlot from "uplot";
import { h } from "../panels/dom";
import { figure, unitText } from "../panels/numbers";
import type { Series } from "../transport/types";
import { ghostOf, valueAt } from "./series";

const COLOURS = ["#3f7fd9", "#e0662f", "#2f9e6b", "#b65fc0", "#c9a227", "#3aa6b9", "#d9534f", "#7d8794"];

export interface ChartActions {
  seek(time: number): void;
  remove(name: string): void;
}

export class Chart {
  readonly element = h("section", { class: "chart" });
  private readonly legend = h("div", { class: "keys" });
  private readonly holder = h("div", { class: "plot" });
  private readonly cursor = h("div", { class: "cursor" });
  private readonly series: Series[] = [];
  private plot: uPlot | null = null;
  private values: { element: HTMLElement; series: Series; ghost: Series | null; column: number }[] = [];
  private range: [number, number] | null = null;
  private time = 0;

  constructor(readonly unit: string, private readonly actions: ChartActions) {
    this.element.append(this.legend, this.holder);
  }

  get names(): string[] {
    return this.series.map(({ name }) => name);
  }

  get lines(): number {
    return this.series.reduce((sum, { columns }) => sum + columns.length, 0);
  }

  set(series: Series): void {
    const at = this.series.findIndex(({ name }) => name === series.name);
    if (at >= 0) this.series[at] = series;
    else this.series.push(series);
  }

  remove(name: string): void {
    const at = this.series.findIndex((series) => series.name === name);
    if (at >= 0) this.series.splice(at, 1);
  }

  private data(): uPlot.AlignedData {
    const tables = this.series.flatMap((series) => [series, ghostOf(series)]).filter((series) => series !== null).map((series): uPlot.AlignedData => {
      const n = series.columns.length;
      const columns = series.columns.map((_, c) => Array.from({ length: series.time.length }, (_, k) => {
        const value = series.values[k * n + c];
        return Number.isFinite(value) ? value : null;
      }));
      return [Array.from(series.time), ...columns] as uPlot.AlignedData;
    });
    return tables.length === 1 ? tables[0] : uPlot.join(tables);
  }

  /** Makes the plot anew: after series came or went, or colours changed. */
  rebuild(): void {
    this.plot?.destroy();
    const style = getComputedStyle(this.element);
    const ink = style.getPropertyValue("--faint").trim() || "#888";
    const grid = style.getPropertyValue("--line").trim() || "#ddd";
    const lines: uPlot.Series[] = [{}];
    this.legend.replaceChildren();
    this.values = [];
    let colours = 0;
    for (const series of this.series) {
      const ghost = ghostOf(series);
      const first = colours;
      series.columns.forEach((column, c) => {
        const colour = COLOURS[colours++ % COLOURS.length];
        lines.push({ stroke: colour, width: 1.5, points: { show: false }, spanGaps: true });
        const value = h("output", {});
        this.values.push({ element: value, series, ghost, column: c });
        this.legend.append(h("span", { class: "key", title: ghost ? `${series.name}, dashed: the other run` : series.name },
          h("i", { style: `background:${colour}` }), h("span", { class: "name" }, column ? `${series.name} ${column}` : series.name), value,
          c === 0 ? h("button", { class: "tiny", type: "button", title: `Remove ${series.name}`, onclick: () => this.actions.remove(series.name) }, "×") : null));
      });
      // of the other run the same colours, dashed
      if (ghost) series.columns.forEach((_, c) => lines.push({ stroke: COLOURS[(first + c) % COLOURS.length], width: 1.2, dash: [5, 4], points: { show: false }, spanGaps: true }));
    }
    if (this.unit) this.legend.append(h("span", { class: "unit" }, `[${unitText(this.unit)}]`));
    const font = `11px ${style.fontFamily}`;
    const axis: uPlot.Axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false }, size: 22, gap: 4 };
    const size = this.size();
    this.plot = new uPlot({
      ...size, series: lines, legend: { show: false }, padding: [8, 10, 0, 0],
      scales: { x: { time: false } },
      axes: [{ ...axis, space: 60 }, {
        ...axis, space: 26,
        size: (_, labels) => Math.max(40, 12 + 6.6 * Math.max(0, ...(labels ?? []).map((label) => label.length))),
        values: (_, ticks, __, ___, step) => ticks.map((tick) => (tick === null ? "" : tickText(tick, step))),
      }],
      cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
      hooks: { draw: [() => this.place()] },
    }, this.data(), this.holder);
    this.plot.over.append(this.cursor);
    this.listen(this.plot);
    if (this.range) this.plot.setScale("x", { min: this.range[0], max: this.range[1] });
    this.setTime(this.time);
  }

  private listen(plot: uPlot): void {
    const { over } = plot;
    const timeAt = (event: MouseEvent) => plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    over.onpointerdown = (event) => {
      over.setPointerCapture(event.pointerId);
      this.actions.seek(timeAt(event));
    };
    over.onpointermove = (event) => {
      if (over.hasPointerCapture(event.pointerId)) this.actions.seek(timeAt(event));
    };
    over.onwheel = (event) => {
      event.preventDefault();
      const { min = 0, max = 1 } = plot.scales.x;
      const at = timeAt(event);
      const factor = Math.exp(0.0015 * event.deltaY);
      const times = plot.data[0];
      const low = Math.max(times[0], at - (at - min) * factor);
      const high = Math.min(times[times.length - 1], at + (max - at) * factor);
      if (high - low < 1e-9) return;
      this.range = low <= times[0] && high >= times[times.length - 1] ? null : [low, high];
      plot.setScale("x", { min: low, max: high });
    };
    over.ondblclick = () => {
      this.range = null;
      plot.setScale("x", { min: plot.data[0][0], max: plot.data[0][plot.data[0].length - 1] });
    };
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(120, this.holder.clientWidth), height: 132 };
  }

  resize(): void {
    const size = this.size();
    if (this.plot && size.width !== this.plot.width) this.plot.setSize(size);
  }

  /** New values of the same series. */
  refresh(): void {
    this.plot?.setData(this.data(), this.range === null);
  }

  setTime(time: number): void {
    this.time = time;
    for (const { element, series, ghost, column } of this.values) {
      const text = figure(valueAt(series, column, time));
      const other = ghost && (time > ghost.time[ghost.time.length - 1] ? "–" : figure(valueAt(ghost, column, time)));
      element.textContent = ghost ? `${text} (${other})` : text;
    }
    this.place();
  }

  private place(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.time, "x");
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.style.visibility = x < 0 || x > this.plot.over.clientWidth ? "hidden" : "visible";
  }

  dispose(): void {
    this.plot?.destroy();
    this.element.remove();
  }
}

/** With as many decimals as tell it from its neighbours. */
function tickText(tick: number, step: number): string {
  const size = Math.max(Math.abs(tick), step);
  if (size >= 1e6 || size < 1e-4) return figure(tick, 3);
  return tick.toFixed(Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))).replace("-", "−");
}
