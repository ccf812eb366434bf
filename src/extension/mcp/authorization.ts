// Long because signing in, renewing and what is stored of both share one state.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type {
  AuthOptions,
  AuthProvider,
  FetchLike,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { t } from "@vscode/l10n";
import * as z from "zod";
import { visibleText } from "../approvals/requestText.ts";
import { UserError } from "../common/userError.ts";
import { isPrivateIp } from "../fetching/address.ts";
import { fingerprintOf, type ServerDefinition } from "./configuration.ts";
import { boundedFetch } from "./httpTransport.ts";
import type { LoopbackCallback } from "./loopbackCallback.ts";
import { maxMessageBytes } from "./stdioTransport.ts";

/** How long an answer of an authorization server may take. */
const answerTimeoutMs = 30_000;
const maxRedirects = 5;

/** Where a server's sign-in is stored, and how the user is asked. */
export interface SignInHost {
  secrets: {
    get(key: string): PromiseLike<string | undefined>;
    store(key: string, value: string): PromiseLike<void>;
    delete(key: string): PromiseLike<void>;
  };
  /** Waits for the browser to come back; on this port if it is free. */
  listen(port: number | undefined): Promise<LoopbackCallback>;
  /** Whether the user wants to sign in at this address now. */
  confirm(server: string, address: string, signal: AbortSignal): Promise<boolean>;
  /** Opens the browser. */
  open(address: string): Promise<void>;
  /** How long the browser may take. */
  timeoutMs?: number;
  /** How long an answer of the server may take. */
  answerTimeoutMs?: number;
}

/** What is known of a sign-in between two starts of a server. The library's own values are stored as they are. */
const storedSignIn = z.object({
  /** Where the server is, with all variables resolved: they may lead elsewhere now. */
  serverUrl: z.string().exactOptional(),
  client: z.looseObject({ client_id: z.string() }).exactOptional(),
  /** With which the client was registered. */
  redirectUri: z.string().exactOptional(),
  tokens: z
    .looseObject({ access_token: z.string(), token_type: z.string(), scope: z.string().optional() })
    .exactOptional(),
  discovery: z.looseObject({ authorizationServerUrl: z.string() }).exactOptional(),
});
type StoredSignIn = z.infer<typeof storedSignIn>;

/** What a server said it needs when it refused a request. */
interface Challenge {
  serverUrl: string | URL;
  fetchFn?: AuthOptions["fetchFn"];
  resourceMetadataUrl?: URL | undefined;
  scope?: string | undefined;
}

/**
 * Signs in to a server on the web as the MCP specification says: discovery, dynamic client registration, authorization
 * code with PKCE, refresh. The library speaks the protocol; here is what is stored, and when the user is asked. A request
 * never waits for a person: it fails, and the sign-in comes before the next connection.
 */
export class ServerAuthorization implements AuthProvider {
  readonly #definition: ServerDefinition;
  readonly #host: SignInHost;
  #stored: Promise<StoredSignIn> | undefined;
  #serverUrl = "";
  #renewing: Promise<void> | undefined;
  /** Aborted by a sign-out: what was under way then counts no more. */
  #signedOut = new AbortController();
  #challenge: Challenge | undefined;

  constructor(definition: ServerDefinition, host: SignInHost) {
    this.#definition = definition;
    this.#host = host;
  }

  /** The latest request was refused, and nothing but a sign-in helps. */
  get isSignInNeeded(): boolean {
    return this.#challenge !== undefined;
  }

  /** The server is at this address from now on: what was stored for another one is not sent there. */
  connectTo(serverUrl: string): void {
    if (this.#serverUrl === serverUrl) return;
    this.#serverUrl = serverUrl;
    this.#stored = undefined;
    this.#challenge = undefined;
  }

  async token(): Promise<string | undefined> {
    return (await this.#read()).tokens?.access_token;
  }

  /** Refreshes the token where that is possible without the user; once for all calls that were refused meanwhile. */
  async onUnauthorized(context: Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0]): Promise<void> {
    this.#renewing ??= this.#renew(context).finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  async #renew(context: Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0]): Promise<void> {
    const sdk = await import("@modelcontextprotocol/client");
    const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(context.response);
    const challenge = { ...context, resourceMetadataUrl, scope };
    const { signal: signedOut } = this.#signedOut;
    const refused = await this.token();
    const { client, redirectUri = "", tokens } = await this.#readAgain();
    signedOut.throwIfAborted();
    // Another window has signed in or refreshed.
    if (tokens !== undefined && tokens.access_token !== refused) return;
    if (client !== undefined && tokens?.refresh_token !== undefined) {
      const provider = this.#provider({ redirectUri, state: "", redirect: () => {} });
      const outcome = await sdk.auth(provider, this.#options(challenge)).catch(() => "REDIRECT");
      signedOut.throwIfAborted();
      if (outcome === "AUTHORIZED") return;
    }
    this.#challenge = challenge;
    throw new sdk.UnauthorizedError();
  }

  /** More is needed than the user has agreed to so far. */
  async needsScope(scope: string | undefined): Promise<void> {
    const { computeScopeUnion } = await import("@modelcontextprotocol/client");
    const { tokens } = await this.#read();
    this.#challenge = { serverUrl: this.#serverUrl, scope: computeScopeUnion(tokens?.scope, scope) };
  }

  /** Has the user sign in in the browser. Throws a `UserError` where that came to nothing. */
  async signIn(signal: AbortSignal): Promise<void> {
    const challenge = this.#challenge;
    if (challenge === undefined) return;
    const sdk = await import("@modelcontextprotocol/client");
    const { name } = this.#definition;
    const port = portOf((await this.#read()).redirectUri);
    const callback = await this.#host.listen(port);
    const asked = this.#options(challenge, signal);
    try {
      const state = randomBytes(32).toString("base64url");
      let address: URL | undefined;
      const provider = this.#provider({
        ...{ redirectUri: callback.redirectUri, state },
        redirect: (url) => {
          address = url;
        },
      });
      await sdk.auth(provider, { ...asked, forceReauthorization: true });
      signal.throwIfAborted();
      if (address === undefined) throw new UserError(t("MCP server {0} does not say where to sign in.", name));
      if (!isSafe(address)) throw new UserError(t("MCP server {0} asks to sign in at an unsafe address.", name));
      if (!(await this.#host.confirm(name, address.origin, signal))) throw new UserError(t("You did not sign in."));
      const late = AbortSignal.timeout(this.#host.timeoutMs ?? 5 * 60_000);
      const isOurs = (parameters: URLSearchParams) => isEqual(parameters.get("state") ?? "", state);
      const waiting = callback.next(isOurs, AbortSignal.any([signal, late])).catch((error: unknown) => {
        throw late.aborted ? new UserError(t("The sign-in in the browser was not finished.")) : error;
      });
      const [answer] = await Promise.all([waiting, this.#host.open(address.href)]);
      const code = answer.get("code");
      if (code === null || answer.has("error")) {
        const reason = [answer.get("error"), answer.get("error_description")]
          .filter((each) => each !== null)
          .join(": ");
        throw new UserError(t("The sign-in was refused: {0}", visibleText(reason).slice(0, 300)));
      }
      const iss = answer.get("iss");
      await sdk.auth(provider, { ...asked, authorizationCode: code, ...(iss !== null && { iss }) });
      this.#challenge = undefined;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      callback.dispose();
    }
  }

  /** Forgets the sign-in: the next connection asks for a new one. */
  async signOut(): Promise<void> {
    this.#challenge = undefined;
    this.#stored = undefined;
    // What is under way stores nothing any more.
    this.#signedOut.abort(new UserError(t("You have signed out of MCP server {0}.", this.#definition.name)));
    this.#signedOut = new AbortController();
    await this.#host.secrets.delete(keyOf(this.#definition));
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.#read()).tokens !== undefined;
  }

  #provider({
    redirectUri,
    state,
    redirect,
  }: {
    redirectUri: string;
    state: string;
    redirect(url: URL): void;
  }): OAuthClientProvider {
    let verifier = "";
    const { signal: signedOut } = this.#signedOut;
    const change = (changes: Partial<Record<keyof StoredSignIn, unknown>>) => this.#change(changes, signedOut);
    // What was stored has the library's own type: it was given by it, and its issuer is checked there.
    return {
      redirectUrl: redirectUri,
      clientMetadata: {
        client_name: "Arbor",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      state: () => state,
      clientInformation: async () => {
        const known = await this.#read();
        // Servers accept the address only that a client was registered with.
        const isSame = known.redirectUri === redirectUri;
        return isSame ? (known.client as StoredOAuthClientInformation | undefined) : undefined;
      },
      saveClientInformation: (client) => change({ client, redirectUri }),
      tokens: async () => (await this.#read()).tokens as StoredOAuthTokens | undefined,
      saveTokens: (tokens) => change({ tokens }),
      redirectToAuthorization: redirect,
      saveCodeVerifier: (codeVerifier) => {
        verifier = codeVerifier;
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: (discovery) => change({ discovery }),
      discoveryState: async () => (await this.#read()).discovery as OAuthDiscoveryState | undefined,
      invalidateCredentials: async (scope) => {
        const refused = await this.token();
        const { client, redirectUri: uri, tokens, discovery, ...rest } = await this.#readAgain();
        const isValid = (...scopes: (typeof scope)[]) => scope !== "all" && !scopes.includes(scope);
        // Another window may have refreshed them meanwhile, which uses up the refresh token.
        const isNewer = tokens?.access_token !== refused;
        if (signedOut.aborted) return;
        await this.#write({
          ...rest,
          ...(client !== undefined && isValid("client") && { client }),
          ...(uri !== undefined && isValid("client") && { redirectUri: uri }),
          ...(tokens !== undefined && (isNewer || isValid("tokens")) && { tokens }),
          ...(discovery !== undefined && isValid("discovery") && { discovery }),
        });
      },
    };
  }

  #read(): Promise<StoredSignIn> {
    this.#stored ??= this.#readStored().catch((error: unknown) => {
      this.#stored = undefined;
      throw error;
    });
    return this.#stored;
  }

  async #readStored(): Promise<StoredSignIn> {
    const stored = parseStored(await this.#host.secrets.get(keyOf(this.#definition)));
    const isElsewhere = this.#serverUrl !== "" && stored.serverUrl !== this.#serverUrl;
    return isElsewhere ? {} : stored;
  }

  /** With what other windows have stored meanwhile. */
  #readAgain(): Promise<StoredSignIn> {
    this.#stored = undefined;
    return this.#read();
  }

  async #change(changes: Partial<Record<keyof StoredSignIn, unknown>>, signedOut: AbortSignal): Promise<void> {
    const changed = { ...(await this.#read()), ...changes } as StoredSignIn;
    if (!signedOut.aborted) await this.#write(changed);
  }

  async #write(changed: StoredSignIn): Promise<void> {
    const signIn = { ...changed, serverUrl: this.#serverUrl };
    this.#stored = Promise.resolve(signIn);
    await this.#host.secrets.store(keyOf(this.#definition), JSON.stringify(signIn));
  }

  #options({ serverUrl, fetchFn, resourceMetadataUrl, scope }: Challenge, signal?: AbortSignal): AuthOptions {
    return {
      serverUrl,
      fetchFn: this.#fetch(new URL(serverUrl).origin, fetchFn, signal),
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    };
  }

  /** The server's own `fetch` adds the headers of its definition, which may be secrets: no other server gets them. */
  #fetch(origin: string, ofServer: FetchLike = withoutHeaders, signal?: AbortSignal): FetchLike {
    const timeoutMs = this.#host.answerTimeoutMs ?? answerTimeoutMs;
    const { signal: signedOut } = this.#signedOut;
    const { name } = this.#definition;
    return async (url, init) => {
      const signals = [signal, signedOut, init?.signal, AbortSignal.timeout(timeoutMs)].filter((each) => each != null);
      const within = { ...init, redirect: "manual" as const, signal: AbortSignal.any(signals) };
      for (let target = new URL(url), left = maxRedirects; ; left--) {
        if (!mayLeadTo(target, origin))
          throw new UserError(t("MCP server {0} asks to sign in at an unsafe address.", name));
        const response = await (target.origin === origin ? ofServer : withoutHeaders)(target, within);
        const location = response.headers.get("location");
        // What is sent to register or to get a token goes to where it was meant for, and nowhere else.
        const isFollowed = response.status >= 300 && response.status < 400 && (init?.method ?? "GET") === "GET";
        if (!isFollowed || location === null || left === 0) return response;
        await response.body?.cancel();
        target = new URL(location, target);
      }
    };
  }
}

const withoutHeaders = boundedFetch(maxMessageBytes);

/** What was stored for one definition is never sent where another one leads. */
function keyOf(definition: ServerDefinition): string {
  return `arbor.mcp.signIn.${fingerprintOf(definition)}`;
}

function parseStored(text: string | undefined): StoredSignIn {
  if (text === undefined) return {};
  try {
    return storedSignIn.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

function portOf(address: string | undefined): number | undefined {
  const port = address !== undefined && URL.canParse(address) ? Number(new URL(address).port) : 0;
  return port > 0 ? port : undefined;
}

/**
 * Where a server may have a sign-in lead: what it names is asked by this machine, which reaches more than the server does.
 * One of the public web leads to no address of this machine or its network.
 */
export function mayLeadTo(target: URL, origin: string): boolean {
  if (target.origin === origin) return true;
  return isSafe(target) && (!isNearby(target) || isNearby(new URL(origin)));
}

/** By its address; what a name in a company's network leads to over TLS is that company's to say. */
function isNearby({ hostname }: URL): boolean {
  const ip = hostname.replace(/^\[|\]$/g, "");
  return isIP(ip) === 0 ? /(?:^|\.)localhost\.?$/.test(hostname) : isPrivateIp(ip);
}

/** Encrypted, or on this machine. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
