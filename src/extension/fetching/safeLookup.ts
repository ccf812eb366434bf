import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPrivateIp } from "./address.ts";

/** Finds the IP addresses of a host name. */
export type Lookup = (hostname: string) => Promise<string[]>;

/** A public name that leads into a private network. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
  readonly address: string;

  constructor(address: string) {
    super(`The name leads to ${address}.`);
    this.address = address;
  }
}

/**
 * A lookup that judges what it finds. The connection uses exactly these addresses, so that a name can't lead elsewhere
 * between the judgement and the use.
 */
export function safeLookup(mayBePrivate: boolean, lookup: Lookup = systemAddresses): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
        const hidden = mayBePrivate ? undefined : addresses.find(isPrivateIp);
        const [first] = found;
        if (hidden !== undefined) callback(new PrivateAddressError(hidden), "");
        else if (first === undefined) callback(new Error(`${hostname} has no address`), "");
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ""),
    );
  };
}

/** As the system knows them. */
export function systemAddresses(hostname: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(found.map(({ address }) => address));
    });
  });
}
