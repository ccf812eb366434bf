import type { ComponentChildren } from "preact";
import type { Intent } from "../../protocol/messages.ts";
import type { LinkTarget } from "../text/links.ts";
import { LinkButton } from "../ui/LinkButton.tsx";
import type { Inline } from "./structure.ts";

export interface InlinesProps {
  inlines: readonly Inline[];
  post(intent: Intent): void;
}

export function Inlines({ inlines, post }: InlinesProps) {
  return <>{inlines.map((inline, index) => drawInline(inline, index, post))}</>;
}

function drawInline(inline: Inline, key: number, post: InlinesProps["post"]): ComponentChildren {
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
      return (
        <strong key={key}>
          <Inlines inlines={inline.children} post={post} />
        </strong>
      );
    case "emphasis":
      return (
        <em key={key}>
          <Inlines inlines={inline.children} post={post} />
        </em>
      );
    case "strike":
      return (
        <del key={key}>
          <Inlines inlines={inline.children} post={post} />
        </del>
      );
    case "link":
      return (
        <Link key={key} target={inline.target} post={post}>
          <Inlines inlines={inline.children} post={post} />
        </Link>
      );
    case "break":
      return <br key={key} />;
    default:
      inline satisfies never;
      return null;
  }
}

function Link({
  target,
  post,
  children,
}: { target: LinkTarget; children: ComponentChildren } & Pick<InlinesProps, "post">) {
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
