/** In pixels. */
export interface TreeHeights {
  now: number;
  /** One row. */
  least: number;
  most: number;
}

const step = 22;

/** The height that a key gives to the tree: a row more or less, one row alone and back, as little or much as may be. */
export function dividerStep(key: string, { now, least, most }: TreeHeights): number | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(most, now + step);
    case "ArrowUp":
      return Math.max(least, now - step);
    case "Home":
      return least;
    case "End":
      return most;
    case "Enter":
      return now > least ? least : most;
    default:
      return undefined;
  }
}
