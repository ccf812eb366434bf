import type { ComponentChildren } from "preact";
import type { Intent } from "../../protocol/messages.ts";
import type { LinkTarget } from "../text/links.ts";
import { LinkButton } from "../ui/LinkButton.tsx";
import type { Inline, Post } from "./structure.ts";

/** Plain calls, no components: what is drawn again with every few letters has to be light. */
export function drawInlines(inlines: readonly Inline[], post: Post): ComponentChildren {
  return inlines.map((inline, index) => drawInline(inline, index, post));
}

function drawInline(inline: Inline, key: number, post: Post): ComponentChildren {
  switch (inline.type) {
    case "text":
      return inline.text;
    case "code":
      return inline.target === undefined ? (
        <code key={key}>{inline.text}</code>
      ) : (
        <Link key={key} target={inline.target} post={post}>
          <code>{inline.text}</code>
        </Link>
      );
    case "strong":
      return <strong key={key}>{drawInlines(inline.children, post)}</strong>;
    case "emphasis":
      return <em key={key}>{drawInlines(inline.children, post)}</em>;
    case "strike":
      return <del key={key}>{drawInlines(inline.children, post)}</del>;
    case "link":
      return (
        <Link key={key} target={inline.target} post={post}>
          {drawInlines(inline.children, post)}
        </Link>
      );
    case "break":
      return <br key={key} />;
    default:
      inline satisfies never;
      return null;
  }
}

function Link({ target, post, children }: { target: LinkTarget; children: ComponentChildren; post: Post }) {
  return (
    <LinkButton title={addressOf(target)} onClick={() => post(opening(target))}>
      {children}
    </LinkButton>
  );
}

function opening(target: LinkTarget): Intent {
  if (target.kind === "url") return { type: "openLink", href: target.href };
  const { path, line } = target;
  return line === undefined ? { type: "openFile", path } : { type: "openFile", path, line };
}

function addressOf(target: LinkTarget): string {
  if (target.kind === "url") return target.href;
  return target.line === undefined ? target.path : `${target.path}:${target.line}`;
}
