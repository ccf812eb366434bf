/** Viewport pixels. */
export interface LineBox {
  top: number;
  bottom: number;
}

/** Longer texts are not laid out a second time only to place a list. */
const longestMeasured = 20_000;

/** Where the line with the caret stands; the whole control where the text is very long. */
export function caretLine(control: HTMLTextAreaElement): LineBox {
  const box = control.getBoundingClientRect();
  if (control.value.length > longestMeasured) return box;
  const style = getComputedStyle(control);
  const mirror = document.createElement("div");
  mirror.className = "caret-mirror";
  for (const name of ["font", "letter-spacing", "line-height", "padding", "tab-size", "word-spacing"]) {
    mirror.style.setProperty(name, style.getPropertyValue(name));
  }
  mirror.style.width = `${control.clientWidth}px`;
  // A sign of its own, so that an empty last line has a height, too.
  mirror.textContent = `${control.value.slice(0, control.selectionStart)}|`;
  document.body.append(mirror);
  const below = mirror.getBoundingClientRect().height - Number.parseFloat(style.paddingBottom);
  mirror.remove();
  const lineHeight = Number.parseFloat(style.lineHeight) || 18;
  const bottom = Math.min(box.bottom, Math.max(box.top + lineHeight, box.top + below - control.scrollTop));
  return { top: bottom - lineHeight, bottom };
}

const gap = 4;
const margin = 6;
const tallest = 260;
/** Fewer pixels show too little of a list. */
const shortest = 110;

/** Puts a list above the line, or below it where there is more room and too little above. */
export function placeList(list: HTMLElement, line: LineBox): void {
  const above = line.top - gap - margin;
  const below = window.innerHeight - line.bottom - gap - margin;
  const isAbove = above >= Math.min(shortest, list.scrollHeight) || above >= below;
  list.style.maxHeight = `${Math.max(40, Math.min(tallest, isAbove ? above : below))}px`;
  list.style.top = isAbove ? "auto" : `${line.bottom + gap}px`;
  list.style.bottom = isAbove ? `${window.innerHeight - line.top + gap}px` : "auto";
}
