/** Older rows: pages of the list, and what a search finds beyond them. */

import { Store, type Filter } from "./store";
import type { Page, Row } from "./types";

export type Older = "more" | "loading" | "failed" | undefined;

/** Milliseconds without a further key after which the server is asked. */
const PAUSE = 300;

export class History {
  readonly store = new Store();
  /** Found by the server beyond the pages; apart, for a list with holes in it would mislead. */
  #found = new Store();
  #call: (message: object) => Promise<Page>;
  #changed: () => void;
  #text = "";
  #request: object = {};
  #limit = 0;
  #state: "loading" | "failed" | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counted up when what is under way is of no use any more. */
  #turn = 0;

  constructor(call: (message: object) => Promise<Page>, changed: () => void) {
    this.#call = call;
    this.#changed = changed;
  }

  /** Set what the server selects by; tell whether that has changed, and rows were dropped. */
  scope(scope: object, limit: number): boolean {
    this.#limit = limit;
    if (JSON.stringify(scope) === JSON.stringify(this.#request)) return false;
    this.#request = scope;
    this.store.clear();
    this.search(this.#text);
    return true;
  }

  /** Whether there is anything older to be had. */
  get older(): Older {
    const { cursor } = this.#text ? this.#found : this.store;
    return this.#state ?? (cursor === null ? undefined : "more");
  }

  rows(filter: Filter, except: ReadonlySet<string>): Row[] {
    const here = this.store.rows(filter, except);
    if (!this.#text || !this.#found.size) return here;
    const known = new Set([...here.map((row) => row.id), ...except]);
    // The server has searched the recorded words, which are not all on the row.
    const more = this.#found.rows({ ...filter, text: "" }, known);
    return [...here, ...more].sort((a, b) => b.at - a.at);
  }

  /** Look for words, here at once and on the server after a pause. */
  search(text: string): void {
    this.#text = text.trim();
    this.#found.clear();
    this.#turn += 1;
    this.#state = undefined;
    clearTimeout(this.#timer);
    if (this.#text) this.#timer = setTimeout(() => void this.load(), PAUSE);
  }

  /** Read the next page. */
  async load(): Promise<void> {
    const [text, turn] = [this.#text, this.#turn];
    const store = text ? this.#found : this.store;
    this.#state = "loading";
    this.#changed();
    try {
      const page = await this.#call({
        type: "hearthnet/timeline/page",
        ...this.#request,
        limit: this.#limit,
        ...(text ? { text } : {}),
        ...(store.cursor === null ? {} : { cursor: store.cursor }),
      });
      if (turn !== this.#turn) return;
      store.append(page.rows, page.cursor);
      this.#state = undefined;
    } catch {
      if (turn !== this.#turn) return;
      this.#state = "failed";
    }
    this.#changed();
  }
}
