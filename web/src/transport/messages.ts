/** What a page says to the server, as JSON text of at most 64 kB. */

export type Message =
  | { ask: "grains"; frame: number; most: number }
  | { ask: "series"; name: string }
  | { ask: "arrows"; kind: string }
  | { set: "q"; joint: string; value: number[] }
  | { set: "input"; name: string; value: number }
  | { set: "parameter"; name: string; value: number | string | boolean }
  | { drag: { body: number; point: number[]; target: number[] } | null }
  | { do: "pause" | "resume" | "step" | "reset" | "record" | "stop_record" | "speed"; value?: number }
  | { drive: Record<string, number | string | boolean>; sent: number }
  | { shown: number };

const MOST_BYTES = 65536;

export function write(message: Message): string {
  const text = JSON.stringify(message);
  if (text.length > MOST_BYTES) throw new Error("a message of more than 64 kB");
  return text;
}
