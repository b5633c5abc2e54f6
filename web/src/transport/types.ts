/** What packets hold, as the rooms of a page use it. Lengths in m, angles in rad, quaternions w x y z, world axes z up. */

import type { Nd } from "./packet";

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export interface Shape {
  type: "sphere" | "box" | "capsule" | "cylinder" | "cone" | "ellipsoid" | "plane" | "mesh";
  name?: string;
  at?: Vec3;
  quaternion?: Quat;
  radius?: number;
  length?: number;
  size?: Vec3;
  radii?: Vec3;
  top_radius?: number;
  hollow?: boolean;
  open?: string[];
  colour?: Colour;
  /** hidden at first: visual shapes of the same body stand for it */
  collision?: boolean;
  vertices?: Nd | null;
  triangles?: Nd | null;
  colours?: Nd | null;
}

/** "#rrggbb", or red, green, blue (and opacity) from 0 to 1. */
export type Colour = string | number[] | null;

export interface Body {
  name: string;
  group?: string | null;
  colour?: Colour;
  shapes: Shape[];
  sticks: Vec3[][];
}

export interface Joint {
  name: string;
  type: string;
  parent: number;
  child: number;
  at: Vec3;
  child_at?: Vec3;
  axis?: Vec3;
  limits?: ([number | null, number | null] | null)[] | null;
  q?: [number, number];
}

export interface Anchor {
  body: number;
  at: Vec3;
}

export interface Spring {
  name: string;
  type: string;
  a: Anchor;
  b: Anchor;
}

export interface Wheel {
  name: string;
  body: number;
  at: Vec3;
  axis: Vec3;
  radius: number;
  width: number;
}

export interface Terrain {
  low: [number, number];
  cell: [number, number];
  shape: [number, number];
  height: Nd;
  soft: { at: [number, number]; cell: [number, number]; shape: [number, number] } | null;
}

export interface Channel {
  name: string;
  unit?: string;
  columns?: string[];
  /** of each column, where they differ */
  units?: string[];
}

/** A slider: an input of a live run, or a parameter of an example. */
export interface Input {
  name: string;
  low: number;
  high: number;
  value: number;
  unit?: string;
  label?: string;
  step?: number;
}

export interface Frame3 {
  name: string;
  body: number;
  at: Vec3;
  quaternion?: Quat;
}

export type Mode = "machine" | "film" | "live" | "drive" | "play";

export interface Scene {
  name: string;
  title: string;
  mode: Mode;
  bodies: Body[];
  joints: Joint[];
  cuts: Joint[];
  frames: Frame3[];
  springs: Spring[];
  wheels: Wheel[];
  terrain: Terrain | null;
  particles: { groups?: string[]; radius?: number } | null;
  channels: Channel[];
  inputs: Input[];
  camera: { target?: Vec3; distance?: number; view?: string; follow?: number | null } | null;
  /** where the bodies are at first, x y z w x y z each */
  poses: Float32Array | null;
  notices: string[];
  time: [number, number] | null;
  /** centres of mass in the frames of the bodies, and masses, where the machine gives them */
  masses: { mass: number; com: Vec3 }[] | null;
}

export interface FilmData {
  times: Float64Array;
  poses: Float32Array;
  bodies: number;
  spin: Float32Array | null;
  wheels: number;
  grainTimes: Float64Array;
  series: Series[];
  thinned: string | null;
  /** false: the run is still being written */
  complete: boolean;
  /** of a ghost: what the run itself is called, and the ghost */
  names: [string, string] | null;
}

export interface Grains {
  frame: number;
  time: number;
  low: Vec3;
  high: Vec3;
  position: Uint16Array;
  radius: Float32Array | number;
  value: Uint8Array | null;
  drawn: number;
  count: number;
  legend: { name: string; unit?: string; low: number; high: number } | null;
}

export interface Ruts {
  cells: Uint32Array;
  depth: Float32Array;
  since: Float32Array | null;
}

export interface Series {
  name: string;
  unit: string;
  columns: string[];
  /** of each column, where they differ; else empty */
  units: string[];
  time: Float32Array | Float64Array;
  values: Float32Array | Float64Array;
  /** the same channel of another run */
  ghost?: { time: Float32Array | Float64Array; values: Float32Array | Float64Array } | null;
}

export interface Arrows {
  kind: string;
  names: string[];
  times: Float64Array | null;
  tails: Float32Array;
  heads: Float32Array;
  count: number;
  scale: number;
}

export interface LiveFrame {
  number: number;
  time: number;
  poses: Float32Array | null;
  spin: Float32Array | null;
  values: Record<string, number | number[]>;
  grains: Grains | null;
  ruts: Ruts | null;
  arrows: Arrows[];
  state: Record<string, unknown> | null;
}

export interface Drawing {
  type: "points" | "line" | "arrows" | "frame" | "text" | "mesh";
  name: string;
  body: number;
  colour: Colour;
  size: number;
  text: string;
  points: Float32Array;
  heads: Float32Array | null;
  quaternion: Quat | null;
  triangles: Uint32Array | null;
  closed: boolean;
}
