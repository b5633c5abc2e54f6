/** Keys of the viewer; a page adds its own. Keys in a field of text are left alone. */

export type Keys = Record<string, () => void>;

export function listenToKeys(root: HTMLElement, whole: boolean, keys: Keys): () => void {
  const listener = (event: KeyboardEvent) => {
    const from = event.target as HTMLElement;
    const typing = from instanceof HTMLInputElement && from.type !== "range" && from.type !== "checkbox";
    if (typing || from instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (from instanceof HTMLInputElement && from.type === "range" && event.key.startsWith("Arrow")) return;
    if (from instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  // a page of its own takes all keys, a cell of a notebook only those typed into it
  const target: HTMLElement | Document = whole ? document : root;
  target.addEventListener("keydown", listener as EventListener);
  return () => target.removeEventListener("keydown", listener as EventListener);
}
