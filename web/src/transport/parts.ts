/** Packets that are all there: of an exported file, or of a notebook (which may answer messages, too, while its kernel lives). */

import type { Message } from "./messages";
import { decode, split, type Packet } from "./packet";
import type { Link, Transport } from "./transport";

const WAIT = 10_000;

export interface Wire {
  /** To Python; missing where nobody listens. */
  send?: (message: Message) => void;
  /** From Python: calls back with the bytes of each packet. */
  listen?: (receive: (bytes: ArrayBuffer | ArrayBufferView) => void) => void;
}

/** A part is decoded when it is first asked for, as grains of a long film are large. */
type Part = () => Promise<Packet[]>;

export class PartsTransport implements Transport {
  private readonly parts = new Map<string, Part[]>();
  private readonly decoded = new Map<string, Promise<Packet[]>>();
  private readonly waiting: { fits: (packet: Packet) => boolean; take: (packet: Packet) => void }[] = [];
  private listener: { packet(packet: Packet): void; link(state: Link): void } | null = null;

  constructor(private readonly wire: Wire = {}) {}

  add(name: string, part: Part): void {
    this.parts.set(name, [...(this.parts.get(name) ?? []), part]);
  }

  start(listener: { packet(packet: Packet): void; link(state: Link): void }): void {
    this.listener = listener;
    listener.link(this.wire.send ? "open" : "file");
    this.wire.listen?.((bytes) => this.receive(bytes));
    void this.first();
  }

  private async first(): Promise<void> {
    for (const name of ["scene", "drawings", "ruts", "ghost-film"]) {
      for (const packet of await this.all(name)) {
        if (name === "ghost-film") packet.head.type = "ghost-film";
        this.listener?.packet(packet);
      }
    }
  }

  private receive(bytes: ArrayBuffer | ArrayBufferView): void {
    try {
      const packet = decode(bytes);
      const at = this.waiting.findIndex(({ fits }) => fits(packet));
      if (at >= 0) this.waiting.splice(at, 1)[0].take(packet);
      else this.listener?.packet(packet);
    } catch (error) {
      console.warn("a packet could not be read:", error);
    }
  }

  private all(name: string): Promise<Packet[]> {
    const known = this.decoded.get(name);
    if (known) return known;
    const found = Promise.all((this.parts.get(name) ?? []).map((part) => part())).then(
      (lists) => lists.flat(),
      (error: unknown) => {
        console.warn(`the part ${name} of this file could not be read:`, error);
        return [];
      },
    );
    this.decoded.set(name, found);
    return found;
  }

  private async find(part: string, fits: (packet: Packet) => boolean, ask?: Message): Promise<Packet | null> {
    const here = (await this.all(part)).find(fits);
    if (here || !ask || !this.wire.send) return here ?? null;
    return new Promise((resolve) => {
      const entry = { fits: (packet: Packet) => packet.type === part && fits(packet), take: resolve };
      this.waiting.push(entry);
      this.wire.send!(ask);
      setTimeout(() => {
        const at = this.waiting.indexOf(entry);
        if (at >= 0) this.waiting.splice(at, 1);
        resolve(null);
      }, WAIT);
    });
  }

  send(message: Message): void {
    this.wire.send?.(message);
  }

  film(): Promise<Packet | null> {
    return this.find("film", () => true);
  }

  grains(frame: number, most: number): Promise<Packet | null> {
    return this.find("grains", ({ head }) => head.frame === frame, { ask: "grains", frame, most });
  }

  series(name: string): Promise<Packet | null> {
    return this.find("series", ({ head }) => head.name === name, { ask: "series", name });
  }

  arrows(kind: string): Promise<Packet | null> {
    return this.find("arrows", ({ head }) => head.kind === kind, { ask: "arrows", kind });
  }

  close(): void {
    this.listener = null;
  }
}

/** Of `<script type="application/gori" data-part="..">`: base64 of gzip of packets. */
export function partsOfDocument(root: ParentNode): PartsTransport {
  const transport = new PartsTransport();
  for (const element of root.querySelectorAll<HTMLScriptElement>('script[type="application/gori"]')) {
    transport.add(element.dataset.part ?? "scene", async () => [...split(await inflate(fromBase64(element.textContent ?? "")))]);
  }
  return transport;
}

/** Of bytes, each a part: gzip'd packets with their lengths, or packets as they are. Sorted by the type of their first packet. */
export async function partsOfBytes(parts: ArrayBufferView[], wire: Wire): Promise<PartsTransport> {
  const transport = new PartsTransport(wire);
  for (const part of parts) {
    const bytes = new Uint8Array(part.buffer as ArrayBuffer, part.byteOffset, part.byteLength);
    const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await inflate(bytes) : bytes;
    const packets = plain[0] === 0x47 && plain[1] === 0x4f ? [decode(plain)] : [...split(plain)];
    for (const packet of packets) transport.add(packet.head.ghost ? "ghost-film" : packet.type, () => Promise.resolve([packet]));
  }
  return transport;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replace(/\s+/g, ""));
  const bytes = new Uint8Array(plain.length);
  for (let k = 0; k < plain.length; k++) bytes[k] = plain.charCodeAt(k);
  return bytes;
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
