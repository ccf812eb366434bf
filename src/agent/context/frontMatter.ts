/** A Markdown file, taken apart. `data` is whatever the YAML says; the caller validates it. */
export interface FrontMatter {
  data: unknown;
  body: string;
}

const delimiter = "---";

/**
 * Splits YAML front matter from the text below it. Without a closing line everything is body. Throws on invalid YAML.
 * The parser is loaded when the first file has front matter: most sessions never need it.
 */
export async function parseFrontMatter(text: string): Promise<FrontMatter> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines[0] === delimiter ? lines.indexOf(delimiter, 1) : -1;
  if (end < 0) return { data: undefined, body: lines.join("\n") };
  const { parse } = await import("yaml");
  return { data: parse(lines.slice(1, end).join("\n")), body: lines.slice(end + 1).join("\n") };
}
