/** The skeleton of a page: bar on top, panels at the left, the scene, charts at the right, the timeline below. */

import { button, h, icon } from "./dom";

export interface LayoutActions {
  view(name: string): void;
  fit(): void;
  charts(): void;
  theme(): void;
  picture(): void;
  video: (() => void) | null;
  help(): void;
}

const LOGO = '<svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><circle cx="8.500" cy="12" r="5.500"/><circle cx="15.500" cy="12" r="5.500"/></svg>';

export class Layout {
  readonly canvas = h("canvas", { class: "picture", tabIndex: 0, "aria-label": "Scene" });
  readonly stage = h("main", { class: "stage" }, this.canvas);
  readonly side = h("div", { class: "side" });
  readonly charts = h("div", { class: "charts", hidden: true });
  readonly title = h("h1", {});
  readonly badge = h("span", { class: "badge" });
  private readonly tabs = h("nav", { class: "tabs", role: "tablist" });
  private readonly body = h("div", { class: "tabbody" });
  private readonly pages = new Map<string, { tab: HTMLElement; page: HTMLElement }>();
  private readonly videoButton: HTMLButtonElement | null;
  private readonly chartButton: HTMLButtonElement;

  constructor(readonly root: HTMLElement, actions: LayoutActions, bare: boolean) {
    root.classList.add("gori");
    root.classList.toggle("bare", bare);
    this.videoButton = actions.video ? button("video", "Film to a file (WebM)", actions.video) : null;
    this.chartButton = button("chart", "Charts", actions.charts);
    const views = h("div", { class: "group views", role: "group", "aria-label": "Views" },
      ...([["iso", "3D", "Oblique view (0)"], ["x", "X", "Along x (1)"], ["y", "Y", "Along y (2)"], ["z", "Z", "From above (3)"]] as const)
        .map(([name, text, title]) => h("button", { class: "button text", type: "button", title, onclick: () => actions.view(name) }, text)),
      button("fit", "Fit all into the picture (F)", actions.fit));
    const logo = h("span");
    logo.innerHTML = LOGO;
    const bar = h("header", { class: "bar" },
      button("tree", "Panels (B)", () => this.toggle("side")), logo.firstElementChild!, this.title, this.badge,
      h("span", { class: "space" }), views,
      h("div", { class: "group" }, this.chartButton, button("camera", "Picture (P)", actions.picture), this.videoButton,
        button("moon", "Light or dark (T)", actions.theme), button("help", "Help (?)", actions.help)));
    this.side.append(this.tabs, this.body);
    root.replaceChildren(bar, this.side, this.stage, this.charts);
    if (bare) root.replaceChildren(this.stage);
    if (!this.wide) this.side.hidden = true;
  }

  get wide(): boolean {
    return this.root.clientWidth > 760;
  }

  tab(name: string, iconName: string, page: HTMLElement): void {
    const tab = h("button", { class: "tab", type: "button", role: "tab", onclick: () => this.open(name) }, icon(iconName), h("span", {}, name));
    this.tabs.append(tab);
    this.body.append(page);
    this.pages.set(name, { tab, page });
    if (this.pages.size === 1) this.open(name);
    else page.hidden = true;
  }

  clearTabs(): void {
    this.pages.clear();
    this.tabs.replaceChildren();
    this.body.replaceChildren();
  }

  open(name: string): void {
    for (const [key, { tab, page }] of this.pages) {
      tab.classList.toggle("on", key === name);
      tab.setAttribute("aria-selected", String(key === name));
      page.hidden = key !== name;
    }
  }

  /** On a narrow page one panel at a time lies over the scene. */
  toggle(which: "side" | "charts", on?: boolean): void {
    const element = which === "side" ? this.side : this.charts;
    const other = which === "side" ? this.charts : this.side;
    element.hidden = on === undefined ? !element.hidden : !on;
    if (!element.hidden && !this.wide) other.hidden = true;
    this.chartButton.classList.toggle("on", !this.charts.hidden);
  }

  /** Height [pixels] of the scene that a panel lies over, on a narrow page. */
  get covered(): number {
    const { bottom } = this.stage.getBoundingClientRect();
    const tops = [this.side, this.charts].filter((panel) => panel.isConnected && !panel.hidden).map((panel) => panel.getBoundingClientRect().top);
    return this.wide ? 0 : Math.max(0, bottom - Math.min(bottom, ...tops));
  }

  /** A machine that stands still has nothing to chart. */
  hasCharts(on: boolean): void {
    this.chartButton.hidden = !on;
  }

  filming(on: boolean): void {
    this.videoButton?.classList.toggle("recording", on);
  }
}
