/** What a reader may do. Who asks is told by the connection, never by the card. */

import type { Hass } from "./hass";
import type { Chain, Row } from "./types";
import { UNDO } from "./words";

const DOMAIN = "hearthnet";

export type Action = "release_hold" | "revoke_approval" | "cancel" | "undo" | "ask";

/** Tell whether this version of the integration has an action. */
export function offers(hass: Hass, action: Action): boolean {
  return hass.services[DOMAIN]?.[action] !== undefined;
}

/** Call an action; return what it wants said. Home Assistant shows its errors itself. */
export async function act(hass: Hass, action: Action, data: object): Promise<unknown> {
  const answer = await hass.callService(DOMAIN, action, data, undefined, true, true);
  return answer.response?.speech;
}

/** Read the messages behind a row. */
export function chainOf(hass: Hass, { event }: Row): Promise<Chain> {
  return hass.callWS({ type: "hearthnet/timeline/chain", event, language: hass.language });
}

/**
 * Answer questions that wait for a person; return what came of it in words.
 * With `until` the same is agreed to as long as that.
 */
export async function answer(
  hass: Hass,
  questions: string[],
  approve: boolean,
  until: number | null,
): Promise<unknown> {
  const { language } = hass;
  const message = { type: "hearthnet/timeline/answer", questions, approve, language };
  const asked = until === null ? message : { ...message, until };
  return (await hass.callWS<{ speech: unknown }>(asked)).speech;
}

/** Ask anew for what a start dropped, or let it be; return what came of it in words. */
export async function redo(hass: Hass, intent: string, again: boolean): Promise<unknown> {
  const message = { type: "hearthnet/timeline/dropped", intent, again, language: hass.language };
  return (await hass.callWS<{ speech: unknown }>(message)).speech;
}

/** Whether the words can be said again; an undo is no wish of its own. */
export function mayAskAgain(row: Row): boolean {
  return row.again && !UNDO.test(row.asked);
}

export function mayUndo(row: Row): boolean {
  return (
    row.intent !== null &&
    row.outcome !== null &&
    ["changed", "running", "partial", "unverified"].includes(row.outcome)
  );
}

/** Fire an event that Home Assistant's frontend listens for. */
export function fire(element: HTMLElement, type: string, detail: object): void {
  element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
}
