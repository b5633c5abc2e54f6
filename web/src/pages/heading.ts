/** What a scene is called, and the tree of its bodies. */

import type { Layout } from "../panels/layout";
import { BodyTree } from "../panels/tree";
import type { Scene } from "../transport/types";
import type { Hands } from "./hands";
import type { Viewer } from "./viewer";

export function showTitle({ root, title, badge }: Layout, scene: Scene): void {
  if (!root.classList.contains("bare") && root.id === "gori") document.title = `${scene.title} – Gori`;
  title.textContent = scene.title;
  badge.textContent = { machine: "machine", film: "recording", live: "live", drive: "drive", play: "example" }[scene.mode];
  if (scene.mode === "film" && !scene.channels.length && scene.time && scene.time[0] === scene.time[1]) badge.textContent = "machine";
}

export function treeOf(viewer: Viewer, scene: Scene, hands: Hands): BodyTree {
  const { world, options, stage } = viewer;
  const trailed = (body: number) => world.trails.has(scene.bodies[body].name) || Boolean(options.trails?.includes(scene.bodies[body].name));
  return new BodyTree(scene, {
    pick: (body) => hands.select({ body, joint: null, grain: null, point: world.machine.bodies[body].position, distance: 0 }),
    follow: (body) => viewer.camera("follow", body),
    show: (body, on) => { world.machine.setVisible(body, on); stage.invalidate(); },
    trail: (body, on) => { world.trails.toggle(scene.bodies[body].name, on); viewer.invalidate(); },
  }, trailed);
}
