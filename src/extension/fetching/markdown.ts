import Turndown from "turndown";

/** What a reader does not see, or what says nothing as text. */
const unread = ["script", "style", "noscript", "template", "iframe", "object", "canvas", "title"] as const;

/** The text of a web page as markdown, its links made absolute. A page may be made so that this takes for ever. */
export function markdownOf(html: string, page: URL): string {
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  service.remove([...unread]);
  service.addRule("svg", { filter: (node) => node.nodeName.toLowerCase() === "svg", replacement: () => "" });
  addLinks(service, page);
  addTables(service);
  return service.turndown(html).trim();
}

function addLinks(service: Turndown, page: URL): void {
  service.addRule("link", {
    filter: "a",
    replacement: (content, node) => {
      const words = content.replace(/\s+/g, " ").trim();
      const target = absolute(attribute(node, "href"), page);
      return words === "" || target === undefined ? content : `[${words}](${target})`;
    },
  });
  service.addRule("image", {
    filter: "img",
    replacement: (_content, node) => {
      const words = attribute(node, "alt").replace(/\s+/g, " ").trim();
      const target = absolute(attribute(node, "src"), page);
      return words === "" || target === undefined ? words : `![${words}](${target})`;
    },
  });
}

function attribute(node: unknown, name: string): string {
  // The converter brings its own DOM, which is typed as the browser's.
  const element = node as { getAttribute?(name: string): string | null };
  return element.getAttribute?.(name) ?? "";
}

function absolute(target: string, page: URL): string | undefined {
  if (target === "" || target.startsWith("#") || !URL.canParse(target, page.href)) return undefined;
  const url = new URL(target, page);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href.replaceAll(")", "%29") : undefined;
}

function addTables(service: Turndown): void {
  service.addRule("cell", {
    filter: ["td", "th"],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s*\n\s*/g, " ")
        .replaceAll("|", "\\|")} |`,
  });
  service.addRule("row", {
    filter: "tr",
    replacement: (content) => (content.trim() === "" ? "" : `|${content}\n`),
  });
  service.addRule("table", {
    filter: "table",
    replacement: (content) => `\n\n${content.replace(/\n{2,}/g, "\n").trim()}\n\n`,
  });
}
