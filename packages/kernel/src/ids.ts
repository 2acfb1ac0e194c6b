/** The only source of random identities. Tests pass a counting one. */
export interface Ids {
  uuid(): string
  /** Lowercase hexadecimal of the given number of random bytes. */
  hex(bytes: number): string
  /** Random bytes from the platform's cryptographic source. */
  bytes(count: number): Uint8Array
}

const random = (count: number): Uint8Array => globalThis.crypto.getRandomValues(new Uint8Array(count))

export const systemIds: Ids = {
  uuid: () => globalThis.crypto.randomUUID(),
  hex: (bytes) => Array.from(random(bytes), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  bytes: random,
}
