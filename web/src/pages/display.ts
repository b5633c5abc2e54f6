/** The page of what is drawn and how: layers, arrows, colours, the look of the scene. */

import { count } from "../panels/numbers";
import { settingsPanel } from "../panels/settings";
import type { Layer } from "../scene/machine";
import { KINDS } from "../scene/colours";
import type { Scene } from "../transport/types";
import type { Viewer } from "./viewer";

const VIEWS = [
  ["iso", "Oblique", "Key 0"], ["front", "Front", "Along y"], ["back", "Back", "Against y"], ["left", "Left", "Along x"],
  ["right", "Right", "Against x, key 1"], ["top", "Top", "From above, key 3"], ["bottom", "Bottom", "From below"], ["fit", "Fit", "All in the picture, key F"],
] as const;

/** What the panels around know and do. */
export interface Display {
  names: boolean;
  setNames(on: boolean): void;
  colours: { name: string; label: string }[];
  colour: string;
  paint(name: string): void;
  say(text: string): void;
  resize(): void;
}

export function displayPage(viewer: Viewer, scene: Scene, has: Display): HTMLElement {
  const { world, stage } = viewer;
  const layer = (label: string, key: Layer) =>
    world.machine.has(key) ? [{ label, on: world.shown[key], change: (on: boolean) => world.show({ [key]: on }) }] : [];
  return settingsPanel({
    views: VIEWS.map(([name, label, title]) => ({ label, title, choose: () => void viewer.camera(name) })),
    layers: [
      ...layer("Joints", "joints"), ...layer("Joint axes", "axes"), ...layer("Cut joints", "cuts"), ...layer("Frames", "frames"), ...layer("Centres of mass", "com"),
      ...layer("Collision shapes", "collision"),
      ...(scene.springs.length ? [{ label: "Springs and struts", on: world.shown.springs, change: (on: boolean) => world.show({ springs: on }) }] : []),
      { label: "Names", on: has.names, change: (on: boolean) => has.setNames(on) },
      ...(world.ghost ? [{ label: "Ghost", on: true, change: (on: boolean) => { world.ghost!.root.visible = on; stage.invalidate(); } }] : []),
    ],
    arrows: scene.mode === "film" && scene.channels.length ? Object.keys(KINDS).map((kind) => ({
      label: { contact: "Contacts", reaction: "Reactions", force: "Forces" }[kind]!, on: Boolean(viewer.options.arrows?.includes(kind)),
      change: (on: boolean) => void viewer.showArrows(kind, on).then((found) => found || !on || has.say(`This recording has no arrows of ${kind}s.`)),
    })) : [],
    colours: has.colours,
    colour: has.colour,
    setColour: (name) => has.paint(name),
    grains: viewer.reel || scene.particles ? [null, 10_000, 100_000, 1_000_000].map((most) => ({
      label: most === null ? "as many as this machine bears" : `at most ${count(most)}`, on: most === viewer.amount.asked, choose: () => viewer.askGrains(most),
    })) : [],
    look: [
      { label: "Ground", on: true, change: (on) => { (world.terrain?.root ?? world.ground.mesh).visible = on; stage.invalidate(); } },
      { label: "Shadows", on: stage.shadows, change: (on) => { stage.shadows = on; has.resize(); } },
      { label: "Perspective", on: !stage.camera.flat, change: (on) => { stage.camera.flat = !on; stage.invalidate(); } },
    ],
  });
}
