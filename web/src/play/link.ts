/** Settings in the address: #four-bar,crank=0.25,speed=2. */

export interface Settings {
  example: string | null;
  values: Record<string, number>;
}

const MOST = 40;

export function readLink(hash: string): Settings {
  const [example, ...rest] = decodeURIComponent(hash.replace(/^#/, "")).split(",").slice(0, MOST);
  const values: Record<string, number> = {};
  for (const part of rest) {
    const [name, text] = part.split("=");
    const value = Number(text);
    if (/^[a-z_]+$/.test(name) && text !== undefined && text !== "" && Number.isFinite(value)) values[name] = value;
  }
  return { example: /^[a-z-]+$/.test(example ?? "") ? example : null, values };
}

/** Only what differs from the example's own values. */
export function writeLink(example: string, values: Record<string, number>, own: Record<string, number>): string {
  const parts = Object.entries(values)
    .filter(([name, value]) => Math.abs(value - own[name]) > 1e-9 * Math.max(1, Math.abs(own[name])))
    .map(([name, value]) => `${name}=${Number(value.toPrecision(6))}`);
  return `#${[example, ...parts].join(",")}`;
}
