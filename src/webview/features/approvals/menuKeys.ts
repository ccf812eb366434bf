/** What a key does in an open menu: the place of the item that gets the focus, or that the menu closes. */
export function menuStep(key: string, focused: number, count: number): number | "close" | undefined {
  switch (key) {
    case "ArrowDown":
      return (focused + 1) % count;
    case "ArrowUp":
      return (Math.max(focused, 0) - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    case "Escape":
    case "Tab":
      return "close";
    default:
      return undefined;
  }
}
