export function withPlainLink<T>(folder: string, use: (link: string) => Promise<T>): Promise<T>;
