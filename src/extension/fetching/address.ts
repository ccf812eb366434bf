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
  /** Where a public name leads: an address of a private network. */
  leadsTo?: string;
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
      ? [t("The address contains a user name or password, which is not sent. The host is {0}.", url.hostname)]
      : []),
    ...(text.includes("\\") ? [t("The address has backslashes. The host is {0}.", url.hostname)] : []),
    ...foreignLetters(url.hostname),
    ...(isOddlyWritten(text, base)
      ? [t("The address is written in an unusual way. The host is {0}.", url.hostname)]
      : []),
    ...(isOddPort(url.port) ? [t("Port {0} is not one of a web server.", url.port)] : []),
  ];
  url.username = "";
  url.password = "";
  // A fragment never leaves the browser.
  url.hash = "";
  return { url, host: url.host, isPrivate: isPrivateHost(url.hostname), concerns };
}

/** What a reader would take for another host than a browser does: slashes too few or many, and letters that are replaced. */
function isOddlyWritten(text: string, base: URL | undefined): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a parser of addresses leaves these out.
  if (/[\u0000-\u001f\u007f]/.test(text.trim())) return true;
  const authority = /^\s*[a-z]+:\/\/([^/?#\\]+)/i.exec(text)?.[1];
  if (authority === undefined) return base === undefined || /^\s*[a-z]+:/i.test(text);
  return /[^!-~]|%/.test(authority);
}

/** Ports below 1024 belong to other services, and these to databases and the like that trust their own network. */
const otherServices = new Set([
  1_433, 1_521, 2_049, 2_375, 2_376, 3_306, 3_389, 5_432, 5_672, 5_900, 6_000, 6_379, 6_443,
]);
const moreServices = new Set([
  6_667, 7_001, 9_042, 9_092, 9_200, 9_300, 10_250, 10_255, 11_211, 27_017, 27_018, 50_000,
]);

function isOddPort(port: string): boolean {
  const number = Number(port);
  if (port === "" || number === 80 || number === 443) return false;
  return number < 1_024 || otherServices.has(number) || moreServices.has(number);
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
  return !name.includes(".") || privateNames.test(name) || ownServices.test(name) || namesPrivateIp(name);
}

/** Names that public servers never have. */
const privateNames =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|intra|private|corp|home|lan|domain|workgroup|router|ip|hole|svc|default|cluster|consul|docker|arpa|test|invalid|onion|i2p|alt)$/;

/** Public names that lead into the network of the machine that asks: of routers, of machines in one's own VPN, or by design. */
const ownServices =
  /(?:^|\.)(?:fritz\.box|routerlogin\.(?:net|com)|tplink(?:wifi|login|modem)\.net|router\.asus\.com|asusrouter\.com|dlinkrouter\.com|mywifiext\.net|metadata\.goog|ts\.net|tailscale\.net|nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|yoogle\.com|lo(?:op)?\.ac|rbndr\.us|1u\.ms|burpcollaborator\.net|traefik\.me|local\.gd|localhost\.direct|ip6\.name|backname\.io)$/;

/** An IPv4 address written into a name, with dots, dashes or as eight digits: services answer with what it says. */
function namesPrivateIp(name: string): boolean {
  const written = [...name.matchAll(/(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?=[.-]|$)/g)].map(
    ([, ...parts]) => parts.join("."),
  );
  const inHex = [...name.matchAll(/(?:^|\.)([0-9a-f]{8})(?=\.)/g)].map(([, digits = ""]) =>
    [0, 2, 4, 6].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)).join("."),
  );
  return [...written, ...inHex].some((ip) => isIP(ip) === 4 && isPrivateIp(ip));
}

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
  // The way back from IPv6 by an old tunnel.
  ["192.88.99.0", 24],
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
  // Tunnels, benchmarks and names that are no addresses.
  ["2001::", 23],
  ["2002::", 16],
  ["100::", 64],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
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
