/** The container of everything that carries numbers to a page: "GORI", version, length of the JSON, JSON, buffers. */

export type Numbers = Uint8Array | Int16Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

/** An array with its shape, row-major. */
export interface Nd<T extends Numbers = Numbers> {
  data: T;
  shape: number[];
}

interface BufferEntry {
  name: string;
  dtype: keyof typeof DTYPES;
  shape: number[];
  offset: number;
}

const DTYPES = { u1: Uint8Array, i2: Int16Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };
const MAGIC = 0x49524f47; // "GORI", little endian
const HEADER = 12;

export type Json = Record<string, unknown>;

export class Packet {
  constructor(
    readonly head: Json,
    private readonly arrays: Map<string, Nd>,
  ) {}

  get type(): string {
    return String(this.head.type);
  }

  /** The array that `value` stands for: the name of a buffer, or numbers written out in the JSON; null where there is none. */
  array(value: unknown): Nd | null {
    if (typeof value === "string") return this.arrays.get(value) ?? null;
    if (!Array.isArray(value)) return null;
    const shape: number[] = [];
    for (let level: unknown = value; Array.isArray(level); level = level[0]) shape.push(level.length);
    return { data: Float64Array.from(value.flat(Infinity) as number[]), shape };
  }

  /** The array under a key of `owner`, or the buffer that bears the key's own name. */
  field(key: string, owner: Json = this.head): Nd | null {
    return this.array(owner[key] ?? (owner === this.head ? key : undefined));
  }
}

/** Reads one packet; views into `bytes` where they are aligned, copies where they are not. */
export function decode(bytes: ArrayBuffer | ArrayBufferView): Packet {
  const view = ArrayBuffer.isView(bytes)
    ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new DataView(bytes);
  if (view.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) throw new Error("not a packet of Gori");
  const version = view.getUint32(4, true);
  if (version !== 1) throw new Error(`a packet of version ${version}, but this page reads version 1: reload the page`);
  const length = view.getUint32(8, true);
  const start = HEADER + length;
  if (start > view.byteLength) throw new Error("a packet that was cut short");
  const text = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + HEADER, length));
  const head = JSON.parse(text) as Json;
  const arrays = new Map<string, Nd>();
  for (const entry of (head.buffers ?? []) as BufferEntry[]) {
    const type = DTYPES[entry.dtype];
    if (!type) throw new Error(`a packet with numbers of the unknown type ${String(entry.dtype)}`);
    const count = entry.shape.reduce((product, n) => product * n, 1);
    const size = count * type.BYTES_PER_ELEMENT;
    if (start + entry.offset + size > view.byteLength) throw new Error("a packet that was cut short");
    const at = view.byteOffset + start + entry.offset;
    const buffer = view.buffer as ArrayBuffer;
    const data =
      at % type.BYTES_PER_ELEMENT === 0 ? new type(buffer, at, count) : new type(buffer.slice(at, at + size));
    arrays.set(entry.name, { data, shape: entry.shape });
  }
  return new Packet(head, arrays);
}

/** Writes a packet: for fixtures and tests; pages send JSON text. */
export function encode(head: Json, arrays: Record<string, Nd> = {}): Uint8Array<ArrayBuffer> {
  const up = (n: number) => Math.ceil(n / 8) * 8;
  let size = 0;
  const buffers = Object.entries(arrays).map(([name, { data, shape }]) => {
    const dtype = Object.entries(DTYPES).find(([, type]) => data instanceof type)![0];
    const entry = { name, dtype, shape, offset: size };
    size = up(size + data.byteLength);
    return entry;
  });
  const text = new TextEncoder().encode(JSON.stringify({ ...head, buffers }));
  const start = up(HEADER + text.length);
  const bytes = new Uint8Array(start + size).fill(0x20, HEADER, start);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, 1, true);
  view.setUint32(8, start - HEADER, true);
  bytes.set(text, HEADER);
  Object.values(arrays).forEach(({ data }, k) => {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), start + buffers[k].offset);
  });
  return bytes;
}

/** Packets one after another, each preceded by its length as u32: a part of an exported file. */
export function* split(bytes: Uint8Array): Generator<Packet> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 4 <= bytes.byteLength; ) {
    const length = view.getUint32(at, true);
    yield decode(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
}
