/** Play, pause and step: a film by the clock of the page, a live run by messages to it. */

import { Timeline } from "../panels/timeline";
import type { Viewer } from "./viewer";

export function toggle({ clock, live, latest, transport }: Viewer): void {
  if (!live) return clock.playing ? clock.pause() : clock.play();
  if (!clock.following) return clock.follow(true);
  transport.send({ do: latest?.state?.paused ? "resume" : "pause" });
}

export function step({ clock, film, history, live, transport }: Viewer, by: number): void {
  if (live && by > 0 && clock.following) return transport.send({ do: "step" });
  clock.following = false;
  clock.step(film?.data.times ?? history?.times ?? [], by);
}

/** pause: between two changes of its texts while time runs [ms]. */
export function timelineOf(viewer: Viewer, pause?: number): Timeline {
  const { clock, live, transport } = viewer;
  const timeline = new Timeline(clock, {
    toggle: () => toggle(viewer), step: (by) => step(viewer, by), seek: (time) => clock.seek(time), live: () => clock.follow(true),
    reset: live ? () => transport.send({ do: "reset" }) : undefined,
    record: live ? () => transport.send({ do: viewer.latest?.state?.recording ? "stop_record" : "record" }) : undefined,
  }, live, pause);
  let speed = clock.speed;
  if (live) clock.onChange(() => {
    if (clock.speed === speed) return;
    speed = clock.speed;
    transport.send({ do: "speed", value: speed });
  });
  return timeline;
}
