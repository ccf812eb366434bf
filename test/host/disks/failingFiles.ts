import * as vscode from "vscode";

/** What happens to a write: it fails half-way and says so or not, is lost without a word, or fails before it begins. */
const faults = ["half, with an error", "half, silently", "lost silently", "refused", "not permitted"] as const;
export const allFaults: readonly Fault[] = faults;
export type Fault = (typeof faults)[number];

/**
 * Files in memory, in one folder, whose writes can be made to fail or to take long. What `put` changes, as another
 * program would, is not reported.
 */
export class FailingFiles implements vscode.FileSystemProvider {
  readonly files = new Map<string, { bytes: Uint8Array; mtime: number }>();
  /** Each write takes the next one. */
  faults: Fault[] = [];
  /** Milliseconds that reading and writing take. */
  delayMs = 0;
  isGone = false;
  /** Called when a write begins. */
  onWrite: (() => void) | undefined;
  /** Reads, or writes, end only after these. */
  gates: { read?: Promise<void>; write?: Promise<void> } = {};
  /** No one learns of what is written. */
  isSilent = false;
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changes.event;
  #clock = 1;

  put(name: string, text: string): void {
    this.files.set(`/${name}`, { bytes: Buffer.from(text), mtime: ++this.#clock });
  }
  text(name: string): string | undefined {
    const file = this.files.get(`/${name}`);
    return file && Buffer.from(file.bytes).toString();
  }

  watch = () => ({ dispose: () => {} });

  stat({ path }: vscode.Uri): vscode.FileStat {
    const file = this.files.get(path);
    if (file) return { type: vscode.FileType.File, ctime: 0, mtime: file.mtime, size: file.bytes.length };
    if (path === "/" && !this.isGone) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    throw vscode.FileSystemError.FileNotFound(path);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [...this.files.keys()].map((path) => [path.slice(1), vscode.FileType.File]);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    await this.#delay();
    await this.gates.read;
    this.stat(uri);
    return this.files.get(uri.path)?.bytes ?? new Uint8Array();
  }

  async writeFile({ path }: vscode.Uri, bytes: Uint8Array): Promise<void> {
    this.onWrite?.();
    const fault = this.faults.shift();
    if (fault === "refused") throw new Error("ENOSPC: no space left on device, open");
    if (fault === "not permitted") throw vscode.FileSystemError.NoPermissions(path);
    if (fault === "lost silently") {
      if (!this.files.has(path)) this.#set(path, new Uint8Array());
      return;
    }
    if (fault !== undefined) {
      this.#set(path, bytes.slice(0, Math.floor(bytes.length / 2)));
      if (fault === "half, with an error") throw new Error("ENOSPC: no space left on device, write");
      return;
    }
    await this.#delay();
    await this.gates.write;
    this.#set(path, bytes);
  }

  delete({ path }: vscode.Uri): void {
    if (!this.files.delete(path)) throw vscode.FileSystemError.FileNotFound(path);
  }

  rename(from: vscode.Uri, to: vscode.Uri): void {
    const file = this.files.get(from.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(from.path);
    this.files.delete(from.path);
    this.#set(to.path, file.bytes);
  }

  createDirectory(): void {}

  #set(path: string, bytes: Uint8Array): void {
    this.files.set(path, { bytes: Uint8Array.from(bytes), mtime: ++this.#clock });
    if (this.isSilent) return;
    this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri: vscode.Uri.parse(`failing:${path}`) }]);
  }

  #delay(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.delayMs));
  }
}
