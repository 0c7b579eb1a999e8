/** What a dashboard's author may set, and the form for it. */

import { GROUPS, type Group } from "./store";
import type { Texts } from "./texts";

export interface CardConfig {
  type: string;
  title?: string;
  entity?: string;
  entities?: string[];
  area?: string | string[];
  show?: Group;
  limit?: number;
  hours?: number;
  compact?: boolean;
  hide_filters?: boolean;
}

export const TAG = "hearthnet-timeline-card";

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_HOURS = 24 * 366;

/** Complain about what cannot be meant; an entity that is missing now is no mistake. */
export function checkConfig(config: CardConfig): void {
  const number = (name: "limit" | "hours", most: number) => {
    const value = config[name];
    if (value !== undefined && !(value >= 1 && value <= most))
      throw new Error(`${name}: expected a number from 1 to ${most}`);
  };
  number("limit", MAX_LIMIT);
  number("hours", MAX_HOURS);
  if (config.show !== undefined && !GROUPS.includes(config.show))
    throw new Error(`show: expected one of ${GROUPS.join(", ")}`);
  if (config.entities !== undefined && !Array.isArray(config.entities))
    throw new Error("entities: expected a list");
}

/** The filter that the server applies. */
export function scopeOf(config: CardConfig): { entity_ids?: string[]; area_ids?: string[] } {
  const entities = [...(config.entities ?? []), ...(config.entity ? [config.entity] : [])];
  const areas = [config.area ?? []].flat();
  return {
    ...(entities.length ? { entity_ids: entities } : {}),
    ...(areas.length ? { area_ids: areas } : {}),
  };
}

/** The one entity that the card is about, if it is about one. */
export function onlyEntity(config: CardConfig): string | undefined {
  const { entity_ids = [], area_ids } = scopeOf(config);
  return entity_ids.length === 1 && !area_ids ? entity_ids[0] : undefined;
}

/** The form from which Home Assistant makes the editor. */
export function configForm({ form, form_help, groups }: Texts): object {
  const number = (min: number, max: number, unit?: string) => ({
    number: { min, max, mode: "box", unit_of_measurement: unit },
  });
  const options = Object.entries(groups).map(([value, label]) => ({ value, label }));
  return {
    schema: [
      { name: "title", selector: { text: {} } },
      { name: "entities", selector: { entity: { multiple: true } } },
      { name: "area", selector: { area: { multiple: true } } },
      { name: "show", selector: { select: { mode: "dropdown", options } } },
      {
        type: "grid",
        name: "",
        schema: [
          { name: "limit", selector: number(10, MAX_LIMIT) },
          { name: "hours", selector: number(1, MAX_HOURS, "h") },
          { name: "compact", selector: { boolean: {} } },
          { name: "hide_filters", selector: { boolean: {} } },
        ],
      },
    ],
    computeLabel: ({ name }: { name: string }) => form[name],
    computeHelper: ({ name }: { name: string }) => form_help[name],
    assertConfig: checkConfig,
  };
}

/** Domains whose entities only report; `test_card_names.py` knows those that can be moved. */
export const REPORTING = [
  "ai_task",
  "assist_satellite",
  "automation",
  "binary_sensor",
  "calendar",
  "conversation",
  "device_tracker",
  "event",
  "geo_location",
  "image",
  "notify",
  "person",
  "sensor",
  "stt",
  "sun",
  "tts",
  "update",
  "wake_word",
  "weather",
  "zone",
] as const;

/** Tell whether HearthNet may have to do with an entity. */
export function mayMove(entityId: string): boolean {
  return !(REPORTING as readonly string[]).includes(entityId.split(".", 1)[0] ?? "");
}
