/** The end of `bytes`, at most `length` of them, not starting inside a character. */
export function lastBytes(bytes: Buffer, length: number): Buffer {
  let start = Math.max(0, bytes.length - length);
  while (start > 0 && start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** The start of `bytes`, at most `length` of them, not ending inside a character. */
export function firstBytes(bytes: Buffer, length: number): Buffer {
  if (length >= bytes.length) return bytes;
  let end = length;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return bytes.subarray(0, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
