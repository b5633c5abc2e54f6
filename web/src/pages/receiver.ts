/** Packets of a transport, each to where it belongs. */

import type { SeriesStore } from "../charts/series";
import { Film } from "../playback/film";
import type { World } from "../scene/world";
import type { Packet } from "../transport/packet";
import { readArrows, readDrawings, readFilm, readFrame, readRuts, readScene, readSeries } from "../transport/read";
import type { LiveFrame, Scene } from "../transport/types";

export interface Receivers {
  scene(scene: Scene): void;
  film(film: Film): void;
  ghost(film: Film): void;
  frame(frame: LiveFrame): void;
  message(text: string, kind: "notice" | "error"): void;
  /** whether there is a scene */
  begun(): boolean;
  changed(): void;
}

export function receiver(world: World, store: SeriesStore, to: Receivers): (packet: Packet) => void {
  return (packet) => {
    switch (packet.type) {
      case "scene": return to.scene(readScene(packet));
      case "film": return to.film(new Film(readFilm(packet)));
      case "ghost-film": return to.ghost(new Film(readFilm(packet)));
      case "frame": return to.frame(readFrame(packet));
      case "series": return store.put(readSeries(packet));
      case "error": return to.message(String(packet.head.message), "error");
      case "notice": return to.message(String(packet.head.message), "notice");
    }
    if (!to.begun()) return;
    if (packet.type === "ruts") world.setRuts(readRuts(packet));
    else if (packet.type === "arrows") world.setArrows(readArrows(packet));
    else if (packet.type === "drawings") {
      const { drawings, removed, cleared } = readDrawings(packet);
      world.draw(drawings, removed, cleared);
    }
    to.changed();
  };
}
