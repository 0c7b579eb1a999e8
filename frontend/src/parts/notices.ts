/** What stands in place of rows, and the banners that something is wrong. */

import { html, nothing, type TemplateResult } from "lit";
import type { Feed } from "../feed";
import { fill } from "../texts";
import type { Status } from "../types";
import type { Words } from "../words";

type Part = TemplateResult | typeof nothing;

/** Milliseconds of “starting” after which something else may be the matter. */
const PATIENCE = 60_000;

export function phaseText(feed: Feed, words: Words): string {
  const { t } = words;
  if (feed.phase === "offline")
    return fill(t.offline_since, { time: words.moment(feed.since / 1000) });
  return t[feed.phase];
}

export function banners(status: Status | undefined, outdated: boolean, words: Words): Part[] {
  const { t } = words;
  const found: Part[] = [];
  if (outdated)
    found.push(
      html`<p class="banner">
        ${t.outdated}
        <button class="plain" @click=${() => location.reload()}>${t.reload}</button>
      </p>`,
    );
  if (!status) return found;
  const { record } = status;
  if (record.bad_commit)
    found.push(
      html`<p class="banner bad" role="alert">
        ${fill(t.audit_failed, { commit: record.bad_commit.slice(0, 7) })}
      </p>`,
    );
  if (!status.journal) found.push(html`<p class="banner bad" role="alert">${t.journal_failed}</p>`);
  if (record.problem)
    found.push(
      html`<p class="banner bad" role="alert">
        ${fill(t.record_problem, { problem: record.problem })}
      </p>`,
    );
  else if (!record.connected && status.open)
    found.push(html`<p class="banner">${fill(t.record_away, { count: record.behind })}</p>`);
  if (!status.enabled) found.push(html`<p class="banner">${t.disabled}</p>`);
  else if (!status.open) found.push(html`<p class="banner">${t.not_open}</p>`);
  return found;
}

/** What a list without any row says. */
export function placeholder(feed: Feed, words: Words): TemplateResult {
  const { t } = words;
  switch (feed.phase) {
    case "loading":
      return html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>`;
    case "starting":
      return html`<div class="empty">
        <p>${t.starting_hint}</p>
        ${
          Date.now() - feed.since > PATIENCE
            ? html`<p>
                ${t.set_up} <a href="/config/integrations/dashboard">${t.integrations}</a>
              </p>`
            : nothing
        }
      </div>`;
    case "error":
      return html`<div class="empty" role="alert">
        <p><b>${t.error_hint}</b></p>
        <p>${feed.error}</p>
      </div>`;
    default:
      return html`<div class="empty">
        <p><b>${t.empty}</b></p>
        <p>${t.empty_hint}</p>
      </div>`;
  }
}

export function noMatch(words: Words, clear: () => void): TemplateResult {
  return html`<div class="empty">
    <p><b>${words.t.no_match}</b></p>
    <button class="plain" @click=${clear}>${words.t.clear_filters}</button>
  </div>`;
}
