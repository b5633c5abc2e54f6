/** The remark beside the times: how late a run is, how much is drawn. */

import { count, figure } from "../panels/numbers";
import type { Viewer } from "./viewer";

export function remark(viewer: Viewer): string {
  const said: string[] = [];
  const state = viewer.latest?.state;
  if (state && typeof state.ratio === "number" && !state.paused) said.push(`${figure(state.ratio, 2)} × real time${state.late ? ", late" : ""}`);
  const share = viewer.film && viewer.clock.playing ? viewer.pace.share(viewer.film.rate * viewer.clock.speed) : null;
  if (share !== null && share < 0.9) said.push(`drawn ${Math.round(100 * share)} %`);
  const grains = viewer.world.grains.shown;
  if (grains && grains.drawn < grains.count) said.push(`${count(grains.drawn)} of ${count(grains.count)} grains`);
  else if (grains) said.push(`${count(grains.count)} grains`);
  return said.join(" · ");
}

/** A remark of a server as a sentence. */
export function sentence(text: string): string {
  return `${text[0].toUpperCase()}${text.slice(1)}${/[.!]$/.test(text) ? "" : "."}`;
}
