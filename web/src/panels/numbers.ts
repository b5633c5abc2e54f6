/** Numbers as a person reads them. */

/** Four figures, without needless zeros: 0.1235, 12.35, 1235, 1.235e6. */
export function figure(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replace("-", "−").replace("e-", "e−");
  const fixed = value.toPrecision(digits);
  const plain = fixed.includes("e") ? String(Number(fixed)) : fixed;
  const short = plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
  return short.replace(/^-0$/, "0").replace("-", "−");
}

/** A unit as it is printed: rad/s2 is rad/s². */
export function unitText(unit: string): string {
  return unit.replace(/([a-z])2/g, "$1²").replace(/([a-z])3/g, "$1³");
}

/** A length with a unit that fits: 0.0123 m is 12.3 mm. */
export function length(metres: number): string {
  const size = Math.abs(metres);
  if (size === 0) return "0 m";
  if (size < 1e-3) return `${figure(metres * 1e6, 3)} µm`;
  if (size < 1) return `${figure(metres * 1e3, 3)} mm`;
  if (size < 1e3) return `${figure(metres, 3)} m`;
  return `${figure(metres / 1e3, 3)} km`;
}

/** A time of a run, with as many decimals as its length calls for. */
export function time(seconds: number, span: number): string {
  const decimals = span > 0 && span < 1 ? 4 : span < 100 ? 3 : 2;
  return `${seconds.toFixed(decimals)} s`;
}

export function count(number: number): string {
  return Math.round(number).toLocaleString("en").replaceAll(",", "\u202f");
}

/** A range in radians is shown in degrees. */
export const DEGREES = 180 / Math.PI;
