/** A small count or word on the badge's colours. */
export function Badge({ children }: { children: string | number }) {
  return <vscode-badge class="badge">{children}</vscode-badge>;
}
