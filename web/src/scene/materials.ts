/** Surfaces of bodies: one restrained look for all, with a tint when a body is picked. */

import { Color, DoubleSide, FrontSide, MeshStandardMaterial } from "three";

export interface Look {
  colour: Color;
  opacity?: number;
  /** a thin wall that is seen from both sides */
  wall?: boolean;
  vertexColours?: boolean;
  metal?: boolean;
}

export function surface({ colour, opacity = 1, wall = false, vertexColours = false, metal = false }: Look): MeshStandardMaterial {
  const clear = opacity < 1;
  return new MeshStandardMaterial({
    color: vertexColours ? new Color(1, 1, 1) : colour,
    vertexColors: vertexColours,
    roughness: metal ? 0.45 : 0.62,
    metalness: metal ? 0.35 : 0.05,
    side: wall ? DoubleSide : FrontSide,
    transparent: clear,
    opacity,
    depthWrite: !clear,
  });
}
