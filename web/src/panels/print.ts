/** What lies over the picture (scale, legend, key of runs), painted into a picture that is saved. */

import { scaleColour } from "../scene/colours";

type Paint = CanvasRenderingContext2D;

/** origin: the element that the picture stands for. */
export function print(paint: Paint, origin: Element, overlays: HTMLElement[]): void {
  const zero = origin.getBoundingClientRect();
  for (const overlay of overlays) {
    if (overlay.hidden || !overlay.isConnected) continue;
    for (const element of [overlay, ...overlay.querySelectorAll<HTMLElement>("*")]) {
      const at = element.getBoundingClientRect();
      const box: Box = [at.left - zero.left, at.top - zero.top, at.width, at.height];
      const style = getComputedStyle(element);
      paint.globalAlpha = Number(style.opacity);
      if (element === overlay || element.tagName === "I") fill(paint, box, style);
      if (!element.childElementCount && element.textContent) write(paint, box, style, element.textContent);
    }
  }
  paint.globalAlpha = 1;
}

type Box = [number, number, number, number];

function fill(paint: Paint, [x, y, width, height]: Box, style: CSSStyleDeclaration): void {
  if (style.backgroundImage.startsWith("linear-gradient")) {
    const scale = paint.createLinearGradient(x, 0, x + width, 0);
    for (let k = 0; k <= 8; k++) scale.addColorStop(k / 8, scaleColour(k / 8).getStyle());
    paint.fillStyle = scale;
  } else paint.fillStyle = style.backgroundColor;
  paint.beginPath();
  paint.roundRect(x, y, width, height, Math.min(parseFloat(style.borderRadius) || 0, height / 2));
  paint.fill();
  if (parseFloat(style.borderBottomWidth) > 0) {
    paint.strokeStyle = style.borderBottomColor;
    paint.lineWidth = parseFloat(style.borderBottomWidth);
    paint.beginPath();
    paint.moveTo(x, y);
    paint.lineTo(x, y + height);
    paint.lineTo(x + width, y + height);
    paint.lineTo(x + width, y);
    paint.stroke();
  }
}

function write(paint: Paint, [x, y, , height]: Box, style: CSSStyleDeclaration, text: string): void {
  paint.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  paint.fillStyle = style.color;
  paint.textBaseline = "middle";
  paint.textAlign = "left";
  paint.fillText(text, x + (parseFloat(style.paddingLeft) || 0), y + height / 2 + 0.5);
}
