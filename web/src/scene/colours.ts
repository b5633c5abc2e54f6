/** Colours: of bodies that have none of their own, of scales, and of the two themes. */

import { Color } from "three";
import type { Colour } from "../transport/types";

const PALETTE = ["#4f7cac", "#d98e4a", "#6a9f6c", "#b86b77", "#8a79b5", "#c2a35a", "#5fa3a3", "#a57f68", "#7f9bbf", "#9aa35b"];

export const KINDS: Record<string, string> = { contact: "#d9534f", reaction: "#3f7fd9", force: "#2f9e6b" };

export interface Theme {
  dark: boolean;
  top: string;
  bottom: string;
  ground: string;
  line: string;
  joint: string;
  soil: string;
  rut: string;
  grain: string;
  accent: string;
}

export const LIGHT: Theme = {
  dark: false, top: "#f7f8fa", bottom: "#dfe4ea", ground: "#eceff3", line: "#9aa6b4", joint: "#4a5561", soil: "#d2bd98",
  rut: "#8f7450", grain: "#c0a57a", accent: "#e0662f",
};

export const DARK: Theme = {
  dark: true, top: "#1b2027", bottom: "#0f1216", ground: "#191d23", line: "#586574", joint: "#b9c2cc", soil: "#8d7a5c",
  rut: "#4f4029", grain: "#b89b6e", accent: "#ff8a50",
};

export function colourOf(colour: Colour | undefined, index = 0): Color {
  if (typeof colour === "string") return new Color(colour);
  if (Array.isArray(colour)) {
    const scale = colour.some((part) => part > 1) ? 255 : 1;
    return new Color().setRGB(colour[0] / scale, colour[1] / scale, colour[2] / scale, "srgb");
  }
  return new Color(PALETTE[(index + PALETTE.length) % PALETTE.length]);
}

export function opacityOf(colour: Colour | undefined): number {
  return Array.isArray(colour) && colour.length > 3 ? Math.min(1, colour[3]) : 1;
}

/** Viridis, in nine steps: dark is low, bright is high; it keeps its order in grey and for the colour-blind. */
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

export function scaleColour(share: number): Color {
  const at = Math.min(1, Math.max(0, share)) * (VIRIDIS.length - 1);
  const k = Math.min(VIRIDIS.length - 2, Math.floor(at));
  const [a, b] = [parse(VIRIDIS[k]), parse(VIRIDIS[k + 1])];
  const s = at - k;
  return new Color().setRGB(a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s, "srgb");
}

export const SCALE_CSS = `linear-gradient(to right, ${VIRIDIS.join(",")})`;

/** The scale as 256 RGBA bytes in sRGB, for a texture. */
export function scaleBytes(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(256 * 4).fill(255);
  const rgb = { r: 0, g: 0, b: 0 };
  for (let k = 0; k < 256; k++) {
    scaleColour(k / 255).getRGB(rgb, "srgb");
    bytes.set([rgb.r * 255, rgb.g * 255, rgb.b * 255], 4 * k);
  }
  return bytes;
}

function parse(hex: string): [number, number, number] {
  const number = parseInt(hex.slice(1), 16);
  return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255];
}
