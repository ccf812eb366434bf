import { BlockList, isIP } from "node:net";
import { domainToUnicode } from "node:url";
import { t } from "@vscode/l10n";
import { ToolError } from "../common/userError.ts";

/** An address that may be asked for. */
export interface FetchAddress {
  url: URL;
  /** As it is connected to, port included, brackets around IPv6. */
  host: string;
  isPrivate: boolean;
  /** What could make a reader take it for another one, as sentences. */
  concerns: string[];
}

/** Judges an address by its text alone: looking its name up would already reveal it. */
export function judgeAddress(text: string, base?: URL): FetchAddress {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (url === undefined)
    throw new ToolError(`${JSON.stringify(text)} is no address. Give one like https://example.com/page.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ToolError(`Only http and https addresses are fetched, not ${url.protocol} ones.`);
  }
  const concerns = [
    ...(url.username !== "" || url.password !== ""
      ? [t("The address carries a user name or password, which is not sent. The host is {0}.", url.hostname)]
      : []),
    ...(text.includes("\\") ? [t("The address has backslashes. The host is {0}.", url.hostname)] : []),
    ...foreignLetters(url.hostname),
  ];
  url.username = "";
  url.password = "";
  // A fragment never leaves the browser.
  url.hash = "";
  return { url, host: url.host, isPrivate: isPrivateHost(url.hostname), concerns };
}

function foreignLetters(hostname: string): string[] {
  if (!/(?:^|\.)xn--/.test(hostname)) return [];
  return [
    t(
      "The host's name has letters that can look like others: {0} is shown as {1}.",
      hostname,
      domainToUnicode(hostname),
    ),
  ];
}

/** Whether a host, as a URL names it, is this machine or in a network of its own. */
export function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (isIP(bare) !== 0) return isPrivateIp(bare);
  const name = hostname.replace(/\.+$/, "").toLowerCase();
  return !name.includes(".") || privateNames.test(name);
}

/** Names that public servers never have. */
const privateNames =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion)$/;

/** Whether an IP address is not one of the public network, or could mean one that is not. */
export function isPrivateIp(ip: string): boolean {
  const family = isIP(ip);
  return family === 0 || privateRanges().check(ip, family === 4 ? "ipv4" : "ipv6");
}

const ipv4Ranges: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  // Shared by the customers of one carrier.
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Link-local: cloud machines learn their secrets there.
  ["169.254.0.0", 16],
  // Azure's host of each virtual machine.
  ["168.63.129.16", 32],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

const ipv6Ranges: readonly (readonly [string, number])[] = [
  // Unspecified, loopback, and IPv4 in its old notation.
  ["::", 96],
  // IPv4 behind translators and tunnels: they could lead to any of the above.
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["100::", 64],
  ["2001:db8::", 32],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

function privateRanges(): BlockList {
  const list = new BlockList();
  for (const [net, bits] of ipv4Ranges) list.addSubnet(net, bits, "ipv4");
  for (const [net, bits] of ipv6Ranges) list.addSubnet(net, bits, "ipv6");
  return list;
}
