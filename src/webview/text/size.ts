import { numberText } from "./numbers.ts";

/** 812 B, 34 kB, 1.2 MB */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`;
  return `${numberText(bytes / 1_000_000, 1, 1)} MB`;
}
