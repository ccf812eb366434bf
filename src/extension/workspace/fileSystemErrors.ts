/** Whether something thrown is a failed call of the file system, with its code (`ENOENT`, `EACCES`, …). */
export function isFileSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
