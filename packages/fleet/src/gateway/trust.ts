import { fail } from '@fleet/contract'
import { readRootCertificate, RootUnavailable } from '@fleet/pki'
import type { Handler } from '#/handler.ts'

export interface TrustDeps {
  /** Folder of the fleet's own authority. */
  readonly caDirectory: string
}

/** Reads the files each time, so that an unreadable root is reported at once (GW-053). */
export const makeTrust =
  ({ caDirectory }: TrustDeps): Handler<'gateway:trust'> =>
  async () => {
    try {
      const { certificate, sha256 } = readRootCertificate(caDirectory)
      return { data: { root_ca: certificate, sha256 } }
    } catch (error) {
      if (error instanceof RootUnavailable) throw fail('ca.unavailable', { cause: error })
      throw error
    }
  }
