/** Series of an example come over the socket: they belong to this page alone. */

import type { Packet } from "../transport/packet";
import { ServerTransport } from "../transport/server";

const PATIENCE = 5000; // ms

export class PlayTransport extends ServerTransport {
  private readonly waiting = new Map<string, (packet: Packet | null) => void>();

  override series(name: string): Promise<Packet | null> {
    return new Promise((done) => {
      this.waiting.set(name, done);
      this.send({ ask: "series", name });
      window.setTimeout(() => this.answer(name, null), PATIENCE);
    });
  }

  answer(name: string, packet: Packet | null): void {
    this.waiting.get(name)?.(packet);
    this.waiting.delete(name);
  }
}
