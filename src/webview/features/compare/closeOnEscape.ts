/** Escape closes what has the focus, and nothing around it. */
export function closeOnEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    close();
    event.preventDefault();
    event.stopPropagation();
  };
}
