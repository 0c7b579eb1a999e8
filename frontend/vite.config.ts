import { defineConfig, type Plugin } from "vitest/config";

/** Lit's license wants to be told; the minifier drops comments. */
const NOTICE =
  "/*! HearthNet timeline card, SPDX-License-Identifier: MIT." +
  " Contains Lit, Copyright 2017 Google LLC, SPDX-License-Identifier: BSD-3-Clause. */";

/** Leave out the indentation of templates: every copy of the card would carry it. */
const outdent: Plugin = {
  name: "outdent",
  enforce: "pre",
  transform: (code, id) => (id.includes("/src/") ? code.replace(/^[ \t]+/gm, "") : null),
};

export default defineConfig({
  plugins: [outdent],
  build: {
    target: "es2022",
    // Older ones would be given lists of languages in place of `:dir(rtl)`.
    cssTarget: ["chrome120", "firefox120", "safari16.4"],
    outDir: "../custom_components/hearthnet/frontend",
    emptyOutDir: true,
    modulePreload: false,
    // Not Vite's library mode, which keeps white space. The files need no hashes of their own in
    // their names: the address that Home Assistant serves them under has one of them all.
    rolldownOptions: {
      input: "src/main.ts",
      output: {
        entryFileNames: "hearthnet-timeline-card.js",
        chunkFileNames: "[name].js",
        format: "es",
        postBanner: NOTICE,
      },
    },
  },
  test: { include: ["test/**/*.test.ts"] },
});
