const all = "arbor-found";
const one = "arbor-found-current";

/** Marks what was found without touching the page: ranges are painted, no element is added. */
export function markFound(ranges: readonly Range[], current: Range | undefined): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.set(all, new Highlight(...ranges.filter((range) => range !== current)));
  CSS.highlights.set(one, new Highlight(...(current === undefined ? [] : [current])));
}

export function unmarkFound(): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete(all);
  CSS.highlights.delete(one);
}
