/** What stands above the list: agents, what waits for a person, what is held. */

import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { capital } from "../chain";
import { fill, type Texts } from "../texts";
import type { Agent, Approval, Dropped, Hold, Plan, Question, Status } from "../types";
import type { Words } from "../words";

type Part = TemplateResult | typeof nothing;

/** What a reader may do here; undefined: not this one, or not this version. */
export interface Deeds {
  decide: ((question: Question, approve: boolean, until: number | null) => void) | undefined;
  release: ((hold: Hold) => void) | undefined;
  revoke: ((approval: Approval) => void) | undefined;
  cancel: ((plan: Plan) => void) | undefined;
  redo: (dropped: Dropped, again: boolean) => void;
}

/**
 * Everything above the list; a card that is not full shows questions only.
 * `skew`: how far the server's clock is ahead of this browser's, in seconds.
 */
export function strips(
  status: Status,
  words: Words,
  skew: number,
  full: boolean,
  deeds: Deeds,
): Part[] {
  const now = Date.now() / 1000 + skew;
  const stands = ({ until }: { until: number | null }) => until === null || until > now;
  const questions = questionStrip(status.questions.filter(stands), words, skew, deeds.decide);
  if (!full) return [questions];
  return [
    agentStrip(status.agents, words),
    questions,
    droppedStrip(status.dropped, words, deeds.redo),
    planStrip(status.plans, words, deeds.cancel),
    approvalStrip(status.approvals.filter(stands), words, skew, deeds.revoke),
    holdStrip(status.holds.filter(stands), words, skew, deeds.release),
  ];
}

function agentStrip(agents: Agent[], { t }: Words): Part {
  if (!agents.length) return nothing;
  return html`<ul class="strip agents" aria-label=${t.agents}>
    ${agents.map(
      (agent) =>
        html`<li class=${agent.online ? "on" : "off"}>
          <span class="dot" aria-hidden="true"></span>${capital(agent.name)}
          <span class="soft">${agentText(agent, t)}</span>
        </li>`,
    )}
  </ul>`;
}

function agentText(agent: Agent, t: Texts): string {
  if (!agent.online) return t.agent_offline;
  return agent.open_tasks ? fill(t.open_tasks, { count: agent.open_tasks }) : "";
}

function holdStrip(
  holds: Hold[],
  words: Words,
  skew: number,
  release: ((hold: Hold) => void) | undefined,
): Part {
  if (!holds.length) return nothing;
  const { t } = words;
  return html`<ul class="strip holds" aria-label=${t.holds}>
    ${repeat(
      holds,
      (hold) => hold.ids[0],
      (hold) => {
        const name = words.name(hold.target);
        const told = { name, value: hold.value, who: hold.by };
        return html`<li title="${hold.by}, ${words.moment(hold.since)}">
          <span>${fill(t.named, told)} <span class="soft">${hold.by}</span></span>
          ${
            hold.until === null
              ? nothing
              : html`<span class="clock" role="timer" data-until=${hold.until - skew}></span>`
          }
          ${
            release
              ? html`<button
                  class="chip"
                  aria-label=${fill(t.release_label, told)}
                  @click=${() => release(hold)}
                >
                  ${t.release}
                </button>`
              : nothing
          }
        </li>`;
      },
    )}
  </ul>`;
}

function planStrip(plans: Plan[], words: Words, cancel: ((plan: Plan) => void) | undefined): Part {
  if (!plans.length) return nothing;
  const { t } = words;
  return html`<ul class="strip holds plans" aria-label=${t.plans}>
    ${repeat(
      plans,
      (plan) => plan.intent,
      (plan) =>
        html`<li title=${plan.by}>
          <span
            >${words.moment(plan.due)}
            <span class="soft">${fill(t.in_quotes, { text: plan.text })}</span></span
          >
          ${
            cancel
              ? html`<button
                  class="chip"
                  aria-label=${fill(t.named, { name: t.cancel, value: plan.text })}
                  @click=${() => cancel(plan)}
                >
                  ${t.cancel}
                </button>`
              : nothing
          }
        </li>`,
    )}
  </ul>`;
}

function approvalStrip(
  approvals: Approval[],
  words: Words,
  skew: number,
  revoke: Deeds["revoke"],
): Part {
  if (!approvals.length) return nothing;
  const { t } = words;
  return html`<ul class="strip holds" aria-label=${t.approvals}>
    ${repeat(
      approvals,
      (one) => one.id,
      (one) => {
        const told = fill(t.named, { name: words.names(one.targets), value: one.wanted });
        return html`<li title=${one.by}>
          <span>${told} <span class="soft">${one.for}</span></span>
          <span class="clock" role="timer" data-until=${one.until - skew}></span>
          ${
            revoke
              ? html`<button
                  class="chip"
                  aria-label=${fill(t.named, { name: t.revoke, value: told })}
                  @click=${() => revoke(one)}
                >
                  ${t.revoke}
                </button>`
              : nothing
          }
        </li>`;
      },
    )}
  </ul>`;
}

function droppedStrip(
  dropped: Dropped[],
  { t }: Words,
  decide: (dropped: Dropped, again: boolean) => void,
): Part {
  if (!dropped.length) return nothing;
  return html`<section class="questions" aria-label=${t.restarted}>
    <h3 class="meta">${fill(t.dropped, { count: dropped.length })}</h3>
    ${repeat(
      dropped,
      (one) => one.intent,
      (one) =>
        html`<div class="banner question">
          <span class="text"
            ><span
              >${[fill(t.in_quotes, { text: one.text }), one.by].filter(Boolean).join(" · ")}</span
            ></span
          >
          <button class="chip" @click=${() => decide(one, false)}>${t.let_be}</button>
          ${
            one.again
              ? html`<button class="chip strong" @click=${() => decide(one, true)}>
                  ${t.ask_again}
                </button>`
              : nothing
          }
        </div>`,
    )}
  </section>`;
}

function questionStrip(
  questions: Question[],
  words: Words,
  skew: number,
  decide: Deeds["decide"],
): Part {
  if (!questions.length) return nothing;
  const { t } = words;
  return html`<section
    class="questions"
    aria-label=${t.questions}
    tabindex=${decide ? nothing : "0"}
  >
    <h3 class="meta">${t.questions}</h3>
    ${repeat(
      questions,
      (one) => one.ids[0],
      (one) =>
        html`<div class="banner question">
          <span class="text"
            ><b>${fill(t.named, { name: words.names(one.targets), value: one.wanted })}</b>
            <span class="line3">${one.now}</span>
            <span class="line3"
              >${one.by} · ${t.expires}
              <span class="clock" role="timer" data-until=${one.until - skew}></span></span
          ></span>
          ${
            decide
              ? html`<button class="chip" @click=${() => decide(one, false, null)}>
                    ${t.reject}</button
                  >${
                    one.evening === null
                      ? nothing
                      : html`<button class="chip" @click=${() => decide(one, true, one.evening)}>
                          ${fill(t.until, { time: words.moment(one.evening) })}
                        </button>`
                  }<button class="chip strong" @click=${() => decide(one, true, null)}>
                    ${t.approve}
                  </button>`
              : nothing
          }
        </div>`,
    )}
  </section>`;
}
