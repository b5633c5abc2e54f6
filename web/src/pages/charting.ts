/** Charts of a page: which channels they begin with, and which a person chooses. */

import { Board } from "../charts/board";
import type { Film } from "../playback/film";
import { ChannelList } from "../panels/channels";
import { h } from "../panels/dom";
import type { Layout } from "../panels/layout";
import type { Scene } from "../transport/types";
import type { Viewer } from "./viewer";

const CHARTED = 4; // channels of a film that are charted at first

export class Charting {
  readonly board: Board;
  private channels: ChannelList | null = null;
  /** those to begin with, until they were shown */
  private wanted: string[] = [];

  constructor(private readonly viewer: Viewer, private readonly layout: Layout, private readonly say: (text: string) => void) {
    this.board = new Board(viewer.store, (time) => viewer.clock.seek(time), () => this.changed());
    layout.charts.append(this.board.element, h("p", { class: "empty" }, "No charts yet: choose channels in the panel of that name."));
  }

  /** The page of channels of a scene. */
  list(scene: Scene): HTMLElement {
    this.channels = new ChannelList(scene.channels, (name, unit) => this.board.has(name, unit), (name, unit) => void this.toggle(name, unit));
    return this.channels.element;
  }

  /** A film has come: on a narrow page charts wait until they are asked for. */
  begin(film: Film): void {
    this.wanted = this.viewer.options.channels ?? film.data.series.slice(0, CHARTED).map(({ name }) => name);
    if (this.layout.wide && this.layout.root.clientHeight > 400) this.fill();
  }

  /** Opens or closes the panel. */
  open(): void {
    if (this.wanted.length && !this.board.names.length) this.fill();
    else this.layout.toggle("charts");
  }

  private fill(): void {
    const names = this.wanted;
    this.wanted = [];
    void Promise.all(names.map((name) => this.board.add(name)));
  }

  private async toggle(name: string, unit: string): Promise<void> {
    if (this.board.has(name, unit)) this.board.remove(name, unit);
    else if (!(await this.board.add(name, unit))) this.say(`There is no channel ${name} here.`);
  }

  private changed(): void {
    this.layout.toggle("charts", this.board.names.length > 0);
    this.channels?.update();
  }
}
