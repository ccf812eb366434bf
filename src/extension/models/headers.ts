import { t } from "@vscode/l10n";
import type * as z from "zod";

/** What a header's value may refer to. */
export interface HeaderSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** Of the editor's secret storage. */
  secret(name: string): PromiseLike<string | undefined>;
}

export type ResolvedHeaders =
  | { ok: true; headers: Record<string, string> }
  /** The header that has no value, and what it refers to as the settings write it. */
  | { ok: false; header: string; reference: string };

const reference = /\$\{(env|secret):([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** What a request consists of, and no gateway asks for. */
const reserved = /^(?:host|connection|content-length|content-type|transfer-encoding|expect|upgrade|te|trailer)$/i;
const credentials = /^(?:authorization|x-api-key|api-key)$/i;

/** A reference as the settings write it. */
export function referenceTo(kind: "env" | "secret", name: string): string {
  return `\${${kind}:${name}}`;
}

/** Puts the values in that headers refer to. One that is not set makes all of them useless. */
export async function resolveHeaders(
  headers: Readonly<Record<string, string>>,
  { environment, secret }: HeaderSources,
): Promise<ResolvedHeaders> {
  const resolved: Record<string, string> = {};
  for (const [header, value] of Object.entries(headers)) {
    let text = value;
    for (const [written, kind, name = ""] of value.matchAll(reference)) {
      const found = (kind === "env" ? environment[name]?.trim() : await secret(name)) || undefined;
      if (found === undefined) return { ok: false, header, reference: written };
      // As it is: `$&` and its like mean something to `replace`.
      text = text.split(written).join(found);
    }
    resolved[header] = text;
  }
  return { ok: true, headers: resolved };
}

/** The names of the secrets that headers refer to. */
export function secretsOf(headers: Readonly<Record<string, string>> = {}): string[] {
  const named = Object.values(headers).flatMap((value) => [...value.matchAll(reference)]);
  return [...new Set(named.flatMap(([, kind, name]) => (kind === "secret" && name !== undefined ? [name] : [])))];
}

/** Whether one of the headers identifies the user to a server, so that no key is needed. */
export function holdCredentials(headers: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(headers).some((name) => credentials.test(name));
}

/** Headers as a user writes them in the settings. */
export function checkHeaders(headers: Readonly<Record<string, string>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers)) {
    const message = findHeaderFault(name, value);
    if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
  }
}

function findHeaderFault(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return t("is not the name of a header");
  if (reserved.test(name)) return t("is set by Arbor itself");
  // Anything else is invalid in an HTTP header.
  if (!/^[\t\x20-\x7e]*$/.test(value)) return t("has line breaks or special characters");
  if (value.replace(reference, "").includes("${")) {
    return t("refers to something else than {0} or {1}", referenceTo("env", "NAME"), referenceTo("secret", "NAME"));
  }
  return undefined;
}
