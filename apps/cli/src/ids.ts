import { randomBytes } from 'node:crypto'
import type { Ids } from '@fleet/kernel'

/** Request ids. The random source that the kernel takes from the web platform loads slower than the rest of a command. */
export const requestIds: Pick<Ids, 'uuid'> = {
  uuid() {
    const bytes = randomBytes(16)
    // Version 4, variant 1 (RFC 9562).
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  },
}
