/** The texts that are translated, with the file they stand in. */
export function sourceWords(): Promise<Map<string, string>>;
export function translations(): Promise<string[]>;
export function bundle(language: string): Promise<Record<string, string>>;
/** Of the manifest, in English or in another language. */
export function manifestWords(language: string | undefined): Promise<Record<string, string>>;
