import {
  Disposable,
  EventEmitter,
  type FileChangeEvent,
  FileChangeType,
  FileSystemError,
  type FileSystemProvider,
  FileType,
  l10n,
  type Uri,
  workspace,
} from "vscode";
import { proposedScheme } from "./diffUris.ts";

/** Text of the proposed sides, as files that an editor can change. */
export interface ProposedFiles extends Disposable {
  /** The editor's copy of this file is old. */
  changed(uri: Uri): void;
  /** The text as the editor last loaded or saved it; undefined when it did neither. */
  storedText(uri: Uri): string | undefined;
}

/**
 * `read` gives the proposed text; undefined when there is no such proposal any more. What is saved is not kept here:
 * every change of the editor's text has been taken into the proposal when it was made.
 */
export function provideProposedFiles(read: (uri: Uri) => Promise<string | undefined>): ProposedFiles {
  const events = new EventEmitter<FileChangeEvent[]>();
  /** Rises when a file changed under the editor; only then is a save refused as overwriting something newer. */
  const revisions = new Map<string, number>();
  const revise = (uri: Uri) => revisions.set(uri.toString(), revisionOf(uri) + 1);
  const revisionOf = (uri: Uri) => revisions.get(uri.toString()) ?? 0;

  /** What the editor loaded or saved last, so that it can still save and close when the proposal is over. */
  const stored = new Map<string, string>();

  const textOf = async (uri: Uri) => {
    const text = (await read(uri)) ?? stored.get(uri.toString());
    if (text === undefined) throw FileSystemError.FileNotFound(l10n.t("This edit is no longer open for review."));
    return text;
  };
  const refuse = () => {
    throw FileSystemError.NoPermissions(l10n.t("Only the proposed text can be changed here."));
  };
  const provider: FileSystemProvider = {
    onDidChangeFile: events.event,
    watch: () => new Disposable(() => {}),
    stat: async (uri) => {
      const size = Buffer.byteLength(await textOf(uri));
      return { type: FileType.File, ctime: 0, mtime: revisionOf(uri), size };
    },
    readFile: async (uri) => {
      const text = await textOf(uri);
      stored.set(uri.toString(), text);
      return new TextEncoder().encode(text);
    },
    writeFile: (uri, content) => {
      stored.set(uri.toString(), new TextDecoder().decode(content));
      revise(uri);
    },
    readDirectory: () => [],
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
  const registrations = [
    workspace.registerFileSystemProvider(proposedScheme, provider, { isCaseSensitive: true }),
    workspace.onDidCloseTextDocument(({ uri }) => void stored.delete(uri.toString())),
    events,
  ];
  return {
    changed: (uri) => {
      revise(uri);
      events.fire([{ type: FileChangeType.Changed, uri }]);
    },
    storedText: (uri) => stored.get(uri.toString()),
    dispose: () => Disposable.from(...registrations).dispose(),
  };
}
