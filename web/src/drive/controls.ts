/** Keys, fingers and the mouse on the drive page. */

import type { Camera } from "../scene/camera";
import type { Deed, Pedals } from "./pedals";

export interface Listener {
  /** a pedal or the steering was moved */
  moved(): void;
  /** a key that counts for the latency */
  pressed(code: string, at: number): void;
  act(deed: Deed): void;
  looked(): void;
}

/** Keys of the whole window. */
export function listenToKeys(pedals: Pedals, listener: Listener): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const deed = pedals.deed(event.code);
    if (deed && !event.repeat) listener.act(deed);
    if (pedals.key(event.code, true)) {
      event.preventDefault();
      if (!event.repeat) listener.pressed(event.code, event.timeStamp);
      listener.moved();
    }
  });
  window.addEventListener("keyup", (event) => {
    if (pedals.key(event.code, false)) {
      event.preventDefault();
      listener.moved();
    }
  });
  const release = () => {
    pedals.release();
    listener.moved();
  };
  window.addEventListener("blur", release);
  document.addEventListener("visibilitychange", () => document.hidden && release());
}

/** Turning the camera, and coming nearer by the wheel of the mouse or two fingers. */
export function listenToCanvas(canvas: HTMLCanvasElement, camera: Camera, listener: Listener): void {
  const fingers = new Map<number, [number, number]>();
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  };
  canvas.onpointermove = (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const gap = apart();
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (fingers.size === 1) camera.orbit(event.clientX - before[0], event.clientY - before[1]);
    else if (gap > 0 && apart() > 0) camera.zoom(gap / apart());
    listener.looked();
  };
  canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(0.001 * event.deltaY));
    listener.looked();
  }, { passive: false });
}
