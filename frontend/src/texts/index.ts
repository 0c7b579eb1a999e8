/** The card's own words, one table a language, of which a page loads those that it needs. */

import type { Texts } from "./en";

export type { Texts };

const english = () => import("./en");
const LOADERS: Record<string, () => Promise<{ table: Texts }>> = {
  en: english,
  de: () => import("./de"),
  zh: () => import("./zh"),
};
const TABLES: Record<string, Texts> = {};

/** Make the table for a language tag ready: English for one that has none that can be had. */
export async function loadTexts(language: string): Promise<void> {
  const name = primary(language);
  if (TABLES[name]) return;
  const { table } = await (LOADERS[name] ?? english)().catch(english);
  TABLES[name] = table;
}

/** The table for a language tag; the first that was loaded, until its own is. */
export function textsFor(language: string): Texts {
  return TABLES[primary(language)] ?? Object.values(TABLES)[0]!;
}

function primary(language: string): string {
  return language.split(/[-_]/, 1)[0]?.toLowerCase() ?? "";
}

/** Fill in a text; what is not given stays as it is. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
