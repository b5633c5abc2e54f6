/**
 * The ground under a machine: a grid of lines 1, 2 or 5 times a power of ten apart that fades with distance, and the shadow
 * on it. Lines, not a plane with a pattern: a plane would shade half of the picture, which software rendering cannot bear.
 */

import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, ShadowMaterial } from "three";
import type { Theme } from "./colours";

const HALF = 40; // lines on each side of the middle one
const PIECES = 20; // of a line, so that it can fade
const AXIS_X = new Color("#c25b54");
const AXIS_Y = new Color("#5d9a5f");

/** The nearest 1, 2 or 5 times a power of ten below. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const share = length / power;
  return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

export class Ground {
  readonly mesh = new Group();
  /** distance of the lines [m] */
  cell = 1;
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly shade: Mesh<PlaneGeometry, ShadowMaterial>;
  private theme: Theme;
  private middle: [number, number] = [0, 0];

  constructor(theme: Theme) {
    this.theme = theme;
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.shade = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.22, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.lines.renderOrder = -2;
    this.shade.renderOrder = -1;
    for (const part of [this.lines, this.shade]) part.raycast = () => {};
    this.mesh.add(this.lines, this.shade);
    this.setTheme(theme);
  }

  /** Lies at height z; reach: size of what stands on it [m]. */
  place(x: number, y: number, z: number, reach: number): void {
    this.cell = roundLength(reach / 3);
    this.middle = [Math.round(x / this.cell), Math.round(y / this.cell)];
    this.mesh.position.set(0, 0, z);
    this.shade.position.set(x, y, 0);
    this.shade.scale.set(3.6 * reach, 3.6 * reach, 1);
    this.weave();
  }

  private weave(): void {
    const { cell, middle } = this;
    const positions: number[] = [];
    const colours: number[] = [];
    const line = new Color(this.theme.line);
    const point = (i: number, j: number, colour: Color, strength: number) => {
      positions.push(i * cell, j * cell, 0);
      const away = Math.hypot(i - middle[0], j - middle[1]) / HALF;
      const fade = Math.max(0, 1 - away);
      colours.push(colour.r, colour.g, colour.b, strength * fade * fade);
    };
    for (let n = -HALF; n <= HALF; n++) {
      for (const across of [false, true]) {
        const at = n + middle[across ? 0 : 1];
        const colour = at !== 0 ? line : across ? AXIS_Y : AXIS_X;
        const strength = at === 0 ? 1 : at % 5 === 0 ? 0.95 : 0.55;
        const start = middle[across ? 1 : 0] - HALF;
        for (let k = 0; k < PIECES; k++) {
          for (const end of [k, k + 1]) {
            const along = start + (2 * HALF * end) / PIECES;
            if (across) point(at, along, colour, strength);
            else point(along, at, colour, strength);
          }
        }
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
    this.lines.geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colours), 4));
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.shade.material.opacity = theme.dark ? 0.45 : 0.2;
    this.weave();
  }
}
