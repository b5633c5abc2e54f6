/** Packets from a server: the websocket for what comes by itself, HTTP for what is asked for. */

import { write, type Message } from "./messages";
import { decode, type Packet } from "./packet";
import type { Link, Transport } from "./transport";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

export class ServerTransport implements Transport {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer = 0;
  private closed = false;
  private listener: { packet(packet: Packet): void; link(state: Link): void } | null = null;

  /** token: of a server that is open to the network; base: where the page lies. */
  constructor(
    private readonly token: string | null = null,
    private readonly base: string = location.href,
  ) {}

  start(listener: { packet(packet: Packet): void; link(state: Link): void }): void {
    this.listener = listener;
    this.connect();
  }

  private address(path: string): URL {
    const url = new URL(path, this.base);
    if (this.token) url.searchParams.set("token", this.token);
    return url;
  }

  private connect(): void {
    if (this.closed) return;
    this.listener?.link("connecting");
    const url = this.address("/socket");
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener?.link("open");
    };
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      if (typeof event.data === "string") return;
      try {
        this.listener?.packet(decode(event.data));
      } catch (error) {
        console.warn("a packet could not be read:", error);
      }
    };
    socket.onclose = () => {
      if (this.socket !== socket || this.closed) return;
      this.socket = null;
      this.listener?.link("lost");
      this.timer = window.setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
    this.socket = socket;
  }

  send(message: Message): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(write(message));
  }

  private async get(path: string): Promise<Packet | null> {
    try {
      const answer = await fetch(this.address(path));
      return answer.ok ? decode(await answer.arrayBuffer()) : null;
    } catch {
      return null; // the socket's state tells that the server has gone
    }
  }

  film(): Promise<Packet | null> {
    return this.get("/api/film");
  }

  grains(frame: number, most: number): Promise<Packet | null> {
    return this.get(`/api/grains/${frame}?most=${most}`);
  }

  series(name: string): Promise<Packet | null> {
    return this.get(`/api/series?name=${encodeURIComponent(name)}`);
  }

  arrows(kind: string): Promise<Packet | null> {
    return this.get(`/api/arrows?kind=${encodeURIComponent(kind)}`);
  }

  close(): void {
    this.closed = true;
    window.clearTimeout(this.timer);
    this.socket?.close();
  }
}
