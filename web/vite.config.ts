/** Each page is one classic script and one style sheet without imports, so that it can be put inline into a file. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, defineConfig, type InlineConfig, type Plugin } from "vite";

const HERE = import.meta.dirname;
const OUT = resolve(process.env.GORI_WEB_OUT ?? join(HERE, "../src/gori/web/static"));
const PAGES = ["view", "drive", "play"].filter((page) => existsSync(join(HERE, `src/pages/${page}.ts`)));

/** Full licence texts of the packages whose modules are in the bundle. */
function licences(): Plugin {
  return {
    name: "licences",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const module of chunk.moduleIds) {
          const inside = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module);
          if (inside) bundled.add(inside[1]);
        }
      }
      const texts = [...bundled].sort().map((folder) => {
        const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        if (!file) throw new Error(`${name} has no licence text`);
        return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: texts.join(`\n${"-".repeat(78)}\n\n`) });
    },
  };
}

const bundled = new Set<string>();

function page(name: string, first: boolean): InlineConfig {
  return {
    configFile: false,
    root: HERE,
    logLevel: "warn",
    plugins: [licences()],
    build: {
      outDir: OUT,
      emptyOutDir: first,
      target: "es2022",
      cssCodeSplit: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
      rollupOptions: {
        input: join(HERE, `src/pages/${name}.ts`),
        output: { format: "iife", entryFileNames: `${name}.js`, assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? `${name}.css` : "[name][extname]") },
      },
    },
  };
}

/** The other pages are built after the first one. */
const others: Plugin = {
  name: "other pages",
  apply: "build",
  async closeBundle() {
    for (const name of PAGES.slice(1)) await build(page(name, false));
    // what is put inline into HTML must not end its script
    for (const name of PAGES) {
      const path = join(OUT, `${name}.js`);
      const text = readFileSync(path, "utf8");
      if (/<\/script|<!--/i.test(text)) writeFileSync(path, text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--"));
    }
  },
};

export default defineConfig(() => {
  const { configFile: _, ...first } = page(PAGES[0], true);
  return { ...first, plugins: [...(first.plugins ?? []), others] };
});
