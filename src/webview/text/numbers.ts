/** The user's, as the host wrote it into the page; there is none where the panel's parts run without one. */
const language = typeof document === "undefined" ? "en" : document.documentElement.lang || "en";
const formats = new Map<string, Intl.NumberFormat>();

/** With the user's decimal sign. */
export function numberText(value: number, mostDigits: number, leastDigits = 0): string {
  // The first format that is made costs a frame of its own: not for the first picture, which has whole numbers.
  if (leastDigits === 0 && Number.isSafeInteger(value)) return String(value);
  return format({ minimumFractionDigits: leastDigits, maximumFractionDigits: mostDigits }).format(value);
}

/** `$0.12`, or `0,12 $` */
export function dollarText(value: number, digits: number): string {
  return format({
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** Making one takes longer than all that it writes. */
function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${options.style} ${options.minimumFractionDigits} ${options.maximumFractionDigits}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(language, { ...options, useGrouping: false });
  formats.set(key, known);
  return known;
}
