import type { IncomingMessage } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { t } from "@vscode/l10n";
import { ToolError } from "../common/userError.ts";
import { type FetchAddress, isPrivateIp, judgeAddress } from "./address.ts";
import { type Lookup, PrivateAddressError, safeLookup, systemAddresses } from "./safeLookup.ts";

const maxRedirects = 10;
const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 5 * 1_024 * 1_024;

export interface FetchedPage {
  /** Where it was found in the end. */
  url: URL;
  status: number;
  contentType: string;
  body: Buffer;
  /** There was more than is read of one page. */
  isCut: boolean;
}

export interface FetchOptions {
  /** Asked before the first connection to each host, and again when its name leads into a private network. */
  allow(address: FetchAddress): Promise<boolean>;
  /** Whether a body of that type is worth reading. */
  accepts(contentType: string): boolean;
  lookup?: Lookup;
  timeoutMs?: number;
  maxBytes?: number;
}

/** Fetches an address; undefined when a host on the way was not allowed. Every redirect is judged like the first. */
export async function fetchPage(
  text: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchedPage | undefined> {
  const allowed = new Set<string>();
  let address = judgeAddress(text);
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const found = await visit(address, options, allowed, signal);
    if (found === undefined || "body" in found) return found;
    address = found.next;
  }
  throw new ToolError(`${text} redirects more than ${maxRedirects} times. Give the address it should lead to.`);
}

type Visit = FetchedPage | { next: FetchAddress };

/** One address, asked for first unless its host was allowed on the way here. */
async function visit(
  address: FetchAddress,
  options: FetchOptions,
  allowed: Set<string>,
  signal: AbortSignal,
): Promise<Visit | undefined> {
  // To go on unencrypted is another question.
  const key = `${address.url.protocol}//${address.host} ${address.isPrivate} ${address.leadsTo ?? ""}`;
  if (!allowed.has(key) && !(await options.allow(address))) return undefined;
  allowed.add(key);
  signal.throwIfAborted();
  try {
    return await load(address, options, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof PrivateAddressError) || address.isPrivate) throw reachFailure(error, address, options);
    const concern = t("Its name leads to {0}.", error.address);
    const found = { ...address, isPrivate: true, leadsTo: error.address, concerns: [...address.concerns, concern] };
    return visit(found, options, allowed, signal);
  }
}

async function load(address: FetchAddress, options: FetchOptions, signal: AbortSignal): Promise<Visit> {
  const { timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes } = options;
  const { url, isPrivate, leadsTo } = address;
  const lookup = leadsTo === undefined ? options.lookup : async () => [leadsTo];
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  if (!isPrivate) await refusePrivateName(url.hostname, lookup);
  const response = await request(url, { mayBePrivate: isPrivate, signal: inTime, ...(lookup && { lookup }) });
  try {
    const status = response.statusCode ?? 0;
    const { location, "content-type": contentType = "" } = response.headers;
    if (status >= 300 && status < 400 && location !== undefined) return { next: judgeAddress(location, url) };
    const page = { url, status, contentType };
    if (!options.accepts(contentType)) return { ...page, body: Buffer.alloc(0), isCut: false };
    return { ...page, ...(await readBody(response, maxBytes)) };
  } finally {
    response.destroy();
  }
}

/** A proxy looks names up itself, so that the lookup of the request never sees them. What can't be found here is left to it. */
async function refusePrivateName(hostname: string, lookup: Lookup = systemAddresses): Promise<void> {
  const addresses = await lookup(hostname).catch(() => []);
  const hidden = addresses.find(isPrivateIp);
  if (hidden !== undefined) throw new PrivateAddressError(hidden);
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of decompressed(response)) {
    const bytes: Buffer = chunk;
    chunks.push(bytes);
    length += bytes.length;
    // Counted when unpacked: a small packet can hold a large page.
    if (length > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

function decompressed(response: IncomingMessage): Readable {
  const decoder = decoderOf(response.headers["content-encoding"]);
  if (decoder === undefined) return response;
  response.on("error", (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

function decoderOf(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

function reachFailure(error: unknown, { host }: FetchAddress, { timeoutMs = defaultTimeoutMs }: FetchOptions): Error {
  if (error instanceof ToolError) return error;
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return new ToolError(`${host} did not answer within ${timeoutMs / 1_000} s. Try again later, or go on without it.`);
  }
  const words = error instanceof Error ? error.message || error.name : String(error);
  return new ToolError(`${host} could not be fetched from: ${words}. Check the address, or go on without it.`);
}

interface RequestOptions {
  mayBePrivate: boolean;
  signal: AbortSignal;
  lookup?: Lookup;
}

/**
 * One GET without cookies, credentials or redirects. Node's own modules, since they are what the editor teaches the
 * user's proxy and certificates.
 */
function request(url: URL, { mayBePrivate, signal, lookup }: RequestOptions): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const send = url.protocol === "https:" ? https.request : http.request;
  send(url, {
    method: "GET",
    headers: {
      accept: "text/markdown, text/html, application/json, text/*;q=0.9, */*;q=0.5",
      "accept-encoding": "gzip, deflate, br",
      "user-agent": "Arbor",
      // Nothing is kept open between two requests.
      connection: "close",
    },
    lookup: safeLookup(mayBePrivate, lookup),
    signal,
  })
    .on("response", resolve)
    .on("error", reject)
    .end();
  return promise;
}
