import type { Certificates } from '#/certificates/certificates.ts'
import type { LeafJudgement, LeafVerdict } from '@fleet/pki'
import type { Store } from '@fleet/store'
import { findGatewayRole } from '#/certificates/queries.ts'
import { driven, type FamilyChecks, type Finding } from '#/nodes/api.ts'

export interface CertificateCheckDeps {
  readonly store: Pick<Store, 'db'>
  readonly suffix: () => Promise<string | undefined>
  readonly inspectServed: Certificates['inspectServed']
}

export const SAID: Readonly<Record<LeafVerdict, string>> = {
  good: 'good',
  due: 'due for renewal',
  expired: 'expired',
  early: 'not yet valid',
  other_names: 'for other names',
  other_root: 'of another authority',
  unreadable: 'unreadable',
}

/** What Doctor says of what a socket serves; undefined when it is good. */
export const judgeServed = (served: LeafJudgement | undefined): Finding | undefined =>
  served?.verdict === 'good'
    ? undefined
    : { expected: SAID.good, observed: served ? SAID[served.verdict] : 'none' }

/** A handshake with the socket: a process may serve what it loaded long ago, whatever its files contain. */
export const makeCertificateChecks = ({
  store,
  suffix,
  inspectServed,
}: CertificateCheckDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, { id, wireguard_ip: address }) => {
    const [roleId, domain] = [await findGatewayRole(store.db, id), await suffix()]
    if (roleId === undefined || domain === undefined || address === null) return []
    const resource = { type: 'role', id: roleId, name: 'gateway' }
    return [
      driven('role.certificate_mismatch', resource, async () => {
        return judgeServed(await inspectServed({ address, name: `gateway.${domain}`, isForAddress: true }))
      }),
    ]
  },
})
