/** Surfaces of bodies: one restrained look for all. Where the processor draws, they are plainer. */

import { Color, DoubleSide, FrontSide, MeshLambertMaterial, MeshStandardMaterial } from "three";

export type Surface = MeshStandardMaterial | MeshLambertMaterial;

export interface Look {
  colour: Color;
  opacity?: number;
  /** a thin wall that is seen from both sides */
  wall?: boolean;
  vertexColours?: boolean;
  metal?: boolean;
}

let plain = false;

/** For software rendering: no highlights. */
export function setPlain(on: boolean): void {
  plain = on;
}

export function surface({ colour, opacity = 1, wall = false, vertexColours = false, metal = false }: Look): Surface {
  const clear = opacity < 1;
  const common = {
    color: vertexColours ? new Color(1, 1, 1) : colour,
    vertexColors: vertexColours,
    side: wall ? DoubleSide : FrontSide,
    transparent: clear,
    opacity,
    depthWrite: !clear,
    forceSinglePass: true,
  };
  if (plain) return new MeshLambertMaterial(common);
  return new MeshStandardMaterial({ ...common, roughness: metal ? 0.45 : 0.62, metalness: metal ? 0.35 : 0.05 });
}
