/** The card's own words, one table a language. English is at hand, the others are loaded. */

import { en, type Texts } from "./en";

export type { Texts };

const LOADERS: Record<string, () => Promise<{ table: Texts }>> = {
  de: () => import("./de"),
  zh: () => import("./zh"),
};
const TABLES: Record<string, Texts> = { en };

/** Make a language's table ready, if it has one that can be had. */
export async function loadTexts(language: string): Promise<void> {
  const name = primary(language);
  if (TABLES[name]) return;
  const loaded = await LOADERS[name]?.().catch(() => undefined);
  if (loaded) TABLES[name] = loaded.table;
}

/** The table for a language tag; English for one that has none or is not loaded. */
export function textsFor(language: string): Texts {
  return TABLES[primary(language)] ?? en;
}

function primary(language: string): string {
  return language.split(/[-_]/, 1)[0]?.toLowerCase() ?? "";
}

/** Fill in a text; what is not given stays as it is. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
