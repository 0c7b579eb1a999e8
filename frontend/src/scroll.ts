/** Where the list stands, and where it should. */

const SCROLLED = 40;
/** Pixels of the day's name, which stays at the top. */
const DAY_HEIGHT = 26;

/** Tell whether the reader has left the top. */
export function scrolled(list: Element | null): boolean {
  return (list?.scrollTop ?? 0) > SCROLLED;
}

/** Bring as much as fits of a row into view, its head in any case. */
export function reveal(list: Element | null, row: Element | null): void {
  if (!list || !row) return;
  const [frame, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  const below = inner.bottom - frame.bottom;
  list.scrollTop += Math.max(0, Math.min(below, inner.top - frame.top - DAY_HEIGHT));
}
