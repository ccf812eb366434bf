import { t } from "@vscode/l10n";
import type { Check, Fix } from "./check.ts";

/** A report to read and to pass on, and which of its lines has what fix. */
export interface DoctorReport {
  text: string;
  fixes: { line: number; fix: Fix }[];
}

export interface ReportContext {
  /** Versions and the system. */
  about: readonly string[];
  /** Keys and other secrets that are known: whatever brought one into the text, it is not shown. */
  secrets: readonly string[];
  home: string;
}

const signs = { ok: "✓", warning: "!", problem: "✗", off: "–" };
const minSecretLength = 4;
const maxLineLength = 76;

export function formatReport(checks: readonly Check[], context: ReportContext): DoctorReport {
  const problems = checks.filter(({ state }) => state === "problem").length;
  const warnings = checks.filter(({ state }) => state === "warning").length;
  const lines = [t("Arbor Doctor"), "", summaryText(problems, warnings), ""];
  const fixes: DoctorReport["fixes"] = [];
  for (const { title, state, text, fix } of checks) {
    if (fix !== undefined) fixes.push({ line: lines.length, fix });
    lines.push(`${signs[state]} ${title}`, ...wrapped(clean(text, context)));
  }
  lines.push("", ...context.about.map((line) => clean(line, context)), "", t("This report holds no keys."), "");
  return { text: lines.join("\n"), fixes };
}

function summaryText(problems: number, warnings: number): string {
  if (problems === 0 && warnings === 0) return t("Everything works.");
  return t("Problems: {0}. Warnings: {1}.", problems, warnings);
}

/** In lines that a narrow editor shows whole, if no word of them is longer. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= maxLineLength) lines[lines.length - 1] = longer;
    else lines.push(`   ${word}`);
  }
  return lines;
}

/** One line without secrets, in which the home folder has no name. */
function clean(text: string, { secrets, home }: ReportContext): string {
  let cleaned = text.replace(/\s+/g, " ").trim();
  for (const secret of secrets) if (secret.length >= minSecretLength) cleaned = cleaned.replaceAll(secret, "•••");
  return home.length > 1 ? cleaned.replaceAll(home, "~") : cleaned;
}
