/** One outcome: what it is about, what came of it, why, and whose wish it was. */

import { html, nothing, type TemplateResult } from "lit";
import { mayAskAgain, mayUndo } from "../actions";
import type { LoadChain } from "../chain-view";
import { icon, iconOf } from "../icons";
import { groupOf } from "../store";
import { fill } from "../texts";
import type { Row } from "../types";
import type { Words } from "../words";
import { sha } from "./steps";

export interface RowState {
  words: Words;
  open: boolean;
  undone: Row | undefined;
  /** It lies after the commit at which the record failed its check. */
  doubtful: boolean;
  offers: { undo: boolean; ask: boolean };
  toggle: (row: Row) => void;
  load: LoadChain;
  moreInfo: (entityId: string) => void;
  undo: (row: Row) => void;
  ask: (row: Row) => void;
}

export function rowTemplate(row: Row, state: RowState): TemplateResult {
  const { words, open, undone } = state;
  const { t } = words;
  const group = groupOf(row);
  const why = words.why(row);
  const gone = row.targets.length > 0 && row.targets.every((target) => words.gone(target));
  return html`<li class="row ${open ? "open" : ""}">
    <button
      class="main"
      aria-expanded=${open}
      aria-controls=${open ? `detail-${row.id}` : nothing}
      @click=${() => state.toggle(row)}
    >
      <span class="badge ${group}">${iconOf(row)}</span>
      <span class="text">
        <span class="line1"
          ><b class=${gone ? "gone" : ""}>${words.names(row.targets) || row.asked}</b>
          <span class="soft">${words.what(row)}</span></span
        >
        <span class="line2"
          ><b>${words.label(row)}</b>${why ? words.colon + why : nothing}${
            row.rule ? html` <code>${row.rule}</code>` : nothing
          }</span
        >
        ${undone ? html`<span class="line2 undone">${undoneText(undone, words)}</span>` : nothing}
        ${state.doubtful ? html`<span class="line2 bad">${t.after_bad}</span>` : nothing}
        <span class="line3">${words.whose(row)}</span>
      </span>
      <time datetime=${new Date(row.at * 1000).toISOString()}>${words.time(row.at)}</time>
      <span class="chevron">${icon("chevron")}</span>
    </button>
    ${open ? detail(row, state) : nothing}
  </li>`;
}

function undoneText(by: Row, words: Words): string {
  return fill(words.t.undone, { time: words.moment(by.at), how: words.cause(by) });
}

function detail(row: Row, state: RowState): TemplateResult {
  const { words, offers } = state;
  const { t } = words;
  return html`<div class="detail" id="detail-${row.id}">
    <hearthnet-timeline-chain
      .row=${row}
      .words=${words}
      .load=${state.load}
    ></hearthnet-timeline-chain>
    <p class="buttons">
      ${row.targets.map((target) =>
        target.entity_id && !words.gone(target)
          ? html`<button class="chip" @click=${() => state.moreInfo(target.entity_id ?? "")}>
              ${words.name(target)}
            </button>`
          : nothing,
      )}
      ${
        offers.undo && mayUndo(row)
          ? html`<button class="chip" @click=${() => state.undo(row)}>${t.undo}</button>`
          : nothing
      }
      ${
        offers.ask && mayAskAgain(row)
          ? html`<button class="chip" @click=${() => state.ask(row)}>${t.ask_again}</button>`
          : nothing
      }
      <span class="commit meta"
        >${row.commit ? html`${t.commit} ${sha(row.commit, words)}` : t.not_recorded}</span
      >
    </p>
  </div>`;
}
