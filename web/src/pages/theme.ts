/** Light or dark, as this person chose it last. */

const KEPT = "gori.dark";

export function remembered(): boolean | null {
  try {
    const kept = localStorage.getItem(KEPT);
    return kept === null ? null : kept === "yes";
  } catch {
    return null; // a file or a cell may have no storage
  }
}

export function remember(dark: boolean): void {
  try {
    localStorage.setItem(KEPT, dark ? "yes" : "no");
  } catch {
    // then it is forgotten with the page
  }
}
