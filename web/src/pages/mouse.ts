/** Mouse, pen and touch over the scene: turn, move, zoom, pick, and pull a body. */

import type { Camera } from "../scene/camera";

export interface MouseActions {
  changed(): void;
  /** x, y from -1 to 1, y up */
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  /** whether a body is held from now on; asked: by Ctrl */
  grab(x: number, y: number, asked: boolean): boolean;
  pull(x: number, y: number): void;
  release(): void;
}

const STILL = 5; // pixels that a click may move

export function listenToMouse(canvas: HTMLCanvasElement, camera: Camera, actions: MouseActions): void {
  const down = new Map<number, { x: number; y: number }>();
  let moved = 0;
  let pulling = false;
  const share = (event: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
  };
  canvas.style.touchAction = "none";
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = down.size > 1 ? STILL + 1 : 0;
    if (pulling) {
      pulling = false; // a second finger
      actions.release();
    } else if (event.button === 0 && down.size === 1) pulling = actions.grab(...share(event), event.ctrlKey || event.metaKey);
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = down.get(event.pointerId);
    if (!last) return;
    if (pulling) return actions.pull(...share(event));
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    moved += Math.hypot(dx, dy);
    const height = canvas.clientHeight;
    if (down.size === 2) {
      const [a, b] = [...down.values()];
      const before = Math.hypot(a.x - b.x, a.y - b.y);
      [last.x, last.y] = [event.clientX, event.clientY];
      const after = Math.hypot(a.x - b.x, a.y - b.y);
      if (after > 0) camera.zoom(before / after);
      camera.pan(dx / 2, dy / 2, height);
    } else {
      [last.x, last.y] = [event.clientX, event.clientY];
      if (moved > STILL) {
        if (event.buttons & 6 || event.shiftKey) camera.pan(dx, dy, height);
        else camera.orbit(dx, dy);
      }
    }
    actions.changed();
  });
  const up = (event: PointerEvent) => {
    if (!down.delete(event.pointerId)) return;
    if (pulling) {
      pulling = false;
      actions.release();
    } else if (moved <= STILL && event.type === "pointerup" && event.button === 0) actions.click(...share(event));
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("dblclick", (event) => actions.doubleClick(...share(event)));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(0.0012 * Math.min(240, Math.max(-240, event.deltaY * (event.deltaMode === 1 ? 16 : 1)))));
    actions.changed();
  }, { passive: false });
}
