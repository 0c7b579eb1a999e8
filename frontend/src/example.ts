/** Rows for the card picker, where a home has none of its own yet. */

import type { Row } from "./types";

const HOUR = 3600;

export function exampleRows(now: number): Row[] {
  const row = {
    intent: null,
    cause: null,
    rule: null,
    detail: "",
    seen: "",
    asked: "movie night",
    by: "Anna",
    origin: "voice",
    agent: "Jeeves",
    hold: null,
    undid: [],
    commit: null,
  };
  const target = (name: string) => [{ entity_id: null, name }];
  return [
    {
      ...row,
      id: "3",
      event: "3",
      at: now - 60,
      outcome: "changed",
      reason: null,
      why: "",
      targets: target("Ceiling lights"),
      wanted: "off",
      seen: "off",
    },
    {
      ...row,
      id: "2",
      event: "2",
      at: now - 61,
      outcome: "refused",
      reason: "conflict",
      why: "",
      targets: target("Bed light"),
      wanted: "on, 20 %",
      hold: { by: "Ben", since: now - HOUR, until: now + HOUR },
    },
    {
      ...row,
      id: "1",
      event: "1",
      at: now - HOUR,
      outcome: null,
      cause: "device",
      reason: null,
      why: "",
      targets: target("Hall light"),
      wanted: "",
      seen: "on",
      asked: "",
      by: "",
      origin: "",
      agent: "",
    },
  ];
}
