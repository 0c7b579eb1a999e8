/** Shows a long list piece by piece: the next when the end of the last comes near. */

import type { LitElement, ReactiveController } from "lit";

/** Rows that are drawn at once; a few screens full. */
const PIECE = 100;

export class Growing implements ReactiveController {
  /** How many rows to draw. */
  size = PIECE;
  #host: LitElement;

  constructor(host: LitElement) {
    this.#host = host;
    host.addController(this);
  }

  /** Start again with one piece. */
  reset(): void {
    this.size = PIECE;
  }

  /** Also where the list is as high as what is in it, and nothing scrolls. */
  hostUpdated(): void {
    this.look();
  }

  look(): void {
    const list = this.#host.renderRoot.querySelector(".list");
    if (!list?.querySelector(".more")) return;
    if (list.scrollTop + 2 * list.clientHeight < list.scrollHeight) return;
    this.size += PIECE;
    this.#host.requestUpdate();
  }
}
