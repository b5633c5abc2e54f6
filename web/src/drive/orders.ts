/** When the driver's wishes are sent: at once when they change, else now and then, so that the other side knows that there is a
 * driver. And whether the vehicle has heard of the last change: a picture that shows it is worth waiting for. */

import type { Wish } from "./pedals";

const HEARTBEAT = 250; // ms between two messages at least
const WORTH = 40; // ms that a picture may come later to show what a key has done

export interface Order {
  drive: Wish;
  sent: number;
}

export class Orders {
  private sent = "";
  private at = -Infinity;
  /** when the first change was sent that the vehicle has not answered */
  private since: number | null = null;
  private latest = 0;

  /** A message, if the wish is new or some time has passed; now: clock of the page [ms]. */
  tell(wish: Wish, now: number): Order | null {
    const text = JSON.stringify(wish);
    const news = text !== this.sent;
    if (!news && now - this.at < HEARTBEAT) return null;
    if (news && wish.smooth && this.sent) {
      this.since ??= now;
      this.latest = now;
    }
    this.sent = text;
    this.at = now;
    return { drive: { ...wish }, sent: now };
  }

  /** A frame shows what was sent then. */
  answered(sent: number): void {
    if (sent >= this.latest - 1e-3) this.since = null;
  }

  /** Whether the answer to a key is under way, and a picture without it would only delay it. */
  waiting(now: number): boolean {
    if (this.since !== null && now - this.since > WORTH) this.since = null;
    return this.since !== null;
  }

  /** Another server, or the same one anew: it has heard nothing. */
  forget(): void {
    this.sent = "";
    this.since = null;
  }
}
