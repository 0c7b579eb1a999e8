/** The timeline card: what HearthNet decided, newest first. */

import {
  LitElement,
  html,
  nothing,
  unsafeCSS,
  type PropertyValues,
  type TemplateResult,
} from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { act, answer, chainOf, fire, offers, redo, type Action } from "./actions";
import base from "./base.css?inline";
import css from "./card.css?inline";
import { Clocks } from "./clocks";
import {
  DEFAULT_LIMIT,
  TAG,
  checkConfig,
  configForm,
  onlyEntity,
  scopeOf,
  type CardConfig,
} from "./config";
import { exampleRows } from "./example";
import { Feed } from "./feed";
import { Growing } from "./growing";
import type { Hass } from "./hass";
import { History } from "./history";
import { filters } from "./parts/filters";
import { banners, noMatch, phaseText, placeholder } from "./parts/notices";
import { rowTemplate, type RowState } from "./parts/row";
import { strips } from "./parts/strips";
import { reveal, scrolled } from "./scroll";
import { byDay, type Filter } from "./store";
import { fill, loadTexts, textsFor } from "./texts";
import type {
  Approval,
  Chain,
  Dropped,
  FeedMessage,
  Hold,
  Plan,
  Question,
  Row,
  Status,
} from "./types";
import { Words } from "./words";

/** The digest that the integration puts into the file's address. */
const OWN_DIGEST = /\/hearthnet_static\/([0-9a-f]+)\//.exec(import.meta.url)?.[1];

export class TimelineCard extends LitElement {
  static override styles = [base, css].map(unsafeCSS);
  static override properties = {
    hass: { attribute: false },
    preview: { type: Boolean },
    layout: { reflect: true },
    config: { state: true },
    filter: { state: true },
    open: { state: true },
  };
  declare hass: Hass | undefined;
  declare preview: boolean;
  /** Where Home Assistant puts the card: “grid” has a height of its own. */
  declare layout: string | undefined;
  declare private config: CardConfig | undefined;
  declare private filter: Filter;
  /** Id of the row whose chain is shown. */
  declare private open: string | undefined;
  #feed = new Feed({
    message: (message) => this.#take(message),
    phase: () => this.requestUpdate(),
  });
  #history = new History(
    (message) => this.hass!.callWS(message),
    () => this.requestUpdate(),
  );
  #growing = new Growing(this);
  #words: Words | undefined;
  #status: Status | undefined;
  /** Seconds that the server's clock is ahead of this one. */
  #skew = 0;
  #outdated = false;
  /** Rows that came while the reader was reading: shown when asked for. */
  #held = new Set<string>();

  constructor() {
    super();
    new Clocks(this, () => this.#feed.again());
    this.preview = false;
    this.filter = { group: "all", text: "" };
  }

  // What Home Assistant asks of a card

  static getStubConfig(): CardConfig {
    return { type: `custom:${TAG}` };
  }

  static getConfigForm(): object {
    return configForm(textsFor(document.documentElement.lang));
  }

  setConfig(config: CardConfig): void {
    checkConfig(config);
    if (config.show !== this.config?.show)
      this.filter = { ...this.filter, group: config.show ?? "all" };
    this.config = config;
  }

  getCardSize(): number {
    return 7;
  }

  getGridOptions(): object {
    return { columns: 12, rows: 7, min_columns: 6, min_rows: 3 };
  }

  // Life

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate("config");
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#feed.close();
  }

  /** `hass` is replaced at every change in the home; few of them show here. */
  override shouldUpdate(changed: PropertyValues): boolean {
    if (changed.size !== 1 || !changed.has("hass")) return true;
    const before = changed.get("hass") as Hass | undefined;
    const now = this.hass!;
    return (
      !before ||
      before.connection !== now.connection ||
      before.locale !== now.locale ||
      before.language !== now.language ||
      before.services !== now.services
    );
  }

  override willUpdate(): void {
    const { hass, config } = this;
    if (!hass || !config || !this.isConnected) return;
    if (!this.#words?.fit(hass)) this.#word(hass.language);
    const scope = { language: hass.language, ...scopeOf(config) };
    const limit = config.limit ?? DEFAULT_LIMIT;
    if (this.#history.scope(scope, limit)) this.#held.clear();
    this.#feed.open(hass.connection, { type: "hearthnet/timeline/subscribe", ...scope, limit });
  }

  /** Take the words of a language, now and, if it has to be loaded first, then. */
  #word(language: string): void {
    this.#words = new Words(() => this.hass!);
    loadTexts(language).then(
      () => {
        if (textsFor(this.hass!.language) === this.#words?.t) return;
        this.#words = new Words(() => this.hass!);
        this.requestUpdate();
      },
      () => undefined, // not to be had: the words stay as they are
    );
  }

  #take(message: FeedMessage): void {
    if (message.type === "reset") return;
    if (message.type === "snapshot") {
      this.#history.store.restart(message.rows, message.cursor);
      this.#outdated = Boolean(OWN_DIGEST && message.card && message.card !== OWN_DIGEST);
      this.#held.clear();
    }
    if (message.type === "rows") {
      if (this.#reading())
        for (const row of message.rows)
          if (!this.#history.store.has(row.id)) this.#held.add(row.id);
      this.#history.store.put(message.rows);
      this.#history.store.remove(message.gone);
    } else {
      this.#status = message.status;
      this.#skew = message.status.now - Date.now() / 1000;
    }
    this.requestUpdate();
  }

  /** Tell whether a row that came in on top would move what is being read. */
  #reading(): boolean {
    return this.open !== undefined || scrolled(this.#list);
  }

  get #list(): HTMLElement | null {
    return this.renderRoot.querySelector(".list");
  }

  override updated(changed: PropertyValues): void {
    if (changed.has("open")) this.#reveal();
  }

  #reveal = (): void => reveal(this.#list, this.renderRoot.querySelector(".row.open"));

  // What readers do

  #toggle = (row: Row): void => {
    this.open = this.open === row.id ? undefined : row.id;
    if (!this.#reading()) this.#held.clear();
  };

  #change = (part: Partial<Filter>): void => {
    this.filter = { ...this.filter, ...part };
    this.#growing.reset();
    if (part.text !== undefined) this.#history.search(part.text);
  };

  #clearFilters = (): void => this.#change({ group: "all", text: "" });

  #showHeld = (): void => {
    this.#held.clear();
    if (this.#list) this.#list.scrollTop = 0;
    this.requestUpdate();
  };

  #scrolled = (): void => {
    this.#growing.look();
    if (!this.#held.size || this.#reading()) return;
    this.#held.clear();
    this.requestUpdate();
  };

  #load = (row: Row): Promise<Chain> => chainOf(this.hass!, row);

  /** Tell in a toast what came of something. */
  #tell(done: Promise<unknown>): void {
    done.then(
      (said) => fire(this, "hass-notification", { message: said || this.#words?.t.done }),
      // Home Assistant has shown an action's error itself.
      () => undefined,
    );
  }

  #act(action: Action, ...each: object[]): void {
    const done = each.map((data) => act(this.hass!, action, data));
    this.#tell(Promise.all(done).then(() => ""));
  }

  #release = (hold: Hold): void =>
    this.#act("release_hold", ...hold.ids.map((id) => ({ hold: id })));

  #decide = (question: Question, approve: boolean, until: number | null): void =>
    this.#settle(answer(this.hass!, question.ids, approve, until));

  #redo = (dropped: Dropped, again: boolean): void =>
    this.#settle(redo(this.hass!, dropped.intent, again));

  /** Tell what came of a decision; somebody else may have been quicker. */
  #settle(done: Promise<unknown>): void {
    this.#tell(
      done.catch((error: { code: string; message: string }) =>
        error.code === "not_found" ? this.#words?.t.too_late : error.message,
      ),
    );
  }

  #revoke = ({ id }: Approval): void => this.#act("revoke_approval", { approval: id });

  #cancel = ({ intent }: Plan): void => this.#act("cancel", { intent });

  // What they see

  override render(): TemplateResult | typeof nothing {
    const { hass, config } = this;
    const [words, status] = [this.#words, this.#status];
    if (!hass || !config || !words) return nothing;
    const { t } = words;
    const entity = onlyEntity(config);
    const title = entity
      ? fill(t.why, { name: words.name({ entity_id: entity, name: "" }) })
      : t.title;
    const filter = this.#present();
    const full = !config.compact;
    return html`<ha-card>
      <div class="head">
        <h2>${config.title ?? title}</h2>
        <span class="phase meta ${this.#feed.phase}" role="status"
          >${phaseText(this.#feed, words)}</span
        >
      </div>
      ${banners(status, this.#outdated, words)}
      ${status ? this.#strips(status, words, full) : nothing}
      ${
        full && !config.hide_filters
          ? filters(filter, this.#history.store.counts(filter), words, this.#change)
          : nothing
      }
      <div class="pill" aria-live="polite">
        ${
          this.#held.size
            ? html`<button class="chip" @click=${this.#showHeld}>
                ${fill(t.new_rows, { count: this.#held.size })}
              </button>`
            : nothing
        }
      </div>
      <div
        class="list"
        tabindex="0"
        role="region"
        aria-label=${t.list_label}
        @scroll=${this.#scrolled}
        @chain-shown=${this.#reveal}
      >
        ${this.#body(filter, words)}
      </div>
    </ha-card>`;
  }

  /** The filter with what the configuration adds to it. */
  #present(): Filter {
    const hours = this.config?.hours;
    return hours ? { ...this.filter, since: Date.now() / 1000 - hours * 3600 } : this.filter;
  }

  #strips(status: Status, words: Words, full: boolean): unknown {
    const may = (action: Action) => offers(this.hass!, action);
    return strips(status, words, this.#skew, full, {
      decide: status.may_decide ? this.#decide : undefined,
      release: status.may_decide && may("release_hold") ? this.#release : undefined,
      revoke: status.may_decide && may("revoke_approval") ? this.#revoke : undefined,
      cancel: may("cancel") ? this.#cancel : undefined,
      redo: this.#redo,
    });
  }

  #body(filter: Filter, words: Words): TemplateResult {
    const history = this.#history;
    const examples = this.preview && !history.store.size;
    const rows = examples ? exampleRows(Date.now() / 1000) : history.rows(filter, this.#held);
    if (!rows.length && !history.store.size && !filter.text) return placeholder(this.#feed, words);
    return html`
      ${examples ? html`<p class="note">${words.t.example}</p>` : nothing}
      ${
        rows.length
          ? this.#days(rows.slice(0, this.#growing.size), words)
          : noMatch(words, this.#clearFilters)
      }
      ${rows.length > this.#growing.size ? html`<p class="more"></p>` : this.#foot(words)}
    `;
  }

  #days(rows: Row[], words: Words): unknown {
    const state: Omit<RowState, "open" | "undone" | "doubtful"> = {
      words,
      offers: { undo: offers(this.hass!, "undo"), ask: offers(this.hass!, "ask") },
      toggle: this.#toggle,
      load: this.#load,
      moreInfo: (entityId) => fire(this, "hass-more-info", { entityId }),
      undo: (row) => this.#tell(act(this.hass!, "undo", { intent: row.intent })),
      ask: (row) =>
        this.#tell(act(this.hass!, "ask", { text: row.asked, language: this.hass!.language })),
    };
    const badSince = this.#status?.record.bad_since ?? Infinity;
    return byDay(rows, (at) => words.day(at)).map(
      ([day, those]) =>
        html`<h3 class="day meta">${day}</h3>
          <ol>
            ${repeat(
              those,
              (row) => row.id,
              (row) => {
                const open = this.open === row.id;
                const undone = this.#history.store.undone(row);
                const doubtful = row.at >= badSince;
                // Most updates change one row of many.
                return guard([row, words, open, undone, doubtful, this.hass!.services], () =>
                  rowTemplate(row, { ...state, open, undone, doubtful }),
                );
              },
            )}
          </ol>`,
    );
  }

  #foot(words: Words): TemplateResult | typeof nothing {
    const { older } = this.#history;
    if (!older) return nothing;
    const { t } = words;
    return html`<p class="note">
      ${older === "failed" ? t.older_failed : nothing}
      ${
        older === "loading"
          ? `${t.loading}…`
          : html`<button class="plain" @click=${() => this.#history.load()}>${t.older}</button>`
      }
    </p>`;
  }
}
