/** The words of a page without its elements: no entity is read and no shape kept, but nothing makes this slow. */
export function plainTextOf(html: string): string {
  const visible = ["script", "style", "head"].reduce(withoutElement, html);
  return visible
    .replace(/<[^<>]*>/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

export function titleOf(html: string): string {
  const start = html.slice(0, 100_000).search(/<title\b/i);
  if (start < 0) return "";
  const words = /^<title[^<>]*>([^<]*)/i.exec(html.slice(start, start + 2_000))?.[1] ?? "";
  return words.replace(/\s+/g, " ").trim();
}

function withoutElement(html: string, name: string): string {
  const lower = html.toLowerCase();
  let text = "";
  for (let at = 0; ; ) {
    const start = lower.indexOf(`<${name}`, at);
    if (start < 0) return text + html.slice(at);
    text += html.slice(at, start);
    const end = lower.indexOf(`</${name}`, start);
    if (end < 0) return text;
    at = end;
  }
}
