/** The mouse and fingers on the machine: turn, move, come nearer. */

import type { Stage } from "../scene/stage";

/** moved: told when the machine was brought nearer or aside, so that the picture is no longer the one that fits */
export function listenToCanvas(canvas: HTMLCanvasElement, stage: Stage, moved: () => void): void {
  const fingers = new Map<number, [number, number]>();
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
  };
  const zoom = (factor: number) => {
    stage.camera.zoom(factor);
    stage.invalidate();
    moved();
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
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
    if (fingers.size > 1) {
      if (gap > 0 && apart() > 0) zoom(gap / apart());
    } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) {
      stage.camera.pan(dx, dy, canvas.clientHeight);
      moved();
    } else stage.camera.orbit(dx, dy);
    stage.invalidate();
  };
  canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
  canvas.oncontextmenu = (event) => event.preventDefault();
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(0.001 * event.deltaY));
  }, { passive: false });
}
