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

export function formatReport(checks: readonly Check[], context: ReportContext): DoctorReport {
  const problems = checks.filter(({ state }) => state === "problem").length;
  const warnings = checks.filter(({ state }) => state === "warning").length;
  const lines = [t("Arbor Doctor"), "", summaryText(problems, warnings), ""];
  const fixes: DoctorReport["fixes"] = [];
  for (const { title, state, text, fix } of checks) {
    if (fix !== undefined) fixes.push({ line: lines.length, fix });
    lines.push(`${signs[state]} ${title}: ${clean(text, context)}`);
  }
  lines.push("", ...context.about.map((line) => clean(line, context)), "", t("This report holds no keys."), "");
  return { text: lines.join("\n"), fixes };
}

function summaryText(problems: number, warnings: number): string {
  if (problems === 0 && warnings === 0) return t("Everything works.");
  return t("Problems: {0}. Warnings: {1}.", problems, warnings);
}

/** One line without secrets, in which the home folder has no name. */
function clean(text: string, { secrets, home }: ReportContext): string {
  let cleaned = text.replace(/\s+/g, " ").trim();
  for (const secret of secrets) if (secret.length >= minSecretLength) cleaned = cleaned.replaceAll(secret, "•••");
  return home.length > 1 ? cleaned.replaceAll(home, "~") : cleaned;
}
