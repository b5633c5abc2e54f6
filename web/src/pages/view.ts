/** The page of `gori view`, of exported files and of cells of a notebook. */

import "uplot/dist/uPlot.min.css";
import "../styles/view.css";
import { partsOfBytes, partsOfDocument, type Wire } from "../transport/parts";
import { ServerTransport } from "../transport/server";
import type { Transport } from "../transport/transport";
import { Panels } from "./panels";
import type { ViewerOptions } from "./options";

/** What scripts and tests can do with a page. */
export interface PageApi {
  ready: Promise<void>;
  state(): Record<string, unknown>;
  seek(time: number): Promise<void>;
  play(): void;
  pause(): void;
  camera(to: string | { position: number[]; target: number[] }): boolean;
  picture(): string;
}

interface Settings {
  mode?: "server" | "file" | "notebook";
  element?: HTMLElement;
  token?: string;
  options?: ViewerOptions;
  page?: PageApi;
}

declare global {
  interface Window {
    gori?: Settings;
    goriView?: typeof goriView;
  }
}

/** Draws what a transport brings into an element. */
export function mount(element: HTMLElement, transport: Transport, options: ViewerOptions = {}, whole = false): { page: PageApi; close(): void } {
  const panels = new Panels(element, transport, options, whole);
  const { viewer } = panels;
  const page: PageApi = {
    ready: viewer.ready,
    state: () => {
      const { clock, world, film, history, scene } = viewer;
      const grains = world.grains.shown;
      const bodies: Record<string, number[]> = {};
      scene?.bodies.forEach(({ name }, k) => (bodies[name] = [...world.moment.poses.subarray(7 * k, 7 * k + 3)]));
      return {
        time: clock.time, frame: (film ?? history)?.frame(clock.time) ?? 0, playing: clock.playing, live: clock.following, fps: viewer.pace.fps,
        drawn: (film && viewer.pace.share(film.rate * clock.speed)) ?? 1, bodies, link: viewer.link, quality: viewer.stage.quality.level,
        grains: grains ? { frame: grains.frame, drawn: grains.drawn, count: grains.count } : null, wanted: viewer.reel?.frame(clock.time) ?? null,
        follows: world.machine?.bodies.find((body) => body === viewer.stage.camera.followed)?.name ?? null,
      };
    },
    seek: (time) => viewer.seek(time),
    play: () => viewer.clock.play(),
    pause: () => viewer.clock.pause(),
    camera: (to) => viewer.camera(to),
    picture: () => viewer.picture(),
  };
  return { page, close: () => panels.close() };
}

/** In a notebook: parts are packets as bytes; send and listen reach Python while it is there. */
export function goriView(element: HTMLElement, given: { parts?: ArrayBufferView[]; options?: ViewerOptions } & Wire): { close(): void } {
  let view: { close(): void } | null = null;
  let closed = false;
  partsOfBytes(given.parts ?? [], given).then(
    (transport) => {
      if (!closed) view = start(element, transport, given.options ?? {}, false);
    },
    (error: unknown) => fail(element, error),
  );
  return { close: () => { closed = true; view?.close(); } };
}

function start(element: HTMLElement, transport: Transport, options: ViewerOptions, whole: boolean): { page: PageApi; close(): void } | null {
  try {
    return mount(element, transport, options, whole);
  } catch (error) {
    fail(element, error);
    return null;
  }
}

function fail(element: HTMLElement, error: unknown): void {
  element.classList.add("gori-failed");
  element.textContent = error instanceof Error ? error.message : String(error);
}

window.goriView = goriView;
const settings = window.gori;
if (settings && settings.mode !== "notebook") {
  const element = settings.element ?? document.getElementById("gori");
  if (element) {
    const transport = settings.mode === "file" ? partsOfDocument(document) : new ServerTransport(settings.token ?? null);
    const view = start(element, transport, settings.options ?? {}, true);
    if (view) settings.page = view.page;
  }
}
