/** What keys do in the viewer. */

import type { Keys } from "./keys";
import type { Viewer } from "./viewer";

/** What the panels around do. */
export interface Deeds {
  toggle(): void;
  step(by: number): void;
  follow(chase: boolean): void;
  names(): void;
  theme(): void;
  picture(): void;
  side(): void;
  help(): void;
  escape(): void;
}

export function keymap(viewer: Viewer, deeds: Deeds): Keys {
  const { clock, world, stage } = viewer;
  const flip = (key: "joints" | "frames") => () => world.show({ [key]: !world.shown[key] });
  const speed = (factor: number) => () => clock.setSpeed(clock.speed * factor);
  const look = (from: string) => () => void viewer.camera(from);
  const flat = () => {
    stage.camera.flat = !stage.camera.flat;
    stage.invalidate();
  };
  return {
    " ": deeds.toggle, ",": () => deeds.step(-1), ".": () => deeds.step(1), l: () => clock.setLoop(!clock.loop),
    ArrowLeft: () => clock.seek(clock.time - 1), ArrowRight: () => clock.seek(clock.time + 1),
    Home: () => clock.seek(clock.first), End: () => clock.seek(clock.last), "+": speed(2), "=": speed(2), "-": speed(0.5),
    f: look("fit"), "0": look("iso"), "1": look("x"), "2": look("y"), "3": look("z"), o: flat,
    c: () => deeds.follow(false), v: () => deeds.follow(true), j: flip("joints"), a: flip("frames"), n: deeds.names,
    t: deeds.theme, p: deeds.picture, b: deeds.side, "?": deeds.help, Escape: deeds.escape,
  };
}
