/** What a page asks of a viewer, and what it is told. */

import type { Film } from "../playback/film";
import type { Link } from "../transport/transport";
import type { LiveFrame, Scene } from "../transport/types";

export interface ViewerOptions {
  trails?: string[];
  arrows?: string[];
  channels?: string[] | null;
  camera?: string | null;
  dark?: boolean | null;
  bare?: boolean;
}

/** What a page around the viewer is told. */
export interface ViewerEvents {
  scene(scene: Scene, again: boolean): void;
  film(film: Film, again: boolean): void;
  ghost(film: Film): void;
  frame(frame: LiveFrame): void;
  /** after each picture */
  drawn(now: number): void;
  message(text: string, kind: "notice" | "error"): void;
  link(link: Link): void;
}
