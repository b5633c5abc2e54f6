/** Where packets come from and messages go to: one interface for a server, an exported file and a notebook. */

import type { Message } from "./messages";
import type { Packet } from "./packet";

export type Link = "connecting" | "open" | "lost" | "file";

export interface Transport {
  /** Begin; packets that come by themselves (scene first) go to `packet`, changes of the connection to `link`. */
  start(listener: { packet(packet: Packet): void; link(state: Link): void }): void;
  /** Messages are dropped while there is nobody to take them. */
  send(message: Message): void;
  /** Answers, or null where there are none; they never reject. */
  film(): Promise<Packet | null>;
  grains(frame: number, most: number): Promise<Packet | null>;
  series(name: string): Promise<Packet | null>;
  arrows(kind: string): Promise<Packet | null>;
  close(): void;
}
