/** The card's own words, one table a language. */

import { de } from "./de";
import { en, type Texts } from "./en";
import { zh } from "./zh";

export type { Texts };

const TABLES: Record<string, Texts> = { en, de, zh };

/** The table for a language tag; English for a language that has none. */
export function textsFor(language: string): Texts {
  return TABLES[language.split(/[-_]/, 1)[0]?.toLowerCase() ?? ""] ?? en;
}

/** Fill in a text; what is not given stays as it is. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
