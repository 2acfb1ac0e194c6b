/** The only source of random identities. Tests pass a counting one. */
export interface Ids {
  uuid(): string
  /** A UUID (version 7) that begins with the time: rows with such ids are adjacent in an index. */
  orderedUuid(): string
  /** Lowercase hexadecimal of the given number of random bytes. */
  hex(bytes: number): string
  /** Random bytes from the platform's cryptographic source. */
  bytes(count: number): Uint8Array
}

const random = (count: number): Uint8Array => globalThis.crypto.getRandomValues(new Uint8Array(count))

export const systemIds: Ids = {
  uuid: () => globalThis.crypto.randomUUID(),
  orderedUuid: () => {
    const time = Date.now().toString(16).padStart(12, '0')
    // RFC 9562, 5.7: 48 bits of time, the version, then the random bits and the variant of version 4.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${globalThis.crypto.randomUUID().slice(15)}`
  },
  hex: (bytes) => Array.from(random(bytes), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  bytes: random,
}
