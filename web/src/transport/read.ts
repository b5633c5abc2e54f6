/** Packets into the structures of types.ts. What an older or newer server leaves out becomes an empty list or null. */

import type { Json, Nd, Packet } from "./packet";
import type {
  Arrows, Body, Channel, Drawing, FilmData, Frame3, Grains, Input, Joint, LiveFrame, Mode, Ruts, Scene, Series, Shape, Spring,
  Terrain, Vec3, Wheel,
} from "./types";

const list = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);
const pair = (value: unknown): [number, number] =>
  Array.isArray(value) ? [Number(value[0]), Number(value[1])] : [Number(value), Number(value)];
const f4 = (array: Nd | null): Float32Array =>
  array === null ? new Float32Array() : array.data instanceof Float32Array ? array.data : Float32Array.from(array.data);
const f8 = (array: Nd | null): Float64Array =>
  array === null ? new Float64Array() : array.data instanceof Float64Array ? array.data : Float64Array.from(array.data);
const u4 = (array: Nd | null): Uint32Array | null =>
  array === null ? null : array.data instanceof Uint32Array ? array.data : Uint32Array.from(array.data);

export function readScene(packet: Packet): Scene {
  const head = packet.head;
  const bodies = list<Json>(head.bodies).map((body): Body => ({
    ...(body as unknown as Body),
    shapes: list<Json>(body.shapes).map((shape) => readShape(packet, shape)),
    sticks: list<unknown>(body.sticks).map(readStick),
  }));
  return {
    name: String(head.name ?? ""),
    title: String(head.title || head.name || "Gori"),
    mode: (head.mode ?? "machine") as Mode,
    bodies,
    joints: list<Joint>(head.joints),
    cuts: list<Joint>(head.cuts),
    frames: list<Frame3>(head.frames),
    springs: list<Spring>(head.springs),
    wheels: list<Wheel>(head.wheels),
    terrain: readTerrain(packet, head.terrain as Json | null),
    particles: (head.particles ?? null) as Scene["particles"],
    channels: list<Channel>(head.channels),
    inputs: list<Input>(head.inputs),
    camera: (head.camera ?? null) as Scene["camera"],
    time: Array.isArray(head.time) ? pair(head.time) : null,
    masses: Array.isArray(head.masses) ? (head.masses as Scene["masses"]) : null,
    poses: "poses" in head ? f4(packet.array(head.poses)) : null,
    notices: list<string>(head.notices),
  };
}

function readShape(packet: Packet, shape: Json): Shape {
  const { vertices, triangles, colours, ...rest } = shape;
  return {
    ...(rest as unknown as Shape),
    vertices: packet.array(vertices),
    triangles: packet.array(triangles),
    colours: packet.array(colours),
  };
}

/** A stick is a point (from the origin of the body) or a list of points. */
function readStick(stick: unknown): Vec3[] {
  const points = stick as Vec3 | Vec3[];
  return Array.isArray(points[0]) ? (points as Vec3[]) : [[0, 0, 0], points as Vec3];
}

function readTerrain(packet: Packet, terrain: Json | null | undefined): Terrain | null {
  const height = terrain ? packet.array(terrain.height) : null;
  if (!terrain || !height) return null;
  const soft = terrain.soft as Json | null | undefined;
  return {
    low: pair(terrain.low),
    cell: pair(terrain.cell),
    shape: pair(terrain.shape ?? height.shape),
    height,
    soft: soft ? { at: pair(soft.at), cell: pair(soft.cell), shape: pair(soft.shape) } : null,
  };
}

export function readFilm(packet: Packet): FilmData {
  const poses = packet.field("poses");
  const spin = packet.field("spin");
  return {
    times: f8(packet.field("times")),
    poses: f4(poses),
    bodies: poses?.shape[1] ?? 0,
    spin: spin && spin.data.length > 0 ? f4(spin) : null,
    wheels: spin?.shape[1] ?? 0,
    grainTimes: f8(packet.field("grain_times")),
    series: list<Json>(packet.head.series).map((entry) => readSeries(packet, entry)),
    thinned: (packet.head.thinned ?? null) as string | null,
    complete: packet.head.complete !== false,
    names: Array.isArray(packet.head.names) ? [String(packet.head.names[0]), String(packet.head.names[1])] : null,
  };
}

export function readSeries(packet: Packet, head: Json = packet.head): Series {
  const values = packet.field("values", head);
  const count = values?.shape[1] ?? 1;
  const columns = list<string>(head.columns);
  return {
    name: String(head.name),
    unit: String(head.unit ?? ""),
    units: list<string>(head.units).length === count ? list<string>(head.units) : [],
    columns: columns.length === count ? columns : Array.from({ length: count }, (_, k) => (count > 1 ? String(k) : "")),
    time: f8(packet.field("time", head)),
    values: f8(values),
    ghost: head.ghost_values ? { time: f8(packet.field("ghost_time", head)), values: f8(packet.field("ghost_values", head)) } : null,
  };
}

export function readGrains(packet: Packet, head: Json = packet.head): Grains {
  const position = packet.field("position", head)?.data;
  const radius = typeof head.radius === "number" ? head.radius : f4(packet.field("radius", head));
  const value = packet.field("value", head)?.data;
  const drawn = position ? position.length / 3 : 0;
  return {
    frame: Number(head.frame ?? 0),
    time: Number(head.time ?? 0),
    low: head.low as Vec3,
    high: head.high as Vec3,
    position: position instanceof Uint16Array ? position : new Uint16Array(),
    radius: typeof radius !== "number" && radius.length === 1 ? radius[0] : radius,
    value: value instanceof Uint8Array ? value : null,
    drawn,
    count: Number(head.count ?? drawn),
    legend: (head.legend ?? null) as Grains["legend"],
  };
}

export function readRuts(packet: Packet, head: Json = packet.head): Ruts {
  const since = packet.field("since", head);
  return {
    cells: u4(packet.field("cells", head)) ?? new Uint32Array(),
    depth: f4(packet.field("depth", head)),
    since: since ? f4(since) : null,
  };
}

export function readArrows(packet: Packet, head: Json = packet.head): Arrows {
  const tails = packet.field("tails", head);
  const times = packet.field("times", head);
  return {
    kind: String(head.kind ?? "force"),
    names: list<string>(head.names),
    times: times ? f8(times) : null,
    tails: f4(tails),
    heads: f4(packet.field("heads", head)),
    count: tails ? tails.shape[tails.shape.length - 2] : 0,
    scale: Number(head.scale ?? 1),
  };
}

export function readFrame(packet: Packet): LiveFrame {
  const head = packet.head;
  const poses = packet.field("poses");
  const spin = packet.field("spin");
  const arrows = head.arrows;
  return {
    number: Number(head.number ?? head.frame ?? 0),
    time: Number(head.time ?? 0),
    poses: poses ? f4(poses) : null,
    spin: spin ? f4(spin) : null,
    values: (head.values ?? {}) as LiveFrame["values"],
    grains: head.grains ? readGrains(packet, head.grains as Json) : null,
    ruts: head.ruts ? readRuts(packet, head.ruts as Json) : null,
    arrows: arrows ? (Array.isArray(arrows) ? arrows : [arrows]).map((entry) => readArrows(packet, entry as Json)) : [],
    state: (head.state ?? null) as LiveFrame["state"],
  };
}

/** Drawings stand in lists by kind, or in one list `drawings` with a `type` each. */
export function readDrawings(packet: Packet): { drawings: Drawing[]; removed: string[]; cleared: boolean } {
  const kinds: Record<string, Drawing["type"]> = {
    points: "points", lines: "line", line: "line", arrows: "arrows", arrow: "arrows", frames: "frame", frame: "frame",
    text: "text", texts: "text", meshes: "mesh", mesh: "mesh",
  };
  const entries: [Drawing["type"], Json][] = list<Json>(packet.head.drawings).map((entry) => [kinds[String(entry.type)], entry]);
  for (const [key, type] of Object.entries(kinds)) {
    for (const entry of list<Json>(packet.head[key])) entries.push([type, entry]);
  }
  const drawings = entries.map(([type, entry]): Drawing => {
    const first = ["points", "position", "positions", "tails", "at", "vertices"].find((key) => entry[key] !== undefined);
    const heads = packet.array(entry.heads ?? entry.directions);
    return {
      type,
      name: String(entry.name),
      body: Number(entry.body ?? 0),
      colour: (entry.colour ?? null) as Drawing["colour"],
      size: Number(entry.size ?? entry.width ?? entry.length ?? 0),
      text: String(entry.text ?? ""),
      points: f4(packet.array(first ? entry[first] : null)),
      heads: heads ? f4(heads) : null,
      quaternion: (entry.quaternion ?? null) as Drawing["quaternion"],
      triangles: u4(packet.array(entry.triangles)),
      closed: Boolean(entry.closed),
    };
  });
  return { drawings, removed: list<string>(packet.head.removed), cleared: Boolean(packet.head.cleared) };
}
