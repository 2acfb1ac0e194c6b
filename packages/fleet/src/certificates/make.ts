import type { Certificates } from '#/certificates/certificates.ts'
import { judgeLeaf } from '@fleet/pki'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeCertificateChecks, makeRootChecks } from '#/certificates/checks.ts'
import { judgeLeafFile } from '#/certificates/judge-leaf-file.ts'
import { confirmLoaded, isLeafDue, loadWaiting, publishLeaves, withdrawLeaf } from '#/certificates/leaf.ts'
import { type Leaves, withLocalLeaves } from '#/certificates/local-leaf.ts'
import type { LocalCertificates, ServedCertificates } from '#/certificates/ports.ts'
import { rootCertificateOf, rootEndOf, signingRootOf } from '#/certificates/root.ts'
import { installTrust, makeTrustChecks, removeTrust } from '#/certificates/trust.ts'

export interface CertificatesDeps {
  readonly clock: Clock
  /** Folder of the fleet's own authority. */
  readonly caDirectory: string
  readonly served: ServedCertificates
  readonly store: Pick<Store, 'db'>
  /** Private suffix of the fleet; undefined without a private network. */
  readonly suffix: () => Promise<string | undefined>
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
  readonly local?: LocalCertificates | undefined
}

const HTTPS = 443

export function makeCertificates(deps: CertificatesDeps): Certificates {
  const { clock, caDirectory, served, root = '', local } = deps
  const onMachines: Leaves = {
    publishLeaves: (session, leaves) => publishLeaves({ clock, caDirectory, root }, session, leaves),
    confirmLoaded: (session, leaves) => confirmLoaded(root, session, leaves),
    loadWaiting: (session, leaves) => loadWaiting(root, session, leaves),
    isLeafDue: (session, leaf) => isLeafDue({ clock, caDirectory, root }, session, leaf),
    withdrawLeaf: (session, leaf) => withdrawLeaf(root, session, leaf),
  }
  const leaves = local ? withLocalLeaves(onMachines, deps, local) : onMachines
  const inspectServed: Certificates['inspectServed'] = async (at) => {
    const { address, port = HTTPS, name, isForAddress } = at
    const authority = rootCertificateOf(caDirectory)
    const certificate = await served.certificateAt({ address, port, name })
    if (certificate === undefined) return undefined
    const hosts = isForAddress ? [name, address] : [name]
    return judgeLeaf(certificate, { root: authority, now: clock.now(), hosts })
  }
  return {
    trust: {
      install: (session) => installTrust(root, session, rootCertificateOf(caDirectory)),
      remove: (session) => removeTrust(root, session),
    },
    ...leaves,
    publishLeaf: async (session, leaf) =>
      (await leaves.publishLeaves(session, [leaf])).length > 0 ? 'published' : 'unchanged',
    requireSigning: () => void signingRootOf(caDirectory, clock.now()),
    inspectServed,
    judgeFile: (files, leaf) =>
      judgeLeafFile(files, leaf, { root: rootCertificateOf(caDirectory), now: clock.now(), folder: root }),
    checks: [
      makeCertificateChecks({ ...deps, inspectServed }),
      makeRootChecks({ ...deps, endOf: () => rootEndOf(caDirectory) }),
      makeTrustChecks({ certificate: () => rootCertificateOf(caDirectory), suffix: deps.suffix, root }),
    ],
  }
}
