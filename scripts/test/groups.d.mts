export function fallingGroups(files: readonly string[], count: number, secondsOf: (file: string) => number): string[][];
